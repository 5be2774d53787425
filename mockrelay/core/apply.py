"""One call against the world: what is due happens, the gate and the rules judge, and only then does anything change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mockrelay.core import accounts, blocks, exchange, gate, layer1, market_data, orders
from mockrelay.core.call import Call, Refused, Reply
from mockrelay.core.due import DueKind, Happening, run_due
from mockrelay.core.faults import At, FaultKind, ScriptedAnswer
from mockrelay.core.flaws import Turns
from mockrelay.spec.codes import Code as C

if TYPE_CHECKING:
    from mockrelay.core.context import Context

Action = Callable[["Context", Call], Any]
"""An endpoint's own rules and deed: the payload of its answer, or Refused with nothing changed."""

ACTIONS: Mapping[str, Action] = MappingProxyType(
    {
        "get_tokens": exchange.get_tokens,
        "get_exchange_info": exchange.get_exchange_info,
        "send_eth_tx": layer1.send_eth_tx,
        "get_token_balances": layer1.get_token_balances,
        "get_allowances": layer1.get_allowances,
        "get_eth_balance": layer1.get_eth_balance,
        "get_gas_price": layer1.get_gas_price,
        "get_account": accounts.get_account,
        "get_depth": market_data.get_depth,
        "get_candlestick": market_data.get_candlestick,
        "get_ticker": market_data.get_ticker,
        "get_order_fee": market_data.get_order_fee,
        "get_order_id": orders.get_order_id,
        "submit_order": orders.submit_order,
        "get_orders": orders.get_orders,
        "get_pending_requests": blocks.get_pending_requests,
    }
)

HAPPENINGS: Mapping[DueKind, Happening] = MappingProxyType(
    {
        DueKind.ORDER_EXPIRES: orders.expiry_due,
        DueKind.ORDER_STARTS: orders.start_due,
        DueKind.CANCEL_DONE: orders.cancel_due,
    }
)


def pass_time(ctx: Context) -> None:
    """Everything that is due by the call's moment happens. A moment before the last one counts as the last one."""
    ctx.now_ms = max(ctx.now_ms, ctx.world.now_ms)
    run_due(ctx, HAPPENINGS)
    ctx.world.now_ms = ctx.now_ms


def apply(ctx: Context, call: Call) -> Reply:
    """The call's reply. Raises Refused or ScriptedAnswer where the answer is a code."""
    pass_time(ctx)
    _scripted(ctx, call, At.BEFORE)
    gate.limit(ctx, call)
    gate.check_key(ctx, call)
    gate.check_signature_header(ctx, call)
    gate.check_shape(ctx, call)
    _scripted(ctx, call, At.INSTEAD)
    action = ACTIONS.get(call.endpoint.name)
    if action is None:
        turn = Turns(call)
        for judged in call.endpoint.codes:
            turn(judged.code)
        raise Refused(C.UNKNOWN_ERROR, f"{call.endpoint.name} is not in this version")
    reply = Reply(action(ctx, call))
    _scripted(ctx, call, At.AFTER)
    return reply


def _scripted(ctx: Context, call: Call, at: At) -> None:
    faults = ctx.world.faults
    if faults and (fault := faults.take(call, FaultKind.CODE, at)) is not None:
        raise ScriptedAnswer(fault)
