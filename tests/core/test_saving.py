"""A saved world is plain JSON, holds all of the world, and is refused with its place where it cannot be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from enum import Enum
from typing import Any, get_type_hints

import pytest

from mockrelay.core.commands.orders import FillOrder
from mockrelay.core.config import Config
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.models import Account, Balance
from mockrelay.core.saving import FORMAT, InvalidSavedState, restore_world, save_world
from mockrelay.core.saving.codec import DEPTH_MAX, plain_written
from mockrelay.core.saving.fields import codec_of
from mockrelay.core.state import FieldKind, State, is_record, is_state, plain_type
from mockrelay.core.world import World, digest_all
from tests.core.bench import ALICE, BOB, UNIT, Bench, token
from tests.core.full_world import HUGE, full_bench
from tests.support.bodies import LRC

DAY_MS = 86_400_000
SAFE_MAX = 2**53 - 1
GONE = object()
"""Stands for a field that is taken away."""


@pytest.fixture(scope="module")
def bench() -> Bench:
    return full_bench()


@pytest.fixture
def state(bench: Bench) -> Any:
    return json.loads(json.dumps(save_world(bench.world)))


def twin_of(bench: Bench) -> Bench:
    """A bench with the world as it comes back from its JSON."""
    twin = Bench()
    twin.world = restore_world(json.loads(json.dumps(save_world(bench.world))), bench.world.config)
    twin.now_ms = bench.now_ms
    return twin


def changed(state: Any, path: str, value: Any) -> Any:
    """The state with another value at a path of its world (names and indexes, by dots)."""
    steps = [int(step) if step.lstrip("-").isdigit() else step for step in path.split(".")]
    inner = state["world"]
    for step in steps[:-1]:
        inner = inner[step]
    if value is GONE:
        del inner[steps[-1]]
    else:
        inner[steps[-1]] = value(inner[steps[-1]]) if callable(value) else value
    return state


def test_a_restored_world_has_the_digest_of_the_saved_one_and_all_its_fields(bench: Bench) -> None:
    """Caches too, before its first call."""
    world = twin_of(bench).world
    assert digest_all(world) == digest_all(bench.world)
    assert all(hasattr(world, field.name) for field in World.FIELDS)


def test_a_fresh_world_comes_back_as_it_is() -> None:
    fresh = Bench()
    assert digest_all(twin_of(fresh).world) == digest_all(fresh.world)


def test_saving_changes_nothing_and_gives_the_same_each_time(bench: Bench) -> None:
    before = digest_all(bench.world)
    assert json.dumps(save_world(bench.world)) == json.dumps(save_world(bench.world))
    assert json.dumps(save_world(twin_of(bench).world)) == json.dumps(save_world(bench.world))
    assert digest_all(bench.world) == before


def test_a_world_is_saved_the_same_whether_or_not_it_was_read() -> None:
    first, second = Bench(), Bench()
    for market in ("LRC-ETH", "ETH-USDT"):
        second.call("get_depth", {"market": market, "level": 0})
        second.call("get_ticker", {"market": market})
    assert save_world(first.world) == save_world(second.world)


def test_the_world_of_these_tests_has_something_of_everything(state: Any) -> None:
    """Else they would prove nothing of what it lacks. No decision is scripted here (see tests/properties)."""
    empty = {name for name, value in state["world"].items() if value in ({}, [])}
    assert empty == {"decisions_met"}
    for part in ("ledger", "orders", "events", "layer1", "limiter", "faults"):
        assert all(state["world"][part].values()), part


def test_json_of_a_world_is_plain_and_holds_only_numbers_that_every_reader_keeps(bench: Bench) -> None:
    def look(value: Any) -> Iterator[Any]:
        yield value
        for inner in value.values() if type(value) is dict else value if type(value) is list else ():
            yield from look(inner)

    found = list(look(save_world(bench.world)))
    assert {type(value) for value in found} == {dict, list, str, int, bool, type(None)}
    assert all(abs(value) <= SAFE_MAX for value in found if type(value) is int)
    assert str(HUGE) in found


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (0, 0),
        (SAFE_MAX, SAFE_MAX),
        (SAFE_MAX + 1, str(SAFE_MAX + 1)),
        (-SAFE_MAX, -SAFE_MAX),
        (-SAFE_MAX - 1, str(-SAFE_MAX - 1)),
    ],
)
def test_numbers_beyond_two_to_the_53_are_texts(number: int, written: Any) -> None:
    form = codec_of(Balance)
    json_ = form.write(Balance(number, 0, 0))
    assert json_ == {"free_wei": written, "frozen_wei": 0, "in_flight_wei": 0}
    assert form.read(json_) == Balance(number, 0, 0)


def classes_named_by(type_: Any) -> Iterator[type]:
    """The states and records that a type names, and those that their saved fields name."""
    origin, parts, _ = plain_type(type_)
    if is_state(origin):
        yield origin
        parts = tuple(field.type for field in origin.FIELDS if field.spec.kind is FieldKind.SAVED)
    elif is_record(origin):
        yield origin
        parts = tuple(get_type_hints(origin).values())
    for part in parts:
        yield from classes_named_by(part)


def test_the_world_of_these_tests_has_one_of_every_class(bench: Bench) -> None:
    """What changes is a state, what never does is a record, and nothing else is there but plain values and words."""
    found: set[type] = set()

    def look(thing: Any) -> None:
        found.add(type(thing))
        if isinstance(thing, State):
            for field in type(thing).FIELDS:
                if field.spec.kind is FieldKind.SAVED:
                    look(getattr(thing, field.name))
        elif isinstance(thing, dict):
            look([*thing, *thing.values()])
        elif not isinstance(thing, (str, int, float)) and thing is not None:
            for inner in thing:
                look(inner)

    look(bench.world)
    ours = {cls for cls in found if cls.__module__.startswith("mockrelay") and not issubclass(cls, Enum)}
    assert ours == set(classes_named_by(World))


def test_a_type_that_nobody_listed_has_no_form() -> None:
    class Unlisted(tuple[int, ...]):
        __slots__ = ()

    with pytest.raises(TypeError, match="no saved form"):
        codec_of(list[Unlisted])


def test_a_restored_world_shares_nothing_with_the_json(bench: Bench, state: Any) -> None:
    world = restore_world(state, bench.world.config)
    before = digest_all(world)
    for part in list(state["world"].values()):
        if isinstance(part, (dict, list)):
            part.clear()
    assert digest_all(world) == before


def test_the_house_may_owe() -> None:
    bench = Bench()
    bench.fund(ALICE, LRC=UNIT)
    FillOrder(hash=bench.sell(ALICE, UNIT, UNIT), size_base_wei=UNIT).apply(bench.context())
    ledger = bench.world.ledger
    assert ledger.balance(HOUSE_ID, 0).free_wei < 0
    assert digest_all(twin_of(bench).world) == digest_all(bench.world)
    # One wei of what it owes leaves for layer 1, though nobody ever brought it.
    ledger.move_to_in_flight(ALICE, 0, 1)
    ledger.withdraw(ALICE, 0, 1)
    assert ledger.deposited_wei[0] == -1
    assert twin_of(bench).world.ledger.deposited_wei[0] == -1


def test_a_long_book_comes_back_in_the_same_order() -> None:
    """Of more orders than one look at the depth adds up."""
    big = Bench()
    big.fund(ALICE, LRC=10**6 * UNIT)
    for number in range(400):
        big.sell(ALICE, UNIT + number % 7, UNIT + number % 11)
    twin = twin_of(big)
    depths = [one.call("get_depth", {"market": "LRC-ETH", "level": 2, "limit": 50}).payload for one in (big, twin)]
    assert depths[0] == depths[1]
    assert digest_all(twin.world) == digest_all(big.world)


WRONG: tuple[tuple[str, Any, str, str], ...] = (
    # Forms.
    ("now_ms", "soon", "world.now_ms", "whole number"),
    ("now_ms", 1.5, "world.now_ms", "whole number"),
    ("now_ms", True, "world.now_ms", "whole number"),
    ("now_ms", None, "world.now_ms", "nothing"),
    ("now_ms", SAFE_MAX + 1, "world.now_ms", "as a text"),
    ("next_tx_id", "7", "world.next_tx_id", "whole number"),
    ("next_tx_id", str(SAFE_MAX), "world.next_tx_id", "is a text"),
    ("next_tx_id", "1" * 5000, "world.next_tx_id", "whole number"),
    ("next_tx_id", "٣" * 30, "world.next_tx_id", "whole number"),
    ("limits_on", 1, "world.limits_on", "true or false"),
    ("accounts", {}, "world.accounts", "a list"),
    ("ledger", [], "world.ledger", "a map"),
    ("accounts.0.colour", "red", "world.accounts[0]", "unknown field 'colour'"),
    ("accounts.0.frozen", GONE, "world.accounts[0]", "no 'frozen'"),
    ("layer1", GONE, "world", "no 'layer1'"),
    ("surprise", {}, "world", "unknown field"),
    ("orders.by_hash.0.status", "procesing", "world.orders.by_hash[0].status", "'processing'"),
    ("orders.by_hash.0.side", ["BUY"], "world.orders.by_hash[0].side", "one of SELL, BUY"),
    ("events.heap.0.kind", 99, "world.events.heap[0].kind", "the number 99"),
    ("blocks.1.transactions.0.tx.body", {"os.system": {}}, "world.blocks[1].transactions[0].tx.body", "SpotTrade"),
    (
        "blocks.1.transactions.0.tx.body.PastTx.fields",
        {},
        "world.blocks[1].transactions[0].tx.body.PastTx.fields",
        "no 'map'",
    ),
    ("faults.by_id.0.when.map", {"a": {"eval": "1"}}, "world.faults.by_id[0].when['a']", "a map of int"),
    ("faults.by_id.0.when.map", {"a": {"float": "1e999999"}}, "world.faults.by_id[0].when['a']", "fraction"),
    ("blocks.0.tx_hash", "0x1", "world.blocks[0].tx_hash", "64 hex digits"),
    ("accounts.0.public_key_x", "0xg", "world.accounts[0].public_key_x", "a coordinate"),
    ("accounts.0.owner", "0x" + "g" * 40, "world.accounts[0].owner", "an address"),
    ("storage_ids.0", lambda spec: spec[:2], "world.storage_ids[0]", "a list of 3"),
    ("fees.TRANSFER", [], "world.fees", "transfer"),
    ("fees.transfer", GONE, "world.fees", "transfer"),
    ("nfts.0.token_address", "0x" + "g" * 40, "world.nfts[0].token_address", "an address"),
    # Names.
    ("start_ms", lambda ms: ms + 10**12, "world.now_ms", "not before the start"),
    ("ledger.balances.0.0.1", 77, "world.ledger.balances", "token"),
    ("ledger.fees_wei.0.0", 77, "world.ledger.fees_wei", "token"),
    ("fees.transfer.0.0", 77, "world.fees['transfer']", "token of the scenario"),
    ("orders.highest_id.0.0.1", 77, "world.orders.highest_id", "None for (10001, 1)"),
    ("orders.highest_id", lambda rows: [*rows, [[ALICE, 77], 0]], "world.orders.highest_id", "a token that is known"),
    ("orders.highest_id", lambda rows: [*rows, [[3, 1], 0]], "world.orders.highest_id", "an account, or the house, 0"),
    ("orders.by_hash.0.sold_token", 77, "world.orders.highest_id", "(10001, 77)"),
    ("orders.by_hash.0.market", "LRC-EUR", "world.orders.by_hash[0].market", "market of the scenario"),
    ("requests.0.fee_token_id", 77, "world.requests[0].fee_token_id", "token of the scenario"),
    ("requests.0.account_id", 3, "world.requests[0].account_id", "an account"),
    ("storage_ids.0.1", 77, "world.storage_ids", "a token or -1"),
    ("accounts.0.account_id", 0, "world.accounts[0].account_id", "0 is the house"),
    ("accounts.0.account_id", BOB, "world.accounts[1].account_id", "again"),
    ("accounts.0.owner", f"0x{BOB:040x}", "world.accounts[0].owner", "without another account"),
    ("accounts.0.api_key", "key-b", "world.accounts[0].api_key", "of its own"),
    ("books", {}, "world.orders.by_hash[1].market", "has a book"),
    ("collections.1.collection_id", 1, "world.collections[1].collection_id", "2"),
    ("collections.0.account_id", 77, "world.collections[0].account_id", "an account"),
    ("collections.1.base_uri", "x", "world.collections[1].contract", "of its owner and base_uri"),
    ("nfts.0.nft_token_id", 5, "world.nfts[0].nft_token_id", "32768"),
    ("events.heap.0.subject", "0x12", "world.events.heap[0].subject", "happens to"),
    ("waiting_for_block", [[1, []]], "world.waiting_for_block", "a block after"),
    # What goes together.
    ("orders.by_hash.1.seq", 0, "world.orders.by_hash[1].seq", "its place"),
    ("orders.by_hash.1.price_ticks", 1, "world.orders.by_hash[1].price_ticks", "come to"),
    ("orders.by_hash.1.size_base_wei", 0, "world.orders.by_hash[1].size_base_wei", "more than nothing"),
    ("orders.by_hash.1.filled_base_wei", str(10**30), "world.orders.by_hash[1].filled_base_wei", "at most"),
    ("orders.by_hash.1.held", "UNKNOWN", "world.orders.by_hash[1].held", "nothing beside processing"),
    ("orders.by_hash.1.filled_base_wei", 0, "world.ledger.balances[10001, 1].frozen_wei", "for open orders"),
    ("requests.0.block_id", None, "world.requests[0].block_id", "where its transaction is"),
    ("blocks.0.status", "pending", "world.blocks", "finalized"),
    ("blocks.2.block_id", 7, "world.blocks[2].block_id", "2"),
    ("next_tx_id", 1, "world.next_tx_id", "more than"),
    ("pending", [], "world.requests[11].block_id", "where its transaction is"),
    ("events.next_seq", 0, "world.events.next_seq", "seq"),
    ("events.heap", lambda heap: heap[::-1], "world.events.heap", "out of order"),
    (
        "trade_logs.LRC-ETH.trades.1.at_ms",
        lambda ms: ms - 1,
        "world.trade_logs['LRC-ETH'].trades[1].at_ms",
        "not before the last",
    ),
    (
        "trade_logs.LRC-ETH.trades.2.at_ms",
        lambda ms: ms - 1,
        "world.trade_logs['LRC-ETH'].trades[2].at_ms",
        "not before the last",
    ),
    ("ledger.deposited_wei.0.1", 5, "world.ledger.deposited_wei[1]", "add up to"),
    ("ledger.balances.0.1.free_wei", -5, "world.ledger.balances[10001, 1].free_wei", "the house's"),
    ("ledger.balances.0.1.in_flight_wei", 1, "world.ledger.balances[10001, 1].in_flight_wei", "for open requests"),
    ("ledger.balances.0.1.frozen_wei", -1, "world.ledger.balances[0][1].frozen_wei", "not below zero"),
    ("faults.by_id.0.fired", 2, "world.faults.by_id[0].fired", "no more than"),
    ("faults.by_id.0.on", "get_dept", "world.faults.by_id[0].on", "submit_order"),
    ("faults.by_id.0.id", "f99", "world.faults.by_id[0].id", "below next_number"),
    ("faults.by_id.3.status", 500, "world.faults.by_id[3].status", "does one thing"),
    ("faults.by_id.3.when", GONE, "world.faults.by_id[3]", "no 'when'"),
    ("faults.by_id.3.times", GONE, "world.faults.by_id[3]", "no 'times'"),
    ("faults.by_id.3.at", "later", "world.faults.by_id[3].at", "instead"),
    ("limiter.windows.0.1", [5], "world.limiter.windows", "those of the window"),
    ("limiter.windows.0.0.2", "minute", "world.limiter.windows", "second"),
)


@pytest.mark.parametrize(("path", "value", "where", "says"), WRONG)
def test_what_cannot_be_is_refused_with_its_place(
    bench: Bench, state: Any, path: str, value: Any, where: str, says: str
) -> None:
    with pytest.raises(InvalidSavedState) as caught:
        restore_world(changed(state, path, value), bench.world.config)
    assert caught.value.where == f".{where}", str(caught.value)
    assert says in str(caught.value), str(caught.value)
    assert "; meant " in str(caught.value)


@pytest.mark.parametrize("value", [None, [], "world", 3, {}, {"format": FORMAT, "scenario": "bench", "world": {}}])
def test_what_is_no_saved_world_at_all_is_refused(bench: Bench, value: Any) -> None:
    with pytest.raises(InvalidSavedState):
        restore_world(value, bench.world.config)


def test_a_choice_that_does_not_exist_is_refused(bench: Bench, state: Any) -> None:
    state["world"]["choices"]["order.dust"] = "throw away"
    with pytest.raises(InvalidSavedState, match="one of finish, keep"):
        restore_world(state, bench.world.config)


def test_a_world_of_another_scenario_is_refused(state: Any) -> None:
    other: Config = Bench(tokens=(token(0, "ETH", 18), token(LRC, "LRC", 8), token(3, "USDT", 6))).world.config
    with pytest.raises(InvalidSavedState) as caught:
        restore_world({**state, "scenario": "default"}, other)
    assert caught.value.where == ".scenario"
    with pytest.raises(InvalidSavedState, match="price_ticks"):
        restore_world(state, other)


def test_orders_that_would_have_traded_are_refused() -> None:
    bench = Bench()
    for account_id in (ALICE, BOB):
        bench.fund(account_id, LRC=10_000, ETH=10_000)
    bench.sell(ALICE, 1000, 2000)
    hash_ = bench.buy(BOB, 1000, 1000)
    state = save_world(bench.world)
    bid = next(order for order in state["world"]["orders"]["by_hash"] if order["hash"] == hash_)
    bid |= {"volume_quote_wei": 3000, "price_ticks": 3 * 10**8}
    bob = next(held for key, held in state["world"]["ledger"]["balances"] if key == [BOB, 0])
    bob |= {"free_wei": bob["free_wei"] - 2000, "frozen_wei": 3000}
    with pytest.raises(InvalidSavedState, match="a bid that reaches an ask"):
        restore_world(state, bench.world.config)


def nested(levels: int) -> Any:
    """A list in a list, so many times."""
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_a_json_value_may_be_nested_so_deep_and_no_deeper() -> None:
    assert plain_written(nested(DEPTH_MAX)) == nested(DEPTH_MAX)
    with pytest.raises(InvalidSavedState):
        plain_written(nested(DEPTH_MAX + 1))


def test_endless_nesting_is_refused_and_not_followed(bench: Bench, state: Any) -> None:
    state["world"]["faults"]["by_id"][0]["when"] = {"map": {"a": nested(100_000)}}
    with pytest.raises(InvalidSavedState, match=f"deeper than {DEPTH_MAX} levels"):
        restore_world(state, bench.world.config)


def test_the_error_is_a_value_error_with_its_parts() -> None:
    with pytest.raises(ValueError, match="found 'red'; meant true or false") as caught:
        codec_of(Account).read({**codec_of(Account).write(Bench().world.accounts[ALICE]), "frozen": "red"})
    assert isinstance(caught.value, InvalidSavedState)
    assert (caught.value.where, caught.value.found, caught.value.meant) == (".frozen", "'red'", "true or false")
