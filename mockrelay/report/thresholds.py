"""Thresholds of coverage: the least per cent of all items, or of one kind, and what is said where they are missed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mockrelay.report.coverage import Coverage
from mockrelay.report.coverage_items import ItemKind
from mockrelay.report.coverage_views import percentage, tallies
from mockrelay.suggest import nearest

ALL = "all"
PERCENT_MAX = 100


class Threshold(NamedTuple):
    """The least coverage that is accepted."""

    kind: ItemKind | None
    """None: of all kinds together."""
    percent: float

    def __str__(self) -> str:
        return f"{self.kind or ALL}={self.percent:g}"


def parse_threshold(text: str) -> Threshold:
    """The threshold that `40` or `pairs=40` asks for. Raises ValueError."""
    kind, equals, percent = text.rpartition("=")
    word = kind.strip()
    if equals and word != ALL and word not in list(ItemKind):
        raise ValueError(f"found the kind {word!r}; meant: {nearest(word, (*ItemKind, ALL))}")
    try:
        least = float(percent)
    except ValueError:
        least = -1
    if not 0 <= least <= PERCENT_MAX:
        raise ValueError(f"{text!r} is not a threshold; meant: PERCENT or KIND=PERCENT, such as 40 or pairs=25")
    return Threshold(None if not equals or word == ALL else ItemKind(word), least)


def shortfalls(coverage: Coverage, thresholds: Iterable[Threshold]) -> list[tuple[Threshold, str]]:
    """The thresholds that are missed, each with a sentence."""
    counts: dict[ItemKind | None, tuple[int, int]] = {
        tally.kind: (len(tally.covered), tally.total) for tally in tallies(coverage)
    }
    counts[None] = (sum(covered for covered, _ in counts.values()), sum(total for _, total in counts.values()))
    missed = []
    for threshold in thresholds:
        covered, total = counts[threshold.kind]
        if covered * PERCENT_MAX < threshold.percent * total:
            what = "the spec was met" if threshold.kind is None else f"the {threshold.kind} were met"
            of = f"({covered} of {total})"
            missed.append(
                (threshold, f"{percentage(covered, total)} % of {what} {of}, and {threshold.percent:g} % must be")
            )
    return missed
