"""Worlds that go through JSON and back are the same worlds, and no JSON brings a world about that cannot be."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import invariant

from mockrelay.core.commands.blocks import SealBlocks
from mockrelay.core.config import Config
from mockrelay.core.context import Context
from mockrelay.core.errors import CommandRefused
from mockrelay.core.handle import run_due_events
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.models import Order
from mockrelay.core.orders.store import OPEN
from mockrelay.core.saving import InvalidSavedState, restore_world, save_world
from mockrelay.core.world import World, digest_all
from mockrelay.relay import Relay
from mockrelay.spec.vocab import OrderStatus
from tests.core.full_world import full_bench
from tests.properties.effort import effort
from tests.properties.fuzzers.random_calls import Day, made, written
from tests.properties.fuzzers.test_clone import twin_of
from tests.properties.machines.test_market import MarketMachine
from tests.properties.machines.test_requests import RequestMachine
from tests.support.client import control, done
from tests.support.worlds import relay_from

SEEDS = (21, 22, 23)
CALLS = 250
HISTORY = """
format: 1
name: told
extends: default
clock: {start: "2026-01-01T00:00:00Z"}
orders: [{account: house, market: LRC-ETH, side: SELL, size: "1000000000000000000", price: "0.5"}]
timeline:
  - {at: 90s, do: {cancel: {clientOrderId: a1}}}
  - {at: 60s, do: {deposit: {account: bob, token: LRC, amount: "5"}}}
decisions: [{key: http.error_status, nth: 2, value: "400"}]
history:
  trades: [{market: LRC-ETH, side: BUY, size: "1000", price: "0.5", before: 1h}]
  transactions:
    - {txType: noop}
    - {txType: SpotTrade, orderA: {storageID: 1, accountID: 2, amountS: "3", amountB: "4", tokenS: 0, tokenB: 1,
       validUntil: 9, taker: "0x0000000000000000000000000000000000000000", feeBips: 1, isAmm: false, nftData: "",
       fillS: 5}}
"""


def through_json(world: World) -> World:
    """The world as it comes back."""
    return restore_world(json.loads(json.dumps(save_world(world))), world.config)


def put_through_json(relay: Relay) -> None:
    """From now on the relay has the world that came back; nobody can tell."""
    shown, before = control(relay, "GET", "state").body, digest_all(relay.world)
    relay.world = through_json(relay.world)
    assert digest_all(relay.world) == before
    assert control(relay, "GET", "state").body == shown


class SavedMarketMachine(MarketMachine):
    """The market's rules and views, the world being saved and restored after every one of them."""

    @invariant()
    def nobody_can_tell(self) -> None:
        put_through_json(self.relay)


class SavedRequestMachine(RequestMachine):
    """The same of requests, blocks and NFTs."""

    @invariant()
    def nobody_can_tell(self) -> None:
        put_through_json(self.relay)


TestSavedMarket = SavedMarketMachine.TestCase
TestSavedMarket.settings = effort(max_examples=8, steps=20)
TestSavedRequests = SavedRequestMachine.TestCase
TestSavedRequests.settings = effort(max_examples=12, steps=25)


@pytest.mark.parametrize("seed", SEEDS)
def test_both_answer_the_same_bytes_to_the_same_calls(seed: int) -> None:
    relay = made()
    day = Day(relay, seed)
    day.play(CALLS)
    twin, twin_day = twin_of(relay, day)
    twin.world = through_json(relay.world)
    mine, theirs = (written(one.play(CALLS)) for one in (day, twin_day))
    assert mine == theirs
    assert digest_all(relay.world) == digest_all(twin.world)


def test_history_timeline_and_decisions_come_back() -> None:
    first, second = (relay_from() for _ in range(2))
    for one in (first, second):
        done(one, "POST", "reset", {"scenarioText": HISTORY})
    put_through_json(second)
    for span in ("30s", "40s", "1d"):
        told = []
        for one in (first, second):
            done(one, "POST", "clock", {"advance": span})
            told.append([done(one, "GET", "state"), written([Day(one, 1).look() for _ in range(30)])])
        assert told[0] == told[1]
        put_through_json(second)
    assert digest_all(first.world) == digest_all(second.world)


@cache
def _texts() -> list[tuple[str, Config]]:
    """Saved worlds to spoil, with their settings."""
    worlds = [full_bench().world]
    for seed in SEEDS:
        relay = made()
        Day(relay, seed).play(CALLS)
        worlds.append(relay.world)
    return [(json.dumps(save_world(world)), world.config) for world in worlds]


