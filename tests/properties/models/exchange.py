"""A second exchange, as plain as it can be: one list of orders, sorted whenever somebody asks, and exact fractions.

It is written from the rules that the product states (the spec and the design's page on orders), shares no code with it,
and predicts what each step of a test does to orders, trades and money. What it holds is also the test's own list of
orders and trades, from which `views.py` works out the market data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from math import floor

from tests.properties.models.order_records import Deposit, Leg, Order, Pair, Token, Trade

HOUSE = 0
SKEW_S = 60
MONTH_S = 30 * 86_400
CANCEL_MS = 5000


class Market:
    """All markets of an exchange, their orders and the money."""

    def __init__(self, start_ms: int, rates: Mapping[int, tuple[int, int]], choices: Mapping[str, str]) -> None:
        self.now_ms = start_ms
        self.rates = rates
        """Maker and taker bips by account."""
        self.choices = dict(choices)
        self.orders: list[Order] = []
        self.pending: list[Trade | Deposit] = []
        self.free: Counter[tuple[int, int]] = Counter()
        self.frozen: Counter[tuple[int, int]] = Counter()
        self.fees: Counter[int] = Counter()
        self.put_in: Counter[int] = Counter()
        self.frozen_accounts: set[int] = set()
        self.changed_ms: dict[str, int] = {}
        """When a market's book last changed."""
        self._came = 0
        self._plan: list[tuple[int, str, Order]] = []

    def trades(self, pair: Pair) -> list[Trade]:
        """A market's trades, oldest first."""
        return [one for one in self.pending if isinstance(one, Trade) and one.pair is pair]

    def resting(self, pair: Pair, side: str) -> list[Order]:
        """What rests on a side of the book, best price first, then first come."""
        found = [one for one in self.orders if one.pair is pair and one.side == side and one.status == "processing"]
        return sorted(found, key=lambda one: (one.price if side == "SELL" else -one.price, one.came))

    def refusal(self, order: Order) -> int | None:
        """The code that a new order is refused with, or None."""
        body, now_s, chosen = order.body, self.now_ms // 1000, self.choices
        short = body["validUntil"] - now_s < MONTH_S and chosen["order.too_short_validity"] == "refuse"
        ahead = body["validSince"] > now_s + SKEW_S
        amount = int(body["amountS"])
        waits = ahead and chosen["order.valid_since_future"] == "wait"
        post_only = body["orderType"] == "MAKER_ONLY" and not waits
        rules = (
            (102027, order.account in self.frozen_accounts),
            (
                102006,
                body["maxFeeBips"] < self.rates[order.account][1] and chosen["order.max_fee_below_rate"] == "refuse",
            ),
            (102008, body["validUntil"] * 1000 <= self.now_ms),
            (102120, body["validSince"] >= body["validUntil"] or short),
            (102120, ahead and chosen["order.valid_since_future"] == "refuse"),
            (102012, amount < order.sold.least or not int(body["amountB"])),
            (102020, amount > order.sold.most),
            (102011, amount > self.free[order.account, order.sold.token_id]),
            (102120, post_only and self._best_against(order) is not None),
        )
        return next((code for code, broken in rules if broken), None)

    def take(self, order: Order, *, held: bool) -> None:
        """An order that is not refused."""
        key = order.account, order.sold.token_id
        self.free[key] -= order.left_sold
        self.frozen[key] += order.left_sold
        order.held = held
        self.orders.append(order)
        self._plan.append((order.body["validUntil"] * 1000, "expire", order))
        waits = self._starts_later(order)
        if waits:
            self._plan.append((order.body["validSince"] * 1000, "start", order))
        if not (waits or held):
            self._enter(order, self.now_ms)

    def cancel(self, order: Order) -> None:
        """An open order leaves the book at once and its money becomes free a while later."""
        if order.status == "processing":
            self.changed_ms[order.pair.name] = self.now_ms
        order.status, order.held = "cancelling", False
        self._plan.append((self.now_ms + CANCEL_MS, "cancelled", order))

    def release(self, order: Order, *, failed: bool) -> None:
        """A held order is settled."""
        order.held = False
        if failed:
            order.failed = True
            self._end(order, "cancelled")
        elif self._starts_later(order):
            self._plan.append((order.body["validSince"] * 1000, "start", order))
        else:
            self._enter(order, self.now_ms)

    def fill(self, order: Order, base: int, price: Fraction | None) -> None:
        """The house takes from a resting order, at its exact price or at a price in wei per wei."""
        quote = floor(base * (order.price if price is None else price))
        shown = order.pair.shown(order.price, order.side) if price is None else order.pair.human(price)
        self._trade(None, order, base, quote, shown, self.now_ms)

    def deposit(self, account: int, token: Token, amount: int) -> None:
        """Money comes in."""
        self.free[account, token.token_id] += amount
        self.put_in[token.token_id] += amount
        self.pending.append(Deposit(account, token, amount))

    def run_due_events(self, now_ms: int) -> None:
        """Everything due by then happens, each at its own moment and, of one moment, as it was planned."""
        while due := [event for event in self._plan if event[0] <= now_ms]:
            event = min(due, key=lambda one: one[0])
            self._plan.remove(event)
            at_ms, what, order = event
            if what == "start" and order.status == "waiting" and not order.held:
                self._enter(order, at_ms)
            elif what == "cancelled" and order.status == "cancelling":
                self._end(order, "cancelled")
            elif what == "expire" and order.status in ("waiting", "processing"):
                if order.status == "processing":
                    self.changed_ms[order.pair.name] = at_ms
                self._end(order, "expired")
        self.now_ms = now_ms

    def _starts_later(self, order: Order) -> bool:
        ahead = order.body["validSince"] > self.now_ms // 1000 + SKEW_S
        return ahead and self.choices["order.valid_since_future"] == "wait"

    def _best_against(self, order: Order) -> Order | None:
        others = self.resting(order.pair, "BUY" if order.side == "SELL" else "SELL")
        if not others:
            return None
        best = others[0]
        crosses = best.price >= order.price if order.side == "SELL" else best.price <= order.price
        return best if crosses else None

    def _enter(self, order: Order, at_ms: int) -> None:
        order.status, kind = "processing", order.body["orderType"]
        order.came, self._came = self._came, self._came + 1
        while order.status == "processing" and (maker := self._best_against(order)) is not None:
            own = maker.account == order.account and self.choices["order.self_trade"] == "cancel_newest"
            base = min(order.can_trade(maker.price), maker.rest)
            quote = floor(base * maker.price)
            if kind == "MAKER_ONLY" or own:
                self._end(order, "cancelled")
            elif quote:
                self._trade(order, maker, base, quote, maker.pair.shown(maker.price, maker.side), at_ms)
            elif order.can_trade(maker.price) <= maker.rest:
                self._end(order, "processed")
            else:
                self._end(maker, "processed")
                self.changed_ms[order.pair.name] = at_ms
        if order.status == "processing" and kind == "TAKER_ONLY":
            self._end(order, "cancelled")
        elif order.status == "processing":
            self.changed_ms[order.pair.name] = at_ms

    def _trade(self, taker: Order | None, maker: Order, base: int, quote: int, price: Fraction, at_ms: int) -> None:
        pair = maker.pair
        bips = {id(maker): self._bips(maker, 0)} | ({} if taker is None else {id(taker): self._bips(taker, 1)})
        seller, buyer = (maker, taker) if maker.side == "SELL" else (taker, maker)
        for payer, payee, token, amount in ((seller, buyer, pair.base, base), (buyer, seller, pair.quote, quote)):
            fee = 0 if payee is None else amount * bips[id(payee)] // 10_000
            purse = self.free if payer is None else self.frozen
            purse[HOUSE if payer is None else payer.account, token.token_id] -= amount
            self.free[HOUSE if payee is None else payee.account, token.token_id] += amount - fee
            self.fees[token.token_id] += fee
            if payee is not None:
                payee.fee += fee
        legs = [
            Leg(HOUSE if one is None else one.account, one, amount, 0 if one is None else bips[id(one)])
            for one, amount in (
                (taker, quote if maker.side == "SELL" else base),
                (maker, base if maker.side == "SELL" else quote),
            )
        ]
        self.pending.append(Trade(at_ms, pair, price, base, quote, *legs))
        self.changed_ms[pair.name] = at_ms
        for order in (maker, taker):
            if order is not None:
                order.base, order.quote = order.base + base, order.quote + quote
                rest = order.rest if order.side == "SELL" else order.rest_quote
                dust = self.choices["order.dust"] == "finish" and rest < order.sold.dust
                if order.rest == 0 or dust:
                    self._end(order, "processed")

    def _bips(self, order: Order, which: int) -> int:
        return min(self.rates[order.account][which], int(order.body["maxFeeBips"]))

    def _end(self, order: Order, status: str) -> None:
        key = order.account, order.sold.token_id
        self.frozen[key] -= order.left_sold
        self.free[key] += order.left_sold
        order.status, order.held = status, False
