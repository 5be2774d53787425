"""What layer 1 holds of an owner (E43, F19)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mockrelay.core import layer1_queries
from mockrelay.core.call import Call

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def get_eth_balance_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """The owner's balance of the native coin (E43)."""
    return {"amount": layer1_queries.get_eth_balance(ctx, call)}


def get_token_balances_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """The owner's balance of each token asked for, in the same order (E43)."""
    layer1_queries.refuse_unless_up(ctx, call)
    return {"amount": _of_each_token(call, ctx.world.layer1.token_wei)}


def get_allowances_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """The owner's allowance of each token asked for, in the same order (E43)."""
    layer1_queries.refuse_unless_up(ctx, call)
    return {"allowances": _of_each_token(call, ctx.world.layer1.allowances_wei)}


def get_eth_nonce_v3(ctx: Context, call: Call) -> dict[str, int]:
    """The nonce of the owner's next layer-1 transaction (E43)."""
    return {"nonce": get_eth_nonce_v2(ctx, call)}


def get_eth_nonce_v2(ctx: Context, call: Call) -> int:
    """The nonce of the owner's next layer-1 transaction (F19)."""
    layer1_queries.refuse_unless_up(ctx, call)
    return ctx.world.layer1.nonces.get(call.args["owner"].lower(), 0)


def get_gas_price_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """The recommended gas price in wei (E43)."""
    layer1_queries.refuse_without_gas_price(ctx, call)
    return {"price": str(ctx.world.layer1.gas_price_wei)}


def _of_each_token(call: Call, amounts_wei: Mapping[tuple[str, str], int]) -> list[str]:
    owner = call.args["owner"].lower()
    return [str(amounts_wei.get((owner, token.lower()), 0)) for token in call.args["token"].split(",")]
