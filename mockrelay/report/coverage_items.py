"""Everything that a client can cover of the spec, item by item: derived from the tables of the spec."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.report.coverage import Coverage
from mockrelay.report.how_to_reach import Means, Recipe, recipe_of_code, recipe_of_transition
from mockrelay.report.optional_fields import tracked_fields
from mockrelay.spec.choices import CHOICES
from mockrelay.spec.choices.choice import Choice
from mockrelay.spec.codes import SUCCESS
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.spec.request_kinds import KINDS
from mockrelay.spec.transitions import BLOCK, ORDER, REQUEST


class ItemKind(StrEnum):
    """The kinds of items."""

    ENDPOINTS = "endpoints"
    """Endpoints that were called."""
    SUCCESSES = "successes"
    """Endpoints that answered with success."""
    PAIRS = "pairs"
    """Endpoints with the codes that the spec lists for them."""
    FIELDS = "fields"
    """Optional fields that were sent; values of enumerations."""
    TRANSITIONS = "transitions"
    """State changes of orders, requests and blocks."""
    OPTIONS = "options"
    """Options of choices that applied when the choice was consulted."""
    LIMITS = "limits"
    """Endpoints whose rate limit in the spec refused a call."""


class Item(NamedTuple):
    """One item that can be covered."""

    name: str
    """Unique among the items of its kind."""
    group: str
    """What it belongs to: an endpoint, what changes its state, or a choice."""
    label: str
    """The item within its group, in words."""
    key: Any
    """The element of the set of `Coverage` that stands for it."""
    recipe: Recipe


_PAGING = {
    ("get_orders", "offset"): "an offset above 0: the second page and those behind it",
    ("get_orders", "fromHash"): "a fromHash: the page behind an order",
}
"""What a field means, where its name does not say it."""


@cache
def items() -> Mapping[ItemKind, Mapping[str, Item]]:
    """All items by kind and by name, in the order of the tables."""
    found = {
        ItemKind.ENDPOINTS: _endpoints(),
        ItemKind.SUCCESSES: _successes(),
        ItemKind.PAIRS: _pairs(),
        ItemKind.FIELDS: _fields(),
        ItemKind.TRANSITIONS: _transitions(),
        ItemKind.OPTIONS: _options(),
        ItemKind.LIMITS: _limits(),
    }
    return MappingProxyType({kind: {item.name: item for item in of_kind} for kind, of_kind in found.items()})


def covered_keys(coverage: Coverage, kind: ItemKind) -> set[Any]:
    """The keys of the items of a kind that are covered."""
    if kind is ItemKind.ENDPOINTS:
        return {endpoint for endpoint, _ in coverage.answers}
    if kind in (ItemKind.SUCCESSES, ItemKind.PAIRS):
        return set(coverage.answers)
    if kind is ItemKind.FIELDS:
        return {(endpoint, name) for endpoint, sent in coverage.fields.items() for name in sent.names}
    if kind is ItemKind.TRANSITIONS:
        return set(coverage.transitions)
    return set(coverage.options if kind is ItemKind.OPTIONS else coverage.rate_limits)


def unlisted_pairs(coverage: Coverage) -> list[tuple[str, int]]:
    """Endpoints with the codes that they answered although the spec does not list them there."""
    listed = {item.key for item in items()[ItemKind.PAIRS].values()}
    answered = {(endpoint, code) for endpoint, code in coverage.answers if code} | coverage.unlisted_codes
    return sorted(answered - listed)


def _endpoints() -> Iterator[Item]:
    for row in ENDPOINTS:
        yield Item(row.name, row.name, "called", row.name, Recipe(Means.NATURAL, f"{row.method} {row.path}"))


def _successes() -> Iterator[Item]:
    for row in ENDPOINTS:
        recipe = Recipe(Means.NATURAL, f"{row.method} {row.path} with what the relayer accepts")
        yield Item(row.name, row.name, "answered with success", (row.name, SUCCESS), recipe)


def _pairs() -> Iterator[Item]:
    for row in ENDPOINTS:
        for code in row.listed_codes:
            label = f"{int(code)} {code.meaning}"
            yield Item(f"{row.name} {int(code)}", row.name, label, (row.name, int(code)), recipe_of_code(row, code))


def _fields() -> Iterator[Item]:
    for row in ENDPOINTS:
        for name in tracked_fields(row.name).names:
            recipe = Recipe(Means.NATURAL, f"{row.method} {row.path} with {_PAGING.get((row.name, name), name)}")
            yield Item(f"{row.name} {name}", row.name, name, (row.name, name), recipe)


def _transitions() -> Iterator[Item]:
    yield from (_transition("order", before, trigger, after) for (before, trigger), after in ORDER.items())
    for kind, row in KINDS.items():
        for (before, trigger), after in REQUEST.items():
            if before in row.durations:
                yield _transition(kind, before, trigger, after)
    yield from (_transition("block", before, trigger, after) for (before, trigger), after in BLOCK.items())


def _transition(subject: str, before: str, trigger: str, after: str) -> Item:
    return Item(
        f"{subject}: {before} -> {after}",
        str(subject),
        f"{before} -> {after} ({trigger})",
        (str(subject), str(before), str(after)),
        recipe_of_transition(subject, before, after),
    )


def _options() -> Iterator[Item]:
    for choice in CHOICES:
        for option in choice.options:
            recipe = _recipe_of_option(choice, option)
            yield Item(f"{choice.key}={option}", choice.key, option, (choice.key, option), recipe)


def _recipe_of_option(choice: Choice, option: str) -> Recipe:
    says = choice.spec_says.rstrip(".")
    if option == choice.default:
        return Recipe(Means.NATURAL, f"a call that meets it, under the default: {says}")
    return Recipe(Means.CHOICE, f"a call that meets it: {says}", {choice.key: option})


def _limits() -> Iterator[Item]:
    for row in ENDPOINTS:
        if row.per_second is not None:
            how = f"more than {row.per_second} calls in a second, where limits are on (limits: spec)"
            yield Item(row.name, row.name, f"{row.per_second} a second", row.name, Recipe(Means.NATURAL, how))
