"""Depth, ticker and candles, recomputed by hand, and what they show of a market without trades."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import busy, read, refused_call
from tests.conformance.transcript import CANDLE_ROW, DEPTH_ITEM, TICKER_ROW
from tests.support.bodies import E18
from tests.support.calls import Request, accepted, bid, call, order
from tests.support.client import advance, done
from tests.support.views import orders
from tests.support.worlds import DAY_S, START_MS, START_S, world


def test_depth_after_a_partial_fill() -> None:
    """The rest of 60 LRC is the ask, worth 0.03 ETH; bob's 10 LRC at 0.0004 are the bid; one order each."""
    depth = read(busy(), "get_depth", market="LRC-ETH", level=0)
    (ask,), (offer,) = depth["asks"], depth["bids"]
    assert len(ask) == len(offer) == len(DEPTH_ITEM)
    assert (Decimal(ask[0]), ask[1:]) == (Decimal("0.0005"), [str(60 * E18), str(3 * 10**16), "1"])
    assert (Decimal(offer[0]), offer[1:]) == (Decimal("0.0004"), [str(10 * E18), str(4 * 10**15), "1"])


def test_depth_version_rises_with_the_book_only(relay: Relay) -> None:
    """Two looks at an unchanged book are the same; an order, a fill and a cancel each raise the version."""
    versions = []
    for step in (lambda: accepted(relay, order(1)), lambda: accepted(relay, bid(1)), lambda: _cancel_newest(relay)):
        first, second = (read(relay, "get_depth", market="LRC-ETH", level=0) for _ in range(2))
        assert first == second
        versions.append(first["version"])
        step()
    versions.append(read(relay, "get_depth", market="LRC-ETH", level=0)["version"])
    assert versions == sorted(set(versions))


def _cancel_newest(relay: Relay) -> None:
    done(relay, "POST", f"orders/{orders(relay)[0]['hash']}/cancel", {})


def test_depth_sorts_best_first_sums_a_price_and_cuts_each_side(relay: Relay) -> None:
    """Asks rise, bids fall; two orders at one price are one item of two; `limit` counts items a side."""
    for order_id, milli in enumerate((7, 5, 6, 5)):
        accepted(relay, order(order_id, amountS=str(E18), amountB=str(milli * 10**15)))
    for order_id, milli in enumerate((1, 3, 2)):
        accepted(relay, bid(order_id, lrc=E18, eth=milli * 10**15))
    depth = read(relay, "get_depth", market="LRC-ETH", level=0)
    assert [Decimal(item[0]) * 1000 for item in depth["asks"]] == [5, 6, 7]
    assert [item[3] for item in depth["asks"]] == ["2", "1", "1"]
    assert depth["asks"][0][1:3] == [str(2 * E18), str(10**16)]
    assert [Decimal(item[0]) * 1000 for item in depth["bids"]] == [3, 2, 1]
    cut = read(relay, "get_depth", market="LRC-ETH", level=0, limit=2)
    assert (cut["asks"], cut["bids"]) == (depth["asks"][:2], depth["bids"][:2])


def test_depth_default_limit_is_50(relay: Relay) -> None:
    """Sixty ask prices: fifty without `limit`, sixty with `limit=100`."""
    for step in range(60):
        accepted(relay, order(step, amountS=str(E18), amountB=str((100 + step) * 10**13)))
    assert len(read(relay, "get_depth", market="LRC-ETH", level=0)["asks"]) == 50
    assert len(read(relay, "get_depth", market="LRC-ETH", level=0, limit=100)["asks"]) == 60


def test_coarser_depth_rounds_against_the_taker_of_neither_side(relay: Relay) -> None:
    """Asks gather at a price not below their own, bids at one not above; nothing is lost in the sums."""
    for order_id, eth in enumerate((50_001 * 10**10, 50_002 * 10**10)):
        accepted(relay, order(order_id, amountS=str(E18), amountB=str(eth)))
    for order_id, eth in enumerate((40_001 * 10**10, 40_002 * 10**10)):
        accepted(relay, bid(order_id, lrc=E18, eth=eth))
    fine, coarse = (read(relay, "get_depth", market="LRC-ETH", level=level) for level in (0, 2))
    assert [len(fine["asks"]), len(fine["bids"])] == [2, 2]
    (ask,), (offer,) = coarse["asks"], coarse["bids"]
    assert Decimal(ask[0]) > Decimal("0.00050002")
    assert Decimal(offer[0]) < Decimal("0.00040001")
    assert (ask[1], ask[3], offer[1], offer[3]) == (str(2 * E18), "2", str(2 * E18), "2")


