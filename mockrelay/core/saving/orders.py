"""Checks of saved orders, and the books made of them."""

from __future__ import annotations

from mockrelay.core.ledger import HOUSE_ID
from mockrelay.core.models import Order
from mockrelay.core.orders.matching import BIPS
from mockrelay.core.orders.store import OPEN
from mockrelay.core.saving.codec import InvalidSavedState
from mockrelay.core.units import price_ticks
from mockrelay.core.world import World
from mockrelay.spec.vocab import OrderStatus, Side
from mockrelay.suggest import in_quotes


def check_orders(world: World) -> None:
    """Check every order: its market exists, its amounts and state are possible. Raises InvalidSavedState."""
    for name in (*world.books, *world.trade_logs):
        if name not in world.config.markets:
            where = ".books" if name in world.books else ".trade_logs"
            raise InvalidSavedState(where, f"{in_quotes(name, 80)}", "a market of the scenario")
    for seq, order in enumerate(world.orders.by_hash.values()):
        problem = _problem_of(world, order)
        if problem is not None:
            field, found, meant = problem
            raise InvalidSavedState(f".orders.by_hash[{seq}].{field}", f"{found!s:.80}", meant)


def fill_books(world: World) -> None:
    """Put the orders that are `processing` into the books; InvalidSavedState if two of them would have traded."""
    for order in world.orders.by_hash.values():
        if order.status is OrderStatus.PROCESSING:
            world.books[order.market].of(order.side).add(order)
    for name, book in world.books.items():
        bid = book.bids.best()
        if bid is not None and book.asks.crossed_by(bid.size_base_wei, bid.volume_quote_wei):
            raise InvalidSavedState(f".world.books[{in_quotes(name)}]", "a bid that reaches an ask", "orders that rest")


def _problem_of(world: World, order: Order) -> tuple[str, object, str] | None:
    """(wrong field, its value, what was meant); None if the order is possible."""
    if order.account_id != HOUSE_ID and order.account_id not in world.accounts:
        return "account_id", order.account_id, "an account, or the house, 0"
    market = world.config.markets.get(order.market)
    if market is None:
        return "market", repr(order.market), "a market of the scenario"
    base, quote = market.base.token_id, market.quote.token_id
    legs = (base, quote) if order.side is Side.SELL else (quote, base)
    if (order.sold_token, order.bought_token) != legs:
        return "sold_token", order.sold_token, f"{legs[0]} for {legs[1]}, as the market and the side say"
    if not order.size_base_wei:
        return "size_base_wei", 0, "more than nothing"
    if not order.volume_quote_wei:
        return "volume_quote_wei", 0, "more than nothing"
    ticks = price_ticks(market, order.side, order.size_base_wei, order.volume_quote_wei)
    if order.price_ticks != ticks:
        return "price_ticks", order.price_ticks, f"{ticks!s:.80}, which size and volume come to"
    if order.max_fee_bips > BIPS:
        return "max_fee_bips", order.max_fee_bips, f"at most {BIPS}"
    if order.remaining_frozen_wei < 0:
        return "filled_base_wei", order.sold_wei, f"at most {order.amount_sold_wei!s:.80} sold"
    if order.status in OPEN and order.remaining_base_wei < 0:
        return "filled_base_wei", order.filled_base_wei, "a rest that is not below zero"
    if order.held is not None and order.status is not OrderStatus.WAITING:
        return "held", order.held, f"nothing beside {order.status}"
    if order.failed and order.status is not OrderStatus.CANCELLED:
        return "failed", order.failed, f"false beside {order.status}"
    if order.status is OrderStatus.PROCESSING and order.market not in world.books:
        return "market", repr(order.market), "one that has a book, since the order is being traded"
    return None
