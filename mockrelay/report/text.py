"""Remarks for people, and the same as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from mockrelay.report.characters import one_line, text
from mockrelay.report.report_finding import Remark, counted, heaviest_first, where


def text_of(remarks: Iterable[Remark], counts: Mapping[str, int] | None = None) -> str:
    """All remarks by rule, the heaviest first, each rule with its fix, and how many there are at the end.

    `counts`: how often each rule was broken, by its id, where not every remark was kept.
    """
    by_rule: dict[str, list[Remark]] = {}
    for remark in heaviest_first(remarks):
        by_rule.setdefault(remark.rule.id, []).append(remark)
    totals = {rule: len(kept) for rule, kept in by_rule.items()} | dict(counts or {})
    lines = []
    for rule_id, kept in by_rule.items():
        rule = kept[0].rule
        lines.append(f"{rule.level}: {rule_id}: {one_line(rule.title)}")
        lines += [f"  {one_line(told)}" for told in map(_told, kept)]
        left = totals[rule_id] - len(kept)
        if left > 0:
            lines.append(f"  and {left} more that {'was' if left == 1 else 'were'} not kept")
        lines.append(f"  fix: {one_line(rule.fix)}")
    total = sum(totals.values())
    lines.append(f"{total or 'no'} finding{'' if total == 1 else 's'}")
    return "\n".join(lines) + "\n"


def json_of(remarks: Iterable[Remark], counts: Mapping[str, int] | None = None) -> str:
    """`{"total", "counts": {RULE: n}, "findings": [...]}`, each as `view_of` gives it, in the order given. `counts` as for
    `text_of`.
    """
    kept = list(remarks)
    totals = dict(sorted((counted(kept) | dict(counts or {})).items()))
    value = {"total": sum(totals.values()), "counts": totals, "findings": [view_of(remark) for remark in kept]}
    return json.dumps(value, indent=2) + "\n"


def view_of(remark: Remark) -> dict[str, Any]:
    """One remark as a JSON value."""
    return {
        "rule": remark.rule.id,
        "level": remark.rule.level,
        "request": remark.finding.request,
        "source": text(remark.finding.source),
        "asked": text(remark.asked),
        "detail": text(remark.finding.detail),
        "fix": remark.rule.fix,
        "world": remark.world,
    }


def _told(remark: Remark) -> str:
    place, detail = where(remark), remark.finding.detail
    return f"{place}: {detail}" if place else detail
