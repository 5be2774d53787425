"""`explore`: a test that is run under many behaviours of its relayer, and what is told where it fails under one."""

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
from mockrelay.testing.exploring.deviations import Deviation, Plan, Reading, options_of
from mockrelay.testing.exploring.drawing import Limits, plans
from mockrelay.testing.exploring.troubles import SORT_NAMES, paces_of, troubles_of
from mockrelay.testing.exploring.watching import ASKED_KEYS, Seen
from mockrelay.testing.exploring.writing import Base
from mockrelay.testing.relayer import RelayerHandle

Test = Callable[..., None]
RELAYER, MAKER = "relayer", "make_relayer"
_TELLING = ("lost answer", "code")
"""Sorts of trouble after which clients do what they never do otherwise."""
_PHASES = (Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink)


def explore(
    *,
    scenario: str | Path | None = None,
    choices: Mapping[str, str] | None = None,
    limits: str | None = None,
    faults: int = 1,
    trouble: Collection[str] = SORT_NAMES,
    vary: Collection[str] | None = None,
    keep: Collection[str] = (),
    paces: bool = True,
    deviations: bool = False,
    settings: hypothesis_settings | None = None,
    folder: str | Path = "explored",
) -> Callable[[Test], Test]:
    """Run a test that takes `relayer` under many relayers, each as the spec allows one to be.

    What the spec leaves open is drawn where the test meets it: readings of silences (`vary`: only these; `keep`: never
    these; `deviations`: those against the letter of the spec too; whether signatures are verified only where `vary` asks
    for it), how long requests take and how they end (`paces`),
    the order of events that are due together, and `faults` calls at most that meet trouble, of the sorts in `trouble`.
    The defaults come first. A failure is shrunk to the fewest deviations from them, told in a sentence, and written
    as a scenario into `folder`, beside the test (for a scenario of a file: beside that file), which
    `@pytest.mark.relayer(scenario=...)` loads. `scenario`, `choices` and `limits` are as for `make_relayer`; `settings`
    are Hypothesis's. The relayer's clock stands still: the test moves it.

    Under pytest the relayer is served where its `url` is asked for; without, the test is called without arguments and
    has no socket.
    """
    wanted = Limits(faults, trouble, vary, (*keep, *(choices or {})), paces, deviations)
    wanted.check()
    wishes = {"scenario": scenario, "choices": choices, "limits": limits}
    given_wishes = {name: value for name, value in wishes.items() if value is not None}

    def decorate(test: Test) -> Test:
        parameters = inspect.signature(test).parameters
        if RELAYER not in parameters:
            raise TypeError(f"{test.__name__} does not take `{RELAYER}`, so there is nothing to explore")
        if inspect.iscoroutinefunction(test):
            raise TypeError(f"{test.__name__} is async; explore a plain function, which may run a loop of its own")

        @functools.wraps(test)
        def explored(*args: Any, make_relayer: Callable[..., RelayerHandle] = _without_pytest, **kwargs: Any) -> None:
            __tracebackhide__ = True
            seen = Seen()
            relayer = make_relayer(decide=seen.decide, **given_wishes)
            file = Path(folder) if Path(folder).is_absolute() else Path(inspect.getfile(test)).parent / folder
            base = Base(relayer.relay.scenario, choices or {}, _file_of(scenario, beside=Path(inspect.getfile(test))))
            if base.file is not None:
                file = base.file.parent
            exploration = _Exploration(functools.partial(test, *args, **kwargs), relayer, seen, base, wanted)
            exploration.marker = "" if limits is None else f", limits={limits!r}"
            exploration.run(settings or hypothesis_settings(), file / f"{test.__name__}.yaml")

        own = [parameter for name, parameter in parameters.items() if name != RELAYER]
        maker = inspect.Parameter(MAKER, inspect.Parameter.KEYWORD_ONLY)
        del explored.__wrapped__
        explored.__signature__ = inspect.Signature([*own, maker])  # type: ignore[attr-defined]
        return explored

    return decorate


def _file_of(scenario: str | Path | None, *, beside: Path) -> Path | None:
    """The file of a scenario that is one."""
    if isinstance(scenario, str) and scenario.endswith((".yaml", ".yml")):
        return beside.parent / scenario
    return scenario if isinstance(scenario, Path) else None


