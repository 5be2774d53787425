"""Which orders trade, at what price and fee, and which end; amounts worked out by hand."""

from __future__ import annotations

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import busy
from tests.support.bodies import E18
from tests.support.calls import accepted, bid, call, order, valid_request
from tests.support.client import done
from tests.support.views import money, orders
from tests.support.worlds import COARSE, DUSTY, relay_from


def test_trade_moves_what_it_says() -> None:
    """40 LRC for 0.02 ETH: alice pays 10 bips of the ETH, bob 20 bips of the LRC; his bid for 10 more is frozen."""
    relay = busy()
    eth, lrc = 2 * 10**16, 40 * E18
    assert money(relay, "alice", "LRC") == (9_900 * E18, 60 * E18, 0)
    assert money(relay, "alice", "ETH") == (10 * E18 + eth - eth // 1000, 0, 0)
    assert money(relay, "bob", "LRC") == (10_000 * E18 + lrc - lrc // 500, 0, 0)
    assert money(relay, "bob", "ETH") == (10 * E18 - eth - 4 * 10**15, 4 * 10**15, 0)


def test_best_price_first_then_the_earlier_order(relay: Relay) -> None:
    """Asks at 3, 2 and, for twice as much, 2 thousandths: a bid for 1.5 LRC fills the first at 2 and a quarter of the other."""
    for order_id, (lrc, milli) in enumerate(((1, 3), (1, 2), (2, 4))):
        accepted(relay, order(order_id, amountS=str(lrc * E18), amountB=str(milli * 10**15)))
    accepted(relay, bid(1, lrc=15 * 10**17, eth=45 * 10**14))
    filled = {record["hash"]: record["filledSize"] for record in orders(relay)}
    assert list(filled.values())[::-1] == ["0", str(E18), str(E18 // 2)]


def test_fee_never_exceeds_the_maximum_of_the_order(relay: Relay) -> None:
    """A maxFeeBips of 5, below the rates of 10 and 20: five bips are paid, by the maker and by the taker."""
    accepted(relay, order(1, maxFeeBips=5))
    accepted(relay, bid(1, maxFeeBips=5))
    assert orders(relay)[0]["filledFee"] == str(2 * 10**16 * 5 // 10_000)
    assert orders(relay, "bob")[0]["filledFee"] == str(40 * E18 * 5 // 10_000)


def test_taker_only_without_a_counterparty_ends_at_once(relay: Relay) -> None:
    """Accepted, cancelled, nothing frozen, nothing in the book."""
    accepted(relay, order(1, orderType="TAKER_ONLY"))
    assert orders(relay)[0]["status"] == "cancelled"
    assert money(relay, "alice", "LRC") == (10_000 * E18, 0, 0)
    assert call(relay, valid_request("get_depth")).data["asks"] == []


def test_maker_only_rests_and_taker_only_ends(relay: Relay) -> None:
    """MAKER_ONLY that takes nothing rests; TAKER_ONLY takes 40 of 100 and the rest of it is cancelled."""
    accepted(relay, bid(1, orderType="MAKER_ONLY"))
    accepted(relay, order(1, orderType="TAKER_ONLY"))
    (mine,) = orders(relay)
    assert (mine["status"], mine["filledSize"]) == ("cancelled", str(40 * E18))
    assert orders(relay, "bob")[0]["status"] == "processed"
    accepted(relay, order(2, amountS=str(10_000 * E18 - 40 * E18)))


@pytest.mark.parametrize(
    ("buy", "filled", "status"),
    [("true", 40 * E18, "processed"), ("false", 80 * E18, "processed")],
    ids=["buy until bought", "sell until sold"],
)
def test_buy_decides_which_leg_ends_the_order(relay: Relay, buy: str, filled: int, status: str) -> None:
    """Bob gives 0.04 ETH for 40 LRC against an ask of half his price: he ends with 40 LRC, or with 0.04 ETH spent."""
    accepted(relay, order(1))
    accepted(relay, bid(1, eth=4 * 10**16, buy=buy))
    (theirs,) = orders(relay, "bob")
    assert (theirs["filledSize"], theirs["filledVolume"]) == (str(filled), str(filled // 2000))
    assert theirs["status"] == status


def test_self_trade_cancels_the_newer_order(relay: Relay) -> None:
    """By default the resting order keeps its place and the newcomer is cancelled, unfilled."""
    accepted(relay, order(1))
    accepted(relay, bid(2)._replace(key="alice").but(accountId=10001))
    newest, oldest = orders(relay)
    assert (newest["status"], newest["filledSize"]) == ("cancelled", "0")
    assert (oldest["status"], oldest["filledSize"]) == ("processing", "0")
    assert money(relay, "alice", "ETH") == (10 * E18, 0, 0)


@pytest.mark.parametrize(("rest", "ends"), [(1, True), (999, True), (1000, False)])
def test_rest_below_dust_ends_the_order(rest: int, ends: bool) -> None:
    """In a world where less than 1000 wei are dust; the rest is free again."""
    relay = relay_from(DUSTY)
    order_hash = accepted(relay, order())["orderHash"]
    done(relay, "POST", f"orders/{order_hash}/fill", {"size": str(100 * E18 - rest)})
    (record,) = orders(relay)
    assert (record["status"] != "processing") is ends
    assert money(relay, "alice", "LRC") == (9_900 * E18 + (rest if ends else 0), 0 if ends else rest, 0)


@pytest.mark.parametrize(("amount", "code"), [(10**12 - 1, 102012), (10**12, 0), (10**12 + 1, 0)])
def test_digits_below_precision_only_decide_what_is_zero(amount: int, code: int) -> None:
    """Six of eighteen decimals count: less than 10^12 wei is zero; from there on every digit is kept as it came."""
    relay = relay_from(COARSE)
    assert call(relay, order(amountS=str(amount))).code == code
    assert [record["size"] for record in orders(relay)] == ([] if code else [str(amount)])


def test_deposit_adds_to_what_is_free(relay: Relay) -> None:
    """By symbol and by id."""
    for token in ("LRC", 1):
        done(relay, "POST", "accounts/10001/deposit", {"token": token, "amount": "5"})
    assert money(relay, "alice", "LRC") == (10_000 * E18 + 10, 0, 0)
