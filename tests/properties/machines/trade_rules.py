"""A few orders, so that trades are among the transactions, as rules of a Hypothesis machine."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.properties.machines.client_rules import ACCOUNTS, ClientRules
from tests.properties.models.request_records import OtherTx
from tests.properties.models.request_setup import ETH, LRC, NAMES
from tests.support.answer import Answer
from tests.support.bodies import Bodies
from tests.support.client import get, post
from tests.support.worlds import DAY_S

LOT_WEI = 10_000
MAKER_BIPS, TAKER_BIPS = 10, 20


class Offer(NamedTuple):
    """An order that rests: so much LRC for as much ETH."""

    account: int
    wei: int
    hash: str


class TradeRules(ClientRules):
    """Beside requests, one order at a time rests in the book, until it is taken as a whole, cancelled or expired."""

    def __init__(self) -> None:
        super().__init__()
        self.offer: Offer | None = None

    def order(self, account: int, sold: int, bought: int, wei: int) -> Answer:
        """Sell one token for as much of the other."""
        key = NAMES[account]
        order_id = get(self.relay, "/api/v2/orderId", key=key, accountId=account, tokenSId=sold).data
        legs = {"tokenSId": sold, "tokenBId": bought, "amountS": str(wei), "amountB": str(wei)}
        bodies = Bodies("", {}, self.model.now_ms // 1000)
        return post(self.relay, "/api/v3/order", bodies.order(int(order_id), accountId=account, **legs), key=key)

    @precondition(lambda self: self.offer is None)
    @rule(account=ACCOUNTS, lots=st.integers(1, 5))
    def offer_lrc(self, account: int, lots: int) -> None:
        self.catch_up()
        wei, money = lots * LOT_WEI, self.model.money
        answer = self.order(account, LRC, ETH, wei)
        if wei > money.free[account, LRC]:
            assert answer.code == 102011
            return
        self.offer = Offer(account, wei, answer.data["orderHash"])
        money.free[account, LRC] -= wei
        money.frozen[account, LRC] += wei
        self.model.events.plan((self.model.now_ms // 1000 + 60 * DAY_S) * 1000, partial(self.end_offer, self.offer))

    def end_offer(self, offer: Offer, at_ms: int) -> None:
        """Nobody took it."""
        if self.offer == offer:
            self.offer = None
            self.model.money.free[offer.account, LRC] += offer.wei
            self.model.money.frozen[offer.account, LRC] -= offer.wei

    @precondition(lambda self: self.offer is not None)
    @rule(account=ACCOUNTS, cancels=st.sampled_from([False, False, True]))
    def take_offer(self, account: int, cancels: bool) -> None:
        self.catch_up()
        offer, money = self.offer, self.model.money
        if offer is None or cancels:
            if offer is not None:
                self.done("POST", f"orders/{offer.hash}/cancel", {})
                self.end_offer(offer, self.model.now_ms)
            return
        if account == offer.account:
            account = next(other for other in NAMES if other != account)
        answer = self.order(account, ETH, LRC, offer.wei)
        if offer.wei > money.free[account, ETH]:
            assert answer.code == 102011
            return
        assert answer.code == 0, answer.body
        self.offer = None
        money.free[account, ETH] -= offer.wei
        money.frozen[account, ETH] += offer.wei
        fees = offer.wei * MAKER_BIPS // 10_000, offer.wei * TAKER_BIPS // 10_000
        money.trade(offer.account, account, (LRC, offer.wei), (ETH, offer.wei), fees)
        legs = {"orderA": {"accountID": account}, "orderB": {"accountID": offer.account}}
        self.model.enqueue(OtherTx({"txType": "SpotTrade", **legs}))
