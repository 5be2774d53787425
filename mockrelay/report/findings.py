"""The findings about the client of a relayer, from its first call to its last."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from mockrelay.core.world import Finding
from mockrelay.report.report_finding import ReportFinding
from mockrelay.spec.lint_rules import rule_of

STORED_PER_RULE_MAX = 100
"""The number of findings that are stored of a rule, the first ones, which show where it began. All are counted."""
_RULES_MAX = 100
"""The number of rules; only a saved world of another version brings rules beside ours."""
_DETAIL_MAX = 1000
_ASKED_MAX = 300


class Findings:
    """The first findings of each rule, and the exact number of all."""

    __slots__ = ("_stored", "counts")

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        """By rule id."""
        self._stored: dict[str, list[ReportFinding]] = {}

    def __iter__(self) -> Iterator[ReportFinding]:
        """The stored findings: by rule, in the order in which the rules were first broken."""
        for stored in self._stored.values():
            yield from stored

    @property
    def total(self) -> int:
        """The number of findings, stored or not."""
        return sum(self.counts.values())

    def add(self, findings: Iterable[Finding], asked: str = "") -> None:
        """Add the findings of a call or a command. `asked`: method and target of the call."""
        for finding in findings:
            if self._count(finding.rule):
                self._store(_report_finding(finding, asked))

    def merge(self, other: Findings, world: str = "") -> None:
        """Add those of another relayer, which is the world of that name."""
        self.add_counted((finding.of_world(world) for finding in other), other.counts)

    def add_counted(self, findings: Iterable[ReportFinding], counts: Mapping[str, int]) -> None:
        """Add findings of which only the first of each rule are listed; `counts` has the number of all by rule."""
        added = set()
        for rule, count in counts.items():
            if rule in self.counts or len(self.counts) < _RULES_MAX:
                self.counts[rule] = self.counts.get(rule, 0) + count
                added.add(rule)
        for finding in findings:
            if finding.rule.id in added and len(self._stored.get(finding.rule.id, ())) < STORED_PER_RULE_MAX:
                self._store(finding)

    def masked(self, mask: Callable[[str], str]) -> Findings:
        """The same, with what a client sent masked."""
        others = Findings()
        others.counts = dict(self.counts)
        for finding in self:
            detail, asked, world = map(mask, (finding.detail, finding.asked, finding.world))
            others._store(finding._replace(detail=detail, asked=asked, world=world))
        return others

    def _count(self, rule: str) -> bool:
        """Count a finding; whether it is to be stored too."""
        counts = self.counts
        if rule not in counts and len(counts) >= _RULES_MAX:
            return False
        counts[rule] = counts.get(rule, 0) + 1
        return len(self._stored.get(rule, ())) < STORED_PER_RULE_MAX

    def _store(self, finding: ReportFinding) -> None:
        self._stored.setdefault(finding.rule.id, []).append(finding)


def _report_finding(finding: Finding, asked: str) -> ReportFinding:
    return ReportFinding(
        rule_of(finding.rule),
        _cut(finding.detail, _DETAIL_MAX),
        finding.request,
        finding.source,
        # Events that were due during a call are not about it.
        "" if finding.request is None else _cut(asked, _ASKED_MAX),
    )


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[:length]}..."
