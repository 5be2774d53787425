"""Orders read back: what was written, by page and filter, through fills, holds and ends."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import conforms, payload
from tests.conformance.told import told
from tests.conformance.transcript import ORDER_FILTERS, ORDER_STATUSES
from tests.support.bodies import E18
from tests.support.calls import Request, accepted, bid, call, order, records
from tests.support.client import advance, control, done
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
def test_order_is_read_as_it_was_written(request_: Request, shown: dict[str, Any]) -> None:
    """The list shows the submitted order: hash, legs by market, price, times, client id, nothing filled."""
    relay = world()
    order_hash = accepted(relay, request_)["orderHash"]
    detail = told(relay, "get_orders", accountId=10001)
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


def test_order_id_is_a_string_of_its_own_sequence() -> None:
    """Peeks are equal; the next id of (account, token) passes the accepted one, also one far ahead; others stay."""
    relay = world()

    def peek(account_id: int, token: int) -> int:
        key = "alice" if account_id == 10001 else "bob"
        found = call(relay, Request("get_order_id", {"accountId": account_id, "tokenSId": token}, key))
        conforms("string", payload(found, "get_order_id"))
        return int(found.data)

    first = peek(10001, 1)
    assert peek(10001, 1) == first
    others = peek(10001, 0), peek(10002, 1)
    accepted(relay, order(first))
    assert peek(10001, 1) > first
    accepted(relay, order(first + 50))
    assert peek(10001, 1) > first + 50
    accepted(relay, order(first + 1))
    assert peek(10001, 1) > first + 50, "an id below the next is taken and leaves the next where it is"
    assert (peek(10001, 0), peek(10002, 1)) == others


def test_maker_only_rests_and_taker_only_ends() -> None:
    """MAKER_ONLY that takes nothing rests; TAKER_ONLY takes 40 of 100 and the rest of it is cancelled."""
    relay = world()
    accepted(relay, bid(1, orderType="MAKER_ONLY"))
    accepted(relay, order(1, orderType="TAKER_ONLY"))
    (mine,) = records(relay)
    assert (mine["status"], mine["filledSize"]) == ("cancelled", str(40 * E18))
    assert records(relay, 10002)[0]["status"] == "processed"
    accepted(relay, order(2, amountS=str(10_000 * E18 - 40 * E18)))


@pytest.mark.parametrize(
    ("buy", "filled", "status"),
    [("true", 40 * E18, "processed"), ("false", 80 * E18, "processed")],
    ids=["buy until bought", "sell until sold"],
)
def test_buy_decides_which_leg_ends_the_order(buy: str, filled: int, status: str) -> None:
    """Bob gives 0.04 ETH for 40 LRC against an ask of half his price: he ends with 40 LRC, or with 0.04 ETH spent."""
    relay = world()
    accepted(relay, order(1))
    accepted(relay, bid(1, eth=4 * 10**16, buy=buy))
    (theirs,) = records(relay, 10002)
    assert (theirs["filledSize"], theirs["filledVolume"]) == (str(filled), str(filled // 2000))
    assert theirs["status"] == status


def test_orders_are_listed_newest_first_page_by_page() -> None:
    """120 orders: 50 by default, then 50, then 20 by offset or by fromHash; no gap, no double; totalNum counts all."""
    relay = world()
    hashes = [
        accepted(relay, order(i, amountS=str(E18), amountB=str(E18 + i), clientOrderId=f"n{i}"))["orderHash"]
        for i in range(120)
    ][::-1]
    pages = [told(relay, "get_orders", accountId=10001, offset=offset) for offset in (0, 50, 100)]
    assert [page["totalNum"] for page in pages] == [120] * 3
    assert [len(page["orders"]) for page in pages] == [50, 50, 20]
    assert [record["hash"] for page in pages for record in page["orders"]] == hashes
    everything = told(relay, "get_orders", accountId=10001, limit=1000)["orders"]
    assert [record["hash"] for record in everything] == hashes
    rest = told(relay, "get_orders", accountId=10001, fromHash=hashes[99])["orders"]
    assert [record["hash"] for record in rest] == hashes[100:]


def test_refusal_of_a_status_offers_only_words_that_are_taken() -> None:
    """The message on a bad word names all that the filter takes, and no other."""
    relay = world()
    message = call(relay, Request("get_orders", {"accountId": 10001, "status": "foo"})).message
    offered = set(re.findall(r"[a-z]+", message)) & set(ORDER_STATUSES + ORDER_FILTERS)
    taken = {
        word
        for word in ORDER_STATUSES + ORDER_FILTERS
        if call(relay, Request("get_orders", {"accountId": 10001, "status": word})).code == 0
    }
    assert offered == taken


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
    by_name = {record["clientOrderId"]: record["hash"] for record in records(relay)}
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
    detail = told(_five_orders(), "get_orders", accountId=10001, **query)
    assert [record["clientOrderId"] for record in detail.get("orders", [])] == names
    whole = {key: value for key, value in query.items() if key not in ("limit", "offset")}
    assert detail["totalNum"] == len(next(found for known, found in (*FILTERS, _MARKET) if known == whole))


_MARKET: tuple[dict[str, Any], list[str]] = ({"market": "LRC-ETH"}, ["waiting", "expired", "cancelled", "filled"])


def test_end_states_are_final() -> None:
    """A day later what was filled, cancelled and expired is so still, and cancelling any of it is a 409."""
    relay = _five_orders()
    ended = ("filled", "cancelled", "expired")
    before = {record["clientOrderId"]: record for record in records(relay)}
    advance(relay, "1d")
    after = {record["clientOrderId"]: record for record in records(relay)}
    for name in ended:
        assert after[name] == before[name]
        answer = control(relay, "POST", f"orders/{before[name]['hash']}/cancel", {})
        assert answer.status == 409, answer.body
        assert set(answer.json) == {"error", "field", "meant"}
    assert after["waiting"]["status"] == "processing", "its validSince has come"


@pytest.mark.parametrize("word", ["UNKNOWN", "WAIT_FREEZE_BALANCE"])
def test_held_order_and_its_release(word: str) -> None:
    """Held: UNKNOWN, a repeat is idempotent with the same hash; released as active it is an order, and 102007 again."""
    relay = world()
    done(relay, "POST", "faults", {"on": "submit_order", "hold": word})
    first, second = (told(relay, "submit_order", **order().fields) for _ in range(2))
    assert first == {"orderHash": first["orderHash"], "status": "UNKNOWN", "isIdempotent": False}
    assert second == {**first, "isIdempotent": True}
    (record,) = records(relay)
    assert (record["hash"], record["status"]) == (first["orderHash"], "waiting")
    done(relay, "POST", f"orders/{first['orderHash']}/release", {"as": "active"})
    assert records(relay)[0]["status"] == "processing"
    assert call(relay, order()).code == 102007


def test_held_order_released_as_failed() -> None:
    """Its record is cancelled, only the filter `failed` lists it, and a repeat is 102027 with SUBMIT_ORDER_FAIL."""
    relay = world()
    done(relay, "POST", "faults", {"on": "submit_order", "hold": "UNKNOWN"})
    order_hash = told(relay, "submit_order", **order().fields)["orderHash"]
    done(relay, "POST", f"orders/{order_hash}/release", {"as": "failed"})
    assert records(relay)[0]["status"] == "cancelled"
    assert [record["hash"] for record in records(relay, status="failed")] == [order_hash]
    assert records(relay, status="cancelled") == []
    again = call(relay, order())
    assert again.code == 102027
    assert again.data == {"orderHash": order_hash, "status": "SUBMIT_ORDER_FAIL", "isIdempotent": False}
    accepted(relay, order(2, amountS=str(10_000 * E18)))
