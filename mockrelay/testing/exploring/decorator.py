"""`explore`: marks a test to be run under many behaviours of its relayer."""

from __future__ import annotations

import asyncio
import functools
import inspect
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, overload
from unittest import SkipTest

from hypothesis import settings as hypothesis_settings

from mockrelay.clock import ClockConfig
from mockrelay.core.world import check_choices
from mockrelay.relay import Relay
from mockrelay.scenario import load
from mockrelay.testing.exploring.deviations import Plan
from mockrelay.testing.exploring.exploration import Exploration
from mockrelay.testing.exploring.explored_test import ExploredTest, ExploreOptions, Run, failures
from mockrelay.testing.exploring.fault_deviations import FAULT_KINDS
from mockrelay.testing.exploring.plan_strategy import PlanLimits
from mockrelay.testing.relayer import RelayerHandle

Test = Callable[..., Any]
RELAYER = "relayer"
OPTIONS = "mockrelay_explore"
"""The attribute of an explored test that holds its options, by which the pytest plugin finds it."""


@overload
def explore(test: Test, /) -> Test: ...
@overload
def explore(
    *,
    scenario: str | Path | None = None,
    choices: Mapping[str, str] | None = None,
    limits: str | None = None,
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
) -> Callable[[Test], Test]: ...
def explore(
    test: Test | None = None,
    /,
    *,
    scenario: str | Path | None = None,
    choices: Mapping[str, str] | None = None,
    limits: str | None = None,
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
) -> Any:
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
    arguments and has no socket.
    """
    if test is not None:
        return explore()(test)
    plan_limits = PlanLimits(faults, trouble, vary, keep, paces, deviations)
    plan_limits.check()
    given = {"scenario": scenario, "choices": choices, "limits": limits}
    start = {name: value for name, value in given.items() if value is not None}

    def decorate(test: Test) -> Test:
        if RELAYER not in inspect.signature(test).parameters:
            raise TypeError(f"{_name(test)} does not take `{RELAYER}`, so there is nothing to explore")
        beside = Path(inspect.getfile(test)).parent
        options = ExploreOptions(
            {**start, **_file(scenario, beside)},
            plan_limits,
            settings,
            beside / folder,
            probe,
            calls_max,
            run_timeout_s,
        )
        explored = _async_wrapper(test, options) if inspect.iscoroutinefunction(test) else _wrapper(test, options)
        setattr(explored, OPTIONS, options)
        return explored

    return decorate


def _wrapper(test: Test, options: ExploreOptions) -> Test:
    @functools.wraps(test)
    def explored(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if RELAYER in kwargs:  # a run of the pytest plugin
            return test(*args, **kwargs)
        return _explore_alone(functools.partial(test, *args, **kwargs), _name(test), options)

    return explored


def _async_wrapper(test: Test, options: ExploreOptions) -> Test:
    @functools.wraps(test)
    async def explored(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if RELAYER in kwargs:
            return await test(*args, **kwargs)

        def in_a_loop(**relayer: Any) -> None:
            asyncio.run(test(*args, **kwargs, **relayer))

        return await asyncio.to_thread(_explore_alone, in_a_loop, _name(test), options)

    return explored


def _explore_alone(test: Test, name: str, options: ExploreOptions) -> None:
    """Explore a test without pytest. Raises its failure, once the scenario is written."""
    __tracebackhide__ = True
    scenario = load(options.relayer.get("scenario", "default"))
    choices = check_choices(options.relayer.get("choices") or {})
    start: dict[str, Any] = {
        "choices": choices,
        "limits_on": options.relayer.get("limits") == "spec",
        "clock": ClockConfig(0, None),
    }
    explored = ExploredTest(name, options, RelayerHandle.of(Relay(scenario, **start)), choices)

    def run(plan: Plan) -> Run:
        relayer = RelayerHandle.of(explored.make_relay(scenario, decide=explored.met.decide, **start))
        explored.plan = plan
        explored.begin(relayer)
        error: BaseException | None = None
        try:
            explored.guard.begin()
            with explored.guard.watch():
                test(relayer=relayer)
                relayer.check()
        except SkipTest:
            raise
        except failures() as raised:
            error = raised
        finally:
            explored.end(relayer)
        return explored.result(error, "call")

    failure = Exploration(explored, run).search()
    if failure is None:
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


def _file(scenario: str | Path | None, beside: Path) -> dict[str, Path]:
    """The path of a scenario that is given as a file beside the test."""
    if isinstance(scenario, Path) or (isinstance(scenario, str) and scenario.endswith((".yaml", ".yml"))):
        path = beside / scenario
        return {"scenario": path} if path.is_file() else {}
    return {}
