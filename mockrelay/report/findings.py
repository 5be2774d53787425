"""The findings about the client of a relayer, from its first call to its last, in every form."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from mockrelay.core.world import Finding
from mockrelay.report.formats.junit import Case, junit
from mockrelay.report.formats.sarif import sarif
from mockrelay.report.formats.text import findings_json, findings_text
from mockrelay.report.report_finding import ReportFinding
from mockrelay.spec.lint_rules import RULES, rule_of

STORED_PER_RULE_MAX = 100
"""The number of findings that are stored of a rule, the first ones, which show where it began. All are counted."""
_RULES_MAX = 100
"""The number of rules; only a saved world of another version brings rules beside ours."""
_DETAIL_MAX = 1000
_ASKED_MAX = 300
GROUP = "mockrelay.findings"
"""The class name of the cases in JUnit."""
FORMS = ("text", "json", "junit", "sarif")


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
        for rule, count in other.counts.items():
            before = self.counts.get(rule, 0)
            if before or len(self.counts) < _RULES_MAX:
                self.counts[rule] = before + count
                room = STORED_PER_RULE_MAX - len(self._stored.get(rule, ()))
                for finding in other._stored.get(rule, ())[: max(room, 0)]:
                    self._store(finding.of_world(world))

    def masked(self, mask: Callable[[str], str]) -> Findings:
        """The same, with what a client sent masked."""
        others = Findings()
        others.counts = dict(self.counts)
        for finding in self:
            detail, asked, world = map(mask, (finding.detail, finding.asked, finding.world))
            others._store(finding._replace(detail=detail, asked=asked, world=world))
        return others

    def format_as(self, form: str) -> str:
        """All findings in one of `FORMS`."""
        match form:
            case "text":
                return findings_text(self, self.counts)
            case "json":
                return findings_json(self, self.counts)
            case "junit":
                return junit("mockrelay findings", self._cases())
            case "sarif":
                return sarif(RULES, self)
        raise ValueError(f"{form!r} is none of {', '.join(FORMS)}")

    def _count(self, rule: str) -> bool:
        """Count a finding; whether it is to be stored too."""
        counts = self.counts
        if rule not in counts and len(counts) >= _RULES_MAX:
            return False
        counts[rule] = counts.get(rule, 0) + 1
        return len(self._stored.get(rule, ())) < STORED_PER_RULE_MAX

    def _store(self, finding: ReportFinding) -> None:
        self._stored.setdefault(finding.rule.id, []).append(finding)

    def _cases(self) -> Iterator[Case]:
        """A case for each rule without findings, and for each call in each world with findings of a rule. Findings of
        level note skip their case, all others fail it.
        """
        rules = dict.fromkeys((*(rule.id for rule in RULES), *self.counts))
        for rule in map(rule_of, rules):
            if rule.id not in self.counts:
                yield Case(GROUP, rule.id)
                continue
            omitted = self.counts[rule.id] - len(self._stored.get(rule.id, ()))
            for place, findings in self._by_place(rule.id).items():
                # The place of findings that are not stored is unknown: the first case counts them.
                text = findings_text(findings, {rule.id: len(findings) + omitted})
                omitted = 0
                is_note = rule.level == "note"
                yield Case(GROUP, f"{rule.id}{place}", None if is_note else text, text if is_note else None)

    def _by_place(self, rule: str) -> Mapping[str, Sequence[ReportFinding]]:
        """The stored findings of a rule by call and world, as the end of a case's name."""
        places: dict[str, list[ReportFinding]] = {}
        for finding in self._stored.get(rule, ()):
            place = (f": {finding.call}" if finding.call else "") + (
                f" (world {finding.world})" if finding.world else ""
            )
            places.setdefault(place, []).append(finding)
        return places


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
