"""What scenarios say becomes the state of worlds."""

from __future__ import annotations

from pathlib import Path

import pytest

from mockrelay.core.world import World, digest
from mockrelay.scenario import load, load_text
from mockrelay.spec.vocab import NodeState, OrderStatus, Side
from tests.scenario.texts import HEAD
from tests.support.worlds import START_MS

E18 = 10**18


def world_of(text: str) -> World:
    return load_text(HEAD + text).world(START_MS)


def test_world_w_in_full() -> None:
    scenario = load(Path(__file__).with_name("world_w.yaml"))
    assert (scenario.name, scenario.start_ms) == ("W", START_MS)
    world = scenario.world(START_MS)
    config = world.config
    assert not world.limits_on
    assert (config.exchange.exchange_id, config.exchange.exchange_address) == (2, "0x" + "0" * 39 + "e")
    assert {token.symbol: (key, token.decimals, token.precision) for key, token in config.tokens.items()} == {
        "ETH": (0, 18, 18),
        "LRC": (1, 18, 18),
        "USDT": (3, 6, 6),
    }
    assert list(config.markets) == ["LRC-ETH", "LRC-USDT"]
    assert world.account_of_key == {"key-a": 10001, "key-b": 10002}
    assert world.ledger.balance(10001, 1) == (10_000 * E18, 0, 0)
    assert world.ledger.balance(10001, 0) == (10 * E18, 0, 0)
    assert world.ledger.deposited_wei == {1: 15_000 * E18, 0: 10 * E18, 3: 1_000_000}


def test_the_same_seed_gives_the_same_keys_and_another_seed_others() -> None:
    default, same, other = load("default"), load_text(HEAD + "seed: 1\n"), load_text(HEAD + "seed: 2\n")
    assert default.accounts == same.accounts
    for mine, others in zip(default.accounts, other.accounts, strict=True):
        assert (mine.name, mine.account_id) == (others.name, others.account_id)
        for field in ("owner", "api_key", "public_key_x", "public_key_y"):
            assert getattr(mine, field) != getattr(others, field)


def test_a_seed_may_be_a_number_or_a_text() -> None:
    assert load_text(HEAD + "seed: '1'\n").accounts == load("default").accounts


def test_what_an_account_gives_stands_as_given() -> None:
    owner = "0x" + "aB" * 20
    account = load_text(
        HEAD + f"accounts:\n  - {{name: alice, owner: '{owner}', apiKey: key-a, publicKeyX: '0x0a', publicKeyY: '12',"
        " keyNonce: 3, accountNonce: 4, tags: 'VIP_1,x', rates: {taker: 30}}\n"
    ).accounts[0]
    assert (account.owner, account.api_key, account.public_key_x, account.public_key_y) == (
        owner,
        "key-a",
        "0x0a",
        "12",
    )
    assert (account.key_nonce, account.account_nonce, account.tags) == (3, 4, "VIP_1,x")
    assert (account.maker_bips, account.taker_bips) == (10, 30)


def test_layer_1_is_given_by_name_or_address() -> None:
    world = world_of(
        "layer1:\n  state: down\n  gasPrice: '5'\n"
        f"  balances: {{bob: {{ETH: '1', LRC: '2'}}, '0x{'C' * 40}': {{USDT: '3'}}}}\n  allowances: {{bob: {{LRC: '4'}}}}\n"
    )
    bob, lrc, usdt = world.accounts[10002].owner, world.config.tokens[1].address, world.config.tokens[3].address
    layer1 = world.layer1
    assert (layer1.state, layer1.gas_price_wei) == (NodeState.DOWN, 5)
    assert (layer1.native_wei[bob], layer1.token_wei[bob, lrc], layer1.allowances_wei[bob, lrc]) == (1, 2, 4)
    assert (layer1.token_wei["0x" + "c" * 40, usdt], layer1.native_wei["0x" + "c" * 40]) == (3, 0)


