"""The section `faults`: scripted trouble."""

from __future__ import annotations

from typing import Any

from mockrelay.core.faults import At, Fault, FaultKind, NodeState
from mockrelay.scenario.nodes import Node, Value
from mockrelay.scenario.reading import Fields, entries, name_in, text, whole, word
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.vocab import HeldAs

KIND_KEYS = tuple(kind.value for kind in FaultKind)
FAULT_KEYS = ("name", "on", *KIND_KEYS, "message", "when", "nth", "times", "at")
HELD_CALLS = ("submit_order",)
LAYER1_CALLS = ("send_eth_tx", "get_token_balances", "get_allowances", "get_eth_balance", "get_gas_price")
_CODE_MAX = 2**53 - 1
_TROUBLE = (NodeState.DOWN.value, NodeState.ERROR.value)


def read_fault(node: Node) -> Fault:
    """One fault, not yet armed."""
    fields = Fields(node, FAULT_KEYS)
    kind = FaultKind(fields.only_one(*KIND_KEYS))
    fault = Fault(
        id="",
        name=fields.get("name", text, ""),
        on=fields.need("on", name_in(BY_NAME)),
        kind=kind,
        when=fields.get("when", _when, {}),
        nth=fields.get("nth", whole(1), 1),
        times=fields.get("times", whole(1), 1),
    )
    if kind is FaultKind.CODE:
        return fault._replace(
            code=fields.need("code", whole(1, _CODE_MAX)),
            message=fields.get("message", text, None),
            at=fields.get("at", word(At), At.INSTEAD),
        )
    for key in ("at", "message"):
        if key in fields:
            raise fields.node_of(key).key_error(f"{key!r} beside {kind.value!r}", "it beside 'code' only")
    if kind is FaultKind.HOLD:
        fields.need("on", name_in(HELD_CALLS))
        return fault._replace(hold=fields.need("hold", word(HeldAs)))
    fields.need("on", name_in(LAYER1_CALLS))
    return fault._replace(layer1=NodeState(fields.need("layer1", name_in(_TROUBLE))))


def _when(node: Node) -> dict[str, Any]:
    return {key: _plain(value.value) for key, value in entries(node).items()}


def _plain(value: Value) -> Any:
    """The value as a decoded request would have it."""
    if isinstance(value, dict):
        return {key: _plain(inner.value) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner.value) for inner in value]
    return value
