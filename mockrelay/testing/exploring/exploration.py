"""`explore`: runs a test under many behaviours of its relayer, and reports the simplest one under which it fails."""

from __future__ import annotations

import functools
import inspect
import sys
import traceback
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from hypothesis import Phase, given
from hypothesis import settings as hypothesis_settings

from mockrelay.core.units import moment_text
from mockrelay.relay import Relay
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.testing.exploring.decisions_met import CLIENT_CHOICES, DecisionsMet
from mockrelay.testing.exploring.deviations import Deviation, OptionDeviation, Plan, options_of
from mockrelay.testing.exploring.fault_deviations import FAULT_KINDS, fault_deviations, lifecycle_deviations
from mockrelay.testing.exploring.plan_scenario import BaseScenario
from mockrelay.testing.exploring.plan_strategy import PlanLimits, plans
from mockrelay.testing.relayer import RelayerHandle

Test = Callable[..., None]
RELAYER, MAKER = "relayer", "make_relayer"
_REVEALING_KINDS = ("lost answer", "code")
"""Kinds of faults after which clients do what they do not do otherwise."""
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)


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
    settings: hypothesis_settings | None = None,
    folder: str | Path = "explored",
) -> Callable[[Test], Test]:
    """Run a test that takes `relayer` under many relayers, each of which the spec allows.

    What the spec leaves open is drawn where the test meets it: options of choices (`vary`: only these; `keep`: never
    these; `deviations`: also options that contradict the spec; whether signatures are verified only where `vary` names
    it), how long requests take and how they end (`paces`), the order of events of one moment, and faults on at most
    `faults` calls, of the kinds in `trouble`. The defaults come first. A failure is shrunk to the fewest deviations from
    them, reported in a sentence, and written as a scenario into `folder`, beside the test (for a scenario of a file:
    beside that file), which `@pytest.mark.relayer(scenario=...)` loads. `scenario`, `choices` and `limits` are as for
    `make_relayer`; `settings` are Hypothesis's. The relayer's clock stands still: the test moves it.

    Under pytest the relayer is served where its `url` is asked for; without, the test is called without arguments and
    has no socket.
    """
    plan_limits = PlanLimits(faults, trouble, vary, (*keep, *(choices or {})), paces, deviations)
    plan_limits.check()
    options = {"scenario": scenario, "choices": choices, "limits": limits}
    start = {name: value for name, value in options.items() if value is not None}

    def decorate(test: Test) -> Test:
        parameters = inspect.signature(test).parameters
        if RELAYER not in parameters:
            raise TypeError(f"{test.__name__} does not take `{RELAYER}`, so there is nothing to explore")
        if inspect.iscoroutinefunction(test):
            raise TypeError(f"{test.__name__} is async; explore a plain function, which may run a loop of its own")

        @functools.wraps(test)
        def explored(*args: Any, make_relayer: Callable[..., RelayerHandle] = _without_pytest, **kwargs: Any) -> None:
            __tracebackhide__ = True
            met = DecisionsMet()
            relayer = make_relayer(decide=met.decide, **start)
            file = Path(folder) if Path(folder).is_absolute() else Path(inspect.getfile(test)).parent / folder
            base = BaseScenario(
                relayer.relay.scenario, choices or {}, _file_of(scenario, beside=Path(inspect.getfile(test)))
            )
            if base.file is not None:
                file = base.file.parent
            exploration = _Exploration(functools.partial(test, *args, **kwargs), relayer, met, base, plan_limits)
            exploration.marker = "" if limits is None else f", limits={limits!r}"
            exploration.run(settings or hypothesis_settings(), file / f"{test.__name__}.yaml")

        own = [parameter for name, parameter in parameters.items() if name != RELAYER]
        maker = inspect.Parameter(MAKER, inspect.Parameter.KEYWORD_ONLY)
        del explored.__wrapped__
        explored.__signature__ = inspect.Signature([*own, maker])  # type: ignore[attr-defined]
        return explored

    return decorate


def _file_of(scenario: str | Path | None, *, beside: Path) -> Path | None:
    """The file of a scenario that is given as a file."""
    if isinstance(scenario, str) and scenario.endswith((".yaml", ".yml")):
        return beside.parent / scenario
    return scenario if isinstance(scenario, Path) else None


def _without_pytest(scenario: str | Path = "default", **options: Any) -> RelayerHandle:
    return RelayerHandle.of(Relay.from_scenario(scenario, **{"limits": "off", "clock": "frozen", **options}))


