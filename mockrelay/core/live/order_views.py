"""Queries of orders (E24, E25; F10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, DeferredErrors, Encodable, Refused
from mockrelay.core.hashing import hash_of_text
from mockrelay.core.live.lists import words_of
from mockrelay.core.models import Order
from mockrelay.core.orders.hash_text import hash_text
from mockrelay.core.orders.queries import order_query, order_view, page_of
from mockrelay.core.orders.store import listed_status
from mockrelay.core.units import order_price_text
from mockrelay.spec.codes import Code as C
from mockrelay.suggest import in_quotes

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def get_order_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """One order (E24), by its hash in hex or in decimal digits."""
    return order_view_v3(ctx, _asked_order(ctx, call))


def get_order_v2(ctx: Context, call: Call) -> dict[str, Any]:
    """One order in the second generation's form (F10)."""
    return live_order_view(ctx, _asked_order(ctx, call))


def get_orders_live(ctx: Context, call: Call) -> Encodable:
    """A page of the account's orders in the second generation's form (F11)."""
    DeferredErrors(call).refuse(C.USER_ID_EMPTY)
    return page_of(ctx, order_query(ctx, call), live_order_view)


def get_orders_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """A page of the account's orders, newest first (E25)."""
    DeferredErrors(call).refuse(C.USER_ID_EMPTY)
    args = call.args
    query = order_query(ctx, call)
    types, channels = words_of(args.get("orderTypes")), words_of(args.get("tradeChannels"))
    if types is None and channels is None:
        total, orders = ctx.world.orders.page(query)
    else:
        everything = ctx.world.orders.page(query._replace(offset=0, limit=len(ctx.world.orders)))
        found = [
            order
            for order in everything.orders
            if (types is None or order.order_type in types) and (channels is None or order.trade_channel in channels)
        ]
        total, orders = len(found), found[query.offset : query.offset + query.limit]
    return {"totalNum": total, "orders": [order_view_v3(ctx, order) for order in orders]}


def live_order_view(ctx: Context, order: Order) -> dict[str, Any]:
    """The order as the second generation shows it: with its type, its hash in the form in which it was answered."""
    return {**order_view(ctx, order), "hash": hash_text(order), "orderType": order.order_type}


def order_view_v3(ctx: Context, order: Order) -> dict[str, Any]:
    """The order as the third generation shows it, its hash in hex whatever its own form."""
    return {
        "hash": order.hash,
        "clientOrderId": order.client_order_id,
        "side": order.side,
        "market": order.market,
        "price": order_price_text(ctx.world.config.markets[order.market], order),
        "volumes": {
            "baseAmount": str(order.size_base_wei),
            "quoteAmount": str(order.volume_quote_wei),
            "baseFilled": str(order.filled_base_wei),
            "quoteFilled": str(order.filled_quote_wei),
            "fee": str(order.filled_fee_wei),
        },
        "validity": {"start": order.valid_since_s, "end": order.valid_until_s},
        "orderType": order.order_type,
        "tradeChannel": order.trade_channel,
        "status": listed_status(order),
        "storageInfo": {"accountId": order.account_id, "tokenId": order.sold_token, "storageId": order.order_id},
    }


def _asked_order(ctx: Context, call: Call) -> Order:
    """The order with the hash that is asked for, of the account that is asked for or of the key's."""
    args, world = call.args, ctx.world
    account_id = args.get("accountId", world.account_of_key.get(call.api_key or ""))
    if "accountId" in args:
        callers_account(ctx, call)
    DeferredErrors(call).refuse(C.ORDER_HASH_EMPTY)
    order = world.orders.by_hash.get(hash_of_text(args["orderHash"]))
    if order is None or account_id not in (None, order.account_id):
        raise Refused(C.ORDER_NOT_FOUND, f"orderHash: the account has no order {in_quotes(args['orderHash'], 80)}")
    return order
