"""The words of a report: rules, remarks made under them, and cases that pass or fail."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Self

from mockrelay.core.context import CALL
from mockrelay.core.world import Finding
from mockrelay.spec.lint_rules import LEVELS, Rule

__all__ = ["LEVELS", "Case", "Remark", "Rule"]


class Remark(NamedTuple):
    """A finding as a report shows it: with its rule, and what was called. It holds no secret."""

    rule: Rule
    finding: Finding
    asked: str = ""
    """What was called, such as `POST /api/v3/order`; empty where it is about no call."""
    world: str = ""
    """The relayer under `/w/NAME/` that saw it; empty: the main one."""

    @classmethod
    def of_call(cls, rule: Rule, request: str | None, asked: str, reason: str, world: str = "") -> Self:
        """A rule that was broken by a call: its id, such as `r12`, if it has one, what was called, and what was seen."""
        return cls(rule, Finding(rule.id, reason, request, CALL), asked, world)


class Case(NamedTuple):
    """One check and its outcome: it passed where there is neither a failure nor a reason to skip it."""

    group: str
    name: str
    failure: str | None = None
    skipped: str | None = None


def counted(remarks: Iterable[Remark]) -> dict[str, int]:
    """How many remarks each rule has."""
    counts: dict[str, int] = {}
    for remark in remarks:
        counts[remark.rule.id] = counts.get(remark.rule.id, 0) + 1
    return counts


def heaviest_first(remarks: Iterable[Remark]) -> list[Remark]:
    """The same remarks by level, in the order given where that is the same. A level of none of `LEVELS` is last."""
    places = {level: index for index, level in enumerate(LEVELS)}
    return sorted(remarks, key=lambda remark: places.get(remark.rule.level, len(places)))


def called(remark: Remark) -> str:
    """What was called, without its query; empty where the remark is about no call."""
    return remark.asked.partition("?")[0].partition("#")[0]


def where(remark: Remark) -> str:
    """The call that a remark is about, in words; where it is about none, what brought it about."""
    finding, asked = remark.finding, remark.asked
    if finding.source != CALL:
        asked = finding.source
    if remark.world:
        asked = f"{asked} (world {remark.world})".lstrip()
    return " ".join(part for part in (finding.request, asked) if part)
