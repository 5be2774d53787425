"""What the control verb `fill` may do to an order, and what is left for others afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from mockrelay.relay import Relay
from tests.support.bodies import E18
from tests.support.calls import Request, bid, call, order, place
from tests.support.client import advance, control, digest, done, state
from tests.support.views import assert_money_is_conserved, depth, money, order_record
from tests.support.worlds import START_S, world, world_like

COARSE_PRICES = """
tokens:
  - {symbol: ETH, minOrderAmount: "1", dustOrderAmount: "0"}
  - {symbol: LRC, minOrderAmount: "1", dustOrderAmount: "0"}
markets: [{market: LRC-ETH, pricePrecision: 2, levels: [0]}]
rates: {maker: 0, taker: 0}
accounts:
  - {name: alice, balances: {ETH: "1000", LRC: "1000", USDT: "0"}}
  - {name: bob, balances: {ETH: "1000", LRC: "1000", USDT: "0"}}
"""


@pytest.fixture
def coarse(tmp_path: Path) -> Relay:
    """Prices have two decimals, and amounts a few wei."""
    return world_like(tmp_path, COARSE_PRICES)


def sale(number: int, lrc: int, eth: int, **changes: str) -> Request:
    return order(number, amountS=str(lrc), amountB=str(eth), **changes)


@pytest.mark.parametrize("price", ["1.5", "1.01", "2"])
def test_after_a_dear_fill_no_order_spends_more_than_was_frozen_for_it(coarse: Relay, price: str) -> None:
    """Bob buys 100 for 100. If he may pay more than his own price for 50 of them, his rest must still be paid from
    what is left of his 100: he never pays more, and whoever sells into the rest gets an answer.
    """
    bought, other = place(coarse, bid(1, lrc=100, eth=100)), place(coarse, bid(2, lrc=100, eth=50))
    control(coarse, "POST", f"orders/{bought}/fill", {"size": "50", "price": price})
    place(coarse, sale(1, 50, 50))
    record = order_record(coarse, bought, "bob")
    assert int(record["filledVolume"]) <= 100
    assert int(record["filledSize"]) <= 100
    assert order_record(coarse, other, "bob")["filledSize"] == "0"
    frozen = 50 + (100 - int(record["filledVolume"]) if record["status"] == "processing" else 0)
    assert money(coarse, "bob", "ETH") == (1000 - int(record["filledVolume"]) - frozen, frozen, 0)


@pytest.mark.parametrize("price", ["1.01", "3"])
def test_a_seller_who_wants_so_much_gets_no_more(coarse: Relay, price: str) -> None:
    """Alice sells until she has bought 100 (`buy` true): 100 of her LRC at more than 1 each would be more."""
    hash_ = place(coarse, sale(1, 100, 100, buy="true"))
    before = digest(coarse)
    assert control(coarse, "POST", f"orders/{hash_}/fill", {"size": "100", "price": price}).status == 409
    assert digest(coarse) == before


@pytest.mark.parametrize("given", [{}, {"price": "0.33"}], ids=str)
def test_an_orders_own_price_can_be_given_or_left_out(coarse: Relay, given: dict[str, str]) -> None:
    """An ask of 65 wei for 200 is shown as 0.33, rounded up; given or not, it trades at its exact price, 0.325."""
    hash_ = place(coarse, sale(1, 200, 65, buy="true"))
    assert order_record(coarse, hash_)["price"] == "0.33"
    done(coarse, "POST", f"orders/{hash_}/fill", {"size": "200", **given})
    record = order_record(coarse, hash_)
    assert (record["filledSize"], record["filledVolume"], record["status"]) == ("200", "65", "processed")


def test_an_order_whose_price_is_shown_as_zero_can_be_filled_at_it(coarse: Relay) -> None:
    """A bid of 1 wei for 300 is shown as 0 with two decimals; its own price is exact all the same."""
    hash_ = place(coarse, bid(lrc=300, eth=1))
    assert order_record(coarse, hash_, "bob")["price"] == "0"
    done(coarse, "POST", f"orders/{hash_}/fill", {"size": "300"})
    record = order_record(coarse, hash_, "bob")
    assert (record["filledSize"], record["filledVolume"], record["status"]) == ("300", "1", "processed")


@pytest.mark.parametrize("state", ["waiting", "held", "cancelled", "expired", "filled"])
def test_only_a_resting_order_can_be_filled(relay: Relay, state: str) -> None:
    changes = {"waiting": {"validSince": START_S + 100}, "expired": {"validUntil": START_S + 1}}.get(state, {})
    if state == "held":
        done(relay, "POST", "faults", {"on": "submit_order", "hold": "UNKNOWN"})
    hash_ = call(relay, order(**changes)).data["orderHash"]
    if state == "cancelled":
        done(relay, "POST", f"orders/{hash_}/cancel", {})
    if state == "filled":
        done(relay, "POST", f"orders/{hash_}/fill", {"size": str(100 * E18)})
    advance(relay, "1s")
    before = digest(relay)
    for size in ("1", str(100 * E18)):
        assert control(relay, "POST", f"orders/{hash_}/fill", {"size": size}).status == 409
    assert digest(relay) == before
    assert order_record(relay, hash_)["filledSize"] == (str(100 * E18) if state == "filled" else "0")


@pytest.mark.parametrize(("size", "status"), [("0", 400), (str(100 * E18 + 1), 409), ("-1", 400), ("1.5", 400)])
def test_a_fill_is_of_something_and_no_more_than_the_rest(relay: Relay, size: str, status: int) -> None:
    hash_ = place(relay, order())
    before = digest(relay)
    assert control(relay, "POST", f"orders/{hash_}/fill", {"size": size}).status == status
    assert digest(relay) == before
    assert money(relay, "alice") == (9900 * E18, 100 * E18, 0)


@pytest.mark.parametrize("dust", ["finish", "keep"])
@pytest.mark.parametrize(("size", "price"), [(25 * E18, "1"), (100 * E18, "0.0000001"), (60 * E18, "0.001")])
@pytest.mark.parametrize("buy", ["true", "false"])
def test_a_fill_never_overshoots_a_leg(dust: str, size: int, price: str, buy: str) -> None:
    """At a price of its own it is refused or leaves an order whose rest is not negative, in the book as in money."""
    relay = world({"order.dust": dust})
    hash_ = place(relay, order(buy=buy))
    status = control(relay, "POST", f"orders/{hash_}/fill", {"size": str(size), "price": price}).status
    assert status in (200, 409)
    record = order_record(relay, hash_)
    assert int(record["filledSize"]) <= int(record["size"])
    for item in depth(relay)[1]:
        assert 0 < int(item[1]) <= 100 * E18 - int(record["filledSize"])
    assert_money_is_conserved(state(relay))
