"""Calls that only look, with one of the world's rules broken."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import SOME_ADDRESS, SOME_HASH
from mockrelay.spec.codes import Code as C
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.near import Broken, NearValid

Rules = Callable[[Known, ApiCall], Broken]
"""(the world, a call that it accepts) -> that call with each of its rules broken."""


def _account(here: Known, call: ApiCall) -> Broken:
    known_there = here.world.layer1.native_wei
    if SOME_ADDRESS not in known_there:
        code = C.ADDRESS_NOT_FOUND if here.option("account.unknown") == "by_layer" else C.USER_NOT_FOUND
        yield NearValid(call.but(owner=SOME_ADDRESS), code, "an address that nobody knows")
    for owner in known_there:
        if owner not in here.world.account_of_owner:
            yield NearValid(call.but(owner=owner), C.USER_NOT_FOUND, "an address known on layer 1 only")


def _depth(here: Known, call: ApiCall) -> Broken:
    levels = here.config.markets[call.fields["market"]].levels
    for level in (max(levels) + 1, min(levels) - 1):
        yield NearValid(call.but(level=level), C.DEPTH_LEVEL_UNSUPPORTED, "no such level")


def _order_fee(here: Known, call: ApiCall) -> Broken:
    if here.option("order_fee.many_markets") == "refuse":
        market = next(iter(here.config.markets))
        yield NearValid(call.but(market=f"{market},{market}"), C.UNKNOWN_ERROR, "two markets")


def _orders(here: Known, call: ApiCall) -> Broken:
    if here.option("orders.unknown_hash") == "refuse":
        yield NearValid(call.but(fromHash=SOME_HASH), C.UNKNOWN_ERROR, "no order of this hash")


def _block(here: Known, call: ApiCall) -> Broken:
    if here.option("block.unknown_id") != "empty":
        yield NearValid(call.but(id=str(len(here.world.blocks))), C.UNKNOWN_ERROR, "a block that is not there yet")


READS_BROKEN: Mapping[str, Rules] = {
    "get_account": _account,
    "get_depth": _depth,
    "get_order_fee": _order_fee,
    "get_orders": _orders,
    "get_block": _block,
}
"""By endpoint: the rules that depend on the world, beside those of `WRONG_CALLS` and of the form."""
