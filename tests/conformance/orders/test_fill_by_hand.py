"""What the control verb `fill` may do to an order, and what is left for others afterwards."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.flows.client import ALICE, BOB, E18, Client, purchase, sale, served

COARSE = """
format: 1
extends: default
clock: {start: "2026-01-01T00:00:00Z"}
tokens:
  - {symbol: ETH, minOrderAmount: "1", dustOrderAmount: "0"}
  - {symbol: LRC, minOrderAmount: "1", dustOrderAmount: "0"}
markets:
  - {market: LRC-ETH, pricePrecision: 2, levels: [0]}
rates: {maker: 0, taker: 0}
accounts:
  - {name: alice, apiKey: key-a, balances: {ETH: "1000", LRC: "1000"}}
  - {name: bob, apiKey: key-b, balances: {ETH: "1000", LRC: "1000"}}
"""


@pytest.fixture
def coarse() -> Iterator[Client]:
    """Prices have two decimals, and amounts a few wei."""
    with served() as client:
        client.done("reset", {"scenarioText": COARSE, "limits": "off"})
        yield client


@pytest.mark.parametrize("price", ["1.5", "1.01", "2"])
def test_after_a_dear_fill_no_order_spends_more_than_was_frozen_for_it(coarse: Client, price: str) -> None:
    """Bob buys 100 for 100. If he may pay more than his own price for 50 of them, his rest must still be paid from
    what is left of his 100: he never pays more, and whoever sells into the rest gets an answer.
    """
    bought = coarse.accepted(purchase(lrc=100, eth=100))
    other = coarse.accepted(purchase(1, lrc=100, eth=50))
    coarse.control("POST", f"orders/{bought}/fill", {"size": "50", "price": price})
    coarse.accepted(sale(lrc=50, eth=50))
    record = coarse.record(bought, BOB)
    assert int(record["filledVolume"]) <= 100
    assert int(record["filledSize"]) <= 100
    assert coarse.record(other, BOB)["filledSize"] == "0"
    frozen = 50 + (100 - int(record["filledVolume"]) if record["status"] == "processing" else 0)
    assert coarse.money(BOB, "ETH") == (1000 - int(record["filledVolume"]) - frozen, frozen)


@pytest.mark.parametrize("price", ["1.01", "3"])
def test_a_seller_who_wants_so_much_gets_no_more(coarse: Client, price: str) -> None:
    """Alice sells until she has bought 100 (`buy` true): 100 of her LRC at more than 1 each would be more."""
    hash_ = coarse.accepted(sale(lrc=100, eth=100, buy="true"))
    before = coarse.digest()
    assert coarse.control("POST", f"orders/{hash_}/fill", {"size": "100", "price": price}).status == 409
    assert coarse.digest() == before


def test_an_orders_own_price_can_be_said_or_left_out(coarse: Client) -> None:
    """An ask of 65 wei for 200 is shown as 0.33, rounded up; said or not, it trades at its exact price, 0.325."""
    for number, said in enumerate(({}, {"price": "0.33"})):
        hash_ = coarse.accepted(sale(number, lrc=200, eth=65, buy="true"))
        assert coarse.record(hash_)["price"] == "0.33"
        coarse.done(f"orders/{hash_}/fill", {"size": "200", **said})
        record = coarse.record(hash_)
        assert (record["filledSize"], record["filledVolume"], record["status"]) == ("200", "65", "processed")


def test_an_order_whose_price_is_shown_as_zero_can_be_filled_at_it(coarse: Client) -> None:
    """A bid of 1 wei for 300 is shown as 0 with two decimals; its own price is exact all the same."""
    hash_ = coarse.accepted(purchase(lrc=300, eth=1))
    assert coarse.record(hash_, BOB)["price"] == "0"
    coarse.done(f"orders/{hash_}/fill", {"size": "300"})
    record = coarse.record(hash_, BOB)
    assert (record["filledSize"], record["filledVolume"], record["status"]) == ("300", "1", "processed")


@pytest.mark.parametrize("size", ["1", str(100 * E18)])
@pytest.mark.parametrize("path", ["waiting", "held", "cancelled", "expired", "filled"])
def test_only_a_resting_order_can_be_filled(client: Client, path: str, size: str) -> None:
    start = client.control("GET", "clock").json["now_ms"] // 1000
    changes = {"waiting": {"validSince": start + 100}, "expired": {"validUntil": start + 1}}.get(path, {})
    if path == "held":
        client.done("faults", {"on": "submit_order", "hold": "UNKNOWN"})
    hash_ = client.submit(sale(**changes)).data["orderHash"]
    if path == "cancelled":
        client.done(f"orders/{hash_}/cancel", {})
    if path == "filled":
        client.done(f"orders/{hash_}/fill", {"size": str(100 * E18)})
    client.advance("1s")
    before = client.digest()
    assert client.control("POST", f"orders/{hash_}/fill", {"size": size}).status == 409
    assert client.digest() == before
    assert client.record(hash_)["filledSize"] == (str(100 * E18) if path == "filled" else "0")


@pytest.mark.parametrize(("size", "status"), [("0", 400), (str(100 * E18 + 1), 409), ("-1", 400), ("1.5", 400)])
def test_a_fill_is_of_something_and_no_more_than_the_rest(client: Client, size: str, status: int) -> None:
    hash_ = client.accepted(sale())
    before = client.digest()
    assert client.control("POST", f"orders/{hash_}/fill", {"size": size}).status == status
    assert client.digest() == before
    assert client.money(ALICE, "LRC") == (9900 * E18, 100 * E18)
