"""The section `orders`: the orders that rest in the book when the world starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mockrelay.core.config import Market
from mockrelay.core.errors import InvalidInput
from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.orders.scripted import ScriptedOrder
from mockrelay.core.units import price_ticks, quote_at_price, units_of_text
from mockrelay.scenario.section import Values, look_up
from mockrelay.spec.vocab import Side
from mockrelay.suggest import shown


def build_order(values: Values, ids: Mapping[str, int], markets: Mapping[str, Market]) -> ScriptedOrder:
    """One order. `ids`: account ids by name, the house included."""
    market = look_up(markets, values, "market")
    side, size_wei = Side(values["side"]), int(values["size"])
    return ScriptedOrder(
        account_id=look_up(ids, values, "account"),
        market=market,
        side=side,
        size_base_wei=size_wei,
        volume_quote_wei=volume_of(values, market, side, size_wei),
        client_order_id=values.get("clientOrderId", ""),
    )


def volume_of(values: Values, market: Market, side: Side, size_wei: int) -> int:
    """The quote amount of the size, in wei, by the volume or the price in `values`; rounded so that the order shows exactly
    that price.
    """
    if "volume" in values:
        return int(values["volume"])
    price: str = values["price"]
    ticks = units_of_text(price, market.price_precision)
    if not ticks:
        meant = f'a price above zero with up to {market.price_precision} decimals, such as "0.5"'
        raise InvalidInput(("price",), shown(price), meant)
    volume_wei = quote_at_price(market, ticks, size_wei)
    if side is Side.BUY and price_ticks(market, side, size_wei, volume_wei) != ticks:
        volume_wei += 1
    if not volume_wei or price_ticks(market, side, size_wei, volume_wei) != ticks:
        found = f"{price} for a size too small to have that price"
        raise InvalidInput(("price",), found, f"volume, in wei of {market.quote.symbol}")
    return volume_wei


def check_orders_rest(orders: Sequence[ScriptedOrder], free_wei: Mapping[tuple[int, int], int]) -> None:
    """InvalidInput for an order that cannot rest beside those before it: the balance does not suffice, or it would trade
    at once. `free_wei`: the balances before the first order, by account id and token id.
    """
    left_wei = dict(free_wei)
    best: dict[tuple[str, Side], ScriptedOrder] = {}
    for index, order in enumerate(orders):
        _freeze(left_wei, order, index)
        others = best.get((order.market.name, order.side.opposite))
        if others is not None and _is_as_good(others, order):
            meant = f"a price that rests beside the others in {order.market.name}"
            raise InvalidInput((index,), "an order that would trade at once", meant)
        side_of_book = order.market.name, order.side
        own = best.get(side_of_book)
        if own is None or _is_as_good(order, own):
            best[side_of_book] = order


def _freeze(left_wei: dict[tuple[int, int], int], order: ScriptedOrder, index: int) -> None:
    if order.account_id == HOUSE_ID:
        return
    sold, sold_wei = order.sold, order.amount_sold_wei
    holding = order.account_id, sold.token_id
    free_wei = left_wei.get(holding, 0)
    if sold_wei > free_wei:
        raise InvalidInput(
            (index,), f"an order that sells {sold_wei} wei of {sold.symbol}", f"at most the {free_wei} that are free"
        )
    left_wei[holding] = free_wei - sold_wei


def _is_as_good(order: ScriptedOrder, other: ScriptedOrder) -> bool:
    """Whether the price of `order` is at least as good for its counterparty as that of `other`."""
    difference = order.volume_quote_wei * other.size_base_wei - other.volume_quote_wei * order.size_base_wei
    return difference >= 0 if order.side is Side.BUY else difference <= 0
