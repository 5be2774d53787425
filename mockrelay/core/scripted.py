"""Orders that a scenario places: they rest in the book from the start, or come in along the timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from mockrelay.core.order_judge import fast_hash_of
from mockrelay.core.orders import enter, next_free_id
from mockrelay.core.records import Order
from mockrelay.core.setting import Market, Token
from mockrelay.core.units import price_ticks
from mockrelay.spec.vocab import OrderStatus, OrderType, Side

if TYPE_CHECKING:
    from mockrelay.core.context import Context

MAX_FEE_BIPS = 63
LAST_SECOND = 2**32 - 1
"""`validUntil` of these orders: the last moment that an order can have, so that none expires by surprise."""


class ScriptedOrder(NamedTuple):
    """An order as a scenario tells it."""

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
        """What it sells."""
        return self.size_base_wei if self.side is Side.SELL else self.volume_quote_wei

    @property
    def amount_bought_wei(self) -> int:
        """What it buys."""
        return self.volume_quote_wei if self.side is Side.SELL else self.size_base_wei


def place(ctx: Context, scripted: ScriptedOrder) -> Order:
    """The order enters the market at the context's moment. Its account must have what it sells free."""
    world = ctx.world
    seller, token_id = scripted.account_id, scripted.sold.token_id
    # Where no storage id is taken there is no silence of the spec to be asked about.
    order_id = next_free_id(ctx, seller, token_id) if world.storage_ids else world.shelf.next_id(seller, token_id)
    # The size decides when it is done, whichever side it is on.
    buys = scripted.side is Side.BUY
    fields = {
        "exchangeId": world.setting.exchange.exchange_id,
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
    }
    order = Order(
        hash=fast_hash_of(world.setting.seed, fields),
        seq=len(world.shelf),
        account_id=scripted.account_id,
        order_id=order_id,
        market=scripted.market.name,
        side=scripted.side,
        order_type=OrderType.LIMIT_ORDER,
        ends_on_bought=buys,
        sold_token=scripted.sold.token_id,
        bought_token=scripted.bought.token_id,
        size_base_wei=scripted.size_base_wei,
        volume_quote_wei=scripted.volume_quote_wei,
        price_ticks=price_ticks(scripted.market, scripted.side, scripted.size_base_wei, scripted.volume_quote_wei),
        max_fee_bips=MAX_FEE_BIPS,
        valid_since_s=ctx.now_s,
        valid_until_s=LAST_SECOND,
        created_at_ms=ctx.now_ms,
        client_order_id=scripted.client_order_id,
        status=OrderStatus.PROCESSING,
    )
    return enter(ctx, order)
