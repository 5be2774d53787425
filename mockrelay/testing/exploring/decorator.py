"""`explore`: marks a test to be run under many behaviours of its relayer."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from threading import TIMEOUT_MAX
from typing import Any, TypeGuard

from hypothesis import settings as hypothesis_settings

from mockrelay.clock import ClockConfig
from mockrelay.core.world import check_choices
from mockrelay.relay import Relay
from mockrelay.scenario import checked_limits, load_with_limits
from mockrelay.testing.exploring.deviations import Plan
from mockrelay.testing.exploring.exploration import Exploration
from mockrelay.testing.exploring.explored_test import ExploredTest, ExploreOptions, Run, failures, no_failures
from mockrelay.testing.exploring.fault_deviations import FAULT_KINDS
from mockrelay.testing.exploring.plan_strategy import PlanLimits
from mockrelay.testing.relayer import RelayerHandle

Test = Callable[..., Any]
RELAYER = "relayer"
OPTIONS = "mockrelay_explore"
"""The attribute of an explored test that holds its options, by which the pytest plugin finds it."""


def explore(
    test: Test | None = None,
    /,
    *,
    scenario: str | Path | Mapping[str, Any] | None = None,
    choices: Mapping[str, str] | None = None,
    limits: str | Mapping[str, int | str | None] | None = None,
    faults: int = 1,
    trouble: Collection[str] = FAULT_KINDS,
    vary: Collection[str] | None = None,
    keep: Collection[str] = (),
    paces: bool = True,
    deviations: bool = False,
    probe: bool = True,
    calls_max: int = 1000,
    run_timeout_s: float = 30,
    settings: hypothesis_settings | None = None,
    folder: str | Path = "explored",
) -> Test:
    """Run a test that takes `relayer` under many relayers, each of which the spec allows.

    What the spec leaves open is drawn where the test meets it: options of choices (`vary`: only these; `keep`: never
    these; `deviations`: also options that contradict the spec; whether signatures are verified only where `vary` names
    it), how long requests take and how they end (`paces`), the order of events of one moment, and faults on at most
    `faults` calls, of the kinds in `trouble`. The plain run comes first, then (`probe`) each single deviation from it, then
    combinations. A failure is reduced to the fewest deviations, reported in a sentence, and written as a scenario into
    `folder`, beside the test (for a scenario of a file: beside that file). `scenario`, `choices` and `limits` are as for
    `make_relayer`; `settings` are Hypothesis's. The relayer's clock stands still: the test moves it. A run ends as failed
    after `calls_max` calls at one moment of that clock, or after `run_timeout_s`.

    Under pytest each run has a relayer, and fixtures, of its own; a test may be async. Without, the test is called without
    arguments and has no socket. Raises ValueError for a wrong argument, TypeError for what is not a test that takes `relayer`.
    """
    if test is not None:
        if not callable(test):
            raise TypeError(
                f"explore: found {test!r}; meant: a test, as in @explore, or arguments by name: @explore(faults=2)"
            )
        decorated: Test = explore()(test)
        return decorated
    plan_limits = PlanLimits(faults, trouble, vary, keep, paces, deviations)
    plan_limits.check()
    given = {"scenario": scenario, "choices": choices, "limits": limits}
    start = {name: value for name, value in given.items() if value is not None}
    others = {"probe": probe, "calls_max": calls_max, "run_timeout_s": run_timeout_s, "settings": settings}
    _check({**start, **others, "folder": folder})

    def decorate(test: Test) -> Test:
        if RELAYER not in inspect.signature(test).parameters:
            raise TypeError(f"{_name(test)} does not take `{RELAYER}`, so there is nothing to explore")
        beside = Path(inspect.getfile(test)).parent
        options = ExploreOptions(
            {**start, **_file(scenario, beside)},
            plan_limits,
            settings,
            beside,
            beside / folder,
            probe,
            calls_max,
            run_timeout_s,
        )
        explored = _async_wrapper(test, options) if inspect.iscoroutinefunction(test) else _wrapper(test, options)
        setattr(explored, OPTIONS, options)
        return explored

    return decorate


def _check(arguments: Mapping[str, Any]) -> None:
    """Raise ValueError for an argument of a wrong form."""
    for name, value in arguments.items():
        is_right, meant = _ARGUMENTS[name]
        if not is_right(value):
            raise ValueError(f"explore: {name}: found {value!r}; meant: {meant}")
    check_choices(arguments.get("choices", {}))
    if isinstance(limits := arguments.get("limits"), Mapping):
        try:
            checked_limits(limits)
        except ValueError as error:
            raise ValueError(f"explore: limits: {error}") from None


def _is_path(value: object) -> bool:
    return isinstance(value, str | Path)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


_ARGUMENTS: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "scenario": (
        lambda value: _is_path(value) or isinstance(value, Mapping),
        "the name of a packaged scenario, a file, or a dict such as {'extends': 'default', 'decisions': []}",
    ),
    "choices": (lambda value: isinstance(value, Mapping), "a dict such as {'http.error_status': '400'}"),
    "limits": (
        lambda value: isinstance(value, Mapping) or value in ("spec", "off"),
        "spec, off, or a dict such as {'get_depth': 2}",
    ),
    "probe": (lambda value: isinstance(value, bool), "True or False"),
    "calls_max": (lambda value: _is_number(value) and isinstance(value, int) and value > 0, "a whole number above 0"),
    "run_timeout_s": (lambda value: _is_number(value) and 0 < value <= TIMEOUT_MAX, "a number of seconds above 0"),
    "settings": (
        lambda value: value is None or isinstance(value, hypothesis_settings),
        "hypothesis.settings(...)",
    ),
    "folder": (_is_path, "a folder, beside the test"),
}
"""The form of each argument that `PlanLimits` does not have, and its description for errors."""


def _wrapper(test: Test, options: ExploreOptions) -> Test:
    @functools.wraps(test)
    def explored(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if RELAYER in kwargs:  # a run of the pytest plugin
            return test(*args, **kwargs)
        return _explore_alone(functools.partial(test, *args, **kwargs), test, options)

    return explored


def _async_wrapper(test: Test, options: ExploreOptions) -> Test:
    @functools.wraps(test)
    async def explored(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if RELAYER in kwargs:
            return await test(*args, **kwargs)

        def in_a_loop(**relayer: Any) -> None:
            asyncio.run(test(*args, **kwargs, **relayer))

        return await asyncio.to_thread(_explore_alone, in_a_loop, test, options)

    return explored


def _explore_alone(run_test: Callable[..., object], test: Test, options: ExploreOptions) -> None:
    """Explore a test without pytest. Raises its failure, once the scenario is written; SkipTest where the plain run does."""
    __tracebackhide__ = True
    given = options.relayer.get("limits")
    by_endpoint = checked_limits(given) if isinstance(given, Mapping) else None
    folder = Path(inspect.getfile(test)).parent
    scenario = load_with_limits(options.relayer.get("scenario", "default"), by_endpoint, folder)
    choices = check_choices(options.relayer.get("choices") or {})
    limits: str = "spec" if by_endpoint is not None else given or ("spec" if scenario.sets_limits else "off")
    start: dict[str, Any] = {"choices": choices, "limits_on": limits == "spec", "clock": ClockConfig(0, None)}
    sample = RelayerHandle.of(Relay(scenario, **start))
    explored = ExploredTest(_name(test), _id(test), options, sample, choices, rate_limits=limits)
    skips: list[BaseException] = []

    def run(plan: Plan) -> Run:
        relayer = RelayerHandle.of(explored.make_relay(scenario, decide=explored.met.decide, **start))
        explored.plan = plan
        explored.begin(relayer)
        error: BaseException | None = None
        try:
            explored.guard.begin()
            with explored.guard.watch():
                run_test(relayer=relayer)
                relayer.check()
        except no_failures() as raised:
            if not plan.deviations:
                skips.append(raised)
        except failures() as raised:
            error = raised
        finally:
            explored.end(relayer)
        return explored.result(error, "call")

    failure = Exploration(explored, run).search()
    if failure is None:
        if skips:
            raise skips[0]
        if problem := explored.nothing_explored(has_others=False):
            raise AssertionError(problem)
        return
    explored.plan = failure.run.plan
    if failure.repeated.error is None:
        raise failure.flaky(explored.base.sentence(explored.plan), failure.repeated)
    explored.write()
    for note in explored.notes():
        failure.repeated.error.add_note(note)
    raise failure.repeated.error


def _name(test: Test) -> str:
    return str(getattr(test, "__name__", test))


def _id(test: Test) -> str:
    """As pytest has it, without folders."""
    name = str(getattr(test, "__qualname__", test)).replace(".", "::")
    return f"{Path(inspect.getfile(test)).name}::{name}"


def _file(scenario: object, beside: Path) -> dict[str, Path]:
    """The path of a scenario that is given as a file beside the test."""
    if isinstance(scenario, Path) or (isinstance(scenario, str) and scenario.endswith((".yaml", ".yml"))):
        path = beside / scenario
        return {"scenario": path} if path.is_file() else {}
    return {}
