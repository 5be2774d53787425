"""Successful answers: their fields and types as the spec lists them, and their values as hand arithmetic gives them."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from mockrelay.clock import ClockConfig
from mockrelay.relay import Relay
from tests.conformance.checks import busy, payload, pending, read, refused_call
from tests.conformance.fields import ANSWERS
from tests.support.bodies import E18
from tests.support.calls import LRC_ADDRESS, accepted, call, order, place, ready, valid_request
from tests.support.client import done, get
from tests.support.views import depth, orders
from tests.support.worlds import relay_from, world

BIG = "1000000000000000000001"


def large() -> Relay:
    """W with an order of more digits than a double holds."""
    relay = world()
    place(relay, order(9, amountS=BIG, amountB=BIG))
    return relay


@pytest.mark.parametrize("name", [name for name in ANSWERS if name != "submit_order"])
@pytest.mark.parametrize("make", [world, busy, large], ids=["fresh", "traded", "large numbers"])
def test_fields_and_types(name: str, make: Any) -> None:
    """Every field that the spec requires, of its type, and none that it does not list; no float and no unsafe integer."""
    read(ready(make(), name), name)


@pytest.mark.parametrize(
    ("start_ms", "text"),
    [
        (1_767_225_600_000, "Thu, 01 Jan 2026 00:00:00 GMT"),
        (1_709_210_096_999, "Thu, 29 Feb 2024 12:34:56 GMT"),
        (253_402_300_799_000, "Fri, 31 Dec 9999 23:59:59 GMT"),
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
    ],
)
def test_http_date_has_the_time_of_the_relayers_clock(start_ms: int, text: str) -> None:
    """On an answer, a refusal, an unknown path and what a fault spoils; by default there is none."""
    for choices, date in (({"http.date": "relayer"}, text), ({}, None)):
        relay = Relay.from_scenario(clock=ClockConfig(0, start_ms), choices=choices)
        done(relay, "POST", "faults", {"on": "get_depth", "body": "html"})
        answers = [
            call(relay, valid_request("get_tokens")),
            call(relay, valid_request("get_tokens")._replace(key=None)),
            get(relay, "/api/nowhere"),
            call(relay, valid_request("get_depth")),
        ]
        assert [answer.headers.get("date") for answer in answers] == [date] * 4


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
    info = read(world(), "get_exchange_info")
    assert (info["exchangeId"], int(info["exchangeAddress"], 16)) == (2, 14)


def test_get_order_fee_has_the_rates_of_the_world() -> None:
    """World W: maker 10, taker 20 bips."""
    fee = read(world(), "get_order_fee")
    assert fee["feeRate"] == {"symbol": "LRC-ETH", "makerRate": 10, "takerRate": 20}


def test_amount_is_echoed_digit_for_digit(relay: Relay) -> None:
    """In the list, the book and the block, always as a JSON string."""
    accepted(relay, order(amountS=BIG, amountB=BIG))
    body = call(relay, valid_request("get_orders")).body
    assert b'"size":"%s"' % BIG.encode() in body.replace(b" ", b"")
    (record,) = orders(relay)
    assert (record["size"], record["volume"]) == (BIG, BIG)
    (ask,) = call(relay, valid_request("get_depth")).data["asks"]
    assert ask[1:3] == [BIG, BIG]
    done(relay, "POST", f"orders/{record['hash']}/fill", {"size": BIG})
    (record,) = orders(relay)
    assert (record["filledSize"], record["filledVolume"]) == (BIG, BIG)
    (tx,) = call(relay, valid_request("get_pending_requests")).json
    mine = next(tx[side] for side in ("orderA", "orderB") if tx[side]["accountID"] == 10001)
    assert (mine["amountS"], mine["amountB"], mine["fillS"]) == (BIG, BIG, int(BIG))
    (ticker,) = call(relay, valid_request("get_ticker")).data
    assert ticker[2:4] == [BIG, BIG]


def test_leading_zero_is_refused_or_read_as_the_number(relay: Relay) -> None:
    """`07` is never silently something else: refused, or the order shows 7."""
    answer = call(relay, order(amountB="07"))
    if answer.code == 0:
        assert orders(relay)[0]["volume"] == "7"
    else:
        refused_call(answer, "submit_order", {102120}, "amountB")


def test_prices_have_no_exponent() -> None:
    """The smallest and the largest price that two amounts can make are plain decimals."""
    low = order(1, amountS=str(10_000 * E18), amountB="1")
    high = order(2, tokenSId=0, tokenBId=1, amountS=str(E18), amountB="1", buy="true")
    for request in (low, high):
        relay = world()
        accepted(relay, request)
        for price in (*(record["price"] for record in orders(relay)), *(item[0] for item in depth_items(relay))):
            assert set(price) <= set("0123456789."), price
            assert Decimal(price) >= 0


def depth_items(relay: Relay) -> list[list[str]]:
    bids, asks = depth(relay)
    return bids + asks


def test_submit_transfer_keeps_every_digit(relay: Relay) -> None:
    assert call(relay, valid_request("submit_transfer").but(amount=BIG)).code == 0
    assert pending(relay)[0]["token"]["amount"] == BIG
