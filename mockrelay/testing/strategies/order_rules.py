"""Orders that break one rule, in the order of the codes of submit_order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.client.call import ApiCall
from mockrelay.spec.codes import Code as C
from mockrelay.testing.strategies.call_parts import MONTH_S
from mockrelay.testing.strategies.near_valid import NearValid, NearValidCalls, account_of, changed_at, value_at
from mockrelay.testing.strategies.world_view import WorldView

SKEW_S = 60
_PATHS: Mapping[str, Mapping[str, str]] = {
    "submit_order_gen3": {
        "tokenSId": "sellToken.tokenId",
        "tokenBId": "buyToken.tokenId",
        "amountS": "sellToken.volume",
        "amountB": "buyToken.volume",
    }
}
"""By row the paths of fields that the specification's form has under other names."""


def order_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    """From an order that the world accepts, orders that each break one rule."""
    yield from _frozen_rules(view, call)
    yield from _repeat_rules(view, call)
    yield from _time_rules(view, call)
    yield from _maker_only_rules(view, call)
    yield from _amount_rules(view, call)


def _path(call: ApiCall, name: str) -> str:
    return _PATHS.get(call.endpoint, {}).get(name, name)


def _value(call: ApiCall, name: str) -> Any:
    return value_at(call, _path(call, name))


def _frozen_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    for account in view.accounts:
        if account.frozen:
            frozen = call.but(accountId=account.account_id)._replace(key=account.api_key)
            code = int(view.option("order.frozen_account"))
            yield NearValid(frozen, code, "a frozen account", is_early=True)


def _repeat_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    yield NearValid(call, C.ORDER_EXISTS, "the same order again", (call,))
    bips = call.fields["maxFeeBips"]
    changes = {"label": (call.fields["label"] + 1) % 2**16} if _has_start(call) else {"maxFeeBips": bips % 63 + 1}
    yield NearValid(call.but(**changes), C.ORDER_ID_INVALID, "an order id that another order has", (call,))


def _has_start(call: ApiCall) -> bool:
    """Whether it is of the second generation, whose orders have a start and a label."""
    return "validSince" in call.fields


def _time_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    from_start = {"validSince": 0} if _has_start(call) else {}
    expired = call.but(**from_start, validUntil=view.now_s)
    yield NearValid(expired, C.ORDER_EXPIRED, "validUntil is now")
    if view.option("order.too_short_validity") == "refuse":
        short = call.but(**from_start, validUntil=view.now_s + MONTH_S - 1)
        yield NearValid(short, C.ORDER_NOT_VALID, "a validity under a month")
    if not from_start:
        return
    late = call.but(validSince=call.fields["validUntil"])
    yield NearValid(late, C.ORDER_NOT_VALID, "validSince is not before validUntil")
    if view.option("order.valid_since_future") == "refuse":
        ahead = call.but(validSince=view.now_s + SKEW_S + 1, validUntil=view.now_s + 2 * MONTH_S)
        yield NearValid(ahead, C.ORDER_NOT_VALID, "validSince lies ahead")


def _maker_only_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    """An order that would trade at once, sent as MAKER_ONLY."""
    market, sells_base = view.config.market_of_pair[_value(call, "tokenSId"), _value(call, "tokenBId")]
    sold_wei, bought_wei = int(_value(call, "amountS")), int(_value(call, "amountB"))
    if view.would_take(market, sells_base=sells_base, sold_wei=sold_wei, bought_wei=bought_wei):
        yield NearValid(call.but(orderType="MAKER_ONLY"), C.ORDER_NOT_VALID, "MAKER_ONLY, and it would take")


def _amount_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    account = account_of(view, call.fields["accountId"])
    sold = view.config.tokens[_value(call, "tokenSId")]
    least, most, free = sold.min_order_wei, sold.max_order_wei, view.free_wei(account, sold.token_id)
    amount = _path(call, "amountS")
    if view.option("order.max_fee_below_rate") == "refuse" and account.taker_bips > 1:
        low = call.but(maxFeeBips=account.taker_bips - 1)
        yield NearValid(low, C.ORDER_RATE_ILLEGAL, "maxFeeBips below the account's rate")
    client_ids = view.world.orders.by_client_id.get(account.account_id, {})
    if view.option("order.repeated_client_id") == "refuse" and client_ids:
        again = call.but(clientOrderId=next(iter(client_ids)))
        yield NearValid(again, C.ORDER_NOT_VALID, "a clientOrderId that another order has")
    if least:
        yield NearValid(changed_at(call, amount, str(least - 1)), C.ORDER_AMOUNT_TOO_SMALL, "less than the minimum")
    if least <= free < most:
        yield NearValid(changed_at(call, amount, str(free + 1)), C.ORDER_BALANCE_INSUFFICIENT, "more than the balance")
