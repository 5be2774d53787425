"""Orders: submitting, listing, and what happens to them by time or by hand (spec §14 to §16)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import own_account
from mockrelay.core.call import Call, Encodable, Refused
from mockrelay.core.events import DueKind
from mockrelay.core.flaws import Turns
from mockrelay.core.keeping import keep
from mockrelay.core.machine import can, step
from mockrelay.core.models import Order
from mockrelay.core.orders.matching import end_order, enter_market, leave_book
from mockrelay.core.orders.store import Query, words_of_filter
from mockrelay.core.orders.validate import SKEW_S, Repeat, validate_order
from mockrelay.core.paging import page_limit
from mockrelay.core.requests.checks import ids_are_shared, storage_key
from mockrelay.core.units import order_price_text
from mockrelay.spec.codes import Code as C
from mockrelay.spec.fault_effects import HOLD
from mockrelay.spec.request_kinds import AfterUnit
from mockrelay.spec.transitions import ORDER, OrderTrigger
from mockrelay.spec.vocab import HeldAs, OrderStatus, Side, SubmitOrderStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context

PAGE = 50


def get_order_id(ctx: Context, call: Call) -> str:
    """The next order id for the sold token (spec §14)."""
    account = own_account(ctx, call, C.AUTH_ACCOUNT_ID_INVALID)
    token_id: int = call.args["tokenSId"]
    if token_id not in ctx.world.setting.tokens:
        raise Refused(C.UNKNOWN_ERROR, f"tokenSId: there is no token {token_id}")
    next_id = next_free_id(ctx, account.account_id, token_id)
    if ctx.decide("order_id.get", {}) == "reserve":
        ctx.world.shelf.reserve_id(account.account_id, token_id, next_id)
    return str(next_id)


def next_free_id(ctx: Context, account_id: int, token_id: int) -> int:
    """The order id that the account's next order of this token gets if it takes no other."""
    next_id = ctx.world.shelf.next_id(account_id, token_id)
    while storage_key(ctx, account_id, token_id, next_id) in ctx.world.storage_ids and ids_are_shared(ctx):
        next_id += 1
    return next_id


def submit_order(ctx: Context, call: Call) -> dict[str, Any]:
    """Take an order, trade what can be traded and let the rest wait in the book (spec §15)."""
    order = validate_order(ctx, call)
    if isinstance(order, Repeat):
        return _submit_view(order.order.hash, SubmitOrderStatus.UNKNOWN, is_idempotent=True)
    fault = ctx.take_fault(call, HOLD)
    if fault is not None:
        order = order._replace(held=HeldAs(fault.effect.value), status=OrderStatus.WAITING)
    enter(ctx, order)
    status = SubmitOrderStatus.NEW_ACTIVED if order.held is None else SubmitOrderStatus.UNKNOWN
    return _submit_view(order.hash, status, is_idempotent=False)


def enter(ctx: Context, order: Order) -> Order:
    """A new order: its money is frozen, its end is planned, and it trades unless it waits. Returns it as it is then."""
    world = ctx.world
    world.ledger.freeze(order.account_id, order.sold_token, order.amount_sold_wei)
    world.shelf.add(order)
    ctx.moved("order", order.hash, None, order.status)
    world.agenda.plan(order.valid_until_s * 1000, DueKind.ORDER_EXPIRES, order.hash)
    if order.status is not OrderStatus.WAITING:
        return enter_market(ctx, order, ctx.now_ms)
    if _lies_ahead(ctx, order):
        world.agenda.plan(order.valid_since_s * 1000, DueKind.ORDER_STARTS, order.hash)
    return order


def get_orders(ctx: Context, call: Call) -> Encodable:
    """A page of the account's orders, newest first, and how many the filters leave (spec §16)."""
    Turns(call)(C.USER_ID_EMPTY)
    args = call.args
    account = own_account(ctx, call, C.AUTH_ACCOUNT_ID_INVALID)
    world = ctx.world
    market = args.get("market")
    if market is not None and market not in world.setting.markets:
        raise Refused(C.UNKNOWN_ERROR, f"market: {market!r} is none of {', '.join(world.setting.markets)}")
    query = Query(
        account.account_id,
        market,
        Side(args["side"]) if "side" in args else None,
        _words(ctx, args.get("status")),
        start_ms=args.get("start", 0),
        end_ms=args.get("end", 0) or None,
        before_seq=_seq_of(ctx, account.account_id, args.get("fromHash")),
        offset=args.get("offset", 0),
        limit=page_limit(ctx, args.get("limit", PAGE)),
    )
    view = world.shelf.pages.get(query)
    if view is None:
        page = world.shelf.page(query)
        view = Encodable({"totalNum": page.total, "orders": [order_view(ctx, order) for order in page.orders]})
        keep(world.shelf.pages, query, view)
    return view


