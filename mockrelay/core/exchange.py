"""What the exchange tells of itself (spec §1, §2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockrelay.core.call import Call, Encodable

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def get_tokens(ctx: Context, call: Call) -> Encodable:
    """All tokens, by id; the native coin is one of them."""
    return ctx.world.setting.tokens_view


def get_exchange_info(ctx: Context, call: Call) -> Encodable:
    """The exchange contract and its fees."""
    return ctx.world.setting.exchange_view
