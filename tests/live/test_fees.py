"""Fees of requests, rates of orders, nonces of layer 1, keys of WebSockets: what these answers say of the world."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from mockrelay.scenario import load_text
from tests.live.test_rows import ID, LRC, PRESENCE, ask
from tests.support.bodies import bodies_of
from tests.support.client import account, done, post
from tests.support.worlds import START_MS, relay_from

TRANSFER = {"ETH": "10000000000000", "LRC": "50000000000000000", "USDT": "10000", "DAI": "10000000000000000"}
OTHERS = {"ETH": "20000000000000", "LRC": "100000000000000000", "USDT": "20000", "DAI": "20000000000000000"}
"""Of withdrawals and of account updates."""


def live_world(sections: str, choices: Mapping[str, str] = MappingProxyType({})) -> Relay:
    """The packaged world of the third generation with other sections."""
    scenario = load_text(f"format: 1\nextends: live_v3\n{sections}\n")
    return Relay(scenario, choices=dict(choices), clock=Clock.frozen(START_MS))


def fees_of(relay: Relay, request_type: int) -> list[dict[str, Any]]:
    fees: list[dict[str, Any]] = ask(relay, "get_offchain_fee", [*ID, ("requestType", str(request_type))]).json["fees"]
    return fees


@pytest.mark.parametrize(
    ("request_type", "fees"),
    [
        *((number, TRANSFER) for number in (0, 3, 6, 7, 8)),
        *((number, OTHERS) for number in (1, 2, 4, 5, 15)),
    ],
    ids=lambda value: f"E18-{value}" if isinstance(value, int) else "",
)
def test_each_request_type_has_the_fees_of_its_list(request_type: int, fees: dict[str, str]) -> None:
    """In the order ETH, LRC, USDT, DAI, by which clients index the list."""
    rows = fees_of(relay_from("live_v3", choices=PRESENCE), request_type)
    assert [(row["token"], row["tokenId"], row["fee"], row["discount"]) for row in rows] == [
        (symbol, token_id, fees[symbol], 1) for symbol, token_id in (("ETH", 0), ("LRC", 1), ("USDT", 3), ("DAI", 5))
    ]


def test_e18_writes_the_discount_as_a_whole_number() -> None:
    body = ask(relay_from("live_v3", choices=PRESENCE), "get_offchain_fee").body.decode()
    assert '"discount":1}' in body
    assert '"discount":1.0' not in body


def test_e18_keeps_its_order_of_tokens_whatever_their_ids_are() -> None:
    """In the second generation LRC is token 2; here it is 9, and a fifth token is 4."""
    tokens = (
        '[{symbol: LRC, tokenId: 9}, {symbol: XYZ, tokenId: 4, decimals: 0, minOrderAmount: "1", maxOrderAmount: "2"}]'
    )
    relay = live_world(f"tokens: {tokens}\nfees: {{account_update: {{XYZ: '7'}}}}", PRESENCE)
    assert [(row["token"], row["tokenId"]) for row in fees_of(relay, 2)] == [
        *(("ETH", 0), ("LRC", 9), ("USDT", 3), ("DAI", 5), ("XYZ", 4)),
    ]


@pytest.mark.parametrize(
    ("request_type", "kind", "path"),
    [(1, "withdrawal", "/api/v3/user/withdrawals"), (2, "account_update", "/api/v3/account")],
    ids=["E18-C26-withdrawal", "E18-C26-account_update"],
)
def test_the_fee_asked_is_charged_to_the_unit(request_type: int, kind: str, path: str) -> None:
    """One unit less is refused; the fee was changed since the start."""
    relay = relay_from("live_v3", choices={"signature.scheme": "off"})
    done(relay, "POST", "fees", {"requestType": kind, "token": "LRC", "fee": "123456789"})
    fee = next(row["fee"] for row in fees_of(relay, request_type) if row["token"] == "LRC")
    assert fee == "123456789"
    bodies = bodies_of(relay)
    body = bodies.withdrawal(1) if kind == "withdrawal" else bodies.update()
    low = {**body, "maxFee": {"tokenId": 1, "volume": "123456788"}}
    assert post(relay, path, low).refusal_code != 0
    assert post(relay, path, {**body, "maxFee": {"tokenId": 1, "volume": fee}}).code == 0


def test_an_update_without_fees_of_its_own_costs_what_a_withdrawal_does() -> None:
    """Under the profile; the specification names no fee for it, and a scenario of the spec that gives none refuses it."""
    text = """
format: 1
exchange:
  chainId: 1
  exchangeId: 1
  withdrawalFees: [{token: ETH, fee: "5"}]
