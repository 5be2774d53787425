"""Trades of a market and of an account (E16, user trades; F15, F17)."""

from __future__ import annotations

from heapq import merge
from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, Refused
from mockrelay.core.config import Market
from mockrelay.core.models import Trade
from mockrelay.core.orders.hash_text import hash_of_text
from mockrelay.core.orders.queries import PAGE_DEFAULT
from mockrelay.spec.codes import Code as C
from mockrelay.spec.vocab import Side
from mockrelay.suggest import in_quotes

if TYPE_CHECKING:
    from mockrelay.core.context import Context

_TRADES_DEFAULT = 20
"""Rows of a market's trades where no limit is asked for."""


def get_trades(ctx: Context, call: Call) -> dict[str, Any]:
    """The newest trades of a market, each from the taker's side, and the number of all (E16, F17)."""
    market = _market(ctx, call.args["market"])
    trades = ctx.world.trade_log(market.name).trades
    newest = trades[-call.args.get("limit", _TRADES_DEFAULT) :]
    return {
        "totalNum": len(trades),
        "trades": [_row(market, each, each.taker_side, each.taker.fee_wei) for each in reversed(newest)],
    }


def get_user_trades(ctx: Context, call: Call) -> dict[str, Any]:
    """The account's trades, newest first, each from its own side (user trades; F15)."""
    args, world = call.args, ctx.world
    account = callers_account(ctx, call, "accountId", args["accountId"], C.AUTH_ACCOUNT_ID_INVALID)
    names = tuple(world.config.markets) if "market" not in args else (_market(ctx, args["market"]).name,)
    hash_ = None if "orderHash" not in args else hash_of_text(args["orderHash"])
    before_id = args.get("fromId")
    logs = [[(trade.trade_id, name, trade) for trade in world.trade_log(name).trades] for name in names]
    rows = [
        _row(world.config.markets[name], trade, side, party.fee_wei)
        for trade_id, name, trade in merge(*map(reversed, logs), key=lambda each: each[0], reverse=True)
        for party, side in ((trade.taker, trade.taker_side), (trade.maker, trade.taker_side.opposite))
        if party.account_id == account.account_id and hash_ in (None, party.order_hash)
        if before_id is None or trade_id < before_id
    ]
    first = args.get("offset", 0)
    return {"totalNum": len(rows), "trades": rows[first : first + args.get("limit", PAGE_DEFAULT)]}


def _market(ctx: Context, name: str) -> Market:
    markets = ctx.world.config.markets
    if name not in markets:
        raise Refused(C.MARKET_UNSUPPORTED, f"market: {in_quotes(name)} is none of {', '.join(markets)}")
    return markets[name]


def _row(market: Market, trade: Trade, side: Side, fee_wei: int) -> list[str]:
    """Time in ms, id, side, base amount, price with all decimals of the market, market, fee in the token received."""
    whole, fraction = divmod(trade.price_ticks, 10**market.price_precision)
    price = f"{whole}.{fraction:0{market.price_precision}d}"
    return [str(trade.at_ms), str(trade.trade_id), side, str(trade.base_wei), price, market.name, str(fee_wei)]
