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
    """Seal blocks of what is pending, so many at most."""

    name = "seal"
    count: int = field(default=1, metadata=json_field("count"))

    def apply(self, ctx: Context) -> Any:
        """Their ids. Nothing pending seals nothing."""
        ids: list[int] = []
        while len(ids) < self.count and ctx.world.pending:
            ids.append(seal(ctx, ctx.now_ms).block_id)
        return {"blockIds": ids}


@dataclass(frozen=True, kw_only=True)
class FinalizeBlocks(Command["Context"]):
    """Make blocks final, up to one or all that are sealed."""

    name = "finalize"
    up_to: int | None = field(default=None, metadata=json_field("upTo"))

    def apply(self, ctx: Context) -> Any:
        """The newest that is final then; 409 for a block that there is not."""
        newest = ctx.world.blocks[-1].block_id
        up_to = newest if self.up_to is None else self.up_to
        if up_to > newest:
            raise CommandRefused(CONFLICT, f"there is no block {up_to} yet", "upTo", f"a block up to {newest}")
        finalize_up_to(ctx, up_to, ctx.now_ms)
        return {"upTo": up_to}


ROWS = rows_of(SealBlocks, FinalizeBlocks)
