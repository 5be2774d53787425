"""The timeline as the core runs it: each entry at its own moment, whatever the call's is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockrelay.core.commands.accounts import DepositMoney
from mockrelay.core.commands.base import Command
from mockrelay.core.commands.settings import SetChoices
from mockrelay.core.config import TimelineEntry
from mockrelay.core.context import Context
from mockrelay.core.errors import CommandRefused
from mockrelay.core.events import EventKind
from mockrelay.core.handle import run_due_events
from mockrelay.core.units import duration_ms, duration_text
from mockrelay.core.world import World, digest
from tests.core.bench import ALICE, NOW_MS, Bench
from tests.support.bodies import LRC


def world_with(*entries: TimelineEntry) -> World:
    world = Bench().world
    world.config = replace(world.config, timeline=entries)
    for index, entry in enumerate(entries):
        world.events.plan(NOW_MS + entry.at_ms, EventKind.TIMELINE, str(index))
    return world


class Note(Command[Context]):
    """Notes the moments at which it is carried out."""

    name = "note"

    def __init__(self) -> None:
        self.moments_ms: list[int] = []

    def apply(self, ctx: Context) -> None:
        self.moments_ms.append(ctx.now_ms)


class Fail(Command[Context]):
    name = "fail"

    def apply(self, ctx: Context) -> None:
        raise CommandRefused(409, "there is no such thing", None, "another")


def test_each_entry_has_its_own_moment_and_the_call_its_own_again() -> None:
    note = Note()
    world = world_with(TimelineEntry(1000, note), TimelineEntry(2000, Fail()), TimelineEntry(3000, note))
    ctx = Context(world, NOW_MS + 10_000)
    run_due_events(ctx)
    assert note.moments_ms == [NOW_MS + 1000, NOW_MS + 3000]
    assert ctx.now_ms == NOW_MS + 10_000
    assert [tuple(finding) for finding in world.findings] == [
        ("timeline", "fail at 2s: there is no such thing; meant another", None, "timeline entry 2")
    ]


def test_a_choice_that_was_met_before_it_changed_is_read_anew() -> None:
    class Meet(Command[Context]):
        name = "meet"
        options: tuple[str, ...] = ()

        def apply(self, ctx: Context) -> None:
            self.options += (ctx.decide("order.dust", {}),)

    meet = Meet()
    change = SetChoices(choices={"order.dust": "keep"})
    world = world_with(TimelineEntry(1, meet), TimelineEntry(2, change), TimelineEntry(3, meet))
    run_due_events(Context(world, NOW_MS + 3))
    assert meet.options == ("finish", "keep")


def test_a_copy_of_the_world_has_the_rest_of_the_timeline_before_it() -> None:
    deposit = DepositMoney(account=ALICE, token=LRC, amount_wei=1)
    world = world_with(TimelineEntry(1000, deposit), TimelineEntry(2000, deposit))
    run_due_events(Context(world, NOW_MS + 1000))
    copy = world.clone()
    for one in (world, copy):
        run_due_events(Context(one, NOW_MS + 2000))
    assert digest(world) == digest(copy)
    assert world.ledger.deposited_wei == copy.ledger.deposited_wei


@pytest.mark.parametrize(("picked", "order"), [(None, [1, 2, 3]), (0, [1, 2, 3]), (1, [2, 3, 1]), (2, [3, 2, 1])])
def test_a_test_may_draw_the_order_of_entries_of_one_moment(picked: int | None, order: list[int]) -> None:
    drawn: list[int] = []

    class Draw(Command[Context]):
        name = "draw"

        def __init__(self, number: int) -> None:
            self.number = number

        def apply(self, ctx: Context) -> None:
            drawn.append(self.number)

    def decide(key: str, context: Mapping[str, Any]) -> int | None:
        """Picks the same place each time, or the last one where fewer are left."""
        return None if picked is None or key != "due.order" else min(picked, context["count"] - 1)

    world = world_with(*(TimelineEntry(1, Draw(number)) for number in (1, 2, 3)))
    run_due_events(Context(world, NOW_MS + 1, decide))
    assert drawn == order


@given(st.integers(0, 10**14))
def test_a_duration_is_written_as_it_is_read(ms: int) -> None:
    assert duration_ms(duration_text(ms)) == ms
