"""Whatever traders do, every view of the market is what the test's own list of orders and trades adds up to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from hypothesis.stateful import invariant

from tests.properties.effort import effort
from tests.properties.machines import market_answers as observed
from tests.properties.machines.market_answers import NAMES
from tests.properties.machines.market_rules import MarketRules
from tests.properties.models import market_data as views
from tests.properties.models.exchange import HOUSE
from tests.properties.models.order_records import Order, Pair

ENDS = frozenset({"processed", "cancelled", "expired"})
REACHES: Mapping[str, frozenset[str]] = {
    "waiting": frozenset({"waiting", "processing", "cancelling"}) | ENDS,
    "processing": frozenset({"processing", "cancelling"}) | ENDS,
    "cancelling": frozenset({"cancelling", "cancelled"}),
} | {end: frozenset({end}) for end in ENDS}
"""Where an order's status can be after one more step, which may hold several moves."""
FILTERS = ("waiting", "processing", "processed", "failed", "cancelled", "expired")
LIMITS = (None, 1, 3)


class MarketMachine(MarketRules):
    """The rules of trading, and what holds after each of them."""

    def __init__(self) -> None:
        super().__init__()
        self.turn = 0
        self.statuses: dict[str, str] = {}
        self.books: dict[str, tuple[dict[str, Any], list[list[views.Step]]]] = {}

    @invariant()
    def everything_agrees(self) -> None:
        """Orders, trades and money after every step; of the views of the market, one market in turn."""
        self.turn += 1
        pair = self.pairs[self.turn % len(self.pairs)]
        self.orders_are_as_predicted()
        self.each_order_is_in_one_list(pair)
        self.trades_are_as_predicted()
        self.no_order_trades_more_than_its_leg()
        self.money_is_conserved()
        self.versions_follow_the_books()
        self.depth_is_the_sum_of_the_open_orders(pair)
        self.ticker_is_the_sum_of_its_window()
        self.candles_are_the_sums_of_their_trades(pair)

    def orders_are_as_predicted(self) -> None:
        """All records, newest first, field by field; moves are along the table, and ends are final."""
        found: dict[str, str] = {}
        for account_id in NAMES:
            own = [order for order in reversed(self.market.orders) if order.account == account_id]
            total, records = observed.orders(self.relay, account_id)
            assert total == len(own)
            assert records == [self.record(order) for order in own]
            found |= {record["hash"]: record["status"] for record in records}
        for hash_, status in self.statuses.items():
            assert found[hash_] in REACHES[status]
        self.statuses = found

    def record(self, order: Order) -> dict[str, Any]:
        """The order's record as the spec lays it out."""
        shown = order.pair.shown(order.price, order.side)
        return {
            "hash": order.hash,
            "clientOrderId": "",
            "size": str(order.size),
            "volume": str(order.volume),
            "price": plain(shown, order.pair),
            "filledSize": str(order.base),
            "filledVolume": str(order.quote),
            "filledFee": str(order.fee),
            "status": order.status,
            "validSince": order.body["validSince"],
            "validUntil": order.body["validUntil"],
            "createdAt": order.created_ms,
            "side": order.side,
            "market": order.pair.name,
        }

    def each_order_is_in_one_list(self, pair: Pair) -> None:
        """Half of the lists a turn, by status; cancelling is listed with cancelled, or alone by choice."""
        account_id = list(NAMES)[self.turn // 2 % len(NAMES)]
        own = [order for order in reversed(self.market.orders) if order.account == account_id]
        alone = self.market.choices["orders.filter_cancelling"] == "alone"
        for word in ((*FILTERS, "cancelling") if alone else FILTERS)[self.turn % 2 :: 2]:
            words = {word, "cancelling"} if word == "cancelled" and not alone else {word}
            total, records = observed.orders(self.relay, account_id, status=word)
            expected = [order.hash for order in own if order.listed in words]
            assert [record["hash"] for record in records] == expected
            assert total == len(expected)
        side = ("BUY", "SELL")[self.turn % 2]
        _, records = observed.orders(self.relay, account_id, side=side, market=pair.name, limit=2, offset=1)
        expected = [order.hash for order in own if (order.side, order.pair) == (side, pair)][1:3]
        assert [record["hash"] for record in records] == expected

    def trades_are_as_predicted(self) -> None:
        """Each trade and deposit, in order, with what both legs sold and their fee rates."""
        found = observed.pending(self.relay)
        expected = [observed.expected_tx(tx) for tx in self.market.pending]
        assert len(found) == len(expected)
        for one, part in zip(found, expected, strict=True):
            assert observed.has(one, part), (one, part)

    def no_order_trades_more_than_its_leg(self) -> None:
        """Filled of the leg that ends the order is at most its amount; of the sold one, always."""
        for order in self.market.orders:
            assert (order.base if order.ends_on_base else order.quote) <= (
                order.size if order.ends_on_base else order.volume
            )
            assert order.left_sold >= 0
            assert order.rest >= 0

    def money_is_conserved(self) -> None:
        """Per token: free, frozen, in flight and fees are what was put in, frozen is the open orders' unsold rest, and
        nobody but the house owes.
        """
        world = observed.state(self.relay)
        purses = {account["accountId"]: account["balances"] for account in world["accounts"]}
        purses[HOUSE] = world["house"]["balances"]
        for token in (self.pairs[0].base, self.pairs[0].quote, self.pairs[1].quote):
            inside: Counter[str] = Counter()
            for account_id, balances in purses.items():
                held = {name: int(text) for name, text in balances.get(token.symbol, {}).items()}
                key = account_id, token.token_id
                assert held.get("free", 0) == self.market.free[key]
                assert held.get("frozen", 0) == self.market.frozen[key]
                open_orders = [
                    order.left_sold
                    for order in self.market.orders
                    if (order.account, order.sold) == (account_id, token) and order.status not in ENDS
                ]
                assert held.get("frozen", 0) == sum(open_orders)
                assert held.get("inFlight", 0) == 0
                assert account_id == HOUSE or min(held.values(), default=0) >= 0
                inside.update(held)
            fees = int(world["fees"].get(token.symbol, 0))
            assert fees == self.market.fees[token.token_id]
            assert (
                sum(inside.values()) + fees == int(world["putIn"][token.symbol]) == self.market.put_in[token.token_id]
            )

    def depth_is_the_sum_of_the_open_orders(self, pair: Pair) -> None:
        """At every level: prices rounded, amounts added up, orders counted, best first, cut at the limit."""
        sides = [(side, self.market.resting(pair, side)) for side in ("BUY", "SELL")]
        limit = LIMITS[self.turn // 3 % len(LIMITS)]
        for level in pair.levels:
            head, found = observed.depth(self.relay, pair, level, limit)
            expected = [views.depth_side(orders, side, pair, level, limit or 50) for side, orders in sides]
            assert found == expected
            assert head["timestamp"] == self.market.changed_ms.get(pair.name, head["timestamp"])

    def versions_follow_the_books(self) -> None:
        """A version rises with each change of its book, never falls, and stands for one content."""
        for pair in self.pairs:
            head, found = observed.depth(self.relay, pair, 0, observed.ALL)
            before, had = self.books.get(pair.name, (head, found))
            assert head["version"] >= before["version"]
            assert head["timestamp"] >= before["timestamp"]
            assert found == had or head["version"] > before["version"]
            self.books[pair.name] = head, found

    def ticker_is_the_sum_of_its_window(self) -> None:
        """Volumes, open, high, low, close and count of the trades in the window, and the best two prices."""
        nothing = "" if self.market.choices["ticker.no_value"] == "empty" else "0"
        for pair, row in zip(self.pairs, observed.ticker(self.relay, self.pairs), strict=True):
            expected = views.ticker(self.market, pair)
            assert row[0] == pair.name
            assert row[2:] == [nothing if one is None else plain(Fraction(one), pair) for one in expected]
            if pair.name in self.market.changed_ms:
                assert row[1] == str(self.market.changed_ms[pair.name])

    def candles_are_the_sums_of_their_trades(self, pair: Pair) -> None:
        """Three intervals a turn: in the order chosen, cut after ordering, empty ones left out or flat."""
        chosen = self.market.choices
        epoch = chosen["candles.week_start"] == "epoch"
        names = list(views.INTERVALS_MS)
        trades = self.market.trades(pair)
        for interval in (names[self.turn % 10], names[(self.turn + 5) % 10], "1w"):
            # Now and then a window that starts after the trades, and never where an interval does.
            back = 2 + 10 * (self.turn % 2)
            start_ms = max(self.market.now_ms - back * views.INTERVALS_MS[interval] - 7, 0)
            if chosen["candles.empty"] == "flat":
                expected = views.flat_candles(trades, interval, start_ms, self.market.now_ms, epoch_weeks=epoch)
            else:
                every = views.candles(trades, interval, epoch_weeks=epoch)
                expected = [row for row in every if row.start_ms >= start_ms]
            if chosen["candles.order"] == "descending":
                expected.reverse()
            assert observed.candles(self.relay, pair, interval, start=start_ms) == expected
            assert observed.candles(self.relay, pair, interval, start=start_ms, limit=2) == expected[:2]


def plain(value: Fraction, pair: Pair) -> str:
    """A price or an amount without needless zeros."""
    ticks = value * 10**pair.precision
    assert ticks.denominator == 1
    whole, rest = divmod(int(ticks), 10**pair.precision)
    digits = f"{rest:0{pair.precision}d}".rstrip("0") if rest else ""
    return f"{whole}.{digits}" if digits else str(whole)


TestMarket = MarketMachine.TestCase
TestMarket.settings = effort(max_examples=25, steps=40)
