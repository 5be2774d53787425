"""Coverage as a value: what of each kind was met and what is missing, as JSON there and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from mockrelay.report.coverage import Coverage
from mockrelay.report.coverage_items import Item, Kind, items, met_of, outside
from mockrelay.spec.endpoints import BY_NAME

FORMAT = 1


class Tally(NamedTuple):
    """How much of a kind was met."""

    kind: Kind
    met: tuple[Item, ...]
    missing: tuple[Item, ...]

    @property
    def of(self) -> int:
        """How many there are."""
        return len(self.met) + len(self.missing)


def tallies(coverage: Coverage) -> list[Tally]:
    """One for each kind."""
    told = []
    for kind, named in items().items():
        seen = met_of(coverage, kind)
        met = tuple(item for item in named.values() if item.seen_as in seen)
        told.append(Tally(kind, met, tuple(item for item in named.values() if item.seen_as not in seen)))
    return told


def share(met: int, of: int) -> float:
    """Per cent with one digit behind the point, rounded down: what is not whole is never called 100."""
    return met * 1000 // of / 10


def view_of(coverage: Coverage) -> dict[str, Any]:
    """As a JSON value. What was met is told by name; what is missing also by how to reach it."""
    told = tallies(coverage)
    met, of = sum(len(tally.met) for tally in told), sum(tally.of for tally in told)
    return {
        "format": FORMAT,
        "total": {"met": met, "of": of, "share": share(met, of)},
        "kinds": {
            tally.kind.value: {
                "of": tally.of,
                "share": share(len(tally.met), tally.of),
                "met": [item.name for item in tally.met],
                "missing": [_missing(item) for item in tally.missing],
            }
            for tally in told
        },
        "outside": {
            "pairs": [f"{endpoint} {code}" for endpoint, code in outside(coverage)],
            "limits": limits_outside(coverage),
        },
    }


def limits_outside(coverage: Coverage) -> list[str]:
    """Endpoints that refused by a limit that the spec does not show."""
    return sorted(coverage.limited - items()[Kind.LIMITS].keys())


def value_of(text: str) -> Any:
    """The JSON value of a file. Raises ValueError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON ({error}); meant: what `GET coverage` answers") from None


def read_view(coverage: Coverage, value: Any) -> None:
    """Add what a view tells. Names that the tables do not have, such as another version's, are passed over. Raises
    ValueError for a value that is no view.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise ValueError(f"no coverage; meant: what `GET coverage` answers, an object with format {FORMAT}")
    kinds = value.get("kinds")
    for kind, named in items().items():
        of_kind = kinds.get(kind) if isinstance(kinds, dict) else None
        for name in _names(of_kind, "met", f"kinds.{kind}"):
            if name in named:
                _add(coverage, kind, named[name].seen_as)
    others = value.get("outside", {"pairs": [], "limits": []})
    for pair in _names(others, "pairs", "outside"):
        endpoint, _, code = pair.partition(" ")
        if endpoint in BY_NAME and code.removeprefix("-").isdecimal():
            coverage.add_answer(endpoint, int(code))
    coverage.limited.update(name for name in _names(others, "limits", "outside") if name in BY_NAME)


def _missing(item: Item) -> dict[str, Any]:
    way = item.way
    told: dict[str, Any] = {"name": item.name, "what": item.what, "reach": way.reach.value, "how": way.how}
    told |= {} if way.choices is None else {"choices": dict(way.choices)}
    return told | ({} if way.fault is None else {"fault": dict(way.fault)})


def _names(value: Any, field: str, where: str) -> Iterator[str]:
    names = value.get(field) if isinstance(value, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{where}.{field} is no list of names; meant: what `GET coverage` answers")
    yield from names


def _add(coverage: Coverage, kind: Kind, seen_as: Any) -> None:
    if kind is Kind.ENDPOINTS:
        coverage.answers.add((seen_as, None))
    elif kind in (Kind.SUCCESSES, Kind.PAIRS):
        coverage.answers.add(seen_as)
    elif kind is Kind.FIELDS:
        endpoint, name = seen_as
        coverage.sent_to(endpoint).names.add(name)
    elif kind is Kind.TRANSITIONS:
        coverage.moves.add(seen_as)
    elif kind is Kind.OPTIONS:
        coverage.options.add(seen_as)
    else:
        coverage.limited.add(seen_as)
