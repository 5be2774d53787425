"""`default.yaml` is a promise: what it says is written down here a second time, by hand."""

from __future__ import annotations

import pytest

from mockrelay.core.call import Call
from mockrelay.core.config import BlockRules, Stage
from mockrelay.core.exchange import get_exchange_info
from mockrelay.core.world import World
from mockrelay.scenario import Scenario, load
from mockrelay.scenario.scenario import world_context
from mockrelay.spec.choices import DEFAULTS
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.request_kinds import AfterUnit, Duration, FeeKind
from tests.support.worlds import START_MS

E18 = 10**18
SYMBOLS = ["ETH", "LRC", "USDT", "DAI"]
FEE_MOST_WEI = {"ETH": 2 * 10**13, "LRC": 10**17, "USDT": 20_000, "DAI": 2 * 10**16}


@pytest.fixture
def scenario() -> Scenario:
    return load("default")


@pytest.fixture
def world(scenario: Scenario) -> World:
    return scenario.world(START_MS)


def test_it_gives_no_start_time_and_every_choice_its_default(scenario: Scenario, world: World) -> None:
    assert scenario.start_ms is None
    assert world.choices == dict(DEFAULTS)
    assert (world.start_ms, world.now_ms) == (START_MS, START_MS)


def test_tokens_by_id(world: World) -> None:
    tokens = world.config.tokens
    assert {token_id: token.symbol for token_id, token in tokens.items()} == {0: "ETH", 1: "LRC", 3: "USDT", 5: "DAI"}
    assert {token.symbol: token.decimals for token in tokens.values()} == {"ETH": 18, "LRC": 18, "USDT": 6, "DAI": 18}
    assert [token.symbol for token in tokens.values() if token.type == "ETH"] == ["ETH"]
    assert tokens[0].address == "0x" + "0" * 40
    assert tokens[1].address == "0xbbbbca6a901c926f240b89eacb641d8aec7aeafd"


def test_every_decimal_counts_and_orders_start_at_a_thousandth(world: World) -> None:
    for token in world.config.tokens.values():
        assert token.precision == token.decimals
        assert token.min_order_wei * 1000 == 10**token.decimals
        assert 0 < token.dust_order_wei < token.min_order_wei
        assert token.enabled
    assert world.config.tokens[1].max_order_wei == 10**7 * E18


def test_markets_have_levels_0_to_2_and_no_order(world: World) -> None:
    assert list(world.config.markets) == ["LRC-ETH", "LRC-USDT", "ETH-USDT", "DAI-USDT"]
    for name, market in world.config.markets.items():
        assert f"{market.base.symbol}-{market.quote.symbol}" == name
        assert market.levels == (0, 1, 2)
    assert (world.books, world.trade_logs, world.pending, len(world.orders)) == ({}, {}, {}, 0)
    assert world.events.in_order() == []
    assert not world.faults


def test_fee_lists_name_all_four_tokens_by_id_and_stay_small(world: World) -> None:
    assert set(world.fees) == set(FeeKind)
    for fees in world.fees.values():
        assert list(fees) == [0, 1, 3, 5]
        for token_id, wei in fees.items():
            assert 1 < wei <= FEE_MOST_WEI[world.config.tokens[token_id].symbol]
    assert world.config.exchange.onchain_fees
    assert (world.config.exchange.exchange_id, world.config.exchange.chain_id) == (2, 1)


def test_the_exchange_tells_its_fees_by_token_id(world: World) -> None:
    call = Call(BY_NAME["get_exchange_info"], {}, (), None, None, "192.0.2.1")
    info = get_exchange_info(world_context(world), call).payload
    assert [fee["token"] for fee in info["transferFees"]] == SYMBOLS
    assert [fee["token"] for fee in info["withdrawalFees"]] == SYMBOLS


