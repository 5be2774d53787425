"""The section `orders`: what rests in the book when the world starts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from mockrelay.core.context import Context
from mockrelay.core.due import DueKind
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.matching import enter_market
from mockrelay.core.order_judge import order_hash_of
from mockrelay.core.records import Order
from mockrelay.core.setting import Market, Token
from mockrelay.core.units import price_ticks, quote_at_price, units_of_text
from mockrelay.scenario.accounts import HOUSE
from mockrelay.scenario.nodes import Node
from mockrelay.scenario.reading import Fields, amount_above_zero_wei, name_in, text, word
from mockrelay.spec.vocab import OrderStatus, OrderType, Side

ORDER_KEYS = ("account", "market", "side", "size", "price", "volume", "clientOrderId")
MAX_FEE_BIPS = 63
LAST_SECOND = 2**32 - 1
"""`validUntil` of these orders: the last moment that an order can have, so that none expires by surprise."""
_PRICE_DIGITS_MAX = 80


class Resting(NamedTuple):
    """An order that rests in the book from the start."""

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


def read_order(node: Node, accounts: Mapping[str, int], markets: Mapping[str, Market]) -> Resting:
    """One order of an account or of the house."""
    fields = Fields(node, ORDER_KEYS)
    ids = {HOUSE: HOUSE_ID, **accounts}
    market = markets[fields.need("market", name_in(markets))]
    side = fields.need("side", word(Side))
    size_wei = fields.need("size", amount_above_zero_wei)
    if fields.only_one("price", "volume") == "volume":
        volume_wei = fields.need("volume", amount_above_zero_wei)
    else:
        volume_wei = _volume_at_price(fields.node_of("price"), market, side, size_wei)
    return Resting(
        account_id=ids[fields.need("account", name_in(ids))],
        market=market,
        side=side,
        size_base_wei=size_wei,
        volume_quote_wei=volume_wei,
        client_order_id=fields.get("clientOrderId", text, ""),
    )


def _volume_at_price(node: Node, market: Market, side: Side, size_wei: int) -> int:
    """What the size costs; a part of the smallest unit is rounded so that the order shows the price that was given."""
    given = text(node)
    ticks = units_of_text(given, market.price_precision) if len(given) <= _PRICE_DIGITS_MAX else None
    if not ticks:
        raise node.error(node.shown, f'a price above zero with up to {market.price_precision} decimals, such as "0.5"')
    volume_wei = quote_at_price(market, ticks, size_wei)
    if side is Side.BUY and price_ticks(market, side, size_wei, volume_wei) != ticks:
        volume_wei += 1
    if not volume_wei or price_ticks(market, side, size_wei, volume_wei) != ticks:
        raise node.error(f"{given} for a size too small to have that price", f"volume, in wei of {market.quote.symbol}")
    return volume_wei


def check_rests(ctx: Context, resting: Resting, node: Node) -> None:
    """ScenarioError where the order cannot rest: its account has not enough, or it would trade at once."""
    free_wei = ctx.world.ledger.balance(resting.account_id, resting.sold.token_id).free_wei
    if resting.account_id != HOUSE_ID and resting.amount_sold_wei > free_wei:
        raise node.error(
            f"an order that sells {resting.amount_sold_wei} wei of {resting.sold.symbol}",
            f"at most the {free_wei} that are free",
        )
    others = ctx.world.book(resting.market.name).of(resting.side.opposite)
    if others.crossed_by(resting.size_base_wei, resting.volume_quote_wei):
        raise node.error(
            "an order that would trade at once", f"a price that rests beside the others in {resting.market.name}"
        )


def place(ctx: Context, resting: Resting) -> Order:
    """The order enters the book at the context's moment."""
    world = ctx.world
    order_id = world.shelf.next_id(resting.account_id, resting.sold.token_id)
    # The size decides when it is done, whichever side it is on.
    buys = resting.side is Side.BUY
    fields = {
        "exchangeId": world.setting.exchange.exchange_id,
        "orderId": order_id,
        "accountId": resting.account_id,
        "tokenSId": resting.sold.token_id,
        "tokenBId": resting.bought.token_id,
        "amountS": str(resting.amount_sold_wei),
        "amountB": str(resting.amount_bought_wei),
        "buy": "true" if buys else "false",
        "label": 0,
        "validSince": ctx.now_s,
        "validUntil": LAST_SECOND,
        "maxFeeBips": MAX_FEE_BIPS,
    }
    order = Order(
        hash=order_hash_of(world.setting.seed, fields),
        seq=len(world.shelf),
        account_id=resting.account_id,
        order_id=order_id,
        market=resting.market.name,
        side=resting.side,
        order_type=OrderType.LIMIT_ORDER,
        ends_on_bought=buys,
        sold_token=resting.sold.token_id,
        bought_token=resting.bought.token_id,
        size_base_wei=resting.size_base_wei,
        volume_quote_wei=resting.volume_quote_wei,
        price_ticks=price_ticks(resting.market, resting.side, resting.size_base_wei, resting.volume_quote_wei),
        max_fee_bips=MAX_FEE_BIPS,
        valid_since_s=ctx.now_s,
        valid_until_s=LAST_SECOND,
        created_at_ms=ctx.now_ms,
        client_order_id=resting.client_order_id,
        status=OrderStatus.PROCESSING,
        held=None,
        failed=False,
        filled_base_wei=0,
        filled_quote_wei=0,
        filled_fee_wei=0,
    )
    world.ledger.freeze(order.account_id, order.sold_token, resting.amount_sold_wei)
    world.shelf.add(order)
    world.agenda.plan(LAST_SECOND * 1000, DueKind.ORDER_EXPIRES, order.hash)
    return enter_market(ctx, order, ctx.now_ms)
