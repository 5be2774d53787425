"""Reading calls that break one rule which depends on the world, or that need layer 1 while its node does not answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import SOME_ADDRESS, SOME_HASH
from mockrelay.spec.codes import Code as C
from mockrelay.spec.vocab import NodeState
from mockrelay.testing.strategies.near_valid import NearValid, NearValidCalls
from mockrelay.testing.strategies.world_view import WorldView

Rules = Callable[[WorldView, ApiCall], NearValidCalls]
"""(the world, a call that it accepts) -> calls that each break one rule."""


def _account(view: WorldView, call: ApiCall) -> NearValidCalls:
    layer1_owners = view.world.layer1.native_wei
    if SOME_ADDRESS not in layer1_owners:
        code = C.ADDRESS_NOT_FOUND if view.option("account.unknown") == "by_layer" else C.USER_NOT_FOUND
        yield NearValid(call.but(owner=SOME_ADDRESS), code, "an address that neither layer has")
    for owner in layer1_owners:
        if owner not in view.world.account_of_owner:
            yield NearValid(call.but(owner=owner), C.USER_NOT_FOUND, "an address view_world on layer 1 only")


def _depth(view: WorldView, call: ApiCall) -> NearValidCalls:
    levels = view.config.markets[call.fields["market"]].levels
    above = (max(levels) + 1,) if view.option("depth.level_above") == "refuse" else ()
    for level in (*above, min(levels) - 1):
        yield NearValid(call.but(level=level), C.DEPTH_LEVEL_UNSUPPORTED, "no such level")


def _order_fee(view: WorldView, call: ApiCall) -> NearValidCalls:
    if view.option("order_fee.many_markets") == "refuse":
        market = next(iter(view.config.markets))
        yield NearValid(call.but(market=f"{market},{market}"), C.UNKNOWN_ERROR, "two markets")


def _orders(view: WorldView, call: ApiCall) -> NearValidCalls:
    if view.option("orders.unknown_hash") == "refuse":
        yield NearValid(call.but(fromHash=SOME_HASH), C.UNKNOWN_ERROR, "no order of this hash")


def _block(view: WorldView, call: ApiCall) -> NearValidCalls:
    option = view.option("block.unknown_id")
    if option != "empty":
        yield NearValid(call.but(id=str(len(view.world.blocks))), C(int(option)), "a block that does not exist yet")


READ_RULES: Mapping[str, Rules] = {
    "get_account": _account,
    **dict.fromkeys(("get_depth", "get_depth_v3", "get_mix_depth", "get_mix_depth_v2"), _depth),
    **dict.fromkeys(("get_order_fee", "get_order_fee_v2"), _order_fee),
    **dict.fromkeys(("get_orders", "get_orders_live"), _orders),
    **dict.fromkeys(("get_block", "get_block_live"), _block),
}
"""By endpoint: the rules that depend on the world, beside those of `WRONG_CALLS` and of the form."""

_OF_BALANCES = {NodeState.DOWN: C.LAYER1_REQUEST_FAILED, NodeState.ERROR: C.LAYER1_NODE_ERROR}
_OF_GAS_PRICE = dict.fromkeys((NodeState.DOWN, NodeState.ERROR), C.GAS_PRICE_UNAVAILABLE)
_CODES: Mapping[str, Mapping[NodeState, C]] = {
    "send_eth_tx": {NodeState.DOWN: C.LAYER1_NODE_UNAVAILABLE, NodeState.ERROR: C.LAYER1_NODE_ERROR},
    **dict.fromkeys(("get_token_balances", "get_allowances", "get_eth_balance"), _OF_BALANCES),
    **dict.fromkeys(("get_token_balances_v3", "get_allowances_v3", "get_eth_balance_v3"), _OF_BALANCES),
    **dict.fromkeys(("get_eth_nonce_v3", "get_eth_nonce_v2"), _OF_BALANCES),
    **dict.fromkeys(("get_gas_price", "get_gas_price_v3"), _OF_GAS_PRICE),
}


def outage_of(view: WorldView, call: ApiCall) -> NearValid | None:
    """The call with the code that it gets while layer 1 does not answer; None where it is answered."""
    state = view.world.layer1.state
    code = _CODES.get(call.endpoint, {}).get(state)
    return None if code is None else NearValid(call, code, f"layer 1 is {state}")
