"""The section `orders`: what rests in the book when the world starts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.scripted import ScriptedOrder
from mockrelay.core.setting import Market
from mockrelay.core.units import price_ticks, quote_at_price, units_of_text
from mockrelay.scenario.nodes import Node
from mockrelay.scenario.reading import Fields, amount_above_zero_wei, name_in, text, word
from mockrelay.spec.vocab import Side

ORDER_KEYS = ("account", "market", "side", "size", "price", "volume", "clientOrderId")
_PRICE_DIGITS_MAX = 80


def read_order(node: Node, ids: Mapping[str, int], markets: Mapping[str, Market]) -> ScriptedOrder:
    """One order; `ids` are those of the accounts by name, the house among them."""
    fields = Fields(node, ORDER_KEYS)
    market = markets[fields.need("market", name_in(markets))]
    side = fields.need("side", word(Side))
    size_wei = fields.need("size", amount_above_zero_wei)
    if fields.only_one("price", "volume") == "volume":
        volume_wei = fields.need("volume", amount_above_zero_wei)
    else:
        volume_wei = volume_at_price(fields.node_of("price"), market, side, size_wei)
    return ScriptedOrder(
        account_id=ids[fields.need("account", name_in(ids))],
        market=market,
        side=side,
        size_base_wei=size_wei,
        volume_quote_wei=volume_wei,
        client_order_id=fields.get("clientOrderId", text, ""),
    )


def volume_at_price(node: Node, market: Market, side: Side, size_wei: int) -> int:
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


def check_all_rest(orders: Iterable[tuple[Node, ScriptedOrder]], free_wei: Mapping[tuple[int, int], int]) -> None:
    """ScenarioError where an order cannot rest beside those before it: its account has not enough, or it would trade at
    once. `free_wei` is what accounts have before the first, by account id and token id.
    """
    left_wei = dict(free_wei)
    best: dict[tuple[str, Side], ScriptedOrder] = {}
    for node, order in orders:
        _take(left_wei, order, node)
        others = best.get((order.market.name, order.side.opposite))
        if others is not None and _is_as_good(others, order):
            meant = f"a price that rests beside the others in {order.market.name}"
            raise node.error("an order that would trade at once", meant)
        place_in_book = order.market.name, order.side
        own = best.get(place_in_book)
        if own is None or _is_as_good(order, own):
            best[place_in_book] = order


def _take(left_wei: dict[tuple[int, int], int], order: ScriptedOrder, node: Node) -> None:
    if order.account_id == HOUSE_ID:
        return
    purse = order.account_id, order.sold.token_id
    free_wei = left_wei.get(purse, 0)
    if order.amount_sold_wei > free_wei:
        found = f"an order that sells {order.amount_sold_wei} wei of {order.sold.symbol}"
        raise node.error(found, f"at most the {free_wei} that are free")
    left_wei[purse] = free_wei - order.amount_sold_wei


def _is_as_good(order: ScriptedOrder, other: ScriptedOrder) -> bool:
    """Whether the price of `order` is at least as good for whoever would trade with it as that of `other`."""
    difference = order.volume_quote_wei * other.size_base_wei - other.volume_quote_wei * order.size_base_wei
    return difference >= 0 if order.side is Side.BUY else difference <= 0
