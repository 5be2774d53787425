"""What the plain exchange deals in: tokens, markets, orders, trades and deposits; prices are exact fractions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Any, NamedTuple


class Token(NamedTuple):
    """What the token list says, amounts in the smallest unit."""

    token_id: int
    symbol: str
    decimals: int
    least: int
    most: int
    dust: int


class Pair(NamedTuple):
    """A market."""

    name: str
    base: Token
    quote: Token
    precision: int
    levels: tuple[int, ...]

    def human(self, price: Fraction) -> Fraction:
        """A price in wei per wei as a price in whole tokens."""
        return price * Fraction(10) ** (self.base.decimals - self.quote.decimals)

    def shown(self, price: Fraction, side: str) -> Fraction:
        """The price that an order of this side shows: to the market's precision, a bid's down, an ask's up."""
        scale = 10**self.precision
        ticks = self.human(price) * scale
        return Fraction(floor(ticks) if side == "BUY" else ceil(ticks), scale)


@dataclass(eq=False)
class Order:
    """An order as it was sent and how far it has come."""

    hash: str
    body: Mapping[str, Any]
    pair: Pair
    created_ms: int
    status: str = "waiting"
    held: bool = False
    failed: bool = False
    came: int = -1
    """Its place in the queue of those that came to the market."""
    base: int = 0
    """What has been filled, and so `quote` and `fee`."""
    quote: int = 0
    fee: int = 0
    side: str = field(init=False)
    sold: Token = field(init=False)
    size: int = field(init=False)
    volume: int = field(init=False)

    def __post_init__(self) -> None:
        amounts = int(self.body["amountS"]), int(self.body["amountB"])
        sells = self.body["tokenSId"] == self.pair.base.token_id
        self.side = "SELL" if sells else "BUY"
        self.sold = self.pair.base if sells else self.pair.quote
        self.size, self.volume = amounts if sells else amounts[::-1]

    @property
    def account(self) -> int:
        """Whose it is."""
        return int(self.body["accountId"])

    @property
    def price(self) -> Fraction:
        """Quote wei for a base wei, exactly."""
        return Fraction(self.volume, self.size)

    @property
    def ends_on_base(self) -> bool:
        """`buy` true: done when bought; false: done when sold."""
        buys_until_bought: bool = self.body["buy"] == "true"
        return buys_until_bought == (self.side == "BUY")

    @property
    def sells_base_until_sold(self) -> bool:
        """Whether it takes any amount of quote for what it sells."""
        return self.side == "SELL" and self.ends_on_base

    @property
    def left_sold(self) -> int:
        """What is frozen for it while it is open."""
        return self.size - self.base if self.side == "SELL" else self.volume - self.quote

    def can_trade(self, price: Fraction) -> int:
        """How much base it can still trade at a price: what its leg leaves, and no more than it can pay."""
        by_base, by_quote = self.size - self.base, floor((self.volume - self.quote) / price)
        if self.sells_base_until_sold:
            return by_base
        return by_quote if self.side == "BUY" and not self.ends_on_base else min(by_base, by_quote)

    @property
    def rest(self) -> int:
        """How much base it can still trade at its own price."""
        return self.can_trade(self.price)

    @property
    def rest_quote(self) -> int:
        """What its rest is worth at its own price."""
        return floor(self.rest * self.price)

    def has_quote_for(self, base: int, price: Fraction | None) -> bool:
        """Whether so much can be filled at a price other than its own without more quote than its amounts allow."""
        return self.sells_base_until_sold or price is None or floor(base * price) <= self.volume - self.quote

    @property
    def listed(self) -> str:
        """The status word under which the list has it."""
        return "failed" if self.failed else self.status


class Leg(NamedTuple):
    """One side of a trade: whose, of which order (None: the house's), what it sold, at how many bips."""

    account: int
    order: Order | None
    sold: int
    bips: int


class Trade(NamedTuple):
    """A trade at a shown price."""

    at_ms: int
    pair: Pair
    price: Fraction
    base: int
    quote: int
    taker: Leg
    maker: Leg


class Deposit(NamedTuple):
    """Money that came in."""

    account: int
    token: Token
    amount: int
