"""The one list of a class's fields drives its copies, its digests and what is saved of it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from enum import Enum
from typing import Annotated, Any

import pytest

from mockrelay.core.saving import save_world
from mockrelay.core.saving.fields import codec_of
from mockrelay.core.state import (
    UNORDERED,
    FieldKind,
    KeyedBy,
    State,
    StateField,
    cache_field,
    derived_field,
    is_state,
    plain_type,
    saved_field,
)
from mockrelay.core.world import Finding, World, digest, digest_all
from tests.core.full_world import full_bench


def states_of(type_: Any) -> Iterator[type[State]]:
    """The class and all that its fields hold, each once."""
    origin, parts, _ = plain_type(type_)
    if is_state(origin):
        yield origin
        parts = tuple(field.type for field in origin.FIELDS)
    for part in parts:
        yield from states_of(part)


def is_plain(field: StateField) -> bool:
    return field.spec.kind is FieldKind.SAVED and not is_state(field.type)


STATES = tuple(dict.fromkeys(states_of(World)))
SAVED = [(cls, field) for cls in STATES for field in cls.FIELDS if is_plain(field)]
"""The saved fields that are no states themselves."""


def name_of(value: Any) -> str:
    return value.name if isinstance(value, StateField) else value.__name__


def instance_of(cls: type[State], world: World) -> Any:
    """The world itself, or the first instance of a class in it."""
    if cls is World:
        return world
    for field in World.FIELDS:
        value = getattr(world, field.name)
        for held in value.values() if isinstance(value, dict) else [value]:
            if type(held) is cls:
                return held
    raise AssertionError(f"a world has no {cls.__name__}")


def change(instance: Any, name: str) -> None:
    """Give a field another value, in place where it can be changed so."""
    value = getattr(instance, name)
    if isinstance(value, (list, deque)):
        value.pop()
    elif isinstance(value, (dict, set)):
        key = next(iter(value), "new")
        if isinstance(value, set):
            value.discard(key)
        elif value:
            del value[key]
        else:
            value[key] = 1
    elif isinstance(value, Enum):
        setattr(instance, name, next(word for word in type(value) if word is not value))
    elif isinstance(value, bool):
        setattr(instance, name, not value)
    else:
        assert isinstance(value, int)
        setattr(instance, name, value + 1)


def test_a_world_has_all_these_parts() -> None:
    assert {cls.__name__ for cls in STATES} == {
        *(
            "World",
            "EventQueue",
            "Book",
            "Faults",
            "OrderIdSet",
            "Layer1",
            "Ledger",
            "Limiter",
            "RequestLog",
            "OrderStore",
            "TradeLog",
        )
    }


@pytest.mark.parametrize(("cls", "field"), SAVED, ids=name_of)
def test_a_saved_field_counts_is_saved_and_is_a_copys_own(cls: type[State], field: StateField) -> None:
    world = full_bench().world
    copy = world.clone()
    before, as_saved = digest_all(world), save_world(world)
    assert digest_all(copy) == before
    change(instance_of(cls, copy), field.name)
    assert (digest_all(world), save_world(world)) == (before, as_saved)
    assert digest_all(copy) != before
    assert save_world(copy) != as_saved


@pytest.mark.parametrize("field", World.FIELDS, ids=name_of)
def test_digest_leaves_out_what_only_callers_leave_behind(field: StateField) -> None:
    """Limiter, faults, findings, keys of WebSockets and the moment of the last call."""
    world = full_bench().world
    before = digest(world)
    if is_state(field.type):
        part = getattr(world, field.name)
        change(part, part.FIELDS[0].name)
    elif field.spec.kind is FieldKind.SAVED:
        change(world, field.name)
    left_out = ("limiter", "faults", "findings", "now_ms", "ws_keys")
    is_left_out = field.spec.kind is not FieldKind.SAVED or field.name in left_out
    assert (digest(world) == before) is is_left_out


class Crate(State):
    """A part of a shop."""

    apples: int = saved_field()

    @property
    def is_empty(self) -> bool:
        """Whether it is empty."""
        return not self.apples


class Shop(State):
    """A class of every kind of field."""

    name: str = saved_field()
    prices: dict[str, int] = saved_field(factory=dict)
    crates: dict[str, Crate] = saved_field(factory=dict)
    remarks: Annotated[dict[str, Finding], KeyedBy("rule")] = saved_field(factory=dict)
    queue: Annotated[list[int], UNORDERED] = saved_field(factory=list)
    visits: int = saved_field(factory=lambda: 7, in_digest=False)
    dear: dict[int, list[str]] = derived_field(factory=dict)
    view: dict[str, object] = cache_field(factory=dict)


def a_shop() -> Shop:
    crates = {"full": Crate(5), "empty": Crate(0)}
    remarks = {"b": Finding("b", "second", None, "event"), "a": Finding("a", "first", "r1", "call")}
    shop = Shop("corner", prices={"pear": 2, "fig": 3}, crates=crates, remarks=remarks, queue=[3, 1])
    shop.dear[3] = ["fig"]
    shop.view["shown"] = object()
    return shop


def test_a_copy_has_what_is_saved_and_what_follows_from_it_and_no_cache() -> None:
    shop = a_shop()
    copy = shop.clone()
    assert (copy.name, copy.prices, copy.dear, copy.view, copy.visits) == (
        "corner",
        {"pear": 2, "fig": 3},
        {3: ["fig"]},
        {},
        7,
    )
    copy.prices["fig"] = copy.crates["full"].apples = 4
    copy.dear[3].append("quince")
    assert (shop.prices["fig"], shop.crates["full"].apples, shop.dear) == (3, 5, {3: ["fig"]})


def test_facts_are_in_order_where_order_counts_and_leave_out_unused_parts() -> None:
    remarks = [Finding("b", "second", None, "event"), Finding("a", "first", "r1", "call")]
    counted = ("corner", [("fig", 3), ("pear", 2)], [("full", (5,))], remarks, [1, 3])
    assert a_shop().comparable_values() == (*counted, 7)
    assert a_shop().comparable_values(all_fields=False) == counted


def test_what_is_saved_are_the_saved_fields_and_they_come_back() -> None:
    form = codec_of(Shop)
    remarks = [{"rule": "b", "detail": "second"}, {"rule": "a", "detail": "first"}]
    json_ = form.write(a_shop())
    assert {**json_, "remarks": None} == {
        "name": "corner",
        "prices": {"pear": 2, "fig": 3},
        "crates": {"full": {"apples": 5}},
        "remarks": None,
        "queue": [1, 3],
        "visits": 7,
    }
    assert [{name: finding[name] for name in ("rule", "detail")} for finding in json_["remarks"]] == remarks
    assert form.read(json_).comparable_values() == a_shop().comparable_values()


def test_a_field_without_a_start_must_be_given() -> None:
    with pytest.raises(TypeError, match="name"):
        Shop()  # type: ignore[call-arg]


def test_a_type_that_cannot_be_copied_is_refused_with_the_class() -> None:
    with pytest.raises(TypeError, match="no way to copy"):

        class Odd(State):
            thing: object = saved_field()
