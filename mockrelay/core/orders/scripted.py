"""Orders of a scenario: placed at the start or by its timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mockrelay.core.config import Market, Token
from mockrelay.core.models import Order
from mockrelay.core.orders.lifecycle import accept_order
from mockrelay.core.orders.queries import next_free_id
from mockrelay.core.orders.validate import build_order, fast_hash_of
from mockrelay.spec.vocab import Side

if TYPE_CHECKING:
    from mockrelay.core.context import Context

MAX_FEE_BIPS = 63
LAST_SECOND = 2**32 - 1
"""`validUntil` of these orders: the latest possible, so that they do not expire."""


class ScriptedOrder(NamedTuple):
    """An order as a scenario describes it."""

    account_id: int
    market: Market
    side: Side
    size_base_wei: int
    volume_quote_wei: int
    client_order_id: str

    @property
    def sold(self) -> Token:
        """The token that it sells."""
        return self.market.base if self.side is Side.SELL else self.market.quote

    @property
    def bought(self) -> Token:
        """The token that it buys."""
        return self.market.quote if self.side is Side.SELL else self.market.base

    @property
    def amount_sold_wei(self) -> int:
        """The amount of `sold`."""
        return self.size_base_wei if self.side is Side.SELL else self.volume_quote_wei

    @property
    def amount_bought_wei(self) -> int:
        """The amount of `bought`."""
        return self.volume_quote_wei if self.side is Side.SELL else self.size_base_wei


def place(ctx: Context, scripted: ScriptedOrder) -> Order:
    """Accept the order at the context's time; returns its new state. The account must have the sold amount free."""
    world = ctx.world
    seller, token_id = scripted.account_id, scripted.sold.token_id
    # Without storage ids the choices that `next_free_id` asks make no difference, and need not be decided.
    order_id = next_free_id(ctx, seller, token_id) if world.storage_ids else world.orders.next_id(seller, token_id)
    # The base amount decides when it is filled, on either side.
    buys = scripted.side is Side.BUY
    fields = {
        "exchangeId": world.config.exchange.exchange_id,
        "orderId": order_id,
        "accountId": scripted.account_id,
        "tokenSId": scripted.sold.token_id,
        "tokenBId": scripted.bought.token_id,
        "amountS": str(scripted.amount_sold_wei),
        "amountB": str(scripted.amount_bought_wei),
        "buy": "true" if buys else "false",
        "label": 0,
        "validSince": ctx.now_s,
        "validUntil": LAST_SECOND,
        "maxFeeBips": MAX_FEE_BIPS,
        "clientOrderId": scripted.client_order_id,
    }
    order = build_order(
        ctx,
        fields,
        fast_hash_of(world.config.seed, fields),
        scripted.market,
        scripted.side,
        scripted.amount_sold_wei,
        scripted.amount_bought_wei,
        waits=False,
    )
    return accept_order(ctx, order)
