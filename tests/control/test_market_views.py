"""The views of markets and of what is to come."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.support.bodies import E18, bodies_of
from tests.support.client import advance, control, done, post, state
from tests.support.worlds import START_MS, relay_from, world_like

MARKET = "markets/LRC-ETH"
ORDERS = """\
orders:
  - {account: house, market: LRC-ETH, side: SELL, size: '100000000000000000000', price: '0.00050001'}
  - {account: house, market: LRC-ETH, side: SELL, size: '200000000000000000000', price: '0.00050009'}
  - {account: house, market: LRC-ETH, side: BUY, size: '300000000000000000000', price: '0.0004'}
"""
TIMELINE = "timeline: [{at: 1m, do: {freeze: {account: alice, frozen: true}}}, {at: 2m, do: {seal: {count: 1}}}]"


def test_markets_show_tokens_best_prices_and_the_last_trade(tmp_path: Path) -> None:
    relay = world_like(tmp_path, ORDERS)
    first, *_ = done(relay, "GET", "markets")
    assert first["base"] == {"symbol": "LRC", "tokenId": 1, "decimals": 18}
    assert (first["bid"], first["ask"], first["last"]) == ("0.0004", "0.00050001", None)
    assert (first["orders"], first["trades"]) == (3, 0)
    _trade(relay)
    first, *_ = done(relay, "GET", "markets")
    assert (first["ask"], first["last"], first["orders"], first["trades"]) == ("0.00050009", "0.00050001", 2, 1)


def test_a_book_has_the_prices_of_its_level_best_first(tmp_path: Path) -> None:
    """A sale is shown at the next price up of a coarser level, so both asks stand at one price."""
    relay = world_like(tmp_path, ORDERS)
    book = done(relay, "GET", f"{MARKET}/book")
    assert [(row["price"], row["size"], row["orders"]) for row in book["asks"]] == [
        ("0.00050001", str(100 * E18), 1),
        ("0.00050009", str(200 * E18), 1),
    ]
    assert [row["volume"] for row in book["bids"]] == [str(300 * E18 * 4 // 10_000)]
    assert len(done(relay, "GET", f"{MARKET}/book", {"limit": 1})["asks"]) == 1
    coarse = done(relay, "GET", f"{MARKET}/book", {"level": 1})
    assert [(row["price"], row["size"], row["orders"]) for row in coarse["asks"]] == [("0.0005001", str(300 * E18), 2)]


def test_trades_and_candles_are_those_of_the_market(tmp_path: Path) -> None:
    relay = world_like(tmp_path, ORDERS)
    assert done(relay, "GET", f"{MARKET}/candles") == []
    _trade(relay)
    found = done(relay, "GET", f"{MARKET}/trades", {"last": 5})
    (trade,) = found["trades"]
    assert (found["total"], trade["price"], trade["size"], trade["side"]) == (1, "0.00050001", str(100 * E18), "BUY")
    assert (trade["taker"]["accountId"], trade["maker"]["accountId"]) == (10002, 0)
    (candle,) = done(relay, "GET", f"{MARKET}/candles", {"interval": "1hr"})
    assert candle["start_ms"] == START_MS // 3_600_000 * 3_600_000
    assert {candle[name] for name in ("open", "high", "low", "close")} == {"0.00050001"}
    assert candle["size"] == str(100 * E18)


def test_due_events_come_in_order_and_leave_when_their_time_has_come(tmp_path: Path) -> None:
    relay = world_like(tmp_path, TIMELINE)
    due = done(relay, "GET", "due")
    moments = [event["at_ms"] for event in due["due"]]
    assert moments == sorted(moments)
    assert [event["subject"] for event in due["due"] if event["event"] == "timeline"] == ["0", "1"]
    assert len(done(relay, "GET", "due", {"limit": 1})["due"]) == 1
    advance(relay, "1m")
    assert [event["subject"] for event in done(relay, "GET", "due")["due"] if event["event"] == "timeline"] == ["1"]


def test_the_timeline_shows_what_has_been_done(tmp_path: Path) -> None:
    relay = world_like(tmp_path, TIMELINE)
    advance(relay, "90s")
    assert done(relay, "GET", "timeline") == [
        {
            "at_ms": START_MS + 60_000,
            "command": "freeze",
            "fields": {"account": "alice", "frozen": True},
            "done": True,
        },
        {"at_ms": START_MS + 120_000, "command": "seal", "fields": {"count": 1}, "done": False},
    ]


VIEWS = ("markets", f"{MARKET}/book", f"{MARKET}/trades", f"{MARKET}/candles", "due", "timeline")


@pytest.mark.parametrize("path", VIEWS)
def test_a_view_changes_nothing_and_is_in_no_journal(path: str) -> None:
    relay = relay_from("busy_market")
    before = state(relay)["digest_all"]
    done(relay, "GET", path)
    assert state(relay)["digest_all"] == before
    assert done(relay, "GET", "requests")["total"] == 0


@pytest.mark.parametrize(
    ("path", "query", "status", "field"),
    [
        ("markets/LRC-DOGE/book", {}, 404, "name"),
        (f"{MARKET}/book", {"level": 3}, 400, "level"),
        (f"{MARKET}/book", {"limit": 0}, 400, "limit"),
        (f"{MARKET}/book", {"limit": 10_001}, 400, "limit"),
        (f"{MARKET}/trades", {"limit": 1}, 400, "limit"),
        (f"{MARKET}/candles", {"interval": "1m"}, 400, "interval"),
        ("due", {"last": 1}, 400, "last"),
    ],
)
def test_a_wrong_view_says_what_was_meant(path: str, query: dict[str, Any], status: int, field: str) -> None:
    answer = control(relay_from(), "GET", path, query)
    assert (answer.status, answer.json["field"]) == (status, field)
    assert answer.json["meant"]


def _trade(relay: Relay) -> None:
    """Bob buys the whole of the best ask."""
    bid = bodies_of(relay).bid(1, 100 * E18, 100 * E18 * 50_001 // 10**8)
    assert post(relay, "/api/v3/order", bid, key="bob").status == 200