def test_requests_are_done_at_the_next_call_or_with_the_next_block(world: World) -> None:
    at_once, next_block = Stage(Duration(AfterUnit.TIME, 0)), Stage(Duration(AfterUnit.BLOCKS, 1))
    received = {"received": at_once}
    assert world.config.lifecycles == {
        "transfer": received | {"processing": at_once},
        "withdrawal": received | {"processing": next_block},
        "account_update": received | {"processing": next_block},
        "nft_mint": {"processing": at_once},
        "nft_transfer": {"processing": at_once},
        "nft_withdrawal": {"processing": next_block},
        "nft_deploy": {"processing": Stage(Duration(AfterUnit.TIME, 15_000))},
    }


def test_blocks_seal_every_10_s_or_at_100_and_ripen_by_time(world: World) -> None:
    confirm, finalize = Duration(AfterUnit.TIME, 30_000), Duration(AfterUnit.TIME, 120_000)
    assert world.config.blocks == BlockRules(10_000, 100, confirm, finalize)
    assert [(block.block_id, block.status) for block in world.blocks] == [(0, "finalized")]


def test_nft_contracts_have_addresses_of_their_own_and_none_is_deployed(world: World) -> None:
    exchange = world.config.exchange
    assert exchange.nft_implementation == "0xb25f6d711aebf954fb0265a3b29f7b9beba7e55d"
    assert exchange.nft_factory == "0xfac702ee00000000000000000000000000000001"
    assert exchange.broker == "0xb20ce2ee00000000000000000000000000000001"
    assert world.accounts[10003].name == "carol"
    assert (world.layer1.code, world.layer1.approved_hashes, world.nfts) == ({}, set(), {})


def test_accounts_are_well_funded_on_both_layers(scenario: Scenario, world: World) -> None:
    assert [(account.account_id, account.name) for account in scenario.accounts] == [
        (10001, "alice"),
        (10002, "bob"),
        (10003, "carol"),
    ]
    for account in scenario.accounts:
        owner = account.owner.lower()
        for token in world.config.tokens.values():
            assert world.ledger.balance(account.account_id, token.token_id).free_wei >= 1000 * 10**token.decimals
            assert world.layer1.token_wei[owner, token.address] >= 50 * 10**token.decimals
            assert token.symbol == "ETH" or world.layer1.allowances_wei[owner, token.address] > 0
        assert world.layer1.native_wei[owner] >= 50 * E18
        assert not account.frozen


def test_accounts_have_keys_of_their_own(scenario: Scenario) -> None:
    for field in ("owner", "api_key", "public_key_x", "public_key_y"):
        assert len({getattr(account, field) for account in scenario.accounts}) == 3
    assert all(len(account.api_key) >= 32 for account in scenario.accounts)


def test_money_on_layer_2_was_put_in(world: World) -> None:
    for token_id in world.config.tokens:
        held = sum(balance.free_wei for (_, held), balance in world.ledger.balances.items() if held == token_id)
        assert world.ledger.deposited_wei[token_id] == held


def test_one_address_is_known_on_layer_1_only(world: World) -> None:
    assert set(world.layer1.native_wei) - set(world.account_of_owner) == {"0x" + "1" * 40}


def test_limits_are_on_and_as_in_the_spec(world: World) -> None:
    assert world.limits_on
    assert world.config.limits == {}


def test_a_cancel_is_done_at_the_next_call(world: World) -> None:
    assert world.config.cancel == Duration(AfterUnit.TIME, 0)


def test_worlds_of_one_scenario_share_no_state(scenario: Scenario) -> None:
    first, second = scenario.world(START_MS), scenario.world(START_MS)
    first.ledger.deposit(10001, 0, 1)
    first.choices["http.error_status"] = "400"
    assert second.ledger.balance(10001, 0) == scenario.world(START_MS).ledger.balance(10001, 0)
    assert second.choices["http.error_status"] == "split"


def test_what_a_world_is_asked_for_goes_over_the_scenario(scenario: Scenario) -> None:
    world = scenario.world(START_MS, {"pending.shape": "object"}, limits_on=False)
    assert world.choices == {**DEFAULTS, "pending.shape": "object"}
    assert not world.limits_on
