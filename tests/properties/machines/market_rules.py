"""What traders, the clock and commands can do to an exchange, as rules of a Hypothesis machine.

Each rule does one thing to the relay and the same to the plain exchange of `market.py`, which says beforehand what must
come of it. A call that is refused must leave the world's digest as it was.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from tests.properties.machines.market_answers import NAMES, rates, right, tokens, whole
from tests.properties.machines.offers import OFFERS, Offer
from tests.properties.models.exchange import Market
from tests.properties.models.order_records import Order, Pair, Token
from tests.support.answer import Answer
from tests.support.client import control, send
from tests.support.worlds import DAY_S, START_MS, relay_from

SCENARIO = Path(__file__).with_name("market.yaml")
CHOICES: Mapping[str, tuple[str, ...]] = {
    "order.dust": ("finish", "keep"),
    "order.self_trade": ("cancel_newest", "allow"),
    "order.valid_since_future": ("wait", "activate", "refuse"),
    "order.too_short_validity": ("accept", "refuse"),
    "order.max_fee_below_rate": ("cap", "refuse"),
    "orders.filter_cancelling": ("with_cancelled", "alone"),
    "ticker.window": ("24h", "all"),
    "ticker.no_value": ("0", "empty"),
    "candles.empty": ("skip", "flat"),
    "candles.order": ("ascending", "descending"),
    "candles.week_start": ("monday", "epoch"),
}
"""Choices that rules change, their defaults first."""
OPTIONS = [(key, option) for key, options in CHOICES.items() for option in options]


SPANS_MS = st.sampled_from([1, 999, 1000, 5000, 61_000, 300_000, 3_600_001, DAY_S * 1000, 40 * DAY_S * 1000])
PICKS = st.integers(0, 50)


class MarketRules(RuleBasedStateMachine):
    """A relay and the plain exchange, side by side."""

    scenario = SCENARIO

    def __init__(self) -> None:
        super().__init__()
        self.relay = relay_from(self.scenario)
        tokens_by_symbol = tokens(self.relay)
        eth, lrc, usdt = (tokens_by_symbol[symbol] for symbol in ("ETH", "LRC", "USDT"))
        self.pairs = (
            Pair("LRC-ETH", lrc, eth, 2, (0, 1, 2)),
            Pair("LRC-USDT", lrc, usdt, 3, (0, 1, 3)),
            Pair("ETH-USDT", eth, usdt, 0, (0, 1)),
        )
        defaults = {key: options[0] for key, options in CHOICES.items()}
        self.market = Market(START_MS, rates(self.relay), defaults)
        world = control(self.relay, "GET", "state").json
        self.account_ids = tuple(account["accountId"] for account in world["accounts"])
        for account in world["accounts"]:
            for symbol, held in account["balances"].items():
                self.market.deposit(account["accountId"], tokens_by_symbol[symbol], whole(held["free"]))
        self.market.pending.clear()

    def api(self, method: str, path: str, body: Any = None, *, key: str = "alice", **query: Any) -> Answer:
        """A call of the API."""
        raw = b"" if body is None else json.dumps(body).encode()
        pairs = [(name, str(value)) for name, value in query.items()]
        return send(self.relay, method, path, body=raw, query=pairs, key=key)

    def control(self, method: str, path: str, body: Any = None) -> Answer:
        """A call of the control API."""
        return control(self.relay, method, path, body)

    def digest(self) -> str:
        """The world's digest."""
        value: str = self.control("GET", "state").json["digest"]
        return value

    def done(self, method: str, path: str, body: Any = None) -> Any:
        """A call of the control API that must succeed."""
        answer = self.control(method, path, body)
        assert answer.status == 200, answer.body
        return answer.json

    def picked(self, pick: int) -> Order:
        """One of the orders, the newest first."""
        return self.market.orders[-1 - pick % len(self.market.orders)]

    def next_id(self, account_id: int, sold: Token) -> int:
        """The next order id that the relay gives, which follows the highest one used."""
        answer = self.api("GET", "/api/v2/orderId", key=NAMES[account_id], accountId=account_id, tokenSId=sold.token_id)
        used = [one for one in self.market.orders if (one.account, one.sold) == (account_id, sold)]
        assert whole(right(answer)) == max((one.body["orderId"] for one in used), default=-1) + 1
        return int(right(answer))

    def submit_body(self, body: Mapping[str, Any]) -> Answer:
        """Submit with the key of its account."""
        return self.api("POST", "/api/v3/order", body, key=NAMES[body["accountId"]])

    def refused(self, body: Mapping[str, Any], code: int, data: Any = None) -> None:
        """The submission is refused with this code, and nothing has changed."""
        before = self.digest()
        answer = self.submit_body(body)
        assert (answer.code, answer.data) == (code, data), answer.body
        assert self.digest() == before

    def submit(self, offer: Offer, *, held: bool) -> None:
        """Submit, and hold the plain exchange to the same."""
        pair = self.pairs[offer.market]
        body = offer.body(pair, self.market.now_ms // 1000, lambda sold: self.next_id(offer.account, sold))
        order = Order("", body, pair, self.market.now_ms)
        code = self.market.refusal(order)
        if code is not None:
            self.refused(body, code)
            return
        data = right(self.submit_body(body))
        status = "UNKNOWN" if held else "NEW_ACTIVED"
        assert data == {"orderHash": data["orderHash"], "status": status, "isIdempotent": False}
        assert all(data["orderHash"] != tokens_by_symbol.hash for tokens_by_symbol in self.market.orders)
        order.hash = data["orderHash"]
        self.market.take(order, held=held)

    def conflict(self, path: str, body: Any, *statuses: int) -> None:
        """A command is refused, and nothing has changed."""
        before = self.digest()
        answer = self.control("POST", path, body)
        assert answer.status in (statuses or (409,)), answer.body
        assert set(answer.json) == {"error", "field", "meant"}
        assert self.digest() == before

    @initialize(options=st.fixed_dictionaries({key: st.sampled_from(options) for key, options in CHOICES.items()}))
    def set_choices(self, options: dict[str, str]) -> None:
        self.done("PUT", "choices", options)
        self.market.choices.update(options)

    @rule(offer=OFFERS)
    def trade(self, offer: Offer) -> None:
        self.submit(offer, held=False)

    @rule(offers=st.lists(OFFERS, min_size=2, max_size=6))
    def trade_more(self, offers: list[Offer]) -> None:
        for offer in offers:
            self.submit(offer, held=False)

    @precondition(lambda self: any(order.status == "processing" for order in self.market.orders))
    @rule(offer=OFFERS, pick=PICKS, percent=st.sampled_from([100, 100, 50, 33, 120, 300]))
    def take(self, offer: Offer, pick: int, percent: int) -> None:
        resting = [order for order in self.market.orders if order.status == "processing"]
        order = resting[pick % len(resting)]
        market = self.pairs.index(order.pair)
        self.submit(offer.against(order, percent)._replace(market=market), held=False)

    @rule(offer=OFFERS, word=st.sampled_from(["UNKNOWN", "WAIT_FREEZE_BALANCE"]))
    def hold(self, offer: Offer, word: str) -> None:
        self.done("POST", "faults", {"on": "submit_order", "hold": word})
        self.submit(offer, held=True)
        self.done("DELETE", "faults")

    @precondition(lambda self: self.market.orders)
    @rule(pick=PICKS)
    def repeat(self, pick: int) -> None:
        order = self.picked(pick)
        expected = {"orderHash": order.hash, "status": "UNKNOWN", "isIdempotent": True}
        if order.account in self.market.frozen_accounts:
            self.refused(order.body, 102027)
        elif order.held:
            self.refused(order.body, 0, expected)
        elif order.failed:
            self.refused(order.body, 102027, expected | {"status": "SUBMIT_ORDER_FAIL", "isIdempotent": False})
        else:
            self.refused(order.body, 102007)

    @precondition(lambda self: self.market.orders)
    @rule(pick=PICKS)
    def reuse_id(self, pick: int) -> None:
        order = self.picked(pick)
        code = 102027 if order.account in self.market.frozen_accounts else 102004
        self.refused(dict(order.body) | {"amountB": str(int(order.body["amountB"]) + 10**20)}, code)

    @precondition(lambda self: self.market.orders)
    @rule(pick=PICKS)
    def cancel(self, pick: int) -> None:
        order = self.picked(pick)
        if order.status not in ("waiting", "processing"):
            self.conflict(f"orders/{order.hash}/cancel", {})
            return
        self.done("POST", f"orders/{order.hash}/cancel", {})
        self.market.cancel(order)

    @precondition(lambda self: any(order.held for order in self.market.orders))
    @rule(pick=PICKS, outcome=st.sampled_from(["active", "active", "failed"]))
    def release(self, pick: int, outcome: str) -> None:
        held = [order for order in self.market.orders if order.held]
        order = held[pick % len(held)]
        self.done("POST", f"orders/{order.hash}/release", {"as": outcome})
        self.market.release(order, failed=outcome == "failed")

    @precondition(lambda self: self.market.orders)
    @rule(pick=PICKS)
    def release_what_is_not_held(self, pick: int) -> None:
        order = self.picked(pick)
        if not order.held:
            self.conflict(f"orders/{order.hash}/release", {"as": "active"})

    @precondition(lambda self: self.market.orders)
    @rule(pick=PICKS, percent=st.integers(1, 110), ticks=st.one_of(st.none(), st.integers(-3, 3)))
    def fill(self, pick: int, percent: int, ticks: int | None) -> None:
        order = self.picked(pick)
        rest = order.rest
        size = max(rest * percent // 100, 1)
        wish: dict[str, str] = {"size": str(size)}
        price: Fraction | None = None
        if ticks is not None:
            shown = order.pair.shown(order.price, order.side) + Fraction(ticks, 10**order.pair.precision)
            price = shown / order.pair.human(Fraction(1)) if ticks else None
            wish["price"] = decimal_text(shown, order.pair.precision)
        path = f"orders/{order.hash}/fill"
        if ticks is not None and Fraction(wish["price"]) <= 0:
            self.conflict(path, wish, 400, 409)
        elif order.status != "processing" or size > rest or not order.has_quote_for(size, price):
            self.conflict(path, wish)
        else:
            self.done("POST", path, wish)
            self.market.fill(order, size, price)

    @rule(account=st.sampled_from(list(NAMES)), token=st.sampled_from([0, 1, 2]), amount=st.integers(1, 2000))
    def deposit(self, account: int, token: int, amount: int) -> None:
        money = (self.pairs[0].base, self.pairs[0].quote, self.pairs[1].quote)[token]
        self.done("POST", f"accounts/{account}/deposit", {"token": money.symbol, "amount": str(amount)})
        self.market.deposit(account, money, amount)

    @rule(account=st.sampled_from(list(NAMES)), frozen=st.sampled_from([False, False, True]))
    def freeze(self, account: int, frozen: bool) -> None:
        self.done("POST", f"accounts/{account}/freeze", {"frozen": frozen})
        (self.market.frozen_accounts.add if frozen else self.market.frozen_accounts.discard)(account)

    @rule(span_ms=SPANS_MS)
    def wait(self, span_ms: int) -> None:
        self.done("POST", "clock", {"advance": f"{span_ms}ms"})
        self.market.run_due_events(self.market.now_ms + span_ms)

    @rule(option=st.sampled_from(OPTIONS))
    def choose(self, option: tuple[str, str]) -> None:
        self.done("PUT", "choices", dict([option]))
        self.market.choices.update([option])


def decimal_text(value: Fraction, decimals: int) -> str:
    """A decimal with so many digits after the point; negative ones keep their sign."""
    ticks = int(value * 10**decimals)
    sign, digits = ("-" if ticks < 0 else ""), f"{abs(ticks):0{decimals + 1}d}"
    return sign + (f"{digits[:-decimals]}.{digits[-decimals:]}" if decimals else digits)
