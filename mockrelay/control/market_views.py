"""The views of markets and of what is to come: books, trades, candles, events that fall due, the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.control.fields import Fields
from mockrelay.core.errors import BAD, MISSING, CommandRefused
from mockrelay.core.orders.market_data import MONDAY_MS
from mockrelay.core.units import price_text
from mockrelay.journal.views import EVENT_TEXTS
from mockrelay.relay import Relay
from mockrelay.spec.vocab import Interval
from mockrelay.suggest import in_quotes

if TYPE_CHECKING:
    from mockrelay.core.config import Market
    from mockrelay.core.context import Context
    from mockrelay.core.models import Trade, TradeParty
    from mockrelay.core.orders.book import BookSide

ROWS_DEFAULT = 100
"""How many rows a view shows that is not asked for a number."""
ROWS_MAX = 10_000
_INTERVALS = tuple(map(str, Interval))

Words = tuple[str, ...]


def show_markets(relay: Relay, fields: Fields, words: Words) -> Any:
    """All markets: their tokens, the best prices, the last trade."""
    with relay.locked_context() as ctx:
        return [_market_view(ctx, market) for market in ctx.world.config.markets.values()]


def show_book(relay: Relay, fields: Fields, words: Words) -> Any:
    """A market's book, the best prices first."""
    limit = _rows(fields, "limit")
    with relay.locked_context() as ctx:
        market = _market_of(ctx, words[0])
        level = fields.integer("level") if "level" in fields else min(market.levels)
        if level not in market.levels:
            raise CommandRefused(
                BAD, f"{level} is not a level of this market", "level", f"one of {', '.join(map(str, market.levels))}"
            )
        book = ctx.world.book(market.name)
        return {
            "market": market.name,
            "level": level,
            "version": book.version,
            "updated_ms": book.updated_ms,
            "bids": _book_rows(market, book.bids, level, limit),
            "asks": _book_rows(market, book.asks, level, limit),
        }


def show_trades(relay: Relay, fields: Fields, words: Words) -> Any:
    """A market's newest trades, oldest first."""
    last = _rows(fields, "last")
    with relay.locked_context() as ctx:
        market = _market_of(ctx, words[0])
        trades = ctx.world.trade_log(market.name).trades
        return {"total": len(trades), "trades": [_trade_view(market, trade) for trade in trades[-last:]]}


def show_candles(relay: Relay, fields: Fields, words: Words) -> Any:
    """A market's newest candles, oldest first; an interval without trades has none."""
    interval = Interval(fields.one_of("interval", _INTERVALS)) if "interval" in fields else Interval.MIN_1
    last = _rows(fields, "last")
    with relay.locked_context() as ctx:
        market = _market_of(ctx, words[0])
        is_monday = interval is Interval.WEEK_1 and ctx.world.choices["candles.week_start"] == "monday"
        candles = ctx.world.trade_log(market.name).candles(interval.length_ms, MONDAY_MS if is_monday else 0)
        return [
            {
                "start_ms": candle.start_ms,
                "trades": candle.trades,
                "open": price_text(market, candle.open_ticks),
                "high": price_text(market, candle.high_ticks),
                "low": price_text(market, candle.low_ticks),
                "close": price_text(market, candle.close_ticks),
                "size": str(candle.base_wei),
                "volume": str(candle.quote_wei),
            }
            for candle in candles[-last:]
        ]


def show_due(relay: Relay, fields: Fields, words: Words) -> Any:
    """What falls due next, earliest first: orders that expire, requests that move on, blocks, entries of the timeline."""
    limit = _rows(fields, "limit")
    with relay.locked_context() as ctx:
        events = ctx.world.events.in_order()
        return {
            "now_ms": ctx.now_ms,
            "total": len(events),
            "due": [
                {
                    "at_ms": event.at_ms,
                    "event": event.kind.name.lower(),
                    "subject": event.subject,
                    "text": EVENT_TEXTS[event.kind],
                }
                for event in events[:limit]
            ],
        }


def show_timeline(relay: Relay, fields: Fields, words: Words) -> Any:
    """The scenario's timeline: its commands, their moments, and whether these have come."""
    with relay.locked_context() as ctx:
        start_ms = ctx.world.start_ms
        return [
            {
                "at_ms": start_ms + entry.at_ms,
                "command": entry.command.name,
                "fields": entry.command.fields(),
                "done": start_ms + entry.at_ms <= ctx.now_ms,
            }
            for entry in ctx.world.config.timeline
        ]


def _market_of(ctx: Context, name: str) -> Market:
    market = ctx.world.config.markets.get(name)
    if market is None:
        meant = f"one of {', '.join(ctx.world.config.markets)}"
        raise CommandRefused(MISSING, f"there is no market {in_quotes(name, 60)}", "name", meant)
    return market


def _rows(fields: Fields, name: str) -> int:
    """The number of rows asked for."""
    rows = fields.integer(name, least=1) if name in fields else ROWS_DEFAULT
    if rows > ROWS_MAX:
        raise CommandRefused(BAD, f"{rows} is not valid", name, f"a whole number from 1 to {ROWS_MAX}")
    return rows


def _market_view(ctx: Context, market: Market) -> dict[str, Any]:
    book, trades = ctx.world.book(market.name), ctx.world.trade_log(market.name).trades
    bid, ask = book.bids.best(), book.asks.best()
    return {
        "market": market.name,
        "base": _token_view(market.base.symbol, market.base.token_id, market.base.decimals),
        "quote": _token_view(market.quote.symbol, market.quote.token_id, market.quote.decimals),
        "pricePrecision": market.price_precision,
        "levels": list(market.levels),
        "bid": None if bid is None else price_text(market, bid.price_ticks),
        "ask": None if ask is None else price_text(market, ask.price_ticks),
        "last": price_text(market, trades[-1].price_ticks) if trades else None,
        "orders": len(book.bids.orders) + len(book.asks.orders),
        "trades": len(trades),
        "version": book.version,
    }


def _token_view(symbol: str, token_id: int, decimals: int) -> dict[str, Any]:
    return {"symbol": symbol, "tokenId": token_id, "decimals": decimals}


def _book_rows(market: Market, side: BookSide, level: int, limit: int) -> list[dict[str, Any]]:
    return [
        {
            "price": price_text(market, steps * 10**level),
            "size": str(base_wei),
            "volume": str(quote_wei),
            "orders": orders,
        }
        for steps, base_wei, quote_wei, orders in side.depth(10**level, limit)
    ]


def _trade_view(market: Market, trade: Trade) -> dict[str, Any]:
    return {
        "id": trade.trade_id,
        "at_ms": trade.at_ms,
        "price": price_text(market, trade.price_ticks),
        "size": str(trade.base_wei),
        "volume": str(trade.quote_wei),
        "side": trade.taker_side,
        "taker": _party_view(trade.taker),
        "maker": _party_view(trade.maker),
    }


def _party_view(party: TradeParty) -> dict[str, Any]:
    return {"accountId": party.account_id, "order": party.order_hash or None, "fee": str(party.fee_wei)}
