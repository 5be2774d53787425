"""Books, tickers and candles (E13 to E15), from the views of the second generation."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call, Encodable
from mockrelay.core.orders import market_data
from mockrelay.core.orders.queries import market_of
from mockrelay.spec.codes import Code as C

if TYPE_CHECKING:
    from mockrelay.core.context import Context

_NO_FEES = ("0", "0")
"""The last two columns of a ticker: fees in the base and in the quote token, which the world does not sum up."""


def get_depth_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """The book of a market (E13)."""
    call = replace(call, args={"level": 0, **call.args})
    view = market_data.get_depth(ctx, call).payload
    return {
        "version": view["version"],
        "timestamp": view["timestamp"],
        "market": call.args["market"],
        "bids": view["bids"],
        "asks": view["asks"],
    }


def get_ticker_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """A row of thirteen texts for each market asked for (E14)."""
    _check_markets(ctx, call)
    return {"tickers": [[*row, *_NO_FEES] for row in market_data.get_ticker(ctx, call).payload]}


def get_candlestick_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """Candles of a market (E15)."""
    _check_markets(ctx, call)
    rows = market_data.get_candlestick(ctx, call)
    return {"candlesticks": rows.payload if isinstance(rows, Encodable) else rows}


def _check_markets(ctx: Context, call: Call) -> None:
    for name in call.args["market"].split(","):
        market_of(ctx, name, C.MARKET_UNSUPPORTED)
