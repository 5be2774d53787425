"""Orders as traders think of them: prices close together, so that they cross, and amounts that do not divide."""

from __future__ import annotations

from collections.abc import Callable
from math import ceil
from typing import Any, NamedTuple

from hypothesis import strategies as st

from tests.properties.models.order_records import Order, Pair, Token
from tests.support.bodies import Bodies
from tests.support.worlds import DAY_S


class Offer(NamedTuple):
    """An order as a trader thinks of it."""

    account: int
    market: int
    side: str
    size: int
    percent: int
    """Its price, in hundredths of a plain one."""
    odd: int
    """Wei more in the quote amount, so that prices and amounts do not divide."""
    buy: bool
    kind: str
    life_s: int
    ahead_s: int
    max_fee_bips: int
    exact: tuple[int, int] | None = None
    """Base and quote amount in place of what `size` and `percent` come to."""

    def amounts(self, pair: Pair) -> tuple[int, int]:
        """Base and quote amount."""
        if self.exact is not None:
            return self.exact
        scale = 10 ** (pair.base.decimals - pair.quote.decimals)
        size = self.size if scale == 1 else max(self.size % 10**6 * scale + self.odd, 0)
        return size, max(size * self.percent // (100 * scale) + self.odd, 0)

    def against(self, order: Order, percent: int) -> Offer:
        """The same for the other side of an order, of so much of its rest, at its price or a little off."""
        size = max(order.rest * percent // 100, 1)
        side = "BUY" if order.side == "SELL" else "SELL"
        return self._replace(side=side, exact=(size, max(ceil(size * order.price) + self.odd, 0)))

    def body(self, pair: Pair, now_s: int, next_id: Callable[[Token], int]) -> dict[str, Any]:
        """The request, with the next order id for the token that it sells."""
        size, volume = self.amounts(pair)
        legs = ((pair.base, size), (pair.quote, volume))
        (sold, amount_sold), (bought, amount_bought) = legs if self.side == "SELL" else legs[::-1]
        return Bodies("", {}, now_s).order(
            next_id(sold),
            accountId=self.account,
            tokenSId=sold.token_id,
            tokenBId=bought.token_id,
            amountS=str(amount_sold),
            amountB=str(amount_bought),
            buy="true" if self.buy else "false",
            validSince=now_s + self.ahead_s,
            validUntil=now_s + self.life_s,
            maxFeeBips=self.max_fee_bips,
            orderType=self.kind,
        )


SIZES = st.one_of(
    st.integers(1, 60),
    st.integers(1, 60),
    st.builds(lambda thousands, odd: thousands * 1000 + odd, st.integers(1, 9), st.integers(0, 999)),
    st.builds(lambda whole, odd: whole * 10**18 + odd, st.integers(0, 20), st.integers(1, 10**18 - 1)),
)
OFFERS = st.builds(
    Offer,
    account=st.sampled_from([10001, 10002, 10001, 10002, 10003]),
    market=st.sampled_from([0, 0, 0, 1, 2]),
    side=st.sampled_from(["BUY", "SELL"]),
    size=SIZES,
    percent=st.integers(94, 106),
    odd=st.integers(-1, 1),
    buy=st.booleans(),
    kind=st.sampled_from(["LIMIT_ORDER"] * 6 + ["TAKER_ONLY", "MAKER_ONLY"]),
    life_s=st.sampled_from([60 * DAY_S] * 6 + [3600, 400, 90, 7, 1, 0]),
    ahead_s=st.sampled_from([0] * 8 + [-5, 60, 61, 300]),
    max_fee_bips=st.sampled_from([63, 63, 20, 1]),
    exact=st.none(),
)
