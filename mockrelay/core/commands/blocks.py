"""Commands on blocks: seal, finalize."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mockrelay.core.blocks.sealing import finalize_up_to, seal
from mockrelay.core.commands.base import Command, json_field, rows_of
from mockrelay.core.errors import CONFLICT, CommandRefused

if TYPE_CHECKING:
    from mockrelay.core.context import Context


@dataclass(frozen=True, kw_only=True)
class SealBlocks(Command["Context"]):
    """Seal blocks of the pending transactions, at most `count`."""

    name = "seal"
    count: int = field(default=1, metadata=json_field("count"))

    def apply(self, ctx: Context) -> Any:
        """The ids of the blocks; none if nothing is pending."""
        ids: list[int] = []
        while len(ids) < self.count and ctx.world.pending:
            ids.append(seal(ctx, ctx.now_ms).block_id)
        return {"blockIds": ids}


@dataclass(frozen=True, kw_only=True)
class FinalizeBlocks(Command["Context"]):
    """Finalize all blocks, or those up to one."""

    name = "finalize"
    up_to: int | None = field(default=None, metadata=json_field("upTo"))

    def apply(self, ctx: Context) -> Any:
        """The newest finalized block; 409 if `upTo` does not exist."""
        newest = ctx.world.blocks[-1].block_id
        up_to = newest if self.up_to is None else self.up_to
        if up_to > newest:
            raise CommandRefused(CONFLICT, f"there is no block {up_to} yet", "upTo", f"a block up to {newest}")
        finalize_up_to(ctx, up_to, ctx.now_ms)
        return {"upTo": up_to}


ROWS = rows_of(SealBlocks, FinalizeBlocks)
