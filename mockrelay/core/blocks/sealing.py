"""The lifecycle of blocks: sealed by interval, size or command, then confirmed, then finalized (spec §19)."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from mockrelay.core.blocks.pending import FULL
from mockrelay.core.events import EventKind
from mockrelay.core.hashing import fast_hash
from mockrelay.core.models import Block, PendingTx, SealedTx
from mockrelay.core.requests.lifecycle import leave_stage_if_current, seal_request
from mockrelay.spec.request_kinds import AfterUnit, Duration
from mockrelay.spec.transitions import BLOCK, BlockTrigger, can, step
from mockrelay.spec.vocab import BlockStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def seal_blocks(ctx: Context, subject: str, at_ms: int) -> None:
    """Event: an interval has ended, or a block is full."""
    size = ctx.world.config.blocks.seal_size
    count_min = size if subject == FULL and size is not None else 1
    while len(ctx.world.pending) >= count_min:
        seal(ctx, at_ms)


def seal(ctx: Context, at_ms: int) -> Block:
    """Seal one block of the oldest pending transactions, up to the block size. At least one must be pending."""
    world = ctx.world
    block_id = world.blocks[-1].block_id + 1
    waiting = list(islice(world.pending.values(), world.config.blocks.seal_size))
    assert waiting
    for tx in waiting:
        del world.pending[tx.tx_id]
    block = Block(
        block_id=block_id,
        tx_hash=fast_hash("block", world.config.seed, block_id),
        status=BlockStatus.PENDING,
        created_at_ms=at_ms,
        transactions=tuple(SealedTx(tx, _is_valid(ctx, tx, block_id)) for tx in waiting),
    )
    world.blocks.append(block)
    ctx.note_move("block", str(block_id), None, block.status)
    for due in world.waiting_for_block.pop(block_id, ()):
        leave_stage_if_current(ctx, due, at_ms)
    _plan(ctx, block_id, world.config.blocks.confirm, EventKind.BLOCK_CONFIRMS, at_ms)
    _advance_finality(ctx, at_ms)
    return block


def confirm_block(ctx: Context, subject: str, at_ms: int) -> None:
    """Event: the block's time to be confirmed."""
    _move(ctx, int(subject), BlockTrigger.CONFIRMED, at_ms)
    _advance_finality(ctx, at_ms)


def finalize_block(ctx: Context, subject: str, at_ms: int) -> None:
    """Event: the block's time to be finalized."""
    _move(ctx, int(subject), BlockTrigger.FINALIZED, at_ms)


def finalize_up_to(ctx: Context, block_id: int, at_ms: int) -> None:
    """Finalize all blocks up to this one."""
    _move(ctx, block_id, BlockTrigger.CONFIRMED, at_ms)
    _move(ctx, block_id, BlockTrigger.FINALIZED, at_ms)


def _is_valid(ctx: Context, tx: PendingTx, block_id: int) -> bool:
    if not isinstance(tx.body, str):
        return True
    return seal_request(ctx, ctx.world.requests[tx.body], block_id).sealed_valid


def _move(ctx: Context, block_id: int, trigger: BlockTrigger, at_ms: int) -> None:
    """Apply a trigger to all blocks up to this one whose status allows it."""
    blocks = ctx.world.blocks
    # An older block is never behind a newer one, so the blocks that can move are neighbours.
    last = block_id
    while last >= 0 and _is_behind(blocks[last], trigger):
        last -= 1
    first = last
    while first >= 0 and can(BLOCK, blocks[first].status, trigger):
        first -= 1
    for moved_id in range(first + 1, last + 1):
        status_before = blocks[moved_id].status
        blocks[moved_id] = blocks[moved_id]._replace(status=step(BLOCK, status_before, trigger))
        ctx.note_move("block", str(moved_id), status_before, blocks[moved_id].status)
        if trigger is BlockTrigger.CONFIRMED:
            _plan(ctx, moved_id, ctx.world.config.blocks.finalize, EventKind.BLOCK_FINALIZES, at_ms)


def _is_behind(block: Block, trigger: BlockTrigger) -> bool:
    """Whether the block must be confirmed first."""
    return trigger is BlockTrigger.FINALIZED and block.status is BlockStatus.PENDING


def _plan(ctx: Context, block_id: int, duration: Duration, kind: EventKind, at_ms: int) -> None:
    if duration.unit is AfterUnit.TIME:
        ctx.world.events.plan(at_ms + duration.amount, kind, str(block_id))


def _advance_finality(ctx: Context, at_ms: int) -> None:
    """Confirm or finalize the blocks that now have enough blocks on top of them."""
    newest = ctx.world.blocks[-1].block_id
    rules = ctx.world.config.blocks
    for duration, trigger in ((rules.confirm, BlockTrigger.CONFIRMED), (rules.finalize, BlockTrigger.FINALIZED)):
        if duration.unit is AfterUnit.BLOCKS and newest >= duration.amount:
            _move(ctx, newest - duration.amount, trigger, at_ms)
