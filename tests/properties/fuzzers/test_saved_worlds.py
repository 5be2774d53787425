"""Saved worlds: what is restored is the same world, and no JSON gives a world that breaks an invariant."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import suppress
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

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
from mockrelay.spec.vocab import OrderStatus
from tests.core.full_world import full_bench
from tests.properties.effort import effort
from tests.properties.fuzzers.random_calls import RandomCalls, lines_of, market_relay
from tests.properties.fuzzers.test_random_calls import through_json
from tests.support.client import done
from tests.support.worlds import relay_from

SEEDS = (21, 22, 23)
CALLS = 250
HISTORY = """
format: 1
name: saved
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


def test_history_timeline_and_decisions_come_back() -> None:
    first, second = (relay_from() for _ in range(2))
    for one in (first, second):
        done(one, "POST", "reset", {"scenarioText": HISTORY})
    second.world = through_json(second.world)
    for span in ("30s", "40s", "1d"):
        answers = []
        for one in (first, second):
            done(one, "POST", "clock", {"advance": span})
            answers.append([done(one, "GET", "state"), lines_of([RandomCalls(one, 1).query() for _ in range(30)])])
        assert answers[0] == answers[1]
        second.world = through_json(second.world)
    assert digest_all(first.world) == digest_all(second.world)


@cache
def _texts() -> list[tuple[str, Config]]:
    """Saved worlds to change, with their configs."""
    worlds = [full_bench().world]
    for seed in SEEDS:
        relay = market_relay()
        RandomCalls(relay, seed).play(CALLS)
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


def _change(data: st.DataObject, state: Any) -> str:
    """Change one thing somewhere; what was done."""
    place = _descend(data, state)
    value = place.value
    changes = ["junk", "junk", "remove", "copy from elsewhere"]
    if isinstance(value, list):
        changes += ["twice", "reverse", "shorten"]
    if isinstance(value, dict):
        changes += ["another field"]
    if type(value) is int or (isinstance(value, str) and value.isdigit()):
        changes += ["a little more", "a little more"]
    change = data.draw(st.sampled_from(changes))
    if change == "junk":
        place.holder[place.at] = data.draw(JUNK)
    elif change == "remove":
        del place.holder[place.at]
    elif change == "copy from elsewhere":
        place.holder[place.at] = json.loads(json.dumps(_descend(data, state).value))
    elif change == "twice":
        value.extend(value[-1:])
    elif change == "reverse":
        value.reverse()
    elif change == "shorten":
        del value[-1:]
    elif change == "another field":
        value[data.draw(WORDS)] = data.draw(JUNK)
    else:
        more = int(value) + data.draw(st.sampled_from([-1, 1, 7, 10**18]))
        place.holder[place.at] = more if abs(more) < 2**53 else str(more)
    return f"{change} at {place.at!r}: {str(value)[:80]}"


def check_invariants(world: World) -> None:
    """What holds in every world: money, orders, books, transactions."""
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
    effort(max_examples=200), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
def test_changed_json_is_refused_or_keeps_all_invariants(data: st.DataObject) -> None:
    text, config = data.draw(st.sampled_from(_texts()))
    state = json.loads(text)
    for _ in range(data.draw(st.integers(1, 2))):
        note(_change(data, state))
    try:
        world = restore_world(state, config)
    except InvalidSavedState as error:
        note(str(error))
        return
    check_invariants(world)
    assert digest_all(through_json(world)) == digest_all(world)
    # Everything that was going to happen can happen.
    ctx = Context(world, world.now_ms + 100 * 86_400_000)
    run_due_events(ctx)
    with suppress(CommandRefused):
        SealBlocks(count=3).apply(ctx)
    check_invariants(world)


@given(JUNK)
def test_junk_is_refused(junk: Any) -> None:
    config = _texts()[0][1]
    for state in (junk, {"format": 2, "scenario": config.name, "world": junk}):
        with pytest.raises(InvalidSavedState):
            restore_world(state, config)
