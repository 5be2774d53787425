"""How a call runs: due events, then the gate, then the endpoint's own rules. Only a call that passed all checks changes the
world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType, ModuleType
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
from mockrelay.core.live.actions import LIVE_TOPICS, SHARED_ACTIONS
from mockrelay.core.orders import lifecycle as order_lifecycle
from mockrelay.core.orders import market_data, submit
from mockrelay.core.orders import queries as order_queries
from mockrelay.core.requests import lifecycle as request_lifecycle
from mockrelay.core.requests import nft, nft_deploy, nft_queries, transfer, withdrawal
from mockrelay.spec.choices import DUE_ORDER
from mockrelay.spec.endpoint import Step
from mockrelay.spec.endpoints import BY_ID
from mockrelay.spec.fault_effects import FaultEffect, Phase, Point, effects_at
from mockrelay.spec.live_endpoints import LIKE

if TYPE_CHECKING:
    from mockrelay.core.context import Context

EventHandler = Callable[["Context", str, int], None]
"""Runs an event: (context, subject, due time in ms)."""

Action = Callable[["Context", Call], Any]
"""An endpoint's own rules and its action: returns the payload of the answer, or raises Refused with nothing changed."""

_TOPICS: tuple[ModuleType, ...] = (
    *(exchange, layer1_queries, account_queries, account_update, block_queries),
    *(market_data, order_queries, submit, transfer, withdrawal, nft, nft_deploy, nft_queries),
    *LIVE_TOPICS,
)
_OWN: Mapping[str, Action] = MappingProxyType(
    {
        **{name: found for topic in _TOPICS for name, found in vars(topic).items() if name in BY_ID},
        **SHARED_ACTIONS,
    }
)
ACTIONS: Mapping[str, Action] = MappingProxyType({**_OWN, **{row: _OWN[base] for row, base in LIKE.items()}})
"""By the id of a row the function of that name in a topic's file, or the one that it shares with another row."""
_WITHOUT_ACTION = BY_ID.keys() - ACTIONS.keys()
assert not _WITHOUT_ACTION, f"{_WITHOUT_ACTION} are rows of endpoints without a function of that name"

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
    is_scripted = bool(ctx.world.faults.by_id)
    trace = ctx.trace
    if is_scripted:
        _scripted(ctx, call, Point.BEFORE)
    checks = gate.CHECKS if call.violations else gate.CHECKS_OF_RIGHT_FORM
    for trace.step, check in checks[call.endpoint.id]:
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
