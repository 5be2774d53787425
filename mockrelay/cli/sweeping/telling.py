"""What a sweep came to: as a table, as JSON, and as JUnit for CI."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mockrelay.cli.facts import aligned
from mockrelay.cli.sweeping.readings import named
from mockrelay.cli.sweeping.runs import Plan, Run, Verdict
from mockrelay.cli.sweeping.sweep import Swept
from mockrelay.report.telling import Case, junit
from mockrelay.spec.choices import BY_KEY

SUITE = "mockrelay sweep"


def table(swept: Swept) -> str:
    """A line for each reading, and one that counts them."""
    rows = [
        {
            "choice": " + ".join(key for key, _ in run.reading),
            "option": " + ".join(option + _mark(key, option) for key, option in run.reading),
            "verdict": run.verdict.value,
            # That it is not met is said for most, and no more is to be said of it.
            "detail": "" if run.verdict is Verdict.NOT_MET else run.detail,
        }
        for run in swept.runs
    ]
    return "\n".join([*(aligned(rows) if rows else ()), *_summary(swept)])


def as_json(plan: Plan, base: Mapping[str, str], swept: Swept) -> str:
    """Everything, one JSON object."""
    told = {
        "command": list(plan.command),
        "choices": dict(base),
        "baseline": _run(swept.baseline),
        "runs": [_run(run) for run in swept.runs],
        "counts": _counts(swept.runs),
        "pairsLeftOut": swept.pairs_left_out,
        "interrupted": swept.interrupted,
    }
    return json.dumps(told, indent=2) + "\n"


def as_junit(swept: Swept) -> str:
    """A case for each reading; those that say nothing are skipped."""
    return junit(SUITE, (_case(run) for run in (swept.baseline, *swept.runs)))


def _case(run: Run) -> Case:
    group = run.reading[0][0] if len(run.reading) == 1 else "pairs" if run.reading else "baseline"
    failure = f"{run.verdict}: {run.detail}\n" + "\n".join(run.tail) if run.lost else None
    says_something = run.lost or run.verdict is Verdict.SURVIVED
    return Case(
        f"{SUITE}: {group}", named(run.reading), failure, None if says_something else f"{run.verdict}: {run.detail}"
    )


def _run(run: Run) -> dict[str, Any]:
    return {
        "readings": dict(run.reading),
        "verdict": run.verdict.value,
        "deviation": any(_is_deviation(*part) for part in run.reading),
        "exitCode": run.exit_code,
        "detail": run.detail,
        "lastLine": run.last_line,
        "ms": run.ms,
        "calls": run.calls,
        "met": None if run.met is None else sorted(run.met),
        "output": None if run.output is None else str(run.output),
    }


def _counts(runs: Sequence[Run]) -> dict[str, int]:
    return {verdict.value: n for verdict in Verdict if (n := sum(run.verdict is verdict for run in runs))}


def _summary(swept: Swept) -> Iterator[str]:
    counts = _counts(swept.runs)
    told = ", ".join(f"{n} {verdict}" for verdict, n in counts.items()) or "none to run"
    yield f"{len(swept.runs)} reading{'' if len(swept.runs) == 1 else 's'}: {told}"
    if swept.pairs_left_out:
        yield f"{swept.pairs_left_out} pairs were not run, since their parts say already what they would"
    if any(_is_deviation(*part) for run in swept.runs for part in run.reading):
        yield "†: against the letter of the spec"
    if any(run.lost and run.output is None for run in swept.runs):
        yield "--output DIR keeps all that each run prints"
    if swept.interrupted:
        yield "stopped before the end"


def _mark(key: str, option: str) -> str:
    return " †" if _is_deviation(key, option) else ""


def _is_deviation(key: str, option: str) -> bool:
    return option in BY_KEY[key].deviations
