"""The findings about the client of a relayer, from its first call to its last, in every form that they are told in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mockrelay.core.world import Finding
from mockrelay.report.junit import junit
from mockrelay.report.report_finding import Case, Remark, called
from mockrelay.report.sarif import sarif
from mockrelay.report.text import json_of, text_of
from mockrelay.spec.lint_rules import RULES, rule_of

KEPT_OF_RULE = 100
"""How many remarks are kept of a rule, the first ones: they show where it began. All are counted."""
_RULES_MAX = 100
"""How many rules there may be; there are more than ours only where a saved world brings its own."""
_TEXT_MAX = 1000
_ASKED_MAX = 300
GROUP = "mockrelay.findings"
"""The class name of the cases in JUnit."""
FORMS = ("text", "json", "junit", "sarif")


class Findings:
    """Remarks on a client, bounded, and how often each rule was broken, exact."""

    __slots__ = ("_kept", "counts")

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        """By rule id."""
        self._kept: dict[str, list[Remark]] = {}

    def __iter__(self) -> Iterator[Remark]:
        """The kept remarks: by rule, in the order in which the rules were first broken."""
        for kept in self._kept.values():
            yield from kept

    @property
    def total(self) -> int:
        """All findings, those too that are not kept."""
        return sum(self.counts.values())

    def take(self, findings: Iterable[Finding], asked: str = "") -> None:
        """Keep what was noted during a call or a command. `asked` is what was called: method and target."""
        for finding in findings:
            if self._has_room(finding.rule):
                self._keep(_remark(finding, asked))

    def merge(self, other: Findings, world: str = "") -> None:
        """Add those of another relayer, which is the world of that name unless its remarks name one."""
        for rule, count in other.counts.items():
            before = self.counts.get(rule, 0)
            kept = other._kept.get(rule, ())
            if before or len(self.counts) < _RULES_MAX:
                self.counts[rule] = before + count
                room = KEPT_OF_RULE - len(self._kept.get(rule, ()))
                for remark in kept[: max(room, 0)]:
                    self._keep(_of_world(remark, world))

    def told(self, form: str) -> str:
        """All of it in one of `FORMS`."""
        match form:
            case "text":
                return text_of(self, self.counts)
            case "json":
                return json_of(self, self.counts)
            case "junit":
                return junit("mockrelay findings", self._cases())
            case "sarif":
                return sarif(RULES, self)
        raise ValueError(f"{form!r} is none of {', '.join(FORMS)}")

    def _has_room(self, rule: str) -> bool:
        """Count a finding; whether its remark is kept."""
        counts = self.counts
        if rule not in counts and len(counts) >= _RULES_MAX:
            return False
        counts[rule] = counts.get(rule, 0) + 1
        return len(self._kept.get(rule, ())) < KEPT_OF_RULE

    def _keep(self, remark: Remark) -> None:
        self._kept.setdefault(remark.rule.id, []).append(remark)

    def _cases(self) -> Iterator[Case]:
        """A case for each rule that holds, and for each call that broke one, in each world. A note fails none."""
        rules = dict.fromkeys((*(rule.id for rule in RULES), *self.counts))
        for rule in map(rule_of, rules):
            if rule.id not in self.counts:
                yield Case(GROUP, rule.id)
                continue
            left = self.counts[rule.id] - len(self._kept.get(rule.id, ()))
            for place, remarks in self._by_place(rule.id).items():
                # What is not kept may have been anywhere; it is told once.
                told = text_of(remarks, {rule.id: len(remarks) + left})
                left = 0
                is_note = rule.level == "note"
                yield Case(GROUP, f"{rule.id}{place}", None if is_note else told, told if is_note else None)

    def _by_place(self, rule: str) -> Mapping[str, Sequence[Remark]]:
        """The kept remarks of a rule by call and world, as the end of a case's name."""
        places: dict[str, list[Remark]] = {}
        for remark in self._kept.get(rule, ()):
            call = called(remark)
            place = (f": {call}" if call else "") + (f" (world {remark.world})" if remark.world else "")
            places.setdefault(place, []).append(remark)
        return places


def _remark(finding: Finding, asked: str) -> Remark:
    cut = finding._replace(detail=_cut(finding.detail, _TEXT_MAX))
    # What fell due during a call is not about it.
    return Remark(rule_of(finding.rule), cut, "" if finding.request is None else _cut(asked, _ASKED_MAX))


def _of_world(remark: Remark, world: str) -> Remark:
    """The remark as one of a world. What was called was sent with the world's name before it."""
    if remark.world or not world:
        return remark
    return remark._replace(world=world, asked=remark.asked.replace(f" /w/{world}/", " /", 1))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}..."
