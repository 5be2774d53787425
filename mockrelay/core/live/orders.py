"""Orders in the forms of published clients (E23; F8, F9): ordinary orders of the same book."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call, PartlyRefused, Refused
from mockrelay.core.gate import check_part
from mockrelay.core.models import Order
from mockrelay.core.orders.hash_text import hash_text
from mockrelay.core.orders.submit import submit_view, take
from mockrelay.core.orders.validate import GEN2, Wording, validate_order
from mockrelay.core.requests.checks import check_exchange
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.vocab import OrderForm, OrderStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def _check_exchange(ctx: Context, call: Call) -> None:
    address = call.args["exchange"]
    if address != ctx.world.config.exchange.exchange_address:
        check_exchange(ctx, address, C.EXCHANGE_ID_INCORRECT)


_NAMES = MappingProxyType(
    {
        "orderId": "storageId",
        "tokenSId": "sellToken.tokenId",
        "tokenBId": "buyToken.tokenId",
        "amountS": "sellToken.volume",
        "amountB": "buyToken.volume",
        "buy": "fillAmountBOrS",
    }
)
_GEN3 = Wording(OrderForm.GEN3, _NAMES, _check_exchange, ("eddsaSignature",))
_V2 = replace(GEN2, form=OrderForm.V2)
_IN_BOOK = frozenset({"TAKER_ONLY", "MAKER_ONLY"})


def submit_order_gen3(ctx: Context, call: Call) -> dict[str, Any]:
    """Accept an order of the third generation (E23). Its answer says `processing`, also where it traded at
    once, unless the choice `live.submit_status` says otherwise.
    """
    order, is_idempotent = take(ctx, call, validate_order(ctx, call, _terms(call.args), _GEN3))
    status = ctx.world.orders.by_hash[order.hash].status
    if status is not OrderStatus.PROCESSING and ctx.decide("live.submit_status") != "state":
        status = OrderStatus.PROCESSING
    return receipt(order, status, is_idempotent=is_idempotent)


def receipt(order: Order, status: OrderStatus, *, is_idempotent: bool) -> dict[str, Any]:
    """The answer of the third generation to a call that submits or cancels an order."""
    return {
        "hash": order.hash,
        "clientOrderId": order.client_order_id,
        "status": status,
        "isIdempotent": is_idempotent,
    }


def submit_order_v2(ctx: Context, call: Call) -> str | dict[str, Any]:
    """Accept an order of the second generation (F8); returns its hash in decimal digits or, by the choice
    `live.v2_order_answer`, what the specification's call does.
    """
    try:
        order, is_idempotent = take(ctx, call, validate_order(ctx, call, call.args, _V2))
    except Refused as refused:
        # A refusal of the second generation has no data.
        raise Refused(refused.code, refused.detail) from None
    if ctx.decide("live.v2_order_answer") == "object":
        return submit_view(order, hash_text(order), is_idempotent=is_idempotent)
    return hash_text(order)


def submit_batch(ctx: Context, call: Call) -> list[dict[str, Any]]:
    """Accept up to ten orders, each by itself (F9). Where some are refused the answer has a code, and says of each what
    became of it.
    """
    answers = [_answer_to(ctx, each) for each in _orders_of(ctx, call)]
    failed = sum("error" in answer for answer in answers)
    if failed:
        raise PartlyRefused(C.BATCH_PARTLY_FAILED, f"orders: {failed} of {len(answers)} were refused", answers)
    return answers


def _terms(args: Mapping[str, Any]) -> dict[str, Any]:
    """The fields by the names of the specification's form. What this form does not have is the same for all requests, whatever is sent
    by such a name.
    """
    sold, bought, order_type = args["sellToken"], args["buyToken"], args.get("orderType")
    return {
        "exchangeId": None,
        "orderId": args.get("storageId"),
        "accountId": args["accountId"],
        "tokenSId": sold["tokenId"],
        "tokenBId": bought["tokenId"],
        "amountS": sold["volume"],
        "amountB": bought["volume"],
        "buy": "true" if args["fillAmountBOrS"] else "false",
        "label": 0,
        "validSince": None,
        "validUntil": args.get("validUntil"),
        "maxFeeBips": args.get("maxFeeBips"),
        # An order for a pool goes to the book as an ordinary one.
        "orderType": order_type if order_type in _IN_BOOK else "LIMIT_ORDER",
        "tradeChannel": args.get("tradeChannel", "MIXED"),
        "clientOrderId": args.get("clientOrderId", ""),
    }


def _orders_of(ctx: Context, call: Call) -> list[Call]:
    """A call of each order of a batch, with the violations that are its own."""
    row = BY_NAME["submit_order_v2"]
    orders = []
    for index, args in enumerate(call.args["orders"]):
        prefix = f"orders[{index}]."
        own = tuple(
            violation._replace(field=violation.field.removeprefix(prefix))
            for violation in call.violations
            if violation.field.startswith(prefix)
        )
        orders.append(replace(call, endpoint=row, args=args, violations=own))
    return orders


def _answer_to(ctx: Context, call: Call) -> dict[str, Any]:
    """What became of one order of a batch."""
    whole = ctx.sent
    if whole is not None:
        # A signature is over the order, not over the batch.
        ctx.sent = lambda: whole()._replace(fields=call.args)
    try:
        check_part(ctx, call)
        order, _ = take(ctx, call, validate_order(ctx, call, call.args, _V2))
        return {"hash": hash_text(order)}
    except Refused as refused:
        return {"error": {"code": int(refused.code), "message": f"{refused.code.meaning}: {refused.detail}"}}
    finally:
        ctx.sent = whole