class Place:
    """A value inside JSON: what holds it, and under which name or number."""

    def __init__(self, holder: Any, at: Any) -> None:
        self.holder = holder
        self.at = at

    @property
    def value(self) -> Any:
        return self.holder[self.at]


WORDS = st.sampled_from(
    [
        "",
        "processing",
        "BUY",
        "ETH",
        "0x1",
        "f1",
        "-1",
        "NaN",
        str(2**60),
        "1" * 5000,
        "received",
        "\ud800",
        "__class__",
    ]
)
NUMBERS = st.one_of(
    st.integers(-3, 20),
    st.sampled_from([2**31, 2**32, 2**53 - 1, 2**53, 2**300, -(2**60), 10001, 10002, 32768, 1.5, float("nan"), -0.0]),
)
JUNK = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3)),
    max_leaves=5,
)


def _places(value: Any) -> list[Place]:
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [Place(value, at) for at, _ in inside]


def _descend(data: st.DataObject, state: Any) -> Place:
    """Some place in the JSON; each depth is about as likely as any other."""
    place = data.draw(st.sampled_from(_places(state["world"])))
    while inside := _places(place.value):
        if data.draw(st.integers(0, 5)) == 0:
            break
        place = inside[data.draw(st.integers(0, len(inside) - 1))]
    return place


def _spoil(data: st.DataObject, state: Any) -> str:
    """Change one thing somewhere; what was done."""
    place = _descend(data, state)
    value = place.value
    deeds = ["junk", "junk", "remove", "take from elsewhere"]
    if isinstance(value, list):
        deeds += ["twice", "reverse", "shorten"]
    if isinstance(value, dict):
        deeds += ["another field"]
    if type(value) is int or (isinstance(value, str) and value.isdigit()):
        deeds += ["a little more", "a little more"]
    deed = data.draw(st.sampled_from(deeds))
    if deed == "junk":
        place.holder[place.at] = data.draw(JUNK)
    elif deed == "remove":
        del place.holder[place.at]
    elif deed == "take from elsewhere":
        place.holder[place.at] = json.loads(json.dumps(_descend(data, state).value))
    elif deed == "twice":
        value.extend(value[-1:])
    elif deed == "reverse":
        value.reverse()
    elif deed == "shorten":
        del value[-1:]
    elif deed == "another field":
        value[data.draw(WORDS)] = data.draw(JUNK)
    else:
        more = int(value) + data.draw(st.sampled_from([-1, 1, 7, 10**18]))
        place.holder[place.at] = more if abs(more) < 2**53 else str(more)
    return f"{deed} at {place.at!r}: {str(value)[:80]}"


def lawful(world: World) -> None:
    """What holds in every world: money, orders and books."""
    totals: Counter[int] = Counter(world.ledger.fees_wei)
    for (account_id, token_id), held in world.ledger.balances.items():
        assert account_id == HOUSE_ID or min(held) >= 0
        totals[token_id] += sum(held)
    put_in = world.ledger.deposited_wei
    assert all(totals[token] == put_in.get(token, 0) for token in totals.keys() | put_in.keys())
    resting: dict[str, list[Order]] = {}
    for order in world.orders.by_hash.values():
        assert order.remaining_frozen_wei >= 0
        assert order.status not in OPEN or order.remaining_base_wei >= 0
        if order.status is OrderStatus.PROCESSING:
            resting.setdefault(order.market, []).append(order)
    for name, book in world.books.items():
        assert sorted([*book.bids.orders, *book.asks.orders]) == sorted(resting.pop(name, []))
    assert not resting
    places = [tx.tx_id for block in world.blocks for tx, _ in block.transactions] + list(world.pending)
    assert len(places) == len(set(places))


@given(st.data())
@settings(
    effort(max_examples=400), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_spoilt_json_is_refused_or_is_a_lawful_world(data: st.DataObject) -> None:
    text, setting = data.draw(st.sampled_from(_texts()))
    state = json.loads(text)
    for _ in range(data.draw(st.integers(1, 2))):
        note(_spoil(data, state))
    try:
        world = restore_world(state, setting)
    except InvalidSavedState as error:
        note(str(error))
        return
    lawful(world)
    assert digest_all(through_json(world)) == digest_all(world)
    # Everything that was going to happen can happen.
    ctx = Context(world, world.now_ms + 100 * 86_400_000)
    run_due_events(ctx)
    with suppress(CommandRefused):
        SealBlocks(count=3).apply(ctx)
    lawful(world)


@given(JUNK)
def test_junk_is_refused(junk: Any) -> None:
    setting = _texts()[0][1]
    for state in (junk, {"format": 2, "scenario": setting.name, "world": junk}):
        with pytest.raises(InvalidSavedState):
            restore_world(state, setting)
