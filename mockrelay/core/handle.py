"""One call against the world: what is due happens, the gate and the rules judge, and only then does anything change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mockrelay.core import exchange, gate, layer1, timeline
from mockrelay.core.accounts import queries as account_queries
from mockrelay.core.accounts import update as account_update
from mockrelay.core.blocks import queries as block_queries
from mockrelay.core.blocks import sealing
from mockrelay.core.call import Call
from mockrelay.core.events import DueKind, Happening, run_due
from mockrelay.core.faults import ScriptedAnswer
from mockrelay.core.orders import market_data, submit
from mockrelay.core.requests import lifecycle, nft, nft_deploy, nft_queries, transfer, withdrawal
from mockrelay.spec.fault_effects import FaultEffect, Phase, Point, effects_at

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
        "get_account": account_queries.get_account,
        "get_depth": market_data.get_depth,
        "get_candlestick": market_data.get_candlestick,
        "get_ticker": market_data.get_ticker,
        "get_order_fee": market_data.get_order_fee,
        "get_order_id": submit.get_order_id,
        "submit_order": submit.submit_order,
        "get_orders": submit.get_orders,
        "submit_transfer": transfer.submit_transfer,
        "submit_withdrawal": withdrawal.submit_withdrawal,
        "update_account": account_update.update_account,
        "get_block": block_queries.get_block,
        "get_pending_requests": block_queries.get_pending_requests,
        "get_nft_data": nft_queries.get_nft_data,
        "compute_token_address": nft_queries.compute_token_address,
        "get_code": nft_deploy.get_code,
        "get_nft_fee": nft_queries.get_nft_fee,
        "get_broker": nft_queries.get_broker,
        "mint_nft": nft.mint_nft,
        "transfer_nft": nft.transfer_nft,
        "withdraw_nft": nft.withdraw_nft,
        "deploy_nft_contract": nft_deploy.deploy_nft_contract,
    }
)

HAPPENINGS: Mapping[DueKind, Happening] = MappingProxyType(
    {
        DueKind.ORDER_EXPIRES: submit.expiry_due,
        DueKind.ORDER_STARTS: submit.start_due,
        DueKind.CANCEL_DONE: submit.cancel_due,
        DueKind.REQUEST_MOVES: lifecycle.move_due,
        DueKind.BLOCK_SEALS: sealing.seal_due,
        DueKind.BLOCK_CONFIRMS: sealing.confirm_due,
        DueKind.BLOCK_FINALIZES: sealing.finalize_due,
        DueKind.TIMELINE: timeline.entry_due,
    }
)


def pass_time(ctx: Context) -> None:
    """Everything that is due by the call's moment happens. A moment before the last one counts as the last one."""
    world = ctx.world
    now_ms = ctx.now_ms = max(ctx.now_ms, world.now_ms)
    if world.agenda.is_due(now_ms):
        run_due(ctx, HAPPENINGS)
    world.now_ms = now_ms


def apply(ctx: Context, call: Call) -> Any:
    """The payload of the call's answer, in a world that time has passed for. Raises Refused or ScriptedAnswer where the answer is a code."""
    is_scripted = bool(ctx.world.faults)
    trace = ctx.trace
    if is_scripted:
        _scripted(ctx, call, Point.BEFORE)
    trace.stage = 1
    gate.limit(ctx, call)
    trace.stage = 2
    gate.check_key(ctx, call)
    trace.stage = 3
    if call.endpoint.signature is not None:
        gate.check_signature_header(ctx, call)
    trace.stage = 4
    if call.violations:
        gate.check_shape(ctx, call)
    trace.stage = 5
    if is_scripted:
        _scripted(ctx, call, Point.INSTEAD)
    payload = ACTIONS[call.endpoint.name](ctx, call)
    if is_scripted:
        _scripted(ctx, call, Point.AFTER)
    return payload


_ANSWERING: Mapping[Point, tuple[FaultEffect, ...]] = MappingProxyType(
    {
        Point.BEFORE: effects_at(Point.BEFORE, *Phase),
        Point.INSTEAD: effects_at(Point.INSTEAD, *Phase),
        # Once the call is applied, the others change the answer that there is.
        Point.AFTER: effects_at(Point.AFTER, Phase.ANSWER),
    }
)
"""The effects of which a fault answers in the endpoint's place, in the order in which they are tried."""


def _scripted(ctx: Context, call: Call, at: Point) -> None:
    """A fault that answers in the endpoint's place, as ScriptedAnswer."""
    for effect in _ANSWERING[at]:
        fault = ctx.take_fault_at(call, effect, at)
        if fault is not None:
            raise ScriptedAnswer(fault)
