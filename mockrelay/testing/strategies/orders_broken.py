"""Orders with one rule broken, in the order in which a relayer judges them."""

from __future__ import annotations

from mockrelay.client.call import ApiCall
from mockrelay.spec.codes import Code as C
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.near import Broken, NearValid, account_of
from mockrelay.testing.strategies.parts import MONTH_S

SKEW_S = 60


def order_rules(here: Known, call: ApiCall) -> Broken:
    """An order that the world accepts, with each rule broken."""
    yield from _frozen_rules(here, call)
    yield from _repeat_rules(here, call)
    yield from _time_rules(here, call)
    yield from _taking_rules(here, call)
    yield from _amount_rules(here, call)


def _frozen_rules(here: Known, call: ApiCall) -> Broken:
    for account in here.accounts:
        if account.frozen:
            frozen = call.but(accountId=account.account_id)._replace(key=account.api_key)
            code = int(here.option("order.frozen_account"))
            yield NearValid(frozen, code, "a frozen account", is_early=True)


def _repeat_rules(here: Known, call: ApiCall) -> Broken:
    yield NearValid(call, C.ORDER_EXISTS, "the same order again", (call,))
    other = call.but(label=(call.fields["label"] + 1) % 2**16)
    yield NearValid(other, C.ORDER_ID_INVALID, "an order id that another order has", (call,))


def _time_rules(here: Known, call: ApiCall) -> Broken:
    expired = call.but(validSince=0, validUntil=here.now_s)
    yield NearValid(expired, C.ORDER_EXPIRED, "validUntil is now")
    late = call.but(validSince=call.fields["validUntil"])
    yield NearValid(late, C.ORDER_NOT_VALID, "validSince is not before validUntil")
    if here.option("order.too_short_validity") == "refuse":
        short = call.but(validSince=0, validUntil=here.now_s + MONTH_S - 1)
        yield NearValid(short, C.ORDER_NOT_VALID, "a validity under a month")
    if here.option("order.valid_since_future") == "refuse":
        ahead = call.but(validSince=here.now_s + SKEW_S + 1, validUntil=here.now_s + 2 * MONTH_S)
        yield NearValid(ahead, C.ORDER_NOT_VALID, "validSince lies ahead")


def _taking_rules(here: Known, call: ApiCall) -> Broken:
    """An order that would trade at once, sent as one that must not."""
    fields = call.fields
    market, sells_base = here.config.market_of_pair[fields["tokenSId"], fields["tokenBId"]]
    sold_wei, bought_wei = int(fields["amountS"]), int(fields["amountB"])
    if here.would_take(market, sells_base=sells_base, sold_wei=sold_wei, bought_wei=bought_wei):
        yield NearValid(call.but(orderType="MAKER_ONLY"), C.ORDER_NOT_VALID, "MAKER_ONLY, and it would take")


def _amount_rules(here: Known, call: ApiCall) -> Broken:
    account = account_of(here, call.fields["accountId"])
    sold = here.config.tokens[call.fields["tokenSId"]]
    least, most, free = sold.min_order_wei, sold.max_order_wei, here.free_wei(account, sold.token_id)
    if here.option("order.max_fee_below_rate") == "refuse" and account.taker_bips > 1:
        low = call.but(maxFeeBips=account.taker_bips - 1)
        yield NearValid(low, C.ORDER_RATE_ILLEGAL, "maxFeeBips below the account's rate")
    client_ids = here.world.orders.by_client_id.get(account.account_id, {})
    if here.option("order.repeated_client_id") == "refuse" and client_ids:
        again = call.but(clientOrderId=next(iter(client_ids)))
        yield NearValid(again, C.ORDER_NOT_VALID, "a clientOrderId that another order has")
    if least:
        yield NearValid(call.but(amountS=str(least - 1)), C.ORDER_AMOUNT_TOO_SMALL, "amountS below the minimum")
    if least <= free < most:
        yield NearValid(call.but(amountS=str(free + 1)), C.ORDER_BALANCE_INSUFFICIENT, "amountS above the balance")
