"""Market data worked out anew from lists of orders and trades: depth, ticker and candles, prices as fractions."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from tests.properties.models.exchange import Market
from tests.properties.models.order_records import Order, Pair, Trade

DAY_MS = 86_400_000
MONDAY_MS = 4 * DAY_MS
"""1970-01-05 was a Monday."""
INTERVALS_MS = {
    "1min": 60_000,
    "5min": 5 * 60_000,
    "15min": 15 * 60_000,
    "30min": 30 * 60_000,
    "1hr": 3_600_000,
    "2hr": 2 * 3_600_000,
    "4hr": 4 * 3_600_000,
    "12hr": 12 * 3_600_000,
    "1d": DAY_MS,
    "1w": 7 * DAY_MS,
}


class Step(NamedTuple):
    """An item of the depth."""

    price: Fraction
    size: int
    volume: int
    orders: int


class Candle(NamedTuple):
    """A row of the candlestick."""

    start_ms: int
    trades: int
    open: Fraction
    close: Fraction
    high: Fraction
    low: Fraction
    base: int
    quote: int


def depth_side(resting: Sequence[Order], side: str, pair: Pair, level: int, limit: int) -> list[Step]:
    """One side of the book in steps of 10^level ticks: a bid's price rounded down, an ask's up; best first."""
    step = Fraction(10**level, 10**pair.precision)
    gathered: dict[Fraction, list[Order]] = {}
    for order in resting:
        steps = pair.shown(order.price, side) / step
        price = step * (floor(steps) if side == "BUY" else ceil(steps))
        gathered.setdefault(price, []).append(order)
    rows = [
        Step(price, sum(one.rest for one in orders), sum(one.rest_quote for one in orders), len(orders))
        for price, orders in sorted(gathered.items(), reverse=side == "BUY")
    ]
    return rows[:limit]


def candles(trades: Sequence[Trade], interval: str, *, epoch_weeks: bool) -> list[Candle]:
    """The intervals with trades, oldest first."""
    found: dict[int, list[Trade]] = {}
    for trade in trades:
        found.setdefault(bucket_ms(trade.at_ms, interval, epoch_weeks=epoch_weeks), []).append(trade)
    return [candle(start_ms, inside) for start_ms, inside in sorted(found.items())]


def flat_candles(
    trades: Sequence[Trade], interval: str, start_ms: int, now_ms: int, *, epoch_weeks: bool
) -> list[Candle]:
    """Every interval that starts from `start_ms` to now, from the first trade on; an empty one repeats the last price."""
    length_ms = INTERVALS_MS[interval]
    first_ms = bucket_ms(start_ms + length_ms - 1, interval, epoch_weeks=epoch_weeks)
    rows: list[Candle] = []
    for row_ms in range(first_ms, now_ms + 1, length_ms):
        inside = [trade for trade in trades if row_ms <= trade.at_ms < row_ms + length_ms]
        before = [trade for trade in trades if trade.at_ms < row_ms]
        if inside:
            rows.append(candle(row_ms, inside))
        elif before:
            last = before[-1].price
            rows.append(Candle(row_ms, 0, last, last, last, last, 0, 0))
    return rows


def bucket_ms(at_ms: int, interval: str, *, epoch_weeks: bool) -> int:
    """When the interval that holds this moment starts: at a multiple of its length, a week on a Monday unless told."""
    offset_ms = MONDAY_MS if interval == "1w" and not epoch_weeks else 0
    return at_ms - (at_ms - offset_ms) % INTERVALS_MS[interval]


def candle(start_ms: int, trades: Sequence[Trade]) -> Candle:
    """What some trades, oldest first, add up to."""
    prices = [trade.price for trade in trades]
    base, quote = sum(trade.base for trade in trades), sum(trade.quote for trade in trades)
    return Candle(start_ms, len(trades), prices[0], prices[-1], max(prices), min(prices), base, quote)


def ticker(market: Market, pair: Pair) -> list[Fraction | int | None]:
    """A ticker row after its first two fields; None where there is no value."""
    inside = market.trades(pair)
    if market.choices["ticker.window"] == "24h":
        inside = [trade for trade in inside if trade.at_ms > market.now_ms - DAY_MS]
    best = [next(iter(market.resting(pair, side)), None) for side in ("BUY", "SELL")]
    tops = [None if order is None else pair.shown(order.price, order.side) for order in best]
    if not inside:
        return [0, 0, None, None, None, None, 0, *tops]
    whole = candle(0, inside)
    return [whole.base, whole.quote, whole.open, whole.high, whole.low, whole.close, whole.trades, *tops]
