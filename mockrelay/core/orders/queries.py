"""Queries of orders and of the next order id (spec §14, §16)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, DeferredErrors, Encodable, Refused, cache_view
from mockrelay.core.config import Market
from mockrelay.core.hashing import hash_of_text
from mockrelay.core.models import Order
from mockrelay.core.orders.store import OrderQuery, statuses_of_filter
from mockrelay.core.requests.checks import STORAGE_ID_MAX, highest_request_ids, ids_are_shared, storage_key
from mockrelay.core.units import order_price_text
from mockrelay.spec.codes import Code as C
from mockrelay.spec.vocab import Side
from mockrelay.suggest import in_quotes

if TYPE_CHECKING:
    from mockrelay.core.context import Context

PAGE_DEFAULT = 50
LIMIT_MAX = 50


def page_limit(ctx: Context, asked: int) -> int:
    """The effective `limit`, by the choice `page.limit_max`."""
    if asked > LIMIT_MAX and ctx.decide("page.limit_max") == str(LIMIT_MAX):
        return LIMIT_MAX
    return asked


def market_of(ctx: Context, name: str, code: C, *, field: str = "market") -> Market:
    """The market with this name; refused with this code where there is none."""
    markets = ctx.world.config.markets
    if name not in markets:
        raise Refused(code, f"{field}: {in_quotes(name)} is none of {', '.join(markets)}")
    return markets[name]


def get_order_id(ctx: Context, call: Call) -> str | int:
    """The next order id for the sold token (spec §14)."""
    account = callers_account(ctx, call)
    token_id: int = call.args["tokenSId"]
    if token_id not in ctx.world.config.tokens:
        raise Refused(C.UNKNOWN_ERROR, f"tokenSId: there is no token {token_id}")
    next_id = next_free_id(ctx, account.account_id, token_id)
    if ctx.decide("order_id.get") == "reserve":
        ctx.world.orders.reserve_id(account.account_id, token_id, next_id)
    return next_id if ctx.decide("order_id.json") == "number" else str(next_id)


def next_free_id(ctx: Context, account_id: int, token_id: int) -> int:
    """The order id after the highest used one, where ids are shared of orders and requests together; the lowest free one if
    there is none.
    """
    next_id = ctx.world.orders.next_id(account_id, token_id)
    highest = max(highest_request_ids(ctx, account_id, token_id))
    if highest < next_id or not ids_are_shared(ctx):
        return next_id
    if highest < STORAGE_ID_MAX:
        return highest + 1
    used_ids = set(ctx.world.orders.ids_of(account_id, token_id))
    return next(
        candidate
        for candidate in range(STORAGE_ID_MAX)
        if candidate not in used_ids and storage_key(ctx, account_id, token_id, candidate) not in ctx.world.storage_ids
    )


def get_orders(ctx: Context, call: Call) -> Encodable:
    """A page of the account's orders, newest first, and the number of orders that match the filters (spec §16)."""
    DeferredErrors(call).refuse(C.USER_ID_EMPTY)
    return page_of(ctx, order_query(ctx, call), order_view)


def page_of(ctx: Context, query: OrderQuery, show: Callable[[Context, Order], dict[str, Any]]) -> Encodable:
    """The page of a query, each order by `show`, which a world's calls to it all give alike."""
    pages = ctx.world.orders.pages
    view = pages.get(query)
    if view is None:
        page = ctx.world.orders.page(query)
        view = Encodable({"totalNum": page.total, "orders": [show(ctx, order) for order in page.orders]})
        cache_view(pages, query, view)
    return view


def order_query(ctx: Context, call: Call) -> OrderQuery:
    """The query of a call that lists orders; Refused where it is not the caller's account, or names what does not exist."""
    args = call.args
    account = callers_account(ctx, call)
    market = args.get("market")
    if market is not None:
        market_of(ctx, market, ctx.shape_code(call.endpoint))
    return OrderQuery(
        account.account_id,
        market,
        Side(args["side"]) if "side" in args else None,
        _statuses(ctx, args.get("status")),
        start_ms=args.get("start", 0),
        end_ms=args.get("end", 0) or None,
        before_seq=_seq_of(ctx, account.account_id, args.get("fromHash")),
        offset=args.get("offset", 0),
        limit=page_limit(ctx, args.get("limit", PAGE_DEFAULT)),
    )


def order_view(ctx: Context, order: Order) -> dict[str, Any]:
    """The order as the API shows it (spec, OrderDetail)."""
    return {
        "hash": order.hash,
        "clientOrderId": order.client_order_id,
        "size": str(order.size_base_wei),
        "volume": str(order.volume_quote_wei),
        "price": order_price_text(ctx.world.config.markets[order.market], order),
        "filledSize": str(order.filled_base_wei),
        "filledVolume": str(order.filled_quote_wei),
        "filledFee": str(order.filled_fee_wei),
        "status": order.status,
        "validSince": order.valid_since_s,
        "validUntil": order.valid_until_s,
        "createdAt": order.created_at_ms,
        "side": order.side,
        "market": order.market,
    }


def _statuses(ctx: Context, status: str | None) -> frozenset[str] | None:
    if status is None:
        return None
    alone = ctx.decide("orders.filter_cancelling") == "alone"
    return statuses_of_filter(status, cancelling_alone=alone)


def _seq_of(ctx: Context, account_id: int, from_hash: str | None) -> int | None:
    if from_hash is None:
        return None
    order = ctx.world.orders.by_hash.get(hash_of_text(from_hash))
    if order is not None and order.account_id == account_id:
        return order.seq
    if ctx.decide("orders.unknown_hash") == "empty":
        return 0
    raise Refused(C.UNKNOWN_ERROR, f"fromHash: the account has no order {from_hash}")
