"""Findings as Markdown, for the summary of a CI job.

What clients sent stands in code spans, so that it can neither format the page nor hold HTML, links or mentions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from mockrelay.report.formats.characters import one_line
from mockrelay.report.report_finding import ReportFinding, by_rule

SHOWN_PER_RULE_MAX = 10
"""A job's summary may have 1 MiB, over all steps."""
TEXT_MAX = 300
_TICKS = re.compile("`+")


def markdown(findings: Iterable[ReportFinding], counts: Mapping[str, int], total: str) -> str:
    """A table of the rules, the heaviest first, and below it the first findings of each. `total`: their sum in words."""
    groups = by_rule(findings)
    lines = ["### mockrelay: " + total, ""]
    if groups:
        lines += ["| rule | level | times |", "| --- | --- | --- |"]
        lines += [f"| `{rule}` | {listed[0].rule.level} | {counts[rule]} |" for rule, listed in groups.items()]
        lines.append("")
    for rule, listed in groups.items():
        lines += _section(rule, listed, counts[rule])
    return "\n".join(lines).rstrip() + "\n"


def _section(rule: str, listed: list[ReportFinding], count: int) -> Iterator[str]:
    shown = listed[:SHOWN_PER_RULE_MAX]
    yield f"**`{rule}`** {listed[0].rule.title}"
    yield ""
    for finding in shown:
        place = f"{code_span(finding.place)} " if finding.place else ""
        yield f"- {place}{code_span(finding.detail)}"
    if count > len(shown):
        yield f"- and {count - len(shown)} more"
    if listed[0].rule.fix:
        yield f"- *Instead:* {listed[0].rule.fix}"
    yield ""


def code_span(value: str) -> str:
    """A text as a code span, whatever is in it, on one line and not longer than `TEXT_MAX`."""
    shown = one_line(value).strip() or " "
    shown = shown if len(shown) <= TEXT_MAX else shown[:TEXT_MAX] + "..."
    fence = "`" * (max((len(run) for run in _TICKS.findall(shown)), default=0) + 1)
    pad = " " if shown[0] == "`" or shown[-1] == "`" else ""
    return f"{fence}{pad}{shown}{pad}{fence}"
