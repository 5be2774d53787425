"""The lifecycle of an order: acceptance, activation, cancellation, expiry, release (transitions: `spec.transitions.ORDER`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockrelay.core.events import EventKind
from mockrelay.core.models import Order
from mockrelay.core.orders.matching import end_order, enter_market, leave_book
from mockrelay.core.orders.validate import SKEW_S
from mockrelay.spec.request_kinds import AT_ONCE, AfterUnit
from mockrelay.spec.transitions import ORDER, OrderTrigger, can, step
from mockrelay.spec.vocab import OrderStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def accept_order(ctx: Context, order: Order) -> Order:
    """Accept a new order: freeze its amount, plan its expiry, and let it trade unless it waits. Returns its new state."""
    world = ctx.world
    world.ledger.freeze(order.account_id, order.sold_token, order.amount_sold_wei)
    world.orders.add(order)
    ctx.note_move("order", order.hash, None, order.status)
    world.events.plan(order.valid_until_s * 1000, EventKind.ORDER_EXPIRES, order.hash)
    if order.status is not OrderStatus.WAITING:
        return enter_market(ctx, order, ctx.now_ms)
    if _lies_ahead(ctx, order):
        world.events.plan(order.valid_since_s * 1000, EventKind.ORDER_STARTS, order.hash)
    return order


def activate(ctx: Context, order: Order, at_ms: int) -> Order:
    """Make a waiting order active and let it trade. Returns its new state."""
    active = order._replace(status=step(ORDER, order.status, OrderTrigger.ACTIVATED), held=None)
    ctx.note_move("order", order.hash, order.status, active.status)
    ctx.world.orders.replace(order, active)
    return enter_market(ctx, active, at_ms)


def request_cancel(ctx: Context, order: Order, at_ms: int) -> Order:
    """Take an open order out of the book; its amount stays frozen until the cancellation completes."""
    cancelling = order._replace(status=step(ORDER, order.status, OrderTrigger.CANCEL_ASKED), held=None)
    ctx.note_move("order", order.hash, order.status, cancelling.status)
    ctx.world.orders.replace(order, cancelling)
    if order.status is OrderStatus.PROCESSING:
        leave_book(ctx, order, at_ms)
    duration = ctx.world.config.cancel
    if duration.unit is AfterUnit.TIME:
        ctx.world.events.plan(at_ms + duration.amount, EventKind.CANCEL_DONE, order.hash)
    return cancelling


def cancel(ctx: Context, order: Order, at_ms: int) -> Order:
    """Cancel an open order, at once if cancellations take no time. Returns its new state."""
    cancelling = request_cancel(ctx, order, at_ms)
    return end_order(ctx, cancelling, OrderTrigger.CANCEL_DONE) if ctx.world.config.cancel == AT_ONCE else cancelling


def release(ctx: Context, order: Order, *, failed: bool, at_ms: int) -> Order:
    """Release a held order: as an ordinary order, or as `failed`, which ends it. Returns its new state."""
    assert order.held is not None
    if failed:
        return end_order(ctx, order, OrderTrigger.FAILED)
    if _lies_ahead(ctx, order):
        waiting = order._replace(held=None)
        ctx.world.orders.replace(order, waiting)
        ctx.world.events.plan(order.valid_since_s * 1000, EventKind.ORDER_STARTS, order.hash)
        return waiting
    return activate(ctx, order, at_ms)


def expire_order(ctx: Context, hash_: str, at_ms: int) -> None:
    """Event: `validUntil` is reached; an open order expires."""
    order = ctx.world.orders.by_hash[hash_]
    if not can(ORDER, order.status, OrderTrigger.EXPIRED):
        return
    end_order(ctx, order, OrderTrigger.EXPIRED)
    if order.status is OrderStatus.PROCESSING:
        leave_book(ctx, order, at_ms)


def start_order(ctx: Context, hash_: str, at_ms: int) -> None:
    """Event: `validSince` is reached; an order that waits for it becomes active."""
    order = ctx.world.orders.by_hash[hash_]
    if order.status is OrderStatus.WAITING and order.held is None:
        activate(ctx, order, at_ms)


def finish_cancel(ctx: Context, hash_: str, at_ms: int) -> None:
    """Event: a cancellation completes."""
    order = ctx.world.orders.by_hash[hash_]
    if order.status is OrderStatus.CANCELLING:
        end_order(ctx, order, OrderTrigger.CANCEL_DONE)


def _lies_ahead(ctx: Context, order: Order) -> bool:
    return order.valid_since_s > ctx.now_s + SKEW_S and ctx.decide("order.valid_since_future") == "wait"
