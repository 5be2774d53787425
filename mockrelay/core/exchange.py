"""The tokens and the exchange's contract (spec §1, §2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call, Encodable
from mockrelay.core.world import World
from mockrelay.spec.request_kinds import FeeKind

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def get_tokens(ctx: Context, call: Call) -> Encodable:
    """All tokens by id, the native coin among them (spec §1)."""
    return ctx.world.config.tokens_view


def get_exchange_info(ctx: Context, call: Call) -> Encodable:
    """The exchange contract and the current fees (spec §2)."""
    world = ctx.world
    if world.exchange_view is None:
        world.exchange_view = Encodable(_exchange_view(world))
    return world.exchange_view


def _exchange_view(world: World) -> dict[str, Any]:
    exchange = world.config.exchange

    def off_fees(kind: FeeKind) -> list[dict[str, str]]:
        return [
            {"token": world.config.tokens[token_id].symbol, "fee": str(wei)}
            for token_id, wei in world.fees[kind].items()
        ]

    return {
        "chainId": exchange.chain_id,
        "exchangeId": exchange.exchange_id,
        "exchangeAddress": exchange.exchange_address,
        "onchainFees": [{"type": category, "fee": str(wei)} for category, wei in exchange.onchain_fees],
        **{kind.exchange_field: off_fees(kind) for kind in FeeKind if kind.exchange_field is not None},
    }
