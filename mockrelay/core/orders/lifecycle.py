"""How an order moves: into the market, on to its end, and out of a hold (transitions: `spec.transitions.ORDER`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockrelay.core.events import EventKind
from mockrelay.core.models import Order
from mockrelay.core.orders.matching import end_order, enter_market, leave_book
from mockrelay.core.orders.validate import SKEW_S
from mockrelay.spec.request_kinds import AfterUnit
from mockrelay.spec.transitions import ORDER, OrderTrigger, can, step
from mockrelay.spec.vocab import OrderStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def accept_order(ctx: Context, order: Order) -> Order:
    """A new order: its money is frozen, its end is planned, and it trades unless it waits. Returns it as it is then."""
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
    """A waiting order becomes active and meets the market."""
    active = order._replace(status=step(ORDER, order.status, OrderTrigger.ACTIVATED), held=None)
    ctx.note_move("order", order.hash, order.status, active.status)
    ctx.world.orders.replace(order, active)
    return enter_market(ctx, active, at_ms)


def request_cancel(ctx: Context, order: Order, at_ms: int) -> Order:
    """An open order leaves the book at once; its money stays frozen until the cancellation is done."""
    cancelling = order._replace(status=step(ORDER, order.status, OrderTrigger.CANCEL_ASKED), held=None)
    ctx.note_move("order", order.hash, order.status, cancelling.status)
    ctx.world.orders.replace(order, cancelling)
    if order.status is OrderStatus.PROCESSING:
        leave_book(ctx, order, at_ms)
    duration = ctx.world.config.cancel
    if duration.unit is AfterUnit.TIME:
        ctx.world.events.plan(at_ms + duration.amount, EventKind.CANCEL_DONE, order.hash)
    return cancelling


def release(ctx: Context, order: Order, *, failed: bool, at_ms: int) -> Order:
    """A held order is settled: as active it is an ordinary order from now on, as failed it ends."""
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
    """`validUntil` has come: an order that is still open ends."""
    order = ctx.world.orders.by_hash[hash_]
    if not can(ORDER, order.status, OrderTrigger.EXPIRED):
        return
    end_order(ctx, order, OrderTrigger.EXPIRED)
    if order.status is OrderStatus.PROCESSING:
        leave_book(ctx, order, at_ms)


def start_order(ctx: Context, hash_: str, at_ms: int) -> None:
    """`validSince` has come: an order that waits for it starts."""
    order = ctx.world.orders.by_hash[hash_]
    if order.status is OrderStatus.WAITING and order.held is None:
        activate(ctx, order, at_ms)


def finish_cancel(ctx: Context, hash_: str, at_ms: int) -> None:
    """A cancellation is done."""
    order = ctx.world.orders.by_hash[hash_]
    if order.status is OrderStatus.CANCELLING:
        end_order(ctx, order, OrderTrigger.CANCEL_DONE)


def _lies_ahead(ctx: Context, order: Order) -> bool:
    return order.valid_since_s > ctx.now_s + SKEW_S and ctx.decide("order.valid_since_future", {}) == "wait"
