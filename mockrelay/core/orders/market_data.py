"""Queries of order books, candles, tickers and fee rates (spec §10 to §13)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, NamedTuple

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, Encodable, Refused, cache_view
from mockrelay.core.config import Market
from mockrelay.core.layer1_queries import gas_price_text
from mockrelay.core.orders.book import BookSide, DepthRow
from mockrelay.core.orders.queries import PAGE_DEFAULT, market_of, page_limit
from mockrelay.core.orders.trades import DAY_MS, Candle
from mockrelay.core.units import price_text
from mockrelay.spec.codes import Code as C
from mockrelay.spec.vocab import Interval

if TYPE_CHECKING:
    from mockrelay.core.context import Context

MONDAY_MS = 4 * DAY_MS
"""1970-01-05, the first Monday after the epoch."""
MAX_ROWS = 100_000
"""The most flat candles of one answer; a longer range is refused."""


def get_depth(ctx: Context, call: Call) -> Encodable:
    """The book of a market, with prices in steps of 10^level ticks (spec §10)."""
    args, world = call.args, ctx.world
    market = market_of(ctx, args["market"], C.MARKET_UNSUPPORTED)
    level: int = args["level"]
    if level > max(market.levels) and ctx.decide("depth.level_above") == "highest":
        level = max(market.levels)
    if level not in market.levels:
        raise Refused(C.DEPTH_LEVEL_UNSUPPORTED, f"level: {level} is none of {', '.join(map(str, market.levels))}")
    limit = page_limit(ctx, args.get("limit", PAGE_DEFAULT))
    book = world.book(market.name)
    view = book.depth_views.get((level, limit))
    if view is None:
        bids, asks = (_depth_rows(market, side, level, limit) for side in (book.bids, book.asks))
        view = Encodable({"version": book.version, "timestamp": book.updated_ms, "bids": bids, "asks": asks})
        cache_view(book.depth_views, (level, limit), view)
    return view


def get_candlestick(ctx: Context, call: Call) -> Encodable | list[list[str]]:
    """Candles of a market: rows of start, trades, open, close, high, low, base volume, quote volume (spec §11)."""
    args, world = call.args, ctx.world
    market = market_of(ctx, args["market"], C.INVALID_ARGUMENT)
    start_ms, end_ms, limit = args.get("start"), args.get("end"), args.get("limit")
    if start_ms is not None and end_ms is not None and start_ms > end_ms:
        raise Refused(C.INVALID_ARGUMENT, f"start: {start_ms} is after end, {end_ms}")
    interval = Interval(args["interval"])
    offset_ms = _offset_ms(ctx, interval)
    log = world.trade_log(market.name)
    candles = log.candles(interval.length_ms, offset_ms)
    if ctx.decide("candles.empty") == "flat":
        first_ms = 0 if start_ms is None else start_ms
        last_ms = ctx.now_ms if end_ms is None else min(end_ms, ctx.now_ms)
        order = _candle_order(ctx, limit)
        return _candle_rows(market, _flat(candles, interval.length_ms, first_ms, last_ms, *order), *order)
    # No candle starts later than now, so the answer does not depend on the time.
    first = 0 if start_ms is None else bisect_left(candles, start_ms, key=_start_of)
    last = len(candles) if end_ms is None else bisect_right(candles, end_ms, key=_start_of)
    order = _candle_order(ctx, limit)
    key = interval, offset_ms, len(log.trades), first, last, order
    view = log.views.get(key)
    if view is None:
        view = Encodable(_candle_rows(market, candles[first:last], *order))
        cache_view(log.views, key, view)
    return view


def latest_candle(ctx: Context, market: Market, interval: Interval) -> Candle:
    """The candle of a market's newest trade; there must be one."""
    return ctx.world.trade_log(market.name).candles(interval.length_ms, _offset_ms(ctx, interval))[-1]


def _offset_ms(ctx: Context, interval: Interval) -> int:
    """When the first interval after the epoch begins."""
    starts_on_monday = interval is Interval.WEEK_1 and ctx.decide("candles.week_start") == "monday"
    return MONDAY_MS if starts_on_monday else 0


def ticker_row(ctx: Context, market: Market) -> list[str]:
    """The eleven texts of a market's ticker."""
    return _ticker_row(ctx, _ticker_stamp(ctx, market))


def get_ticker(ctx: Context, call: Call) -> Encodable:
    """A row of eleven strings for each requested market (spec §12)."""
    stamps = tuple(
        _ticker_stamp(ctx, market_of(ctx, name, C.INVALID_ARGUMENT)) for name in call.args["market"].split(",")
    )
    views = ctx.world.trade_log(stamps[0].market).views
    view = views.get(stamps)
    if view is None:
        view = Encodable([_ticker_row(ctx, stamp) for stamp in stamps])
        cache_view(views, stamps, view)
    return view


def get_order_fee(ctx: Context, call: Call) -> dict[str, Any]:
    """The account's fee rates in bips, and the gas price (spec §13)."""
    args = call.args
    account = callers_account(ctx, call)
    names = args["market"].split(",")
    for name in names:
        market_of(ctx, name, C.UNKNOWN_ERROR)
    if args["tokenB"] not in ctx.world.config.tokens:
        raise Refused(C.UNKNOWN_ERROR, f"tokenB: there is no token {args['tokenB']}")
    if len(names) > 1 and ctx.decide("order_fee.many_markets") == "refuse":
        raise Refused(C.UNKNOWN_ERROR, "market: one answer holds one market's rates; ask for each by itself")
    rate = {"symbol": names[0], "makerRate": account.maker_bips, "takerRate": account.taker_bips}
    return {"feeRate": rate, "gasPrice": gas_price_text(ctx)}


