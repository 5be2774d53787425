"""Findings as text, and the same as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from mockrelay.report.formats.characters import one_line, text
from mockrelay.report.report_finding import ReportFinding, by_rule


def findings_text(
    findings: Iterable[ReportFinding], counts: Mapping[str, int] | None = None, total: str | None = None
) -> str:
    """All findings by rule, the heaviest first, each rule with its fix; the last line is the total.

    `counts`: how often each rule was broken, by its id, where `findings` are not all of them; `total`: the last line.
    """
    groups = by_rule(findings)
    totals = {rule: len(listed) for rule, listed in groups.items()} | dict(counts or {})
    lines = []
    for rule_id, listed in groups.items():
        rule = listed[0].rule
        lines.append(f"{rule.level}: {rule_id}: {one_line(rule.title)}")
        lines += [f"  {one_line(line)}" for line in map(_line, listed)]
        omitted = totals[rule_id] - len(listed)
        if omitted > 0:
            lines.append(f"  and {omitted} more that {'was' if omitted == 1 else 'were'} not kept")
        lines.append(f"  fix: {one_line(rule.fix)}")
    return "\n".join([*lines, total or total_text(sum(totals.values()))]) + "\n"


def total_text(findings: int, others: int = 0) -> str:
    """The number of findings, and of problems beside them, in words."""
    text = f"{findings or 'no'} finding{'' if findings == 1 else 's'}"
    return f"{text}, {others} other problem{'' if others == 1 else 's'}" if others else text


def findings_json(findings: Iterable[ReportFinding], counts: Mapping[str, int] | None = None) -> str:
    """`findings_view` as text."""
    return json.dumps(findings_view(findings, counts), indent=2) + "\n"


def findings_view(findings: Iterable[ReportFinding], counts: Mapping[str, int] | None = None) -> dict[str, Any]:
    """`{"total", "counts": {RULE: n}, "findings": [...]}`, in the order given. `counts` as for `findings_text`."""
    listed = list(findings)
    totals = dict(sorted((dict(Counter(finding.rule.id for finding in listed)) | dict(counts or {})).items()))
    return {"total": sum(totals.values()), "counts": totals, "findings": [_view(finding) for finding in listed]}


def _view(finding: ReportFinding) -> dict[str, Any]:
    return {
        "rule": finding.rule.id,
        "level": finding.rule.level,
        "request": finding.request,
        "source": text(finding.source),
        "asked": text(finding.asked),
        "detail": text(finding.detail),
        "fix": finding.rule.fix,
        "world": finding.world,
    }


def _line(finding: ReportFinding) -> str:
    return f"{finding.place}: {finding.detail}" if finding.place else finding.detail
