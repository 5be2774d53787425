"""Markets without trades: there is a value of a documented form, or none at all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import refused_call
from tests.conformance.told import busy, told
from tests.support.calls import Request, accepted, bid, call, order
from tests.support.client import advance
from tests.support.worlds import world

MARKETS = ("LRC-ETH", "LRC-USDT", "ETH-USDT", "DAI-USDT")
NO_VALUE = {"0": "0", "empty": ""}


@pytest.mark.parametrize(("choice", "nothing"), NO_VALUE.items())
def test_a_row_is_eleven_strings_whatever_has_happened(choice: str, nothing: str) -> None:
    """Market and time are always there; the other nine have one form where there is no value."""
    relay = world({"ticker.no_value": choice})
    for row in told(relay, "get_ticker", market=",".join(MARKETS)):
        assert [type(value) for value in row] == [str] * 11
        assert row[1].isdigit()
        # No trade: no price and no bid or ask. How many trades and how much was traded is a value, and it is 0.
        assert row[2:] == ["0", "0", *[nothing] * 4, "0", nothing, nothing]


@pytest.mark.parametrize("choice", NO_VALUE)
def test_each_value_comes_with_what_it_is_about(choice: str) -> None:
    """An ask alone gives the ask; a trade gives the prices; a day later the prices are gone again."""
    relay, nothing = world({"ticker.no_value": choice}), NO_VALUE[choice]

    def row() -> list[str]:
        (found,) = told(relay, "get_ticker", market="LRC-ETH")
        assert isinstance(found, list)
        return found

    accepted(relay, order(1))
    assert row()[4:8] == [nothing] * 4
    assert (row()[9], float(row()[10])) == (nothing, 0.0005)
    accepted(relay, bid(1))
    assert [float(value) for value in row()[4:8]] == [0.0005] * 4
    advance(relay, "25h")
    assert row()[4:8] == [nothing] * 4


def test_by_default_every_value_is_a_number() -> None:
    """A client that parses them all is right."""
    for relay in (world(), busy()):
        for row in told(relay, "get_ticker", market=",".join(MARKETS)):
            for value in row[1:]:
                assert 0 <= float(value) < float("inf")


@pytest.mark.parametrize("market", ["LRC-ETH,FOO-ETH", "FOO-ETH,LRC-ETH", "FOO-ETH", "LRC-ETH,", ",", "LRC-ETH,,"])
@pytest.mark.parametrize("make", [world, busy])
def test_an_unknown_market_among_known_ones_is_refused_whole(make: Callable[[], Relay], market: str) -> None:
    """Never a row less than was asked for, nor one of another market."""
    refused_call(call(make(), Request("get_ticker", {"market": market})), "get_ticker", {100001}, "market")


@pytest.mark.parametrize("market", MARKETS)
@pytest.mark.parametrize("level", [0, 1, 2])
def test_an_empty_book_has_two_empty_sides(market: str, level: int) -> None:
    """Lists, not null; with a version and a time like any other."""
    depth = told(world(), "get_depth", market=market, level=level)
    assert (depth["bids"], depth["asks"]) == ([], [])
    assert type(depth["version"]) is type(depth["timestamp"]) is int


@pytest.mark.parametrize("market", MARKETS)
def test_no_trade_is_no_candle_unless_flat_ones_are_chosen(market: str) -> None:
    for choice in ("skip", "flat"):
        assert told(world({"candles.empty": choice}), "get_candlestick", market=market, interval="1min") == []


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
    rows = told(relay, "get_candlestick", market="LRC-ETH", interval="1min", **span)
    assert [(int(row[0]) - traded_ms) / minute_ms for row in rows] == minutes
    for row in rows:
        assert (row[1], row[6], row[7]) == ("0", "0", "0")
        assert {float(price) for price in row[2:6]} == {0.0005}


def test_one_side_may_be_empty() -> None:
    relay = world()
    accepted(relay, order(1))
    depth = told(relay, "get_depth", market="LRC-ETH", level=0)
    assert (len(depth["asks"]), depth["bids"]) == (1, [])