def test_ticker_after_one_trade() -> None:
    """[market, time, 40 LRC, 0.02 ETH, open, high, low, close all 0.0005, one trade, bid 0.0004, ask 0.0005]."""
    (row,) = read(busy(), "get_ticker", market="LRC-ETH")
    assert len(row) == len(TICKER_ROW)
    assert (row[0], row[2:4], row[8]) == ("LRC-ETH", [str(40 * E18), str(2 * 10**16)], "1")
    assert [Decimal(price) for price in row[4:8]] == [Decimal("0.0005")] * 4
    assert [Decimal(price) for price in row[9:]] == [Decimal("0.0004"), Decimal("0.0005")]


def test_ticker_open_high_low_close() -> None:
    """Trades at 5, 9, 2, 4 thousandths: a ticker row tells open 5, high 9, low 2, close 4, in this order."""
    (row,) = read(_four_trades(), "get_ticker", market="LRC-ETH")
    assert [Decimal(price) * 1000 for price in row[4:8]] == [5, 9, 2, 4]
    assert row[8] == "4"
    assert (row[2], row[3]) == (str(4 * E18), str(20 * 10**15))


def test_ticker_of_several_markets_keeps_their_order() -> None:
    """One row a market, in the order asked for; a market without trades has eleven strings too, none of them null."""
    rows = read(busy(), "get_ticker", market="LRC-USDT,LRC-ETH")
    assert [row[0] for row in rows] == ["LRC-USDT", "LRC-ETH"]
    assert [len(row) for row in rows] == [11, 11]


def _four_trades() -> Relay:
    relay = world()
    for order_id, milli in enumerate((5, 9, 2, 4)):
        accepted(relay, order(order_id, amountS=str(E18), amountB=str(milli * 10**15)))
        accepted(relay, bid(order_id, lrc=E18, eth=milli * 10**15))
    return relay


def test_candle_is_open_close_high_low() -> None:
    """The same four trades in one minute: start, 4, open 5, close 4, high 9, low 2, base and quote volume."""
    (row,) = read(_four_trades(), "get_candlestick", market="LRC-ETH", interval="1min")
    assert len(row) == len(CANDLE_ROW)
    assert row[:2] == [str(START_MS), "4"]
    assert [Decimal(price) * 1000 for price in row[2:6]] == [5, 4, 9, 2]
    assert row[6:] == [str(4 * E18), str(20 * 10**15)]


@pytest.mark.parametrize(
    ("interval", "seconds"),
    [
        *(("1min", 60), ("5min", 300), ("15min", 900), ("30min", 1800), ("1hr", 3600), ("2hr", 7200), ("4hr", 14_400)),
        *(("12hr", 43_200), ("1d", 86_400)),
    ],
)
def test_candle_starts_at_a_multiple_of_its_interval(relay: Relay, interval: str, seconds: int) -> None:
    """A trade one millisecond before the next candle and one at its start are in two candles."""
    accepted(relay, order(1, amountS=str(10 * E18), amountB=str(5 * 10**15)))
    advance(relay, f"{seconds * 1000 - 1}ms")
    accepted(relay, bid(1, lrc=E18, eth=5 * 10**14))
    advance(relay, "1ms")
    accepted(relay, bid(2, lrc=E18, eth=5 * 10**14, validUntil=START_S + 90 * DAY_S))
    rows = read(relay, "get_candlestick", market="LRC-ETH", interval=interval)
    assert [row[:2] for row in rows] == [[str(START_MS), "1"], [str(START_MS + seconds * 1000), "1"]]
    cut = read(relay, "get_candlestick", market="LRC-ETH", interval=interval, limit=1)
    assert cut == rows[:1]
    later = read(relay, "get_candlestick", market="LRC-ETH", interval=interval, start=START_MS + seconds * 1000)
    assert later == rows[1:]
    assert read(relay, "get_candlestick", market="LRC-ETH", interval=interval, end=START_MS + 1) == rows[:1]


MARKETS = ("LRC-ETH", "LRC-USDT", "ETH-USDT", "DAI-USDT")
NO_VALUE = {"0": "0", "empty": ""}