tokens: [{type: ETH, symbol: ETH, tokenId: 0, decimals: 18, minOrderAmount: "1", maxOrderAmount: "2"}]
markets: []
accounts: [{name: alice, accountId: 10001}]
"""
    relay = Relay(load_text(f"{text}profile: live\n"), choices=dict(PRESENCE), clock=Clock.frozen(START_MS))
    assert [(row["token"], row["fee"]) for row in fees_of(relay, 2)] == [("ETH", "5")]
    assert ask(relay, "get_exchange_info_v3").json["updateFees"] == [{"token": "ETH", "fee": "5"}]


def test_e21_tells_the_least_amounts_and_the_account_s_own_rates() -> None:
    """Alice has rates of her own; those of everybody are 10 and 20. Least amounts are 0.001 LRC and 0.001 USDT."""
    relay = live_world("accounts: [{name: alice, rates: {maker: 1, taker: 2}}]", PRESENCE)
    now_s = relay.now_ms() // 1000
    answer = ask(relay, "get_order_rate_amount", [*ID, ("market", "LRC-USDT")]).json
    assert answer == {
        "gasPrice": "20000000000",
        "amounts": [
            {
                "tokenSymbol": symbol,
                "baseOrderInfo": {"minAmount": least, "makerRate": 10, "takerRate": 20},
                "userOrderInfo": {"minAmount": least, "makerRate": 1, "takerRate": 2},
                "tradeCost": dust,
            }
            for symbol, least, dust in (("LRC", "1000000000000000", "100000000000000"), ("USDT", "1000", "100"))
        ],
        "cacheOverdueAt": now_s + 60,
    }
    assert ask(relay, "get_order_rate_amount", [*ID, ("market", "AMM-LRC-USDT")]).json == answer
    assert ask(relay, "get_fee_rates_v2", [*ID, ("markets", "LRC-USDT,ETH-USDT")]).data == [
        {"symbol": market, "makerRate": 1, "takerRate": 2} for market in ("LRC-USDT", "ETH-USDT")
    ]


def test_e22_has_a_row_for_the_token_asked_for_or_for_each() -> None:
    relay = relay_from("live_v3", choices=PRESENCE)
    one = ask(relay, "get_nft_order_rate_amount").json
    assert (one["nftTokenAddress"], one["feeRate"], one["gasPrice"]) == (LRC, 20, "20000000000")
    assert [row["feeTokenSymbol"] for row in one["amounts"]] == ["LRC"]
    each = ask(relay, "get_nft_order_rate_amount", [*ID, ("nftTokenAddress", LRC)]).json["amounts"]
    assert [row["feeTokenSymbol"] for row in each] == ["ETH", "LRC", "USDT", "DAI"]


@pytest.mark.parametrize("row_id", ["get_eth_nonce_v3", "get_eth_nonce_v2"], ids=["E43", "F19"])
def test_the_layer_1_nonce_is_what_the_scenario_or_a_command_sets(row_id: str) -> None:
    relay = live_world("layer1: {nonces: {alice: 7}}")
    owner = [("owner", account(relay, "alice")["owner"].upper().replace("0X", "0x"))]

    def nonce() -> Any:
        answer = ask(relay, row_id, owner).json
        return answer["nonce"] if row_id == "get_eth_nonce_v3" else answer["data"]

    assert nonce() == 7
    done(relay, "POST", "layer1", {"nonces": {"alice": 8}})
    assert nonce() == 8
    done(relay, "POST", "layer1", {"state": "down"})
    assert ask(relay, row_id, owner).refusal_code == 104205


@pytest.mark.parametrize("row_id", ["get_ws_key_v3", "get_ws_key_v2"], ids=["E47-v3", "E47-v2"])
def test_each_key_of_a_websocket_is_new_and_a_restored_world_goes_on(row_id: str) -> None:
    relay = relay_from("live_v3")

    def key() -> Any:
        answer = ask(relay, row_id).json
        return answer["key"] if row_id == "get_ws_key_v3" else answer["data"]

    first = key()
    done(relay, "POST", "snapshots", {"name": "a"})
    second = key()
    done(relay, "POST", "snapshots/a/restore")
    assert (first != second, key()) == (True, second)


def test_e31_a_block_that_is_not_there_is_103011_unless_the_choice_says_otherwise() -> None:
    for choices, code in (({}, 103011), ({"block.unknown_id": "100000"}, 100000)):
        relay = relay_from("live_v3", choices=choices)
        answer = ask(relay, "get_block_live", [("id", "7")])
        assert (answer.status, answer.refusal_code) == (400, code)
