"""Findings as workflow commands of GitHub Actions, which shows them as annotations of the job.

One for each rule, since a step shows ten of a level at the most.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mockrelay.report.formats.characters import one_line
from mockrelay.report.report_finding import ReportFinding, by_rule

SHOWN_PER_RULE_MAX = 5
_COMMANDS = {"error": "error", "warning": "warning", "note": "notice"}


def annotation_lines(findings: Iterable[ReportFinding], counts: Mapping[str, int], total: str) -> str:
    """A line for each rule, the heaviest first, and a last line with `total`, the sum in words."""
    lines = [_annotation(rule, listed, counts[rule]) for rule, listed in by_rule(findings).items()]
    return "\n".join([*lines, total]) + "\n"


def _annotation(rule: str, listed: list[ReportFinding], count: int) -> str:
    command = _COMMANDS.get(listed[0].rule.level, "warning")
    title = f"mockrelay: {rule}" + (f", {count} times" if count > 1 else "")
    message = "\n".join(map(one_line, _lines(listed, count)))
    return annotation(command, {"title": title}, message)


def annotation(command: str, properties: Mapping[str, object], message: str) -> str:
    """A workflow command: `error`, `warning` or `notice`, with its title and place."""
    listed = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
    return f"::{command} {listed}::{_data(message)}"


def _lines(listed: list[ReportFinding], count: int) -> Iterator[str]:
    yield listed[0].rule.title
    shown = listed[:SHOWN_PER_RULE_MAX]
    for finding in shown:
        yield f"{finding.place}: {finding.detail}" if finding.place else finding.detail
    if count > len(shown):
        yield f"and {count - len(shown)} more"
    if listed[0].rule.fix:
        yield f"Instead: {listed[0].rule.fix}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
