"""The report of a sweep: as a table, as Markdown for the summary of a CI job, as JSON and as JUnit."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mockrelay.cli.options import count_text
from mockrelay.cli.output import aligned, coloured
from mockrelay.cli.sweep.one_run import PAIR, Plan, Run, Verdict
from mockrelay.cli.sweep.variations import Variation, title
from mockrelay.report.formats.junit import Case, junit
from mockrelay.spec.choices import BY_KEY

SUITE = "mockrelay sweep"
_COLOURS = {Verdict.SURVIVED: "green", Verdict.FAILED: "red", Verdict.TIMED_OUT: "red", Verdict.NOT_RUN: "yellow"}


class Swept(NamedTuple):
    """The result of a sweep."""

    baseline: Run
    runs: Sequence[Run]
    """One for each option, in the order of the table of choices; then those of several options: the smallest that failed, and
    those in which all pairs are that did not.
    """
    pairs_skipped: int
    """The number of pairs that were not run, since the runs of their parts show the same."""
    interrupted: bool


def format_report(swept: Swept, output_format: str, plan: Plan, base: Mapping[str, str]) -> str:
    """The report in one of its formats."""
    match output_format:
        case "markdown":
            return as_markdown(swept)
        case "json":
            return as_json(plan, base, swept)
        case "junit":
            return as_junit(swept)
        case _:
            return as_text(swept) + "\n"


def as_text(swept: Swept) -> str:
    """A table with a line for each option, and for several that fail together; and their number by verdict."""
    rows = [
        {
            "choice": " + ".join(key for key, _ in run.variation),
            "option": " + ".join(option + _mark(key, option) for key, option in run.variation),
            "verdict": coloured(run.verdict.value, _COLOURS.get(run.verdict)),
            # Most are not met, and the detail of those says nothing more.
            "detail": "" if run.verdict is Verdict.NOT_MET else run.detail,
        }
        for run in swept.runs
        if run.failed or len(run.variation) <= PAIR
    ]
    return "\n".join([*(aligned(rows) if rows else ()), *_summary(swept)])


def as_markdown(swept: Swept) -> str:
    """What was not survived as a table, then the rest in a fold, for the summary of a CI job."""
    failed = [run for run in swept.runs if run.failed or run.verdict is Verdict.NOT_RUN]
    others = [run for run in swept.runs if run not in failed and run.verdict is not Verdict.NOT_MET]
    count, *notes = _summary(swept)
    parts = [f"### {SUITE}", count, *(["\n".join(_markdown_table(failed))] if failed else ())]
    if others:
        parts += ["<details><summary>The others</summary>", "\n".join(_markdown_table(others)), "</details>"]
    return "\n\n".join([*parts, *notes]) + "\n"


def _markdown_table(runs: Sequence[Run]) -> Iterator[str]:
    yield "| choice and option | verdict | detail |"
    yield "| --- | --- | --- |"
    for run in runs:
        detail = run.detail.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
        yield f"| `{marked(run.variation)}` | {run.verdict} | {detail} |"


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
        f"{SUITE}: {group}", marked(run.variation), failure, None if has_result else f"{run.verdict}: {run.detail}"
    )


def _run(run: Run) -> dict[str, Any]:
    return {
        "readings": dict(run.variation),
        "verdict": run.verdict.value,
        "deviation": any(_is_deviation(*part) for part in run.variation),
        "exitCode": run.exit_code,
        "detail": run.detail,
        "tests": run.tests,
        "failures": [failure._asdict() for failure in run.failures],
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
    noun = "pair" if all(len(run.variation) <= PAIR for run in swept.runs) else "combination"
    and_pairs = f" and {count_text(n_pairs, noun)}" if n_pairs else ""
    yield f"{count_text(len(swept.runs) - n_pairs, 'option')}{and_pairs}: {by_verdict}"
    if swept.pairs_skipped:
        yield f"{count_text(swept.pairs_skipped, 'pair')} not run, since the runs of their parts show the same"
    if any(_is_deviation(*part) for run in swept.runs for part in run.variation):
        yield "†: contradicts the spec"
    if any(run.failed and run.output is None for run in swept.runs):
        yield "--output-dir DIR keeps the output of each run"
    if swept.interrupted:
        yield "stopped before the end"


def marked(variation: Variation) -> str:
    """The title of a variation, with a mark where it contradicts the spec."""
    return title(variation) + (" †" if any(_is_deviation(*part) for part in variation) else "")


def _mark(key: str, option: str) -> str:
    return " †" if _is_deviation(key, option) else ""


def _is_deviation(key: str, option: str) -> bool:
    return option in BY_KEY[key].deviations
