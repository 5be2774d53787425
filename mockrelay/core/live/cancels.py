"""Cancelling orders (E26, E27; F12, F13)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, Refused
from mockrelay.core.hashing import hash_of_text
from mockrelay.core.live.orders import receipt
from mockrelay.core.models import Account, Order
from mockrelay.core.orders.lifecycle import cancel
from mockrelay.core.signatures import format as signature_format
from mockrelay.spec.codes import Code as C
from mockrelay.spec.transitions import ORDER, OrderTrigger, can

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def cancel_order_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """Cancel an order by hash or clientOrderId, or without either all open ones; shows the first of them (E26)."""
    first = _cancelled(ctx, call)[0]
    return receipt(first, first.status, is_idempotent=False)


def cancel_orders_v2(ctx: Context, call: Call) -> bool:
    """Cancel an order by hash or clientOrderId, or without either all open ones; whether it was done (F12)."""
    _cancelled(ctx, call)
    return True


def cancel_by_hash(ctx: Context, call: Call) -> list[dict[str, Any]]:
    """Cancel up to ten orders by their hashes; what became of each, in the same order (E27, F13)."""
    return _cancelled_each(ctx, call, call.args["orderHash"], _with_hash)


def cancel_by_client_id(ctx: Context, call: Call) -> list[dict[str, Any]]:
    """Cancel up to ten orders by their clientOrderIds; what became of each, in the same order (E27, F13)."""
    return _cancelled_each(ctx, call, call.args["clientOrderId"], _with_client_id)


def _cancelled(ctx: Context, call: Call) -> list[Order]:
    """The orders that a call cancels, as they are then; Refused where none of them is open."""
    account, args = _signer(ctx, call), call.args
    orders = ctx.world.orders
    if "orderHash" in args:
        found = _with_hash(ctx, account, args["orderHash"])
    elif "clientOrderId" in args:
        found = _with_client_id(ctx, account, args["clientOrderId"])
    else:
        found = [order for order in orders.by_hash.values() if order.account_id == account.account_id]
    open_orders = _open(found)
    if not open_orders:
        state = f"; the order is {found[0].status}" if len(found) == 1 else ""
        raise Refused(C.ORDERS_NOT_OPEN, f"account {account.account_id} has no such open order{state}")
    return [cancel(ctx, order, ctx.now_ms) for order in open_orders]


def _cancelled_each(
    ctx: Context, call: Call, ids: str, find: Callable[[Context, Account, str], list[Order]]
) -> list[dict[str, Any]]:
    account = _signer(ctx, call)
    error = {"code": int(C.ORDERS_NOT_OPEN), "message": C.ORDERS_NOT_OPEN.meaning}
    answers: list[dict[str, Any]] = []
    for id_ in ids.split(","):
        open_orders = _open(find(ctx, account, id_))
        for order in open_orders:
            cancel(ctx, order, ctx.now_ms)
        answers.append({"id": id_, "result": True} if open_orders else {"id": id_, "result": False, "error": error})
    return answers


def _open(orders: list[Order]) -> list[Order]:
    """Those that can be cancelled."""
    return [order for order in orders if can(ORDER, order.status, OrderTrigger.CANCEL_ASKED)]


def _signer(ctx: Context, call: Call) -> Account:
    account = callers_account(ctx, call)
    signature_format.check(ctx, account, call)
    return account


def _with_hash(ctx: Context, account: Account, text: str) -> list[Order]:
    order = ctx.world.orders.by_hash.get(hash_of_text(text))
    return [order] if order is not None and order.account_id == account.account_id else []


def _with_client_id(ctx: Context, account: Account, client_order_id: str) -> list[Order]:
    """The newest order with this id."""
    hash_ = ctx.world.orders.by_client_id.get(account.account_id, {}).get(client_order_id)
    return [] if hash_ is None else [ctx.world.orders.by_hash[hash_]]