@pytest.mark.parametrize(("choice", "nothing"), NO_VALUE.items())
def test_a_row_is_eleven_strings_whatever_has_happened(choice: str, nothing: str) -> None:
    """Market and time are always there; the other nine have one form where there is no value."""
    relay = world({"ticker.no_value": choice})
    rows = read(relay, "get_ticker", market=",".join(MARKETS))
    assert [row[0] for row in rows] == list(MARKETS)
    for row in rows:
        assert [type(value) for value in row] == [str] * 11
        assert row[1].isdigit()
        # No trade: no price and no bid or ask. How many trades and how much was traded is a value, and it is 0.
        assert row[2:] == ["0", "0", *[nothing] * 4, "0", nothing, nothing]


@pytest.mark.parametrize("choice", NO_VALUE)
def test_each_value_comes_with_what_it_is_about(choice: str) -> None:
    """An ask alone gives the ask; a trade gives the prices; a day later the prices are gone again."""
    relay, nothing = world({"ticker.no_value": choice}), NO_VALUE[choice]

    def row() -> list[str]:
        (found,) = read(relay, "get_ticker", market="LRC-ETH")
        assert isinstance(found, list)
        return found

    accepted(relay, order(1))
    assert row()[4:8] == [nothing] * 4
    assert (row()[9], float(row()[10])) == (nothing, 0.0005)
    accepted(relay, bid(1))
    assert [float(value) for value in row()[4:8]] == [0.0005] * 4
    advance(relay, "25h")
    assert row()[4:8] == [nothing] * 4


@pytest.mark.parametrize("market", ["LRC-ETH,FOO-ETH", "FOO-ETH,LRC-ETH", "FOO-ETH", "LRC-ETH,", ",", "LRC-ETH,,"])
@pytest.mark.parametrize("make", [world, busy])
def test_an_unknown_market_among_known_ones_is_refused_whole(make: Callable[[], Relay], market: str) -> None:
    """Never a row less than was asked for, nor one of another market."""
    refused_call(call(make(), Request("get_ticker", {"market": market})), "get_ticker", {100001}, "market")


@pytest.mark.parametrize("market", MARKETS)
def test_no_trade_is_no_candle_unless_flat_ones_are_chosen(market: str) -> None:
    for choice in ("skip", "flat"):
        assert read(world({"candles.empty": choice}), "get_candlestick", market=market, interval="1min") == []


@pytest.mark.parametrize(("end_ms", "minutes"), [(7 * 60_000 - 1, [5, 6]), (7 * 60_000, [5, 6, 7])])
def test_flat_candles_long_after_a_trade_repeat_its_price(end_ms: int, minutes: list[int]) -> None:
    """Their starts are multiples of the interval away from that of the trade's own candle, up to the end that is asked
    for.
    """
    relay = world({"candles.empty": "flat"})
    accepted(relay, order(1))
    accepted(relay, bid(1))
    minute_ms = 60_000
    traded_ms = relay.now_ms() // minute_ms * minute_ms
    advance(relay, "20m")
    span = {"start": traded_ms + 5 * minute_ms - 7, "end": traded_ms + end_ms}
    rows = read(relay, "get_candlestick", market="LRC-ETH", interval="1min", **span)
    assert [(int(row[0]) - traded_ms) / minute_ms for row in rows] == minutes
    for row in rows:
        assert (row[1], row[6], row[7]) == ("0", "0", "0")
        assert {float(price) for price in row[2:6]} == {0.0005}


@pytest.mark.parametrize(
    ("order_of_rows", "minutes"), [("ascending", [0, 1, 2]), ("descending", [144_000, 143_999, 143_998])]
)
def test_a_limit_is_counted_before_flat_candles_are_made(order_of_rows: str, minutes: list[int]) -> None:
    """A hundred days of minutes are too many rows; three of them are not."""
    relay = world({"candles.empty": "flat", "candles.order": order_of_rows})
    accepted(relay, order(1))
    accepted(relay, bid(1))
    traded_ms = relay.now_ms() // 60_000 * 60_000
    advance(relay, "100d")
    asked = Request("get_candlestick", {"market": "LRC-ETH", "interval": "1min"})
    refused_call(call(relay, asked), "get_candlestick", {100001}, "144001 rows")
    refused_call(call(relay, asked.but(limit=100_001)), "get_candlestick", {100001}, "100001 rows")
    rows = read(relay, "get_candlestick", market="LRC-ETH", interval="1min", limit=3)
    assert [(int(row[0]) - traded_ms) / 60_000 for row in rows] == minutes
    assert {float(price) for row in rows for price in row[2:6]} == {0.0005}


def test_one_side_may_be_empty(relay: Relay) -> None:
    accepted(relay, order(1))
    depth = read(relay, "get_depth", market="LRC-ETH", level=0)
    assert (len(depth["asks"]), depth["bids"]) == (1, [])
