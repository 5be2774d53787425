"""Trades of a market and of an account (E16, user trades; F15, F17)."""

from __future__ import annotations

from heapq import merge
from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, DeferredErrors
from mockrelay.core.config import Market
from mockrelay.core.hashing import hash_of_text
from mockrelay.core.live.lists import page_of
from mockrelay.core.models import Trade
from mockrelay.core.orders.queries import market_of
from mockrelay.spec.codes import Code as C
from mockrelay.spec.vocab import Side

if TYPE_CHECKING:
    from mockrelay.core.context import Context

_TRADES_DEFAULT = 20
"""Rows of a market's trades where no limit is asked for."""


def get_trades(ctx: Context, call: Call) -> dict[str, Any]:
    """The newest trades of a market, each from the taker's side, and the number of all (E16, F17)."""
    market = market_of(ctx, call.args["market"], C.MARKET_UNSUPPORTED)
    trades = ctx.world.trade_log(market.name).trades
    newest = trades[-call.args.get("limit", _TRADES_DEFAULT) :]
    return {
        "totalNum": len(trades),
        "trades": [trade_row(market, each, each.taker_side, each.taker.fee_wei) for each in reversed(newest)],
    }


def get_user_trades(ctx: Context, call: Call) -> dict[str, Any]:
    """The account's trades, newest first, each from its own side (E30, F15)."""
    DeferredErrors(call).refuse(C.USER_ID_EMPTY)
    args, world = call.args, ctx.world
    account = callers_account(ctx, call)
    names = (
        tuple(world.config.markets)
        if "market" not in args
        else (market_of(ctx, args["market"], C.MARKET_UNSUPPORTED).name,)
    )
    hash_ = None if "orderHash" not in args else hash_of_text(args["orderHash"])
    before_id = args.get("fromId")
    logs = [[(trade.trade_id, name, trade) for trade in world.trade_log(name).trades] for name in names]
    rows = [
        (world.config.markets[name], trade, side, party.fee_wei)
        for trade_id, name, trade in merge(*map(reversed, logs), key=lambda each: each[0], reverse=True)
        for party, side in ((trade.taker, trade.taker_side), (trade.maker, trade.taker_side.opposite))
        if party.account_id == account.account_id and hash_ in (None, party.order_hash)
        if before_id is None or trade_id < before_id
    ]
    return page_of(ctx, call, "trades", rows, lambda row: trade_row(*row))


def trade_row(market: Market, trade: Trade, side: Side, fee_wei: int) -> list[str]:
    """Time in ms, id, side, base amount, price with all decimals of the market, market, fee in the token received."""
    whole, fraction = divmod(trade.price_ticks, 10**market.price_precision)
    price = f"{whole}.{fraction:0{market.price_precision}d}"
    return [str(trade.at_ms), str(trade.trade_id), side, str(trade.base_wei), price, market.name, str(fee_wei)]
