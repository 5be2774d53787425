"""A whole sweep: the run with the defaults, then one for each option, then some in which each pair of options is."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

from mockrelay.cli.options import EXIT_STOPPED, CliError
from mockrelay.cli.output import Progress, left_text
from mockrelay.cli.sweep.children import Children
from mockrelay.cli.sweep.covering import run_pairs
from mockrelay.cli.sweep.one_run import Plan, Run, Runner, Verdict, exit_text, variations_of_the_start
from mockrelay.cli.sweep.report import Swept, marked
from mockrelay.cli.sweep.variations import BASE, Variation, pairs, single_variations, title

if TYPE_CHECKING:
    from mockrelay.scenario import Scenario

REFRESH_S = 0.5
TIMEOUT_MIN_S, TIMEOUT_FACTOR = 60.0, 10
"""The default timeout of a run: this factor times the first run's time, and at least the minimum."""
_VERIFIED = ("signature.scheme", "protocol")
"""The option under which signatures are verified, which says nothing about a command without signatures."""


class Sweep:
    """A sweep that can be run once. `base`: the option of every choice in the run with the defaults."""

    def __init__(
        self,
        plan: Plan,
        scenario: Scenario,
        base: Mapping[str, str],
        environ: Mapping[str, str],
        children: Children,
        progress: Progress,
    ) -> None:
        self._plan = plan
        self._base = base
        self._children = children
        self._progress = progress
        self._scenario = scenario
        self._runner = Runner(plan, scenario, environ, children)
        self._lock = threading.Lock()
        self._running: dict[Variation, None] = {}
        self._started = 0
        self._timeout_s = plan.timeout_s

    def run(self) -> Swept:
        """Run everything. Raises CliError where the command fails even with the defaults, so that a sweep would show
        nothing; its details are the last lines that the command printed.
        """
        try:
            baseline = self._baseline()
            singles = single_variations(self._base, self._plan.only, deviations=self._plan.deviations)
            if not self._plan.own_relayers:
                self._runner.at_start = variations_of_the_start(self._scenario, self._plan.choices, singles)
            runs = self._singles(singles, baseline)
            skipped = 0
            if self._plan.pairs:
                worth = list(self._pairs_to_run(runs, baseline))
                skipped = sum(1 for _ in pairs(singles)) - len(worth)
                runs += run_pairs(singles, worth, self._all, self._has_met)
            return Swept(baseline, runs, skipped, self._children.stopped and not self._failed_fast(runs))
        finally:
            self._progress.clear()
            self._runner.close()

    def _baseline(self) -> Run:
        self._progress.show(f"sweep: {title(BASE)}")
        (run,) = self._all([BASE])
        useless = "; a sweep would show nothing"
        if self._children.stopped and run.verdict is Verdict.NOT_RUN:
            raise CliError("stopped before the command had run once", EXIT_STOPPED)
        if run.verdict is Verdict.NOT_RUN:
            raise CliError(f"{self._plan.command[0]} {run.detail}")
        if run.verdict is Verdict.TIMED_OUT:
            raise CliError(f"the command does not end in time with {title(BASE)}{useless}", details=run.tail)
        if run.failed:
            ending = exit_text(run.exit_code)
            raise CliError(f"the command fails with {title(BASE)} ({ending}){useless}", details=run.tail)
        if not self._plan.own_relayers and not run.calls:
            raise CliError(
                f"the command made no call to the relayer{useless}. Its address is in MOCKRELAY_URL; --env NAME puts it "
                "into another variable too, {url} in the command's arguments stands for it, and --own-relayers is for "
                "a command that makes its relayers itself",
                details=run.tail,
            )
        if self._timeout_s is None:
            self._timeout_s = max(TIMEOUT_MIN_S, TIMEOUT_FACTOR * run.ms / 1000)
        return run

    def _singles(self, singles: Sequence[Variation], baseline: Run) -> list[Run]:
        consulted = baseline.consulted
        unsigned = set() if baseline.signs or consulted is None else {_VERIFIED}
        to_run = [
            each
            for each in singles
            if self._plan.every
            or consulted is None
            or (self._is_consulted(each, consulted) and each[0] not in unsigned)
        ]
        others = len(singles) - len(to_run)
        unmet = f", {others} are of choices that it does not meet" if consulted is not None else ""
        left = left_text(1, 1 + len(to_run), baseline.ms // self._plan.jobs)
        self._progress.print_line(
            f"sweep: survived {title(BASE)} in {baseline.ms / 1000:.1f} s; "
            f"{len(to_run)} of {len(singles)} options to run{unmet}{'; ' if left else ''}{left}"
        )
        runs = {run.variation: run for run in self._all(to_run)}
        return [
            runs.get(each)
            or Run(
                each,
                Verdict.NOT_MET,
                "the command signs nothing" if each[0] in unsigned else f"{each[0][0]} is not met with {title(BASE)}",
            )
            for each in singles
        ]

    def _pairs_to_run(self, singles: Sequence[Run], baseline: Run) -> Iterator[Variation]:
        """The pairs whose run can differ from the runs of both parts: with each part the choice of the other one is still
        consulted, and neither part fails by itself.
        """
        by_variation = {run.variation: run for run in singles}
        for pair in pairs([run.variation for run in singles]):
            if self._plan.every:
                yield pair
                continue
            one, other = (by_variation[(part,)] for part in pair)
            if one.failed or other.failed:
                continue
            with_one, with_other = (
                baseline.consulted if run.consulted is None else run.consulted for run in (one, other)
            )
            if (
                with_one is None
                or with_other is None
                or (self._is_consulted(other.variation, with_one) and self._is_consulted(one.variation, with_other))
            ):
                yield pair

    def _has_met(self, pair: Variation, run: Run) -> bool:
        """Whether a run with a pair among its options has consulted both choices."""
        return run.consulted is None or all(self._is_consulted((option,), run.consulted) for option in pair)

    def _is_consulted(self, single: Variation, consulted: frozenset[str]) -> bool:
        return single[0][0] in consulted or single in self._runner.at_start

    def _all(self, variations: Sequence[Variation]) -> list[Run]:
        """The runs of these, in their order; as many run at once as `--jobs` says.

        None runs in this thread, which has to stay free for signals.
        """
        done: dict[Variation, Run] = {}
        since_ms = self._progress.elapsed_ms
        with ThreadPoolExecutor(self._plan.jobs) as pool:
            waiting = {pool.submit(self._one, each) for each in variations}
            try:
                while waiting:
                    ended, waiting = wait(waiting, REFRESH_S, FIRST_COMPLETED)
                    for future in ended:
                        self._note(future, done, len(variations), self._progress.elapsed_ms - since_ms)
                    if self._progress.on_terminal:
                        self._progress.show(self._state(done, len(variations), self._progress.elapsed_ms - since_ms))
            except BaseException:
                self._children.stop()
                raise
        return [done[each] for each in variations]

    def _one(self, variation: Variation) -> Run:
        if self._children.stopped:
            return Run(variation, Verdict.NOT_RUN, "stopped")
        with self._lock:
            self._running[variation] = None
            number = self._started
            self._started += 1
        try:
            run = self._runner.run(variation, number, self._timeout_s)
            if run.failed and self._plan.fail_fast:
                self._children.stop()
            return run
        finally:
            with self._lock:
                del self._running[variation]

    def _note(self, future: Future[Run], done: dict[Variation, Run], total: int, elapsed_ms: int) -> None:
        run = future.result()
        done[run.variation] = run
        if run.variation != BASE and run.verdict is not Verdict.NOT_RUN and not self._progress.on_terminal:
            result = f"{run.verdict} ({run.ms / 1000:.1f} s)" + (f": {run.detail}" if run.detail else "")
            state = ", ".join(filter(None, (f"{len(done)} of {total}", left_text(len(done), total, elapsed_ms))))
            self._progress.show(f"sweep: {state}: {marked(run.variation)}: {result}")

    def _state(self, done: Mapping[Variation, Run], total: int, elapsed_ms: int) -> str:
        """The state as a line of a terminal."""
        failed = sum(run.failed for run in done.values())
        with self._lock:
            running = " and ".join(map(title, self._running))
        left = left_text(len(done), total, elapsed_ms)
        words = (f"{len(done)} of {total}", f"{failed} not survived", left, running)
        return "sweep: " + ", ".join(word for word in words if word)

    def _failed_fast(self, runs: Sequence[Run]) -> bool:
        return self._plan.fail_fast and any(run.failed for run in runs)
