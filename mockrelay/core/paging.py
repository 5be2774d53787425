"""How many records a page holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mockrelay.core.context import Context

LIMIT_MAX = 50


def page_limit(ctx: Context, asked: int) -> int:
    """The `limit` that holds, by the choice `page.limit_max`."""
    if asked > LIMIT_MAX and ctx.decide("page.limit_max", {}) == str(LIMIT_MAX):
        return LIMIT_MAX
    return asked