def test_orders_rest_in_the_book_at_the_start() -> None:
    world = world_of(
        "orders:\n"
        "  - {account: house, market: LRC-ETH, side: SELL, size: '100000000000000000000', price: '0.0005'}\n"
        "  - {account: alice, market: LRC-ETH, side: BUY, size: '40000000000000000000', price: '0.00049', clientOrderId: a1}\n"
        "  - {account: bob, market: LRC-USDT, side: SELL, size: '1000000000000000000', volume: '250000'}\n"
    )
    book = world.book("LRC-ETH")
    assert list(book.asks.depth(1, 50)) == [(50_000, 100 * E18, 5 * 10**16, 1)]
    assert list(book.bids.depth(1, 50)) == [(49_000, 40 * E18, 196 * 10**14, 1)]
    assert list(world.book("LRC-USDT").asks.depth(1, 50)) == [(250_000, E18, 250_000, 1)]
    assert world.ledger.balance(0, 1) == (0, 0, 0)
    assert world.ledger.balance(10001, 0) == (1000 * E18 - 196 * 10**14, 196 * 10**14, 0)
    assert world.ledger.balance(10002, 1) == (20_000_000 * E18 - E18, E18, 0)
    alice = world.orders.by_hash[world.orders.by_client_id[10001]["a1"]]
    assert (alice.status, alice.side, alice.created_at_ms) == (OrderStatus.PROCESSING, Side.BUY, START_MS)
    assert world.orders.next_id(10001, 0) == 1
    assert (world.pending, world.trade_logs) == ({}, {})


@pytest.mark.parametrize(
    ("side", "precision", "size", "price", "volume", "ticks"),
    [
        # 300.1234569999999999999 USDT: an ask is rounded down, and shown rounded up.
        ("SELL", 6, "1000411523333333333333", "0.3", 300_123_456, 300_000),
        # 300.12345699999999999969... USDT: a bid is rounded up, and shown rounded down.
        ("BUY", 9, "999999999999999999999", "0.300123457", 300_123_457, 300_123_457),
    ],
)
def test_an_order_shows_its_price_where_its_volume_is_not_whole(
    side: str, precision: int, size: str, price: str, volume: int, ticks: int
) -> None:
    world = world_of(
        f"markets: [{{market: LRC-USDT, pricePrecision: {precision}}}]\norders:\n"
        f"  - {{account: house, market: LRC-USDT, side: {side}, size: '{size}', price: '{price}'}}\n"
    )
    (order,) = world.orders.by_hash.values()
    assert (order.volume_quote_wei, order.price_ticks) == (volume, ticks)


def test_worlds_of_one_start_are_alike() -> None:
    text = HEAD + "orders: [{account: bob, market: LRC-ETH, side: SELL, size: '1000000000000000000', price: '1'}]\n"
    first, second = load_text(text), load_text(text)
    assert digest(first.world(START_MS)) == digest(first.world(START_MS)) == digest(second.world(START_MS))
    assert digest(first.world(START_MS)) != digest(first.world(START_MS + 1000))


def test_addresses_of_the_exchange_follow_from_the_seed_unless_given() -> None:
    given = load_text(HEAD + f"nft: {{broker: '0x{'b' * 40}'}}\n").config.exchange
    default = load("default").config.exchange
    assert given.broker == "0x" + "b" * 40
    assert given.nft_factory == default.nft_factory
    bare = load(Path(__file__).with_name("world_w.yaml")).config.exchange
    assert len({bare.nft_factory, bare.nft_implementation, bare.broker, default.broker}) == 4


def test_what_a_scenario_does_not_say_about_requests_is_as_in_default() -> None:
    """World W has neither `lifecycles` nor `blocks` nor `fees`: the first two follow the design, nothing has a fee."""
    bare, default = load(Path(__file__).with_name("world_w.yaml")).config, load("default").config
    assert (bare.lifecycles, bare.blocks) == (default.lifecycles, default.blocks)
    assert all(fees == {} for fees in bare.fees.values())


def test_hashes_are_approved_by_name_or_address() -> None:
    first, second = "0x" + "Ab" * 32, "0x" + "2" * 64
    world = world_of(f"layer1: {{approvedHashes: {{bob: ['{first}', '{second}'], '0x{'C' * 40}': ['{second}']}}}}\n")
    bob = world.accounts[10002].owner
    assert world.layer1.approved_hashes == {(bob, first.lower()), (bob, second), ("0x" + "c" * 40, second)}
