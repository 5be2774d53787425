"""How much must be met: floors in per cent, of all or of one kind, and what is said where they are missed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from mockrelay.report.coverage import Coverage
from mockrelay.report.coverage_items import Kind
from mockrelay.report.coverage_views import share, tallies
from mockrelay.suggest import nearest

ALL = "all"
PERCENT_MAX = 100


class Floor(NamedTuple):
    """The least share that will do."""

    kind: Kind | None
    """None: of all kinds together."""
    percent: float

    @property
    def told(self) -> str:
        """As it is asked for."""
        return f"{self.kind or ALL}={self.percent:g}"


def floor_of(text: str) -> Floor:
    """The floor that `40` or `pairs=40` asks for. Raises ValueError."""
    kind, equals, percent = text.rpartition("=")
    word = kind.strip()
    if equals and word != ALL and word not in list(Kind):
        raise ValueError(f"there is no {word!r} to meet; meant: {nearest(word, (*Kind, ALL))}")
    try:
        wanted = float(percent)
    except ValueError:
        wanted = -1
    if not 0 <= wanted <= PERCENT_MAX:
        raise ValueError(f"{text!r} is no floor; meant: PERCENT or KIND=PERCENT, such as 40 or pairs=25")
    return Floor(None if not equals or word == ALL else Kind(word), wanted)


def missed(coverage: Coverage, floors: Iterable[Floor]) -> list[tuple[Floor, str]]:
    """The floors that are not reached, each with a sentence."""
    counts: dict[Kind | None, tuple[int, int]] = {tally.kind: (len(tally.met), tally.of) for tally in tallies(coverage)}
    counts[None] = (sum(met for met, _ in counts.values()), sum(of for _, of in counts.values()))
    told = []
    for floor in floors:
        met, of = counts[floor.kind]
        if met * PERCENT_MAX < floor.percent * of:
            what = "the spec was met" if floor.kind is None else f"the {floor.kind} were met"
            told.append((floor, f"{share(met, of)} % of {what} ({met} of {of}), and {floor.percent:g} % must be"))
    return told
