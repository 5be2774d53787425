"""Orders read back: as they were written, by type, and by filter."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import read
from tests.support.bodies import E18
from tests.support.calls import Request, accepted, order
from tests.support.client import advance, done
from tests.support.views import orders
from tests.support.worlds import DAY_S, START_MS, START_S, world

ORDERS: tuple[tuple[str, Request, dict[str, Any]], ...] = (
    (
        "sell LRC-ETH",
        order(4, clientOrderId="mine", channelId="c"),
        {"side": "SELL", "market": "LRC-ETH", "size": 100 * E18, "volume": 5 * 10**16, "price": "0.0005"},
    ),
    (
        "buy LRC-ETH",
        order(4, tokenSId=0, tokenBId=1, amountS=str(5 * 10**16), amountB=str(100 * E18), buy="true"),
        {"side": "BUY", "market": "LRC-ETH", "size": 100 * E18, "volume": 5 * 10**16, "price": "0.0005"},
    ),
    (
        "sell LRC-USDT",
        order(4, tokenBId=3, amountB="25000000", orderType="MAKER_ONLY"),
        {"side": "SELL", "market": "LRC-USDT", "size": 100 * E18, "volume": 25_000_000, "price": "0.25"},
    ),
    (
        "buy ETH-USDT",
        order(4, tokenSId=3, tokenBId=0, amountS="3000000", amountB=str(10**15), buy="true", orderType="LIMIT_ORDER"),
        {"side": "BUY", "market": "ETH-USDT", "size": 10**15, "volume": 3_000_000, "price": "3000"},
    ),
    (
        "27 digits",
        order(4, amountS="1000000000000000000001", amountB="123456789012345678901234567"),
        {
            "side": "SELL",
            "market": "LRC-ETH",
            "size": 1_000_000_000_000_000_000_001,
            "volume": 123_456_789_012_345_678_901_234_567,
            "price": None,
        },
    ),
)


@pytest.mark.parametrize(("request_", "shown"), [case[1:] for case in ORDERS], ids=[case[0] for case in ORDERS])
def test_order_is_read_as_it_was_written(relay: Relay, request_: Request, shown: dict[str, Any]) -> None:
    """The list shows the submitted order: hash, legs by market, price, times, client id, nothing filled."""
    order_hash = accepted(relay, request_)["orderHash"]
    detail = read(relay, "get_orders", accountId=10001)
    assert (detail["totalNum"], len(detail["orders"])) == (1, 1)
    record = detail["orders"][0]
    assert record["hash"] == order_hash
    assert (record["side"], record["market"]) == (shown["side"], shown["market"])
    assert (record["size"], record["volume"]) == (str(shown["size"]), str(shown["volume"]))
    if shown["price"] is not None:
        assert Decimal(record["price"]) == Decimal(shown["price"])
    assert "e" not in record["price"].lower()
    assert (record["filledSize"], record["filledVolume"], record["filledFee"]) == ("0", "0", "0")
    assert record["status"] == "processing"
    assert (record["validSince"], record["validUntil"]) == (START_S, START_S + 60 * DAY_S)
    assert record["createdAt"] == START_MS
    assert record["clientOrderId"] == request_.fields.get("clientOrderId", "")


def test_two_relayers_list_their_own_orders() -> None:
    """The same orderId in both, of another size in each."""
    sizes = (100 * E18, 200 * E18)
    relays = [world() for _ in sizes]
    hashes = [
        accepted(relay, order(4, amountS=str(size)))["orderHash"] for relay, size in zip(relays, sizes, strict=True)
    ]
    for relay, size, order_hash in zip(relays, sizes, hashes, strict=True):
        (record,) = orders(relay)
        assert (record["hash"], record["size"]) == (order_hash, str(size))


def _five_orders() -> Relay:
    """One order filled, one cancelled, one expired, one waiting, one open, a second apart from each other."""
    relay = world()
    accepted(relay, order(1, clientOrderId="filled"))
    advance(relay, "1s")
    accepted(relay, order(2, clientOrderId="cancelled"))
    advance(relay, "1s")
    accepted(relay, order(3, clientOrderId="expired", validUntil=START_S + 9))
    advance(relay, "1s")
    accepted(relay, order(4, clientOrderId="waiting", validSince=START_S + DAY_S))
    advance(relay, "1s")
    buy = {"tokenSId": 3, "tokenBId": 1, "amountS": "1000000", "amountB": str(E18), "buy": "true"}
    accepted(relay, order(5, clientOrderId="open", **buy))
    by_name = {record["clientOrderId"]: record["hash"] for record in orders(relay)}
    done(relay, "POST", f"orders/{by_name['filled']}/fill", {"size": str(100 * E18)})
    done(relay, "POST", f"orders/{by_name['cancelled']}/cancel", {})
    advance(relay, "6s")
    return relay


FILTERS: tuple[tuple[dict[str, Any], list[str]], ...] = (
    ({}, ["open", "waiting", "expired", "cancelled", "filled"]),
    ({"status": "processed"}, ["filled"]),
    ({"status": "cancelled"}, ["cancelled"]),
    ({"status": "expired"}, ["expired"]),
    ({"status": "waiting"}, ["waiting"]),
    ({"status": "processing"}, ["open"]),
    ({"status": "failed"}, []),
    ({"status": "cancelled,expired"}, ["expired", "cancelled"]),
    ({"status": "expired,cancelled"}, ["expired", "cancelled"]),
    ({"side": "BUY"}, ["open"]),
    ({"side": "SELL"}, ["waiting", "expired", "cancelled", "filled"]),
    ({"market": "LRC-USDT"}, ["open"]),
    ({"market": "LRC-ETH", "limit": 2}, ["waiting", "expired"]),
    ({"limit": 2, "offset": 1}, ["waiting", "expired"]),
    ({"offset": 9}, []),
    ({"start": START_MS + 1500}, ["open", "waiting", "expired"]),
    ({"end": START_MS + 1500}, ["cancelled", "filled"]),
    ({"start": START_MS + 500, "end": START_MS + 2500}, ["expired", "cancelled"]),
    ({"start": 0, "end": 0}, ["open", "waiting", "expired", "cancelled", "filled"]),
)


@pytest.mark.parametrize(("query", "names"), FILTERS, ids=[str(case[0]) for case in FILTERS])
def test_orders_filter(query: dict[str, Any], names: list[str]) -> None:
    """Each filter alone; totalNum counts the filtered set, not the page."""
    detail = read(_five_orders(), "get_orders", accountId=10001, **query)
    assert [record["clientOrderId"] for record in detail.get("orders", [])] == names
    whole = {key: value for key, value in query.items() if key not in ("limit", "offset")}
    assert detail["totalNum"] == len(next(found for known, found in (*FILTERS, _MARKET) if known == whole))


_MARKET: tuple[dict[str, Any], list[str]] = ({"market": "LRC-ETH"}, ["waiting", "expired", "cancelled", "filled"])
