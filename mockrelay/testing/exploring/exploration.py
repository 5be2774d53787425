"""The search for the simplest plan under which a test fails.

The plain run comes first, then each single deviation that it could meet, then combinations that Hypothesis draws. What
fails is run again, so that a failure that does not repeat is called flaky.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from typing import NamedTuple

from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings

from mockrelay.testing.exploring.deviations import Deviation, FaultDeviation, LifecycleDeviation, OptionDeviation, Plan
from mockrelay.testing.exploring.explored_test import ExploredTest, FlakyTest, Run, RunTest
from mockrelay.testing.exploring.plan_strategy import draw_plans, option_deviations, single_deviations
from mockrelay.testing.exploring.run_guard import EndlessClient

_PHASES = (Phase.explicit, Phase.generate)


class Failure(NamedTuple):
    """The simplest failure that was found."""

    run: Run
    repeated: Run
    """A second run under the same plan."""

    @property
    def is_flaky(self) -> bool:
        """Whether the failure did not repeat."""
        return self.repeated.error is None

    def flaky(self, sentence: str, passed: Run) -> FlakyTest:
        """The error that shows both runs, the one that failed and one that passed; `sentence` tells the plan."""
        lines = [f"flaky: of two runs under the same plan ({sentence}) one failed and one passed"]
        for name, run in (("that failed", self.run), ("that passed", passed)):
            lines += [f"the run {name}{run.result}", *run.lines]
        error = FlakyTest("\n".join(lines))
        error.__cause__ = self.run.error
        return error


class _PlanFails(Exception):
    """The test fails under the plan that Hypothesis drew."""


class Exploration:
    """The search over the runs of one test. `run_test` runs it once."""

    def __init__(self, test: ExploredTest, run_test: RunTest) -> None:
        self._test = test
        self._run_test = run_test
        self._runs: dict[str, Run] = {}
        """The runs so far, by the phrase of their plan: each plan is run once, so that Hypothesis sees no flaky test."""

    def search(self) -> Failure | None:
        """The simplest failure; None: the test never fails."""
        run = self.plain_run()
        if run.error is None and self._test.guard.calls:
            run = self._probe() or self._draw() or run
        if run.error is None:
            return None
        return Failure(run, self._run_test(run.plan))

    def plain_run(self) -> Run:
        """The run with every decision at its default."""
        return self._run(Plan())

    def _run(self, plan: Plan) -> Run:
        run = self._runs.get(plan.phrase)
        if run is None:
            run = self._runs[plan.phrase] = self._run_test(plan)
        return run

    def _singles(self) -> Iterator[Plan]:
        test = self._test
        for deviation in single_deviations(test.met.copy(), test.limits, test.options_at_start):
            yield Plan((deviation,))

    def _probe(self) -> Run | None:
        """The first run that fails of those with one deviation that the plain run could meet, or with one and another option
        of a choice that was met under it for the first time.
        """
        test = self._test
        plans = list(self._singles()) if test.options.probe else []
        keys = set(test.met.keys)
        while plans:
            run = self._run(plans.pop(0))
            if run.error is not None:
                return run
            new, keys = test.met.keys - keys, set(test.met.keys)
            deviations = option_deviations(new, test.limits, test.options_at_start)
            plans += [Plan((*run.plan.deviations, deviation)) for deviation in deviations]
        return None

    def _draw(self) -> Run | None:
        """A run that fails of those that Hypothesis draws, shrunk."""
        settings = self._test.options.settings or hypothesis_settings()
        size = self._test.met.size
        run = self._draw_with(settings)
        if run is None and self._test.met.size != size:
            # Decisions that were met for the first time have not been drawn yet.
            run = self._draw_with(hypothesis_settings(settings, max_examples=settings.max_examples // 2 + 1))
        return None if run is None else self._shrunk(run)

    def _draw_with(self, settings: hypothesis_settings) -> Run | None:
        test = self._test
        failed: list[Run] = []

        @hypothesis_settings(
            settings,
            deadline=None,
            report_multiple_bugs=False,
            phases=_PHASES,
            database=None,  # all explored tests would share one entry
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        )
        @given(plan=draw_plans(test.met.copy(), test.limits, test.options_at_start))
        def draw(plan: Plan) -> None:
            run = self._run(plan)
            if run.error is not None:
                failed.append(run)
                raise _PlanFails

        try:
            draw()
        except _PlanFails:
            return failed[-1]
        return None

    def _shrunk(self, run: Run) -> Run:
        """A failure of the same origin with the fewest deviations, each the simplest."""
        was = None
        while was is not run:
            was = run
            for index in reversed(range(len(run.plan.deviations))):
                run = self._if_same(run, run.plan.replaced(index))
            if isinstance(run.error, EndlessClient):
                return run  # each further run would take as long
            for index, deviation in enumerate(run.plan.deviations):
                run = self._simplest(run, index, deviation)
        return run

    def _simplest(self, run: Run, index: int, deviation: Deviation) -> Run:
        others = run.plan.replaced(index).deviations
        for plan in self._singles():
            (simpler,) = plan.deviations
            if simpler == deviation:
                break
            if _replaces(simpler, deviation) and not any(_is_of_same(simpler, other) for other in others):
                found = self._if_same(run, run.plan.replaced(index, simpler))
                if found is not run:
                    return found
        return run

    def _if_same(self, run: Run, plan: Plan) -> Run:
        """The run under another plan if it fails in the same way, else the run as it is."""
        other = self._run(plan)
        return other if other.error is not None and _origin(other.error) == _origin(run.error) else run


def _replaces(one: Deviation, other: Deviation) -> bool:
    """Whether one deviation can stand in the place of another."""
    if isinstance(one, FaultDeviation):
        return isinstance(other, FaultDeviation)
    return type(one) is type(other) and _is_of_same(one, other)


def _is_of_same(one: Deviation, other: Deviation) -> bool:
    """Whether two deviations are of the same choice, kind of request or call."""
    return type(one) is type(other) and _subject(one) == _subject(other)


def _subject(one: Deviation) -> object:
    match one:
        case OptionDeviation():
            return one.key
        case LifecycleDeviation():
            return one.kind
        case FaultDeviation():
            return one.endpoint, one.nth
        case _:
            return one.nth


def _origin(error: BaseException | None) -> tuple[type | None, str, int]:
    """What distinguishes failures: the type of the exception, and where it was raised."""
    if error is None or error.__traceback__ is None or isinstance(error, EndlessClient):
        return type(error), "", 0
    *_, frame = traceback.extract_tb(error.__traceback__)
    return type(error), frame.filename, frame.lineno or 0
