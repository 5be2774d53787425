"""Books that are kept by pushes, over whatever traders do: the changes applied to a snapshot are the depth after every step.

Some pushes are lost or come twice; a book with a gap is read again, and is right from then on.
"""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from tests.properties.effort import effort
from tests.properties.machines.market_answers import NAMES
from tests.properties.machines.market_rules import SCENARIO, MarketRules
from tests.support.client import account, get
from tests.support.sockets import Socket

ROWS_MAX = 100
LEVELS = (0, 1)
SIDES = ("bids", "asks")


class KeptBook:
    """The book of a market at a level as a client keeps it, who compares versions."""

    def __init__(self, socket: Socket, market: str, level: int) -> None:
        self.socket = socket
        self.topic = {"topic": "orderbook", "market": market, "level": level}
        self.version = 0
        self.sides: dict[str, dict[str, list[str]]] = {}
        self.has_gap = False
        self.begin()

    def begin(self) -> None:
        """Subscribe, and read the whole book."""
        assert self.socket.subscribe(self.topic) == {"status": "OK"}
        self.read()

    def read(self) -> None:
        """Read the whole book over the API."""
        answer = depth_of(self.socket, self.topic)
        self.version, self.sides, self.has_gap = answer[0], answer[1], False

    def take(self, push: dict[str, Any]) -> None:
        """Apply a push, unless it was applied before; mark a gap where one before it is missing."""
        if push["endVersion"] <= self.version:
            return
        if push["startVersion"] != self.version:
            self.has_gap = True
            return
        self.version = push["endVersion"]
        for side in SIDES:
            for row in push["data"][side]:
                if row[1] == "0":
                    del self.sides[side][row[0]]
                else:
                    self.sides[side][row[0]] = row


def depth_of(socket: Socket, topic: dict[str, Any]) -> tuple[int, dict[str, dict[str, list[str]]]]:
    """The version of a book, and its rows by side and price."""
    asked = {"market": topic["market"], "level": topic["level"], "limit": ROWS_MAX}
    depth = get(socket.relay, "/api/v3/depth", key=None, **asked).json
    return depth["version"], {side: {row[0]: row for row in depth[side]} for side in SIDES}


class SocketBooks(MarketRules):
    """The rules of trading, with clients that keep books, orders and balances by pushes."""

    scenario = SCENARIO.with_name("market_live.yaml")

    def __init__(self) -> None:
        super().__init__()
        self.socket = Socket(self.relay, silent=True)
        self.books = [KeptBook(self.socket, pair.name, level) for pair in self.pairs for level in LEVELS]
        self.own = Socket(self.relay, silent=True)
        self.account_id, name = next(iter(NAMES.items()))
        key = account(self.relay, name)["apiKey"]
        topics = [{"topic": "account"}, *({"topic": "order", "market": pair.name} for pair in self.pairs)]
        assert self.own.subscribe(*topics, apiKey=key) == {"status": "OK"}
        self.lost = 0
        """How many pushes the faults have left out so far."""
        self.orders: dict[str, dict[str, Any]] = {}
        self.balances: dict[int, tuple[str, str]] = self.shown_balances()

    def shown_balances(self) -> dict[int, tuple[str, str]]:
        """(total, locked) by token."""
        ledger = self.relay.world.ledger
        shown = {}
        for token_id in self.relay.world.config.tokens:
            free, frozen, in_flight = ledger.balance(self.account_id, token_id)
            shown[token_id] = str(free + frozen + in_flight), str(frozen + in_flight)
        return shown

    @precondition(lambda self: not any(fault.remaining for fault in self.relay.world.faults))
    @rule(trouble=st.sampled_from(["lose", "repeat"]), nth=st.integers(1, 3))
    def disturb(self, trouble: str, nth: int) -> None:
        self.done("POST", "faults", {"on": "ws_push", "when": {"topic": "orderbook"}, "push": trouble, "nth": nth})

    @rule()
    def subscribe_again(self) -> None:
        for book in self.books:
            book.begin()

    @invariant()
    def books_are_the_depth(self) -> None:
        by_topic = {str(book.topic): book for book in self.books}
        for push in self.socket.pushes():
            by_topic[str(push["topic"])].take(push)
        lost = sum(fault.fired for fault in self.relay.world.faults if fault.effect.value == "lose")
        for book in self.books:
            version, sides = depth_of(self.socket, book.topic)
            if book.has_gap or book.version != version:
                assert lost > self.lost, "nothing is missing but what a fault left out in this step"
                book.read()
            assert (book.version, book.sides) == (version, sides)
        self.lost = lost

    @invariant()
    def orders_and_balances_are_as_told(self) -> None:
        for push in self.own.pushes():
            data = push["data"]
            if push["topic"]["topic"] == "account":
                assert data["accountId"] == self.account_id
                self.balances[data["tokenId"]] = data["totalAmount"], data["amountLocked"]
            else:
                self.orders[data["hash"]] = data
        assert self.balances == self.shown_balances()
        for hash_, told in self.orders.items():
            order = self.relay.world.orders.by_hash[hash_]
            now = order.status.value, str(order.filled_base_wei), str(order.filled_fee_wei)
            assert (told["status"], told["filledSize"], told["filledFee"]) == now
        own = [each for each in self.relay.world.orders.by_hash.values() if each.account_id == self.account_id]
        assert len(self.orders) == len(own)


TestSocketBooks = SocketBooks.TestCase
TestSocketBooks.settings = effort(max_examples=50, steps=50)