class _Exploration:
    """The search for a plan under which one test fails."""

    def __init__(
        self, test: Test, relayer: RelayerHandle, met: DecisionsMet, base: BaseScenario, limits: PlanLimits
    ) -> None:
        self._test = test
        self._relayer = relayer
        self._met = met
        self._base = base
        self._limits = limits
        self._clock = {"rate": 0, "start": moment_text(relayer.clock.now_ms)}
        self._choices: Mapping[str, str] = relayer.control("GET", "state")["choices"]
        self._failed: list[Plan] = []
        self.marker = ""
        """Arguments that the marker needs beside the scenario to repeat the failure."""

    def run(self, settings: hypothesis_settings, path: Path) -> None:
        """Raise the failure of the simplest plan under which the test fails, once its scenario is written."""
        __tracebackhide__ = True
        error = self._error(Plan())
        if error is None:
            for plan in self._scouts():
                self._error(plan)
            size = self._met.size
            error = self._search(settings)
            if error is None and self._met.size != size:
                # Decisions that the default run does not meet have not been drawn yet.
                error = self._search(hypothesis_settings(settings, max_examples=settings.max_examples // 2 + 1))
        if error is None:
            return
        plan, error = self._fewest(self._failed[-1], error)
        self._base.write(plan, path)
        error.add_note(f"{path.stem} {plan.sentence}")
        mark = f"@pytest.mark.relayer(scenario={_shown(path)!r}{self.marker})"
        error.add_note(f"written to {path}; {mark} runs the test under it")
        raise error from None

    def _search(self, settings: hypothesis_settings) -> Exception | None:
        """The failure that Hypothesis finds and shrinks; None where it finds none."""
        self._failed.clear()

        @hypothesis_settings(settings, deadline=None, report_multiple_bugs=False, phases=_PHASES, print_blob=False)
        @given(plan=plans(self._met.copy(), self._limits, self._choices))
        def explored(plan: Plan) -> None:
            __tracebackhide__ = True
            self._run_test(plan)

        try:
            explored()
        except _failures() as error:
            if not self._failed:
                raise
            return self._error(self._failed[-1]) or error
        return None

    def _fewest(self, plan: Plan, error: Exception) -> tuple[Plan, Exception]:
        """The plan without the deviations that the failure does not need, which Hypothesis may leave in."""
        index = len(plan.deviations)
        while index:
            index -= 1
            fewer = self._error(plan.without(index))
            if fewer is not None and _origin(fewer) == _origin(error):
                plan, error = plan.without(index), fewer
        return plan, error

    def _scouts(self) -> list[Plan]:
        """Plans for runs whose outcome does not matter: they show the decisions that the default run does not meet."""
        options = {
            key: options_of(key, self._choices[key], deviations=False)
            for key in sorted(self._met.keys - CLIENT_CHOICES)
        }
        options_changed: list[Deviation] = [
            OptionDeviation(key, found[-1]) for key, found in options.items() if len(found) > 1
        ]
        slow: list[Deviation] = [lifecycle_deviations(kind)[0] for kind in sorted(self._met.kinds)]
        posts = [name for name in self._met.calls if BY_NAME[name].method == "POST"]
        lost, refused = (
            [one for name in posts for _, one in fault_deviations(name, 1, frozenset({kind}))]
            for kind in _REVEALING_KINDS
        )
        return [Plan(tuple(found)) for found in (options_changed, slow, lost, refused)]

    def _error(self, plan: Plan) -> Exception | None:
        try:
            self._run_test(plan)
        except _failures() as error:
            return error
        return None

    def _run_test(self, plan: Plan) -> None:
        """Run the test once under a plan."""
        __tracebackhide__ = True
        self._relayer.reset(scenarioText=self._base.text(plan), clock=self._clock)
        self._met.begin()
        try:
            self._test(relayer=self._relayer)
            self._relayer.check()
        except _failures():
            self._failed.append(plan)
            raise
        finally:
            self._met.end(self._relayer)


def _origin(error: Exception) -> tuple[type[Exception], str, int]:
    """What distinguishes failures: the type of the exception, and where it was raised."""
    *_, frame = traceback.extract_tb(error.__traceback__)
    return type(error), frame.filename, frame.lineno or 0


def _failures() -> tuple[type[Exception], ...]:
    """The exceptions that count as a failure: that of `pytest.fail` is not a subclass of Exception."""
    pytest = sys.modules.get("pytest")
    return (Exception,) if pytest is None else (Exception, pytest.fail.Exception)


def _shown(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
