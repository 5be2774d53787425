"""A whole sweep: the run that all are compared with, then one for each reading, then one for each pair of them."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, NamedTuple

from mockrelay.cli.options import EXIT_STOPPED, CliError
from mockrelay.cli.progress import Progress, left_text
from mockrelay.cli.sweeping.children import Children
from mockrelay.cli.sweeping.readings import BASE, Reading, named, pairs, readings
from mockrelay.cli.sweeping.runs import Plan, Run, Runner, Verdict, exit_text
from mockrelay.cli.sweeping.starting import change_the_start

if TYPE_CHECKING:
    from mockrelay.scenario import Scenario

REFRESH_S = 0.5
TIMEOUT_LEAST_S, TIMEOUT_TIMES = 60.0, 10
"""How long a run may take where nobody says: so many times as long as the first one."""


class Swept(NamedTuple):
    """What a sweep came to."""

    baseline: Run
    runs: Sequence[Run]
    """One for each reading, in the table's order; then the pairs that were worth a run or fail."""
    pairs_left_out: int
    """How many pairs were not run: they say nothing that their parts do not say."""
    interrupted: bool


class Sweep:
    """A sweep that can be run once. `base` is what all choices are set to at the start."""

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
        self._busy: dict[Reading, None] = {}
        self._started = 0
        self._timeout_s = plan.timeout_s

    def run(self) -> Swept:
        """Run everything. Raises CliError where the command does not even do with what all is compared with, so that a
        sweep would say nothing; its details are the last lines that the command printed.
        """
        try:
            baseline = self._baseline()
            singles = readings(self._base, self._plan.only, deviations=self._plan.deviations)
            if not self._plan.own_relayers:
                self._runner.at_start = change_the_start(self._scenario, self._plan.settings, singles)
            runs = self._singles(singles, baseline)
            left_out = 0
            if self._plan.pairs:
                worth = list(self._pairs_worth(runs, baseline))
                left_out = sum(1 for _ in pairs(singles)) - len(worth)
                runs += self._all(worth)
            return Swept(baseline, runs, left_out, self._children.stopped and not self._failed_fast(runs))
        finally:
            self._progress.clear()
            self._runner.close()

    def _baseline(self) -> Run:
        self._progress.show(f"sweep: {named(BASE)}")
        (run,) = self._all([BASE])
        vain = "; a sweep would say nothing"
        if self._children.stopped and run.verdict is Verdict.NOT_RUN:
            raise CliError("stopped before the command had run once", EXIT_STOPPED)
        if run.verdict is Verdict.NOT_RUN:
            raise CliError(f"{self._plan.command[0]} {run.detail}")
        if run.verdict is Verdict.TIMED_OUT:
            raise CliError(f"the command does not end in time with {named(BASE)}{vain}", details=run.tail)
        if run.lost:
            told = exit_text(run.exit_code)
            raise CliError(f"the command fails with {named(BASE)} ({told}){vain}", details=run.tail)
        if not self._plan.own_relayers and not run.calls:
            raise CliError(
                f"the command made no call to the relayer{vain}. Its address is in MOCKRELAY_URL; --env NAME puts it "
                "into another variable too, {url} in the command's arguments stands for it, and --own-relayers is for "
                "a command that makes its relayers itself",
                details=run.tail,
            )
        if self._timeout_s is None:
            self._timeout_s = max(TIMEOUT_LEAST_S, TIMEOUT_TIMES * run.ms / 1000)
        return run

    def _singles(self, singles: Sequence[Reading], baseline: Run) -> list[Run]:
        met = baseline.met
        worth = [each for each in singles if self._plan.every or met is None or self._is_met(each, met)]
        took = f"{baseline.ms / 1000:.1f} s"
        unmet = f", {len(singles) - len(worth)} are of choices that it does not meet" if met is not None else ""
        self._progress.say(
            f"sweep: survived {named(BASE)} in {took}; {len(worth)} of {len(singles)} readings to run{unmet}"
        )
        ran = {run.reading: run for run in self._all(worth)}
        return [
            ran.get(each) or Run(each, Verdict.NOT_MET, f"{each[0][0]} is not met with {named(BASE)}")
            for each in singles
        ]

    def _pairs_worth(self, singles: Sequence[Run], baseline: Run) -> Iterator[Reading]:
        """The pairs whose run can differ from the runs of both parts: where each part leaves the other one to be met.
        What fails by itself fails in pairs, too.
        """
        by_reading = {run.reading: run for run in singles}
        for pair in pairs([run.reading for run in singles]):
            if self._plan.every:
                yield pair
                continue
            one, other = (by_reading[(part,)] for part in pair)
            if one.lost or other.lost:
                continue
            met_by_one, met_by_other = (baseline.met if run.met is None else run.met for run in (one, other))
            if (
                met_by_one is None
                or met_by_other is None
                or (self._is_met(other.reading, met_by_one) and self._is_met(one.reading, met_by_other))
            ):
                yield pair

    def _is_met(self, single: Reading, met: frozenset[str]) -> bool:
        return single[0][0] in met or single in self._runner.at_start

    def _all(self, wanted: Sequence[Reading]) -> list[Run]:
        """Run these, several at once where so many jobs are allowed; in the order in which they were given.

        None is run in this thread, which has to stay free for signals.
        """
        done: dict[Reading, Run] = {}
        since_ms = self._progress.elapsed_ms
        with ThreadPoolExecutor(self._plan.jobs) as pool:
            waiting = {pool.submit(self._one, reading) for reading in wanted}
            try:
                while waiting:
                    ended, waiting = wait(waiting, REFRESH_S, FIRST_COMPLETED)
                    for future in ended:
                        self._note(future, done, len(wanted))
                    if self._progress.on_terminal:
                        self._progress.show(self._state(done, len(wanted), self._progress.elapsed_ms - since_ms))
            except BaseException:
                self._children.stop()
                raise
        return [done[reading] for reading in wanted]

    def _one(self, reading: Reading) -> Run:
        if self._children.stopped:
            return Run(reading, Verdict.NOT_RUN, "stopped")
        with self._lock:
            self._busy[reading] = None
            number = self._started
            self._started += 1
        try:
            run = self._runner.run(reading, number, self._timeout_s)
            if run.lost and self._plan.fail_fast:
                self._children.stop()
            return run
        finally:
            with self._lock:
                del self._busy[reading]

    def _note(self, future: Future[Run], done: dict[Reading, Run], total: int) -> None:
        run = future.result()
        done[run.reading] = run
        if run.reading != BASE and run.verdict is not Verdict.NOT_RUN and not self._progress.on_terminal:
            told = f"{run.verdict} ({run.ms / 1000:.1f} s)" + (f": {run.detail}" if run.detail else "")
            self._progress.show(f"sweep: {len(done)} of {total}: {named(run.reading)}: {told}")

    def _state(self, done: Mapping[Reading, Run], total: int, elapsed_ms: int) -> str:
        """The line of a terminal."""
        lost = sum(run.lost for run in done.values())
        with self._lock:
            busy = " and ".join(map(named, self._busy))
        left = left_text(len(done), total, elapsed_ms)
        words = (f"{len(done)} of {total}", f"{lost} not survived", left, busy)
        return "sweep: " + ", ".join(word for word in words if word)

    def _failed_fast(self, runs: Sequence[Run]) -> bool:
        return self._plan.fail_fast and any(run.lost for run in runs)