def _depth_rows(market: Market, side: BookSide, level: int, limit: int) -> list[list[str]]:
    return [depth_row(market, level, row) for row in side.depth(10**level, limit)]


def depth_row(market: Market, level: int, row: DepthRow) -> list[str]:
    """A row of the depth at a level: price, base amount, quote amount, orders."""
    steps, base_wei, quote_wei, orders = row
    return [price_text(market, steps * 10**level), str(base_wei), str(quote_wei), str(orders)]


def _candle_order(ctx: Context, limit: int | None) -> tuple[bool, int | None]:
    """(whether the newest candle comes first, the limit or None)."""
    is_descending = ctx.decide("candles.order") == "descending"
    return is_descending, None if limit is None else page_limit(ctx, limit)


def _between(candles: list[Candle], first_ms: int, last_ms: int) -> list[Candle]:
    first = bisect_left(candles, first_ms, key=_start_of)
    return candles[first : bisect_right(candles, last_ms, key=_start_of)]


def _flat(
    candles: list[Candle], length_ms: int, first_ms: int, last_ms: int, is_descending: bool, limit: int | None
) -> list[Candle]:
    """Candles of all intervals from the first trade on, of which `limit` keeps the newest or the oldest; an interval without
    trades has the last closing price.
    """
    if not candles or candles[0].start_ms > last_ms:
        return []
    # The grid is aligned to an existing candle, which gives weeks the right first day.
    origin_ms = candles[0].start_ms
    start_ms = max(origin_ms, origin_ms - (origin_ms - first_ms) // length_ms * length_ms)
    rows = (last_ms - start_ms) // length_ms + 1
    count = rows if limit is None else min(rows, limit)
    if count > MAX_ROWS:
        raise Refused(C.INVALID_ARGUMENT, f"start, end: {count} rows of this interval; ask for {MAX_ROWS} or fewer")
    if is_descending:
        start_ms += (rows - count) * length_ms
    end_ms = start_ms + count * length_ms
    by_start = {candle.start_ms: candle for candle in _between(candles, start_ms, end_ms - 1)}
    before = bisect_left(candles, start_ms, key=_start_of) - 1
    close_ticks = candles[before].close_ticks if before >= 0 else 0
    flat = []
    for row_ms in range(start_ms, end_ms, length_ms):
        candle = by_start.get(row_ms)
        if candle is None:
            candle = Candle(row_ms, 0, close_ticks, close_ticks, close_ticks, close_ticks, 0, 0)
        close_ticks = candle.close_ticks
        flat.append(candle)
    return flat


def _start_of(candle: Candle) -> int:
    return candle.start_ms


def _candle_rows(market: Market, candles: list[Candle], is_descending: bool, limit: int | None) -> list[list[str]]:
    shown = candles[::-1] if is_descending else candles
    return [candle_row(market, candle) for candle in shown[:limit]]


def candle_row(market: Market, candle: Candle) -> list[str]:
    """A row of the candlestick: start, trades, open, close, high, low, base amount, quote amount."""
    return [
        str(candle.start_ms),
        str(candle.trades),
        price_text(market, candle.open_ticks),
        price_text(market, candle.close_ticks),
        price_text(market, candle.high_ticks),
        price_text(market, candle.low_ticks),
        str(candle.base_wei),
        str(candle.quote_wei),
    ]


class _TickerStamp(NamedTuple):
    """All that a ticker row depends on: rows with equal stamps are equal."""

    market: str
    book_version: int
    trades: int
    window_ms: int | None
    first: int
    """Index of the first trade in the window."""
    no_price: str
    """The text for a price that does not exist."""


def _ticker_stamp(ctx: Context, market: Market) -> _TickerStamp:
    world = ctx.world
    log = world.trade_log(market.name)
    book = world.book(market.name)
    window_ms = DAY_MS if ctx.decide("ticker.window") == "24h" else None
    trades = len(log.trades)
    first = log.first_in(window_ms, ctx.now_ms)
    no_price = ""
    if first == trades or not book.bids.orders or not book.asks.orders:
        no_price = "" if ctx.decide("ticker.no_value") == "empty" else "0"
    return _TickerStamp(market.name, book.version, trades, window_ms, first, no_price)


def _ticker_row(ctx: Context, stamp: _TickerStamp) -> list[str]:
    world, no_price = ctx.world, stamp.no_price
    market = world.config.markets[stamp.market]
    log = world.trade_log(market.name)
    book = world.book(market.name)
    ticker = log.ticker(stamp.window_ms, ctx.now_ms)
    bid, ask = book.bids.best(), book.asks.best()
    updated_ms = max(book.updated_ms, log.trades[-1].at_ms if log.trades else 0)
    if ticker is None:
        traded = ["0", "0", no_price, no_price, no_price, no_price, "0"]
    else:
        traded = [
            str(ticker.base_wei),
            str(ticker.quote_wei),
            *(
                price_text(market, ticks)
                for ticks in (ticker.open_ticks, ticker.high_ticks, ticker.low_ticks, ticker.close_ticks)
            ),
            str(ticker.trades),
        ]
    return [
        market.name,
        str(updated_ms),
        *traded,
        no_price if bid is None else price_text(market, bid.price_ticks),
        no_price if ask is None else price_text(market, ask.price_ticks),
    ]
