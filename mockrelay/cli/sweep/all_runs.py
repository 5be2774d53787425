"""A whole sweep: the run with the defaults, then one for each option, then one for each pair of options; and its report."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Any, NamedTuple

from mockrelay.cli.options import EXIT_STOPPED, CliError, count_text
from mockrelay.cli.output import Progress, aligned, left_text
from mockrelay.cli.sweep.children import Children
from mockrelay.cli.sweep.one_run import Plan, Run, Runner, Verdict, exit_text, variations_of_the_start
from mockrelay.cli.sweep.variations import BASE, Variation, pairs, single_variations, title
from mockrelay.report.formats.junit import Case, junit
from mockrelay.spec.choices import BY_KEY

if TYPE_CHECKING:
    from mockrelay.scenario import Scenario

REFRESH_S = 0.5
TIMEOUT_MIN_S, TIMEOUT_FACTOR = 60.0, 10
"""The default timeout of a run: this factor times the first run's time, and at least the minimum."""
SUITE = "mockrelay sweep"
_VERIFIED = ("signature.scheme", "protocol")
"""The option under which signatures are verified, which says nothing about a command without signatures."""


class Swept(NamedTuple):
    """The result of a sweep."""

    baseline: Run
    runs: Sequence[Run]
    """One for each option, in the order of the table of choices; then one for each pair that was run."""
    pairs_skipped: int
    """The number of pairs that were not run, since the runs of their parts show the same."""
    interrupted: bool


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
                runs += self._all(worth)
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
        self._progress.print_line(
            f"sweep: survived {title(BASE)} in {baseline.ms / 1000:.1f} s; "
            f"{len(to_run)} of {len(singles)} options to run{unmet}"
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
                        self._note(future, done, len(variations))
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

    def _note(self, future: Future[Run], done: dict[Variation, Run], total: int) -> None:
        run = future.result()
        done[run.variation] = run
        if run.variation != BASE and run.verdict is not Verdict.NOT_RUN and not self._progress.on_terminal:
            result = f"{run.verdict} ({run.ms / 1000:.1f} s)" + (f": {run.detail}" if run.detail else "")
            self._progress.show(f"sweep: {len(done)} of {total}: {_marked(run.variation)}: {result}")

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


def format_report(swept: Swept, output_format: str, plan: Plan, base: Mapping[str, str]) -> str:
    """The report as `text`, `json` or `junit`."""
    match output_format:
        case "json":
            return as_json(plan, base, swept)
        case "junit":
            return as_junit(swept)
        case _:
            return as_text(swept) + "\n"


def as_text(swept: Swept) -> str:
    """A table with a line for each option and pair, and their number by verdict."""
    rows = [
        {
            "choice": " + ".join(key for key, _ in run.variation),
            "option": " + ".join(option + _mark(key, option) for key, option in run.variation),
            "verdict": run.verdict.value,
            # Most are not met, and the detail of those says nothing more.
            "detail": "" if run.verdict is Verdict.NOT_MET else run.detail,
        }
        for run in swept.runs
    ]
    return "\n".join([*(aligned(rows) if rows else ()), *_summary(swept)])


def as_json(plan: Plan, base: Mapping[str, str], swept: Swept) -> str:
    """The whole result as a JSON object."""
    value = {
        "command": list(plan.command),
        "choices": dict(base),
        "baseline": _run(swept.baseline),
        "runs": [_run(run) for run in swept.runs],
        "counts": _counts(swept.runs),
        "pairsLeftOut": swept.pairs_skipped,
        "interrupted": swept.interrupted,
    }
    return json.dumps(value, indent=2) + "\n"


def as_junit(swept: Swept) -> str:
    """A test case for each option and pair; those whose success says nothing are skipped."""
    return junit(SUITE, (_case(run) for run in (swept.baseline, *swept.runs)))


def _case(run: Run) -> Case:
    group = run.variation[0][0] if len(run.variation) == 1 else "pairs" if run.variation else "baseline"
    failure = f"{run.verdict}: {run.detail}\n" + "\n".join(run.tail) if run.failed else None
    has_result = run.failed or run.verdict is Verdict.SURVIVED
    return Case(
        f"{SUITE}: {group}", _marked(run.variation), failure, None if has_result else f"{run.verdict}: {run.detail}"
    )


def _run(run: Run) -> dict[str, Any]:
    return {
        "readings": dict(run.variation),
        "verdict": run.verdict.value,
        "deviation": any(_is_deviation(*part) for part in run.variation),
        "exitCode": run.exit_code,
        "detail": run.detail,
        "lastLine": run.last_line,
        "ms": run.ms,
        "calls": run.calls,
        "met": None if run.consulted is None else sorted(run.consulted),
        "output": None if run.output is None else str(run.output),
    }


def _counts(runs: Sequence[Run]) -> dict[str, int]:
    return {verdict.value: n for verdict in Verdict if (n := sum(run.verdict is verdict for run in runs))}


def _summary(swept: Swept) -> Iterator[str]:
    counts = _counts(swept.runs)
    by_verdict = ", ".join(f"{n} {verdict}" for verdict, n in counts.items()) or "none to run"
    n_pairs = sum(len(run.variation) > 1 for run in swept.runs)
    and_pairs = f" and {count_text(n_pairs, 'pair')}" if n_pairs else ""
    yield f"{count_text(len(swept.runs) - n_pairs, 'option')}{and_pairs}: {by_verdict}"
    if swept.pairs_skipped:
        yield f"{count_text(swept.pairs_skipped, 'pair')} not run, since the runs of their parts show the same"
    if any(_is_deviation(*part) for run in swept.runs for part in run.variation):
        yield "†: contradicts the spec"
    if any(run.failed and run.output is None for run in swept.runs):
        yield "--output-dir DIR keeps the output of each run"
    if swept.interrupted:
        yield "stopped before the end"


def _marked(variation: Variation) -> str:
    """The title of a variation, with a mark where it contradicts the spec."""
    return title(variation) + (" †" if any(_is_deviation(*part) for part in variation) else "")


def _mark(key: str, option: str) -> str:
    return " †" if _is_deviation(key, option) else ""


def _is_deviation(key: str, option: str) -> bool:
    return option in BY_KEY[key].deviations
