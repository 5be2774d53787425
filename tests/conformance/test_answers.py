"""Successful answers: their fields and types as the spec lists them, and their values as hand arithmetic gives them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.checked import busy, read
from tests.conformance.checks import payload
from tests.conformance.fields import ANSWERS
from tests.support.bodies import E18
from tests.support.calls import LRC_ADDRESS, OWNER_A, Request, call, order, ready, valid_request
from tests.support.client import done
from tests.support.worlds import relay_from, world


@pytest.mark.parametrize("name", [name for name in ANSWERS if name != "submit_order"])
@pytest.mark.parametrize("make", [world, busy], ids=["fresh", "traded"])
def test_fields_and_types(name: str, make: Any) -> None:
    """Every field that the spec requires, of its type, and none that it does not list."""
    read(ready(make(), name), name)


def test_submit_order_fields_and_types() -> None:
    """OrderHash is 0x and 64 hex digits, the status is NEW_ACTIVED, and the first submission is not idempotent."""
    data = read(world(), "submit_order", **order().fields)
    assert data["status"] == "NEW_ACTIVED"
    assert data["isIdempotent"] is False
    assert len(data["orderHash"]) == 66
    assert int(data["orderHash"], 16) >= 0


def test_tokens_of_the_default_scenario() -> None:
    """ETH 0, LRC 1, USDT 3, DAI 5; the native coin is in the list; precision is decimals; the minimum is 0.001."""
    tokens = {token["symbol"]: token for token in read(relay_from(), "get_tokens")}
    assert {symbol: token["tokenId"] for symbol, token in tokens.items()} == {"ETH": 0, "LRC": 1, "USDT": 3, "DAI": 5}
    assert {symbol: token["type"] for symbol, token in tokens.items()} == {
        **dict.fromkeys(tokens, "ERC20"),
        "ETH": "ETH",
    }
    assert tokens["LRC"]["address"] == LRC_ADDRESS
    assert tokens["USDT"]["decimals"] == 6
    for token in tokens.values():
        assert token["precision"] == token["decimals"]
        assert int(token["minOrderAmount"]) * 1000 == 10 ** token["decimals"]
        assert token["enabled"] is True
    assert int(tokens["LRC"]["maxOrderAmount"]) == 10**7 * E18


def test_fee_lists_of_the_default_scenario() -> None:
    """All four tokens, by tokenId, above 1 wei and at most 0.1 LRC, 0.00002 ETH, 0.02 USDT or DAI."""
    info = read(relay_from(), "get_exchange_info")
    most = {"ETH": 2 * 10**13, "LRC": 10**17, "USDT": 20_000, "DAI": 2 * 10**16}
    for kind in ("transferFees", "withdrawalFees"):
        assert [fee["token"] for fee in info[kind]] == ["ETH", "LRC", "USDT", "DAI"]
        assert all(1 < int(fee["fee"]) <= most[fee["token"]] for fee in info[kind])


def test_book_of_the_default_scenario_is_empty() -> None:
    """No order, trade or pending request is there at the start, in any of the four markets."""
    relay = relay_from()
    for market in ("LRC-ETH", "LRC-USDT", "ETH-USDT", "DAI-USDT"):
        for level in (0, 1, 2):
            depth = read(relay, "get_depth", market=market, level=level)
            assert (depth["bids"], depth["asks"]) == ([], [])
        assert read(relay, "get_candlestick", market=market, interval="1d") == []
    assert payload(call(relay, valid_request("get_pending_requests")), "get_pending_requests") == []


def test_exchange_of_world_w() -> None:
    """What the scenario gives is what is told."""
    info = read(world(), "get_exchange_info")
    assert (info["exchangeId"], int(info["exchangeAddress"], 16)) == (2, 14)


def test_account_is_found_whatever_the_letter_case() -> None:
    """Lower and upper hex digits name the same owner."""
    relay = world()
    found = [read(relay, "get_account", owner=owner) for owner in (OWNER_A, "0x" + "A1" * 20, "0x" + "a1A1" * 10)]
    assert found[0] == found[1] == found[2]
    assert (found[0]["accountId"], found[0]["frozen"]) == (10001, False)


def test_frozen_account_is_told() -> None:
    """`frozen` follows the control verb both ways."""
    relay = world()
    for frozen in (True, False):
        done(relay, "POST", "accounts/10001/freeze", {"frozen": frozen})
        assert read(relay, "get_account", owner=OWNER_A)["frozen"] is frozen


@pytest.mark.parametrize("data", ["0x616263", "616263"], ids=["with 0x", "without 0x"])
def test_eth_transaction_hash_is_keccak256_of_its_bytes(data: str) -> None:
    """keccak256("abc") as every Ethereum library gives it, the same for a repeat; all bytes count without 0x too."""
    relay = world()
    expected = "0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45"
    answer = call(relay, Request("send_eth_tx", {"data": data}))
    if data.startswith("0x") or answer.code == 0:
        assert [read(relay, "send_eth_tx", data=data) for _ in range(2)] == [expected] * 2


def test_order_fee_tells_the_rates_of_the_world() -> None:
    """World W: maker 10, taker 20 bips."""
    fee = read(world(), "get_order_fee")
    assert fee["feeRate"] == {"symbol": "LRC-ETH", "makerRate": 10, "takerRate": 20}
