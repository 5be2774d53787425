"""A market's resting orders in price-time priority.

A price is a ratio of two integers (quote per base). Two of them compare as their keys do: `(quote << 520) // base` keeps
every difference between ratios of numbers below 2^260 (78 digits), so it orders them as cross-multiplication would, and one integer
can be kept sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from sortedcontainers import SortedDict

from mockrelay.core.call import Encodable
from mockrelay.core.records import Order
from mockrelay.spec.vocab import Side

_KEY_SHIFT = 520
_GONE_KEPT = 64
"""How many that have left may stay in a level's queue before it is swept."""

Rests = Callable[[str], bool]
"""Whether the order with this hash rests in the book."""


def price_key(base_wei: int, quote_wei: int) -> int:
    """The exact price of `quote_wei` for `base_wei` as an integer that sorts as the price does."""
    return (quote_wei << _KEY_SHIFT) // base_wei


class PriceLevel:
    """The orders that rest at one exact price, oldest first, with their totals."""

    __slots__ = ("base_wei", "count", "gone", "head", "price_ticks", "queue", "quote_wei")

    def __init__(self, price_ticks: int) -> None:
        self.price_ticks = price_ticks
        self.base_wei = 0
        self.quote_wei = 0
        self.count = 0
        self.queue: list[str] = []
        """Order hashes; those before `head` have left, and so have `gone` of all."""
        self.head = 0
        self.gone = 0

    def clone(self) -> PriceLevel:
        """An independent copy."""
        copy = PriceLevel(self.price_ticks)
        copy.base_wei, copy.quote_wei, copy.count = self.base_wei, self.quote_wei, self.count
        copy.queue = self.queue.copy()
        copy.head, copy.gone = self.head, self.gone
        return copy


class BookSide:
    """One side of a book: its price levels, best first."""

    __slots__ = ("_sign", "levels", "side")

    def __init__(self, side: Side) -> None:
        self.side = side
        self._sign = -1 if side is Side.BUY else 1
        self.levels: SortedDict[int, PriceLevel] = SortedDict()

    def clone(self) -> BookSide:
        """An independent copy."""
        copy = BookSide(self.side)
        copy.levels = SortedDict((key, level.clone()) for key, level in self.levels.items())
        return copy

    def add(self, order: Order) -> None:
        """The order rests, behind all others of its price."""
        key = self._key(order)
        level = self.levels.get(key)
        if level is None:
            level = self.levels[key] = PriceLevel(order.price_ticks)
        level.queue.append(order.hash)
        level.count += 1
        level.base_wei += order.rest_base_wei
        level.quote_wei += order.rest_quote_wei

    def change(self, before: Order, after: Order) -> None:
        """A resting order has been filled in part; it keeps its place."""
        level = self.levels[self._key(before)]
        level.base_wei += after.rest_base_wei - before.rest_base_wei
        level.quote_wei += after.rest_quote_wei - before.rest_quote_wei

    def remove(self, order: Order, rests: Rests) -> None:
        """The order, as it was when it last rested, leaves; `rests` already says no to it."""
        key = self._key(order)
        level = self.levels[key]
        level.count -= 1
        if level.count == 0:
            del self.levels[key]
            return
        level.base_wei -= order.rest_base_wei
        level.quote_wei -= order.rest_quote_wei
        level.gone += 1
        if level.gone > _GONE_KEPT and level.gone > level.count:
            level.queue = [hash_ for hash_ in level.queue[level.head :] if rests(hash_)]
            level.head = level.gone = 0

    def _key(self, order: Order) -> int:
        return self._sign * price_key(order.size_base_wei, order.volume_quote_wei)

    def best(self) -> PriceLevel | None:
        """The level that trades first, or None."""
        return self.levels.peekitem(0)[1] if self.levels else None

    def crossed_by(self, base_wei: int, quote_wei: int) -> bool:
        """Whether an order of the other side would trade here at its price, `quote_wei` for `base_wei`."""
        if not self.levels:
            return False
        best: int = self.levels.peekitem(0)[0]
        return best <= self._sign * price_key(base_wei, quote_wei)

    def front(self, level: PriceLevel, rests: Rests) -> str:
        """The hash of the level's oldest order."""
        while not rests(level.queue[level.head]):
            level.head += 1
        return level.queue[level.head]

    def depth(self, coarseness: int, limit: int) -> Iterator[tuple[int, int, int, int]]:
        """(price in steps of `coarseness` ticks, base, quote, orders), best first; bids round down, asks up."""
        shown = 0
        steps: int | None = None
        base = quote = count = 0
        down = self.side is Side.BUY
        for level in self.levels.values():
            ticks = level.price_ticks
            level_steps = ticks // coarseness if down else -(-ticks // coarseness)
            if level_steps != steps:
                if steps is not None:
                    yield steps, base, quote, count
                    shown += 1
                    if shown == limit:
                        return
                steps, base, quote, count = level_steps, 0, 0, 0
            base += level.base_wei
            quote += level.quote_wei
            count += level.count
        if steps is not None:
            yield steps, base, quote, count


class Book:
    """Both sides of a market, and how often they have changed."""

    __slots__ = ("asks", "bids", "depth_views", "updated_ms", "version")

    def __init__(self, updated_ms: int) -> None:
        self.bids = BookSide(Side.BUY)
        self.asks = BookSide(Side.SELL)
        self.version = 0
        self.updated_ms = updated_ms
        self.depth_views: dict[tuple[int, int], Encodable] = {}
        """Answers of this version by (level, limit)."""

    def clone(self) -> Book:
        """An independent copy."""
        copy = Book(self.updated_ms)
        copy.bids = self.bids.clone()
        copy.asks = self.asks.clone()
        copy.version = self.version
        return copy

    def of(self, side: Side) -> BookSide:
        """The side that orders of `side` rest on."""
        return self.bids if side is Side.BUY else self.asks

    def touch(self, now_ms: int) -> None:
        """The book has changed."""
        self.version += 1
        self.updated_ms = now_ms
        if self.depth_views:
            self.depth_views = {}

    def state(self) -> Any:
        """All that tells two books apart, for a digest."""
        sides = [
            [
                (key, level.price_ticks, level.base_wei, level.quote_wei, level.count)
                for key, level in side.levels.items()
            ]
            for side in (self.bids, self.asks)
        ]
        return self.version, self.updated_ms, sides
