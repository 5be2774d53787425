"""Pending transactions, and when the next block is sealed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockrelay.core.events import EventKind
from mockrelay.core.models import Deposit, SpotTrade
from mockrelay.spec.request_kinds import TxType

if TYPE_CHECKING:
    from mockrelay.core.context import Context

INTERVAL, FULL = "interval", "full"


def enqueue(ctx: Context, type_: TxType, body: SpotTrade | Deposit | str, at_ms: int) -> int:
    """Add a transaction for the next block and plan the sealing by the block rules; returns its id. Nothing is planned while
    nothing is pending.
    """
    world = ctx.world
    tx_id = world.add_pending(type_, body)
    rules = world.config.blocks
    waiting = len(world.pending)
    if rules.seal_every_ms is not None and waiting == 1:
        intervals = (at_ms - world.start_ms) // rules.seal_every_ms + 1
        world.events.plan(world.start_ms + intervals * rules.seal_every_ms, EventKind.BLOCK_SEALS, INTERVAL)
    if rules.seal_size is not None and waiting % rules.seal_size == 0:
        world.events.plan(at_ms, EventKind.BLOCK_SEALS, FULL)
    return tx_id
