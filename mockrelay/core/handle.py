"""How a call runs: due events, then the gate, then the endpoint's own rules. Only a call that passed all checks changes the
world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mockrelay.core import exchange, gate, layer1_queries
from mockrelay.core.accounts import queries as account_queries
from mockrelay.core.accounts import update as account_update
from mockrelay.core.blocks import queries as block_queries
from mockrelay.core.blocks import sealing
from mockrelay.core.call import Call
from mockrelay.core.commands.timeline import run_timeline_entry
from mockrelay.core.events import Event, EventKind
from mockrelay.core.faults import ScriptedAnswer
from mockrelay.core.live.actions import LIVE_ACTIONS
from mockrelay.core.orders import lifecycle as order_lifecycle
from mockrelay.core.orders import market_data, submit
from mockrelay.core.orders import queries as order_queries
from mockrelay.core.requests import lifecycle as request_lifecycle
from mockrelay.core.requests import nft, nft_deploy, nft_queries, transfer, withdrawal
from mockrelay.spec.choices import DUE_ORDER
from mockrelay.spec.endpoint import Step
from mockrelay.spec.fault_effects import FaultEffect, Phase, Point, effects_at
from mockrelay.spec.live_endpoints import LIKE

if TYPE_CHECKING:
    from mockrelay.core.context import Context

EventHandler = Callable[["Context", str, int], None]
"""Runs an event: (context, subject, due time in ms)."""

Action = Callable[["Context", Call], Any]
"""An endpoint's own rules and its action: returns the payload of the answer, or raises Refused with nothing changed."""

_OWN: Mapping[str, Action] = MappingProxyType(
    {
        "get_tokens": exchange.get_tokens,
        "get_exchange_info": exchange.get_exchange_info,
        "send_eth_tx": layer1_queries.send_eth_tx,
        "get_token_balances": layer1_queries.get_token_balances,
        "get_allowances": layer1_queries.get_allowances,
        "get_eth_balance": layer1_queries.get_eth_balance,
        "get_gas_price": layer1_queries.get_gas_price,
        "get_account": account_queries.get_account,
        "get_depth": market_data.get_depth,
        "get_candlestick": market_data.get_candlestick,
        "get_ticker": market_data.get_ticker,
        "get_order_fee": market_data.get_order_fee,
        "get_order_id": order_queries.get_order_id,
        "submit_order": submit.submit_order,
        "get_orders": order_queries.get_orders,
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
        **LIVE_ACTIONS,
    }
)
ACTIONS: Mapping[str, Action] = MappingProxyType({**_OWN, **{row: _OWN[base] for row, base in LIKE.items()}})
"""By the id of the row."""

EVENT_HANDLERS: Mapping[EventKind, EventHandler] = MappingProxyType(
    {
        EventKind.ORDER_EXPIRES: order_lifecycle.expire_order,
        EventKind.ORDER_STARTS: order_lifecycle.start_order,
        EventKind.CANCEL_DONE: order_lifecycle.finish_cancel,
        EventKind.REQUEST_MOVES: request_lifecycle.end_stage,
        EventKind.BLOCK_SEALS: sealing.seal_blocks,
        EventKind.BLOCK_CONFIRMS: sealing.confirm_block,
        EventKind.BLOCK_FINALIZES: sealing.finalize_block,
        EventKind.TIMELINE: run_timeline_entry,
    }
)


def run_due_events(ctx: Context) -> None:
    """Run every event that is due, each at its own due time, and set the world's time. Time never goes back: a context with
    an earlier time gets the world's.
    """
    world = ctx.world
    ctx.now_ms = max(ctx.now_ms, world.now_ms)
    if world.events.is_due(ctx.now_ms):
        _run_events(ctx)
    world.now_ms = ctx.now_ms


def _run_events(ctx: Context) -> None:
    queue = ctx.world.events
    done: list[Event] = []
    ctx.trace.events = done
    while events := queue.pop_due(ctx.now_ms):
        # The next event is last, where removing it takes constant time.
        events.reverse()
        while events:
            # The spec does not order events of one moment, so a test may choose.
            index = ctx.decide_index(DUE_ORDER, len(events)) if len(events) > 1 else 0
            event = events.pop(-1 - index)
            done.append(event)
            EVENT_HANDLERS[event.kind](ctx, event.subject, event.at_ms)
        if ctx.moment_done is not None:
            ctx.moment_done(event.at_ms)


def handle_call(ctx: Context, call: Call) -> Any:
    """The payload of the call's answer; to be called after `run_due_events`. Raises Refused or ScriptedAnswer instead."""
    is_scripted = bool(ctx.world.faults)
    trace = ctx.trace
    if is_scripted:
        _scripted(ctx, call, Point.BEFORE)
    for trace.step, check in gate.CHECKS[call.endpoint.id]:
        check(ctx, call)
    trace.step = Step.RULES
    if is_scripted:
        _scripted(ctx, call, Point.INSTEAD)
    payload = ACTIONS[call.endpoint.id](ctx, call)
    if is_scripted:
        _scripted(ctx, call, Point.AFTER)
    return payload


_ANSWERING: Mapping[Point, tuple[FaultEffect, ...]] = MappingProxyType(
    {
        Point.BEFORE: effects_at(Point.BEFORE, *Phase),
        Point.INSTEAD: effects_at(Point.INSTEAD, *Phase),
        # After the action the other effects change the existing answer.
        Point.AFTER: effects_at(Point.AFTER, Phase.ANSWER),
    }
)
"""The effects that answer in the endpoint's place, in the order in which they are tried."""


def _scripted(ctx: Context, call: Call, at: Point) -> None:
    """Raise ScriptedAnswer if a fault answers in the endpoint's place at this point."""
    for effect in _ANSWERING[at]:
        fault = ctx.fire_fault_at(call, effect, at)
        if fault is not None:
            raise ScriptedAnswer(fault)
