"""What there is to meet, item by item, and how each is reached: derived from the tables of the spec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.report.coverage import Coverage
from mockrelay.report.how_to_reach import Reach, Way, way_of_code, way_of_move
from mockrelay.report.optional_fields import form_of
from mockrelay.spec.choices import CHOICES, Choice
from mockrelay.spec.codes import SUCCESS
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.spec.request_kinds import KINDS
from mockrelay.spec.transitions import BLOCK, ORDER, REQUEST


class Kind(StrEnum):
    """The kinds of things to meet."""

    ENDPOINTS = "endpoints"
    """Endpoints that were called."""
    SUCCESSES = "successes"
    """Endpoints that answered with success."""
    PAIRS = "pairs"
    """Codes that the spec lists for an endpoint, met there."""
    FIELDS = "fields"
    """Fields that may be left out, sent with another value than their default; words of closed lists, sent."""
    TRANSITIONS = "transitions"
    """States of orders, requests and blocks that were left for another."""
    OPTIONS = "options"
    """Readings of the spec's silences that held when they were consulted."""
    LIMITS = "limits"
    """Endpoints whose rate limit of the spec refused a call."""


class Item(NamedTuple):
    """One thing to meet."""

    name: str
    """Its own among those of its kind."""
    of: str
    """What it belongs to: an endpoint, what moves, or a choice."""
    what: str
    """What it is at that, in words."""
    seen_as: Any
    """As what `Coverage` has it."""
    way: Way


_ALSO = {
    ("get_orders", "offset"): "an offset above 0: the second page and those behind it",
    ("get_orders", "fromHash"): "a fromHash: the page behind an order",
}
"""What a field means, where its name does not say it."""


@cache
def items() -> Mapping[Kind, Mapping[str, Item]]:
    """All there is to meet, by kind and by name, in the order of the tables."""
    found = {
        Kind.ENDPOINTS: _endpoints(),
        Kind.SUCCESSES: _successes(),
        Kind.PAIRS: _pairs(),
        Kind.FIELDS: _fields(),
        Kind.TRANSITIONS: _transitions(),
        Kind.OPTIONS: _options(),
        Kind.LIMITS: _limits(),
    }
    return MappingProxyType({kind: {item.name: item for item in of_kind} for kind, of_kind in found.items()})


def met_of(coverage: Coverage, kind: Kind) -> set[Any]:
    """What was seen of a kind, as its items have it."""
    if kind is Kind.ENDPOINTS:
        return {endpoint for endpoint, _ in coverage.answers}
    if kind in (Kind.SUCCESSES, Kind.PAIRS):
        return set(coverage.answers)
    if kind is Kind.FIELDS:
        return {(endpoint, name) for endpoint, sent in coverage.sent.items() for name in sent.names}
    if kind is Kind.TRANSITIONS:
        return set(coverage.moves)
    return set(coverage.options if kind is Kind.OPTIONS else coverage.limited)


def outside(coverage: Coverage) -> list[tuple[str, int]]:
    """Codes that were met at endpoints for which the spec does not list them."""
    listed = {item.seen_as for item in items()[Kind.PAIRS].values()}
    met = {(endpoint, code) for endpoint, code in coverage.answers if code} | coverage.others
    return sorted(met - listed)


def _endpoints() -> Iterator[Item]:
    for row in ENDPOINTS:
        yield Item(row.name, row.name, "called", row.name, Way(Reach.NATURAL, f"{row.method} {row.path}"))


def _successes() -> Iterator[Item]:
    for row in ENDPOINTS:
        way = Way(Reach.NATURAL, f"{row.method} {row.path} with what the relayer accepts")
        yield Item(row.name, row.name, "answered with success", (row.name, SUCCESS), way)


def _pairs() -> Iterator[Item]:
    for row in ENDPOINTS:
        for code in row.listed_codes:
            name = f"{row.name} {int(code)}"
            yield Item(name, row.name, f"{int(code)} {code.meaning}", (row.name, int(code)), way_of_code(row, code))


def _fields() -> Iterator[Item]:
    for row in ENDPOINTS:
        for name in form_of(row.name).names:
            way = Way(Reach.NATURAL, f"{row.method} {row.path} with {_ALSO.get((row.name, name), name)}")
            yield Item(f"{row.name} {name}", row.name, name, (row.name, name), way)


def _transitions() -> Iterator[Item]:
    yield from (_move("order", was, trigger, to) for (was, trigger), to in ORDER.items())
    for kind, life in KINDS.items():
        moves = REQUEST.items()
        yield from (_move(kind, was, trigger, to) for (was, trigger), to in moves if was in life.durations)
    yield from (_move("block", was, trigger, to) for (was, trigger), to in BLOCK.items())


def _move(what: str, was: str, trigger: str, to: str) -> Item:
    name = f"{what}: {was} -> {to}"
    return Item(
        name, str(what), f"{was} -> {to} ({trigger})", (str(what), str(was), str(to)), way_of_move(what, was, to)
    )


def _options() -> Iterator[Item]:
    for choice in CHOICES:
        for option in choice.options:
            yield Item(
                f"{choice.key}={option}", choice.key, option, (choice.key, option), _way_of_option(choice, option)
            )


def _way_of_option(choice: Choice, option: str) -> Way:
    says = choice.spec_says.rstrip(".")
    if option == choice.default:
        return Way(Reach.NATURAL, f"a call that meets it, under the default: {says}")
    return Way(Reach.CHOICE, f"a call that meets it: {says}", {choice.key: option})


def _limits() -> Iterator[Item]:
    for row in ENDPOINTS:
        if row.per_second is not None:
            how = f"more than {row.per_second} calls in a second, where limits are on (limits: spec)"
            yield Item(row.name, row.name, f"{row.per_second} a second", row.name, Way(Reach.NATURAL, how))
