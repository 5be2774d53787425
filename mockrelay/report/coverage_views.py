"""Coverage as a JSON value, and back: what is covered of each kind and what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from mockrelay.report.coverage import PROFILE_ONLY, Coverage
from mockrelay.report.coverage_items import Item, ItemKind, covered_keys, items, unlisted_pairs
from mockrelay.spec.codes import SUCCESS
from mockrelay.spec.endpoint import SPEC
from mockrelay.spec.endpoints import ALL_ENDPOINTS, BY_NAME
from mockrelay.spec.profiles import PROFILES

FORMAT = 1


class Tally(NamedTuple):
    """The items of a kind, covered and missing."""

    kind: ItemKind
    covered: tuple[Item, ...]
    missing: tuple[Item, ...]

    @property
    def total(self) -> int:
        """The number of items, covered or not."""
        return len(self.covered) + len(self.missing)


def tallies(coverage: Coverage) -> list[Tally]:
    """One tally for each kind, in the order of `ItemKind`."""
    result = []
    for kind, by_name in items().items():
        keys = covered_keys(coverage, kind)
        covered = tuple(item for item in by_name.values() if item.key in keys)
        result.append(Tally(kind, covered, tuple(item for item in by_name.values() if item.key not in keys)))
    return result


def percentage(covered: int, total: int) -> float:
    """Per cent with one decimal, rounded down so that an incomplete coverage never reads as 100."""
    return covered * 1000 // total / 10


def coverage_view(coverage: Coverage) -> dict[str, Any]:
    """The coverage as a JSON value: covered items by name, missing items with how to reach them."""
    by_kind = tallies(coverage)
    covered, total = sum(len(tally.covered) for tally in by_kind), sum(tally.total for tally in by_kind)
    return {
        "format": FORMAT,
        "total": {"met": covered, "of": total, "share": percentage(covered, total)},
        "kinds": {
            tally.kind.value: {
                "of": tally.total,
                "share": percentage(len(tally.covered), tally.total),
                "met": [item.name for item in tally.covered],
                "missing": [_missing_view(item) for item in tally.missing],
            }
            for tally in by_kind
        },
        "outside": {
            "pairs": [f"{endpoint} {code}" for endpoint, code in unlisted_pairs(coverage)],
            "limits": unlisted_limits(coverage),
        },
        **({"profiles": profiles_view(coverage)} if coverage.profile_answers else {}),
    }


def profiles_view(coverage: Coverage) -> dict[str, Any]:
    """By profile a sum of its own over the rows that it brings: which were called, and which codes they answered. It is no
    part of the spec's.
    """
    return {name: _profile_view(coverage, name) for name in PROFILES if name != SPEC}


def _profile_view(coverage: Coverage, name: str) -> dict[str, Any]:
    rows = [row for row in ALL_ENDPOINTS if row.profile == name]
    called = {row for row, _ in coverage.profile_answers}
    pairs = [(row.id, int(code)) for row in rows for code in (SUCCESS, *row.listed_codes)]
    met = [f"{row} {code}" for row, code in pairs if (row, code) in coverage.profile_answers]
    missing = [f"{row} {code}" for row, code in pairs if (row, code) not in coverage.profile_answers]
    return {
        "rows": {
            "of": len(rows),
            "share": percentage(len(called & {row.id for row in rows}), len(rows)),
            "met": [row.id for row in rows if row.id in called],
            "missing": [row.id for row in rows if row.id not in called],
        },
        "codes": {"of": len(pairs), "share": percentage(len(met), len(pairs)), "met": met, "missing": missing},
    }


def unlisted_limits(coverage: Coverage) -> list[str]:
    """Endpoints that refused a call by a limit that the spec does not have."""
    return sorted(coverage.rate_limits - items()[ItemKind.LIMITS].keys())


def parse_coverage(text: str) -> Coverage:
    """The coverage in a file that holds a `coverage_view`. Raises ValueError."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"no JSON ({error}); meant: what `GET coverage` answers") from None
    return coverage_from_view(value)


def coverage_from_view(value: Any) -> Coverage:
    """The coverage that `value`, a `coverage_view`, stands for. Names that the tables do not have, such as those of
    another version, are ignored. Raises ValueError for any other value.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT:
        raise ValueError(f"no coverage; meant: what `GET coverage` answers, an object with format {FORMAT}")
    coverage = Coverage()
    kinds = value.get("kinds")
    for kind, by_name in items().items():
        of_kind = kinds.get(kind) if isinstance(kinds, dict) else None
        for name in _names(of_kind, "met", f"kinds.{kind}"):
            if name in by_name:
                _add(coverage, kind, by_name[name].key)
    for name, of_profile in (value.get("profiles") or {}).items():
        for row in _names(of_profile.get("rows"), "met", f"profiles.{name}.rows"):
            if row in PROFILE_ONLY:
                coverage.add_profile_answer(row, None)
        for pair in _names(of_profile.get("codes"), "met", f"profiles.{name}.codes"):
            row, _, code = pair.partition(" ")
            if row in PROFILE_ONLY and code.isdecimal():
                coverage.add_profile_answer(row, int(code))
    outside = value.get("outside", {"pairs": [], "limits": []})
    for pair in _names(outside, "pairs", "outside"):
        endpoint, _, code = pair.partition(" ")
        if endpoint in BY_NAME and code.removeprefix("-").isdecimal():
            coverage.add_answer(endpoint, int(code))
    coverage.rate_limits.update(name for name in _names(outside, "limits", "outside") if name in BY_NAME)
    return coverage


def _missing_view(item: Item) -> dict[str, Any]:
    recipe = item.recipe
    view: dict[str, Any] = {"name": item.name, "what": item.label, "reach": recipe.means.value, "how": recipe.how}
    view |= {} if recipe.choices is None else {"choices": dict(recipe.choices)}
    return view | ({} if recipe.fault is None else {"fault": dict(recipe.fault)})


def _names(value: Any, field: str, where: str) -> Iterator[str]:
    names = value.get(field) if isinstance(value, dict) else None
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{where}.{field} is not a list of names; meant: what `GET coverage` answers")
    yield from names


def _add(coverage: Coverage, kind: ItemKind, key: Any) -> None:
    if kind is ItemKind.ENDPOINTS:
        coverage.answers.add((key, None))
    elif kind in (ItemKind.SUCCESSES, ItemKind.PAIRS):
        coverage.answers.add(key)
    elif kind is ItemKind.FIELDS:
        endpoint, name = key
        coverage.fields_of(endpoint).names.add(name)
    elif kind is ItemKind.TRANSITIONS:
        coverage.transitions.add(key)
    elif kind is ItemKind.OPTIONS:
        coverage.options.add(key)
    else:
        coverage.rate_limits.add(key)