def _without_pytest(**wishes: Any) -> RelayerHandle:
    wishes = {"limits": "off", "clock": "frozen"} | wishes
    return RelayerHandle.of(Relay.from_scenario(wishes.pop("scenario", "default"), **wishes))


class _Exploration:
    """One test, its relayer, and what was found."""

    def __init__(self, test: Test, relayer: RelayerHandle, seen: Seen, base: Base, limits: Limits) -> None:
        self._test = test
        self._relayer = relayer
        self._seen = seen
        self._base = base
        self._limits = limits
        self._clock = {"rate": 0, "start": moment_text(relayer.clock.now_ms)}
        self._choices: Mapping[str, str] = relayer.control("GET", "state")["choices"]
        self._failed: list[Plan] = []
        self.marker = ""
        """What the marker needs beside the scenario, to run the test again."""

    def run(self, settings: hypothesis_settings, path: Path) -> None:
        """Search for a plan under which the test fails; raise its failure, told and written."""
        __tracebackhide__ = True
        error = self._error(Plan())
        if error is None:
            for plan in self._scouts():
                self._error(plan)
            known = self._seen.size
            error = self._search(settings)
            if error is None and self._seen.size != known:
                # What is met off the usual way was not drawn yet.
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
        """What Hypothesis finds and shrinks; None where it finds nothing."""
        self._failed.clear()

        @hypothesis_settings(settings, deadline=None, report_multiple_bugs=False, phases=_PHASES, print_blob=False)
        @given(plan=plans(self._seen.copy(), self._limits, self._choices))
        def explored(plan: Plan) -> None:
            __tracebackhide__ = True
            self._go(plan)

        try:
            explored()
        except _failures() as error:
            if not self._failed:
                raise
            return self._error(self._failed[-1]) or error
        return None

    def _fewest(self, plan: Plan, error: Exception) -> tuple[Plan, Exception]:
        """The plan without what the failure does not need: Hypothesis may stop before the last deviation is gone."""
        index = len(plan.deviations)
        while index:
            index -= 1
            fewer = self._error(plan.without(index))
            if fewer is not None and _origin(fewer) == _origin(error):
                plan, error = plan.without(index), fewer
        return plan, error

    def _scouts(self) -> list[Plan]:
        """Runs whose outcome does not matter: they show what is met off the usual way."""
        options = {
            key: options_of(key, self._choices[key], deviations=False) for key in sorted(self._seen.keys - ASKED_KEYS)
        }
        readings: list[Deviation] = [Reading(key, found[-1]) for key, found in options.items() if len(found) > 1]
        slow: list[Deviation] = [paces_of(kind)[0] for kind in sorted(self._seen.kinds)]
        posts = [name for name in self._seen.calls if BY_NAME[name].method == "POST"]
        lost, refused = (
            [one for name in posts for _, one in troubles_of(name, 1, frozenset({sort}))] for sort in _TELLING
        )
        return [Plan(tuple(found)) for found in (readings, slow, lost, refused)]

    def _error(self, plan: Plan) -> Exception | None:
        try:
            self._go(plan)
        except _failures() as error:
            return error
        return None

    def _go(self, plan: Plan) -> None:
        """One run of the test under a plan."""
        __tracebackhide__ = True
        self._relayer.reset(scenarioText=self._base.text(plan), clock=self._clock)
        self._seen.begin()
        try:
            self._test(relayer=self._relayer)
            self._relayer.check()
        except _failures():
            self._failed.append(plan)
            raise
        finally:
            self._seen.end(self._relayer)


def _origin(error: Exception) -> tuple[type[Exception], str, int]:
    """What tells failures apart: what was raised, and where."""
    *_, frame = traceback.extract_tb(error.__traceback__)
    return type(error), frame.filename, frame.lineno or 0


def _failures() -> tuple[type[Exception], ...]:
    """What counts as a failure of a test: `pytest.fail` raises what is no ordinary exception."""
    pytest = sys.modules.get("pytest")
    return (Exception,) if pytest is None else (Exception, pytest.fail.Exception)


def _shown(path: Path) -> str:
    return f"{path.parent.name}/{path.name}"
