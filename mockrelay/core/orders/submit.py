"""Submission of an order (spec §15)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call
from mockrelay.core.models import Order
from mockrelay.core.orders.lifecycle import accept_order
from mockrelay.core.orders.validate import RepeatedOrder, validate_order
from mockrelay.spec.fault_effects import HOLD
from mockrelay.spec.vocab import HeldAs, OrderStatus, SubmitOrderStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def submit_order(ctx: Context, call: Call) -> dict[str, Any]:
    """Accept an order, which trades at once if it can and then rests in the book (spec §15)."""
    order, is_idempotent = take(ctx, call, validate_order(ctx, call, call.args))
    return submit_view(order, order.hash, is_idempotent=is_idempotent)


def take(ctx: Context, call: Call, order: Order | RepeatedOrder) -> tuple[Order, bool]:
    """Accept a valid order, or hold it where a fault says so. Returns it as it was accepted, before it traded, and whether that
    was earlier.
    """
    if isinstance(order, RepeatedOrder):
        return order.order, True
    fault = ctx.fire_fault(call, HOLD)
    if fault is not None:
        order = order._replace(held=HeldAs(fault.effect.value), status=OrderStatus.WAITING)
    accept_order(ctx, order)
    return order, False


def submit_view(order: Order, hash_text: str, *, is_idempotent: bool) -> dict[str, Any]:
    """The answer to an order as it was accepted or, held, is repeated (spec, SubmitOrderResponseV3Item)."""
    status = SubmitOrderStatus.NEW_ACTIVED if order.held is None else SubmitOrderStatus.UNKNOWN
    return {"orderHash": hash_text, "status": status, "isIdempotent": is_idempotent}
