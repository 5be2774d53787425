"""Calls that query the layer-1 node or relay a transaction to it (spec §3 to §7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockrelay.core.call import Call, Refused
from mockrelay.core.units import decimal_text
from mockrelay.signing.hashes import keccak256
from mockrelay.spec.codes import Code as C
from mockrelay.spec.fault_effects import LAYER1
from mockrelay.spec.vocab import NodeState

if TYPE_CHECKING:
    from mockrelay.core.context import Context

GWEI_DECIMALS = 9


def send_eth_tx(ctx: Context, call: Call) -> str:
    """Relay a raw signed transaction; returns its hash, the same when it is sent again (spec §3)."""
    state = _node_state(ctx, call)
    if state is NodeState.DOWN:
        raise Refused(C.LAYER1_NODE_UNAVAILABLE, "the layer-1 node is down")
    if state is NodeState.ERROR:
        raise Refused(C.LAYER1_NODE_ERROR, "the layer-1 node answered with an error")
    raw: str = call.args["data"]
    tx_hash = "0x" + keccak256(bytes.fromhex(raw.removeprefix("0x"))).hex()
    ctx.world.layer1.sent.add(tx_hash)
    return tx_hash


def get_token_balances(ctx: Context, call: Call) -> list[str]:
    """The owner's layer-1 balance of a token (spec §4)."""
    refuse_unless_up(ctx, call)
    return [str(ctx.world.layer1.token_wei.get(_owner_and_token(call), 0))]


def get_allowances(ctx: Context, call: Call) -> list[str]:
    """The owner's allowance of a token for the exchange (spec §5)."""
    refuse_unless_up(ctx, call)
    return [str(ctx.world.layer1.allowances_wei.get(_owner_and_token(call), 0))]


def get_eth_balance(ctx: Context, call: Call) -> str:
    """The owner's layer-1 balance of the native coin (spec §6)."""
    refuse_unless_up(ctx, call)
    return str(ctx.world.layer1.native_wei.get(call.args["owner"].lower(), 0))


def get_gas_price(ctx: Context, call: Call) -> str:
    """The recommended gas price, in Gwei but for the choice `gas_price.unit` (spec §7)."""
    refuse_without_gas_price(ctx, call)
    return gas_price_text(ctx, "gas_price.unit")


def refuse_without_gas_price(ctx: Context, call: Call) -> None:
    """Refused unless the layer-1 node answers with a gas price."""
    state = _node_state(ctx, call)
    if state is not NodeState.UP:
        raise Refused(C.GAS_PRICE_UNAVAILABLE, f"layer 1 is {state}")


def gas_price_text(ctx: Context, unit_choice: str = "fee.gas_price_unit") -> str:
    """The gas price in the unit of a choice; by default that of the answers on fees."""
    gas_price_wei = ctx.world.layer1.gas_price_wei
    if ctx.decide(unit_choice) == "gwei":
        return decimal_text(gas_price_wei, GWEI_DECIMALS)
    return str(gas_price_wei)


def _owner_and_token(call: Call) -> tuple[str, str]:
    return call.args["owner"].lower(), call.args["token"].lower()


def _node_state(ctx: Context, call: Call) -> NodeState:
    fault = ctx.fire_fault(call, LAYER1)
    return ctx.world.layer1.state if fault is None else NodeState(fault.effect.value)


def refuse_unless_up(ctx: Context, call: Call) -> None:
    """Refused unless the layer-1 node answers."""
    state = _node_state(ctx, call)
    if state is NodeState.DOWN:
        raise Refused(C.LAYER1_REQUEST_FAILED, "the layer-1 node is down")
    if state is NodeState.ERROR:
        raise Refused(C.LAYER1_NODE_ERROR, "the layer-1 node answered with an error")
