"""When a report fails the job that asked for it."""

from __future__ import annotations

from mockrelay.report.findings import Findings
from mockrelay.report.problems import Problems
from mockrelay.report.report_finding import by_rule
from mockrelay.spec.lint_rules import LEVELS

PROBLEM = "problem"
FAIL_ON = (*LEVELS, PROBLEM)
"""A level: findings of this level or a heavier one, and every problem. `problem`: problems alone."""


def failure(findings: Findings, problems: Problems, fail_on: str) -> str | None:
    """Why the report fails, in a sentence; None: it does not."""
    if fail_on == PROBLEM:
        counts = {kind.value: count for kind, count in problems.counts.items()}
        return _sentence(counts, "problem") if counts else None
    heavy = LEVELS[: LEVELS.index(fail_on) + 1]
    others, counts_of_others = problems.as_findings()
    all_counts = {**findings.counts, **counts_of_others}
    groups = by_rule([*findings, *others])
    counts = {rule: all_counts[rule] for rule, listed in groups.items() if listed[0].rule.level in heavy}
    return _sentence(counts, "finding") + f" of level {' or '.join(heavy)}" if counts else None


def _sentence(counts: dict[str, int], noun: str) -> str:
    total = sum(counts.values())
    parts = ", ".join(f"{name} {count}" for name, count in counts.items())
    return f"{total} {noun}{'' if total == 1 else 's'} ({parts})"
