"""The words of a report: rules, remarks made under them, and cases that pass or fail."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mockrelay.spec.rules import LEVELS, Rule

__all__ = ["LEVELS", "Case", "Remark", "Rule"]


class Remark(NamedTuple):
    """A rule that was broken: by which call, and what was seen. It holds no secret."""

    rule: Rule
    request: str | None
    """The id of the call, such as `r12`; None: it is about none."""
    asked: str
    """What was called, such as `POST /api/v3/order`; empty where it is about no call."""
    reason: str
    """What was seen, and where."""
    world: str = ""
    """The relayer under `/w/NAME/` that saw it; empty: the main one."""


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
    """The call that a remark is about, in words; empty where it is about none."""
    asked = remark.asked if not remark.world else f"{remark.asked} (world {remark.world})".lstrip()
    return " ".join(part for part in (remark.request, asked) if part)
