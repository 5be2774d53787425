"""Calls that need layer 1 while its node does not answer."""

from __future__ import annotations

from collections.abc import Mapping

from mockrelay.client.call import ApiCall
from mockrelay.spec.codes import Code as C
from mockrelay.spec.vocab import NodeState
from mockrelay.testing.strategies.near_valid import NearValid
from mockrelay.testing.strategies.world_view import WorldView

_OF_BALANCES = {NodeState.DOWN: C.LAYER1_REQUEST_FAILED, NodeState.ERROR: C.LAYER1_NODE_ERROR}
_CODES: Mapping[str, Mapping[NodeState, C]] = {
    "send_eth_tx": {NodeState.DOWN: C.LAYER1_NODE_UNAVAILABLE, NodeState.ERROR: C.LAYER1_NODE_ERROR},
    "get_token_balances": _OF_BALANCES,
    "get_allowances": _OF_BALANCES,
    "get_eth_balance": _OF_BALANCES,
    "get_gas_price": dict.fromkeys((NodeState.DOWN, NodeState.ERROR), C.GAS_PRICE_UNAVAILABLE),
}


def outage_of(view: WorldView, call: ApiCall) -> NearValid | None:
    """The call with the code that it gets while layer 1 does not answer; None where it is answered."""
    state = view.world.layer1.state
    code = _CODES.get(call.endpoint, {}).get(state)
    return None if code is None else NearValid(call, code, f"layer 1 is {state}")