def order_view(ctx: Context, order: Order) -> dict[str, Any]:
    """The order as the API shows it (spec, OrderDetail)."""
    return {
        "hash": order.hash,
        "clientOrderId": order.client_order_id,
        "size": str(order.size_base_wei),
        "volume": str(order.volume_quote_wei),
        "price": order_price_text(ctx.world.setting.markets[order.market], order),
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


def start(ctx: Context, order: Order, at_ms: int) -> Order:
    """A waiting order becomes active and meets the market."""
    active = order._replace(status=step(ORDER, order.status, OrderTrigger.ACTIVATED), held=None)
    ctx.moved("order", order.hash, order.status, active.status)
    ctx.world.shelf.replace(order, active)
    return enter_market(ctx, active, at_ms)


def ask_cancel(ctx: Context, order: Order, at_ms: int) -> Order:
    """An open order leaves the book at once; its money stays frozen until the cancellation is done."""
    cancelling = order._replace(status=step(ORDER, order.status, OrderTrigger.CANCEL_ASKED), held=None)
    ctx.moved("order", order.hash, order.status, cancelling.status)
    ctx.world.shelf.replace(order, cancelling)
    if order.status is OrderStatus.PROCESSING:
        leave_book(ctx, order, at_ms)
    duration = ctx.world.setting.cancel
    if duration.unit is AfterUnit.TIME:
        ctx.world.agenda.plan(at_ms + duration.amount, DueKind.CANCEL_DONE, order.hash)
    return cancelling


def release(ctx: Context, order: Order, *, failed: bool, at_ms: int) -> Order:
    """A held order is settled: as active it is an ordinary order from now on, as failed it ends."""
    assert order.held is not None
    if failed:
        return end_order(ctx, order, OrderTrigger.FAILED)
    if _lies_ahead(ctx, order):
        waiting = order._replace(held=None)
        ctx.world.shelf.replace(order, waiting)
        ctx.world.agenda.plan(order.valid_since_s * 1000, DueKind.ORDER_STARTS, order.hash)
        return waiting
    return start(ctx, order, at_ms)


def expiry_due(ctx: Context, hash_: str, at_ms: int) -> None:
    """`validUntil` has come: an order that is still open ends."""
    order = ctx.world.shelf.by_hash[hash_]
    if not can(ORDER, order.status, OrderTrigger.EXPIRED):
        return
    end_order(ctx, order, OrderTrigger.EXPIRED)
    if order.status is OrderStatus.PROCESSING:
        leave_book(ctx, order, at_ms)


def start_due(ctx: Context, hash_: str, at_ms: int) -> None:
    """`validSince` has come: an order that waits for it starts."""
    order = ctx.world.shelf.by_hash[hash_]
    if order.status is OrderStatus.WAITING and order.held is None:
        start(ctx, order, at_ms)


def cancel_due(ctx: Context, hash_: str, at_ms: int) -> None:
    """A cancellation is done."""
    order = ctx.world.shelf.by_hash[hash_]
    if order.status is OrderStatus.CANCELLING:
        end_order(ctx, order, OrderTrigger.CANCEL_DONE)


def _submit_view(hash_: str, status: SubmitOrderStatus, *, is_idempotent: bool) -> dict[str, Any]:
    return {"orderHash": hash_, "status": status, "isIdempotent": is_idempotent}


def _lies_ahead(ctx: Context, order: Order) -> bool:
    return order.valid_since_s > ctx.now_s + SKEW_S and ctx.decide("order.valid_since_future", {}) == "wait"


def _words(ctx: Context, status: str | None) -> frozenset[str] | None:
    if status is None:
        return None
    alone = ctx.decide("orders.filter_cancelling", {}) == "alone"
    return words_of_filter(status, cancelling_alone=alone)


def _seq_of(ctx: Context, account_id: int, from_hash: str | None) -> int | None:
    if from_hash is None:
        return None
    order = ctx.world.shelf.by_hash.get(from_hash.lower())
    if order is not None and order.account_id == account_id:
        return order.seq
    if ctx.decide("orders.unknown_hash", {}) == "empty":
        return 0
    raise Refused(C.UNKNOWN_ERROR, f"fromHash: the account has no order {from_hash}")
