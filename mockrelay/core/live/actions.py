"""The functions of the rows of the profile `live`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

from mockrelay.core.blocks.queries import get_block
from mockrelay.core.call import Call
from mockrelay.core.live import (
    accounts,
    balances,
    cancels,
    collections,
    exchange,
    fees,
    histories,
    keys,
    layer1,
    market_data,
    nft,
    nft_histories,
    order_views,
    orders,
    sockets,
    trades,
    transfers,
)
from mockrelay.core.requests.nft_queries import compute_token_address

if TYPE_CHECKING:
    from mockrelay.core.context import Context

LIVE_TOPICS: tuple[ModuleType, ...] = (
    *(accounts, balances, cancels, collections, exchange, fees, histories, keys, layer1, market_data),
    *(nft, nft_histories, order_views, orders, sockets, trades, transfers),
)
"""The files whose functions have the names of rows."""
SHARED_ACTIONS: Mapping[str, Callable[[Context, Call], Any]] = MappingProxyType(
    {
        "get_mix_depth": market_data.get_depth_v3,
        "get_mix_ticker": market_data.get_ticker_v3,
        "get_mix_candlestick": market_data.get_candlestick_v3,
        "get_trades_v3": trades.get_trades,
        "compute_token_address_live": compute_token_address,
        "cancel_orders_v3_by_hash": cancels.cancel_by_hash,
        "cancel_orders_v3_by_client_id": cancels.cancel_by_client_id,
        "get_user_trades_v3": trades.get_user_trades,
        "get_block_live": get_block,
        "post_timestamp_v2": exchange.get_timestamp_v2,
        "submit_orders_v2": orders.submit_batch,
        "cancel_orders_v2_by_hash": cancels.cancel_by_hash,
        "cancel_orders_v2_by_client_id": cancels.cancel_by_client_id,
        "get_user_trades_v2": trades.get_user_trades,
        "get_trades_v2": trades.get_trades,
    }
)
"""The functions of rows that share one with other rows."""
