"""A market's resting orders in price-time priority.

A side is one sorted list of orders. The sort key is one integer: the exact price in the upper bits, `Order.seq` in the lower
bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import islice

from sortedcontainers import SortedDict, SortedKeyList

from mockrelay.core.call import Encodable
from mockrelay.core.models import Order
from mockrelay.core.state import State, cache_field, derived_field, saved_field
from mockrelay.spec.vocab import Side

_NARROW_BITS, _WIDE_BITS = 96, 260
"""Different prices of base amounts below 2^n differ by more than 2^-2n, so 2n bits make a price exact. Nearly all amounts fit
the narrow key, which takes a third of the memory; any amount of 78 digits fits the wide one."""
_SEQ_BITS = 40
_SCANNED_MAX = 200
"""The most orders that are aggregated for one query of the depth; beyond that the rows are cached and updated."""

DepthRow = tuple[int, int, int, int]
"""Price in steps, base, quote, orders."""


def _rank(sign: int, bits: int, order: Order) -> int:
    price = (order.volume_quote_wei << 2 * bits) // order.size_base_wei
    return (sign * price << _SEQ_BITS) + order.seq


def _remaining(order: Order) -> tuple[int, int]:
    """The remaining (base, quote) in wei; most resting orders are unfilled, which avoids the division."""
    if order.filled_base_wei or order.filled_quote_wei:
        return order.remaining_base_wei, order.remaining_quote_wei
    return order.size_base_wei, order.volume_quote_wei


class BookSide:
    """One side of a book: its orders, best first."""

    __slots__ = ("_bits", "_rows", "_sign", "orders", "side")

    def __init__(self, side: Side) -> None:
        self.side = side
        self._sign = -1 if side is Side.BUY else 1
        self._rows: dict[int, SortedDict[int, DepthRow]] = {}
        """Cached depth: ticks a step -> rows by signed price, best first."""
        self._bits = _NARROW_BITS
        self.orders: SortedKeyList[Order] = SortedKeyList(key=partial(_rank, self._sign, self._bits))

    def clone(self) -> BookSide:
        """An independent copy."""
        copy = BookSide(self.side)
        copy._rank_by(self._bits, self.orders)
        return copy

    def comparable_values(self) -> list[int]:
        """The `seq` of the resting orders, best first."""
        return [order.seq for order in self.orders]

    def add(self, order: Order) -> None:
        """Add an order behind all others of its price."""
        if order.size_base_wei >> self._bits:
            self._rank_by(_WIDE_BITS, self.orders)
        self.orders.add(order)
        if self._rows:
            self._update_rows(order, 1)

    def change(self, before: Order, after: Order) -> None:
        """Replace an order that has been partly filled; it keeps its place."""
        self.remove(before)
        self.add(after)

    def remove(self, order: Order) -> None:
        """Remove an order, given as it was added or last replaced."""
        self.orders.remove(order)
        if self._rows:
            self._update_rows(order, -1)

    def best(self) -> Order | None:
        """The order that trades first; None: the side is empty."""
        return self.orders[0] if self.orders else None

    def crossed_by(self, base_wei: int, quote_wei: int) -> bool:
        """Whether an order of the other side with the price `quote_wei` / `base_wei` would trade with this side."""
        if not self.orders:
            return False
        best: Order = self.orders[0]
        return self._sign * (best.volume_quote_wei * base_wei - quote_wei * best.size_base_wei) <= 0

    def depth(self, coarseness: int, limit: int) -> list[DepthRow]:
        """At most `limit` rows with prices in steps of `coarseness` ticks, best first; bids round down, asks up."""
        limit = min(limit, len(self.orders))  # a client's limit may be any integer
        rows = self._rows.get(coarseness)
        if rows is None:
            orders = iter(self.orders)
            rows = list(islice(self._aggregate(islice(orders, _SCANNED_MAX), coarseness), limit + 1))
            if len(rows) > limit or next(orders, None) is None:
                return rows[:limit]
            rows = self._rows[coarseness] = SortedDict(
                (self._sign * row[0], row) for row in self._aggregate(self.orders, coarseness)
            )
        return list(islice(rows.values(), limit))

    def _aggregate(self, orders: Iterator[Order], coarseness: int) -> Iterator[DepthRow]:
        steps: int | None = None
        base = quote = count = 0
        for order in orders:
            order_steps = self._steps(order, coarseness)
            if order_steps != steps:
                if steps is not None:
                    yield steps, base, quote, count
                steps, base, quote, count = order_steps, 0, 0, 0
            order_base, order_quote = _remaining(order)
            base += order_base
            quote += order_quote
            count += 1
        if steps is not None:
            yield steps, base, quote, count

    def _update_rows(self, order: Order, sign: int) -> None:
        """Add an order to the cached rows (sign 1), or subtract it (sign -1)."""
        order_base, order_quote = _remaining(order)
        for coarseness, rows in self._rows.items():
            steps = self._steps(order, coarseness)
            key = self._sign * steps
            _, base, quote, count = rows.get(key, (steps, 0, 0, 0))
            if count + sign == 0:
                del rows[key]
            else:
                rows[key] = (steps, base + sign * order_base, quote + sign * order_quote, count + sign)

    def _steps(self, order: Order, coarseness: int) -> int:
        ticks = order.price_ticks
        return ticks // coarseness if self._sign < 0 else -(-ticks // coarseness)

    def _rank_by(self, bits: int, orders: Iterator[Order]) -> None:
        self._bits = bits
        self.orders = SortedKeyList(orders, key=partial(_rank, self._sign, bits))


class Book(State):
    """Both sides of a market, and a version that counts their changes."""

    updated_ms: int = saved_field()
    version: int = saved_field(factory=int)
    bids: BookSide = derived_field(factory=partial(BookSide, Side.BUY), in_digest=True)
    asks: BookSide = derived_field(factory=partial(BookSide, Side.SELL), in_digest=True)
    depth_views: dict[tuple[int, int], Encodable] = cache_field(factory=dict)
    """Answers for the current version, by (level, limit)."""

    @property
    def is_empty(self) -> bool:
        """Whether no order ever rested here: a book is created when it is first read."""
        return not self.version

    def of(self, side: Side) -> BookSide:
        """The side that orders of `side` rest on."""
        return self.bids if side is self.bids.side else self.asks

    def own_and_other(self, side: Side) -> tuple[BookSide, BookSide]:
        """The side that orders of `side` rest on, and the side that they trade with."""
        return (self.bids, self.asks) if side is self.bids.side else (self.asks, self.bids)

    def touch(self, now_ms: int) -> None:
        """Record a change of the book."""
        self.version += 1
        self.updated_ms = now_ms
        if self.depth_views:
            self.depth_views = {}
