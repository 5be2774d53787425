"""Trades and balances by hand: who gets what, who pays what, and that nothing is made or lost on the way."""

from __future__ import annotations

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import refused_call
from tests.conformance.told import busy
from tests.support.bodies import E18
from tests.support.calls import accepted, bid, call, order, records, valid_request
from tests.support.client import advance, control, digest, done
from tests.support.worlds import COARSE, DUSTY, START_S, relay_from, world

TOKENS = ("ETH", "LRC", "USDT", "DAI")


def purse(relay: Relay, name: str, token: str) -> tuple[int, int, int]:
    """Free, frozen and in flight."""
    accounts = done(relay, "GET", "state")["accounts"]
    held = next(entry for entry in accounts if entry["name"] == name)["balances"][token]
    return int(held["free"]), int(held["frozen"]), int(held["inFlight"])


def conserved(relay: Relay) -> None:
    """Per token: all that was put in is with the accounts, the house and the fees; no account owes anything."""
    state = done(relay, "GET", "state")
    for token in TOKENS:
        entries = [entry["balances"].get(token, {}) for entry in state["accounts"]]
        parts = [int(part) for entry in entries for part in entry.values()]
        assert all(part >= 0 for part in parts)
        house = [int(part) for part in state["house"]["balances"].get(token, {}).values()]
        fees = int(state["fees"].get(token, "0"))
        assert sum(parts) + sum(house) + fees == int(state["putIn"][token]), token


def test_trade_moves_what_it_says() -> None:
    """40 LRC for 0.02 ETH: alice pays 10 bips of the ETH, bob 20 bips of the LRC; his bid for 10 more is frozen."""
    relay = busy()
    eth, lrc = 2 * 10**16, 40 * E18
    assert purse(relay, "alice", "LRC") == (9_900 * E18, 60 * E18, 0)
    assert purse(relay, "alice", "ETH") == (10 * E18 + eth - eth // 1000, 0, 0)
    assert purse(relay, "bob", "LRC") == (10_000 * E18 + lrc - lrc // 500, 0, 0)
    assert purse(relay, "bob", "ETH") == (10 * E18 - eth - 4 * 10**15, 4 * 10**15, 0)
    conserved(relay)


def test_taker_gets_the_makers_price_and_the_rest_of_the_freeze_back() -> None:
    """Bob offers 0.04 ETH for 40 LRC, the ask wants 0.02: he spends 0.02 and nothing stays frozen."""
    relay = world()
    accepted(relay, order(1))
    accepted(relay, bid(1, eth=4 * 10**16))
    assert purse(relay, "bob", "ETH") == (10 * E18 - 2 * 10**16, 0, 0)
    conserved(relay)


def test_best_price_first_then_the_earlier_order() -> None:
    """Asks at 3, 2 and again 2 thousandths: a bid for 1.5 LRC fills the first ask at 2, half the second, none at 3."""
    relay = world()
    for order_id, milli in enumerate((3, 2, 2)):
        accepted(relay, order(order_id, amountS=str(E18), amountB=str(milli * 10**15)))
    accepted(relay, bid(1, lrc=15 * 10**17, eth=45 * 10**14))
    filled = {record["hash"]: record["filledSize"] for record in records(relay)}
    assert list(filled.values())[::-1] == ["0", str(E18), str(E18 // 2)]
    conserved(relay)


def test_fee_never_exceeds_the_maximum_of_the_order() -> None:
    """A maxFeeBips of 5, below the rates of 10 and 20: five bips are paid, by the maker and by the taker."""
    relay = world()
    accepted(relay, order(1, maxFeeBips=5))
    accepted(relay, bid(1, maxFeeBips=5))
    assert records(relay)[0]["filledFee"] == str(2 * 10**16 * 5 // 10_000)
    assert records(relay, 10002)[0]["filledFee"] == str(40 * E18 * 5 // 10_000)
    conserved(relay)


def test_taker_only_without_a_counterparty_ends_at_once() -> None:
    """Accepted, cancelled, nothing frozen, nothing in the book."""
    relay = world()
    accepted(relay, order(1, orderType="TAKER_ONLY"))
    assert records(relay)[0]["status"] == "cancelled"
    assert purse(relay, "alice", "LRC") == (10_000 * E18, 0, 0)
    assert call(relay, valid_request("get_depth")).data["asks"] == []


def test_self_trade_cancels_the_newer_order() -> None:
    """By default the resting order keeps its place and the newcomer is cancelled, unfilled."""
    relay = world()
    accepted(relay, order(1))
    accepted(relay, bid(2)._replace(key="alice").but(accountId=10001))
    newest, oldest = records(relay)
    assert (newest["status"], newest["filledSize"]) == ("cancelled", "0")
    assert (oldest["status"], oldest["filledSize"]) == ("processing", "0")
    assert purse(relay, "alice", "ETH") == (10 * E18, 0, 0)


def test_waiting_order_is_frozen_for_and_takes_when_its_time_comes() -> None:
    """It is out of the book until validSince; then it meets the bid that came meanwhile, at that bid's price."""
    relay = world()
    accepted(relay, order(1, validSince=START_S + 3600))
    assert purse(relay, "alice", "LRC") == (9_900 * E18, 100 * E18, 0)
    accepted(relay, bid(1, eth=4 * 10**16))
    assert records(relay, 10002)[0]["filledSize"] == "0"
    advance(relay, "3600s")
    assert records(relay)[0]["filledSize"] == str(40 * E18)
    assert records(relay)[0]["filledVolume"] == str(4 * 10**16)
    conserved(relay)


@pytest.mark.parametrize(("rest", "ends"), [(1, True), (999, True), (1000, False)])
def test_rest_below_dust_ends_the_order(rest: int, ends: bool) -> None:
    """In a world where less than 1000 wei are dust; the rest is free again."""
    relay = relay_from(DUSTY)
    order_hash = accepted(relay, order())["orderHash"]
    done(relay, "POST", f"orders/{order_hash}/fill", {"size": str(100 * E18 - rest)})
    (record,) = records(relay)
    assert (record["status"] != "processing") is ends
    assert purse(relay, "alice", "LRC") == (9_900 * E18 + (rest if ends else 0), 0 if ends else rest, 0)
    conserved(relay)


@pytest.mark.parametrize(("amount", "code"), [(10**12 - 1, 102012), (10**12, 0), (10**12 + 1, 0)])
def test_digits_below_precision_only_decide_what_is_zero(amount: int, code: int) -> None:
    """Six of eighteen decimals count: less than 10^12 wei is zero; from there on every digit is kept as it came."""
    relay = relay_from(COARSE)
    assert call(relay, order(amountS=str(amount))).code == code
    assert [record["size"] for record in records(relay)] == ([] if code else [str(amount)])


def test_all_of_a_balance_can_be_sold_once() -> None:
    """The last wei is freezable, one more is not, and a cancel gives all of it back."""
    relay = world()
    order_hash = accepted(relay, order(1, amountS=str(10_000 * E18)))["orderHash"]
    before = digest(relay)
    refused_call(call(relay, order(2, amountS="2")), "submit_order", {102011})
    assert digest(relay) == before
    done(relay, "POST", f"orders/{order_hash}/cancel", {})
    accepted(relay, order(2, amountS=str(10_000 * E18)))


def test_held_order_freezes_once_and_stays_out_of_the_book() -> None:
    """Submitted twice while held: one record, one freeze, no ask; active it is one ask; failed it frees all."""
    for end in ("active", "failed"):
        relay = world()
        done(relay, "POST", "faults", {"on": "submit_order", "hold": "WAIT_FREEZE_BALANCE"})
        order_hash = call(relay, order()).data["orderHash"]
        frozen = digest(relay)
        assert call(relay, order()).data["isIdempotent"] is True
        assert digest(relay) == frozen
        assert len(records(relay)) == 1
        assert purse(relay, "alice", "LRC")[1] in (0, 100 * E18)
        assert call(relay, valid_request("get_depth")).data["asks"] == []
        assert control(relay, "POST", f"orders/{order_hash}/fill", {"size": "1"}).status == 409
        done(relay, "POST", f"orders/{order_hash}/release", {"as": end})
        asks = 1 if end == "active" else 0
        assert len(call(relay, valid_request("get_depth")).data["asks"]) == asks
        assert purse(relay, "alice", "LRC") == ((10_000 - 100 * asks) * E18, 100 * asks * E18, 0)
        conserved(relay)


def test_control_fill_trades_with_the_house() -> None:
    """40 LRC at a price of its own: alice has the ETH less her maker fee, the house owes it, the sums hold."""
    relay = world()
    order_hash = accepted(relay, order())["orderHash"]
    done(relay, "POST", f"orders/{order_hash}/fill", {"size": str(40 * E18), "price": "0.001"})
    (record,) = records(relay)
    assert (record["filledSize"], record["filledVolume"]) == (str(40 * E18), str(4 * 10**16))
    assert purse(relay, "alice", "LRC") == (9_900 * E18, 60 * E18, 0)
    conserved(relay)


def test_deposit_adds_to_what_is_free() -> None:
    """By symbol and by id."""
    relay = world()
    for token in ("LRC", 1):
        done(relay, "POST", "accounts/10001/deposit", {"token": token, "amount": "5"})
    assert purse(relay, "alice", "LRC") == (10_000 * E18 + 10, 0, 0)
    conserved(relay)


@pytest.mark.parametrize("dust", ["finish", "keep"])
@pytest.mark.parametrize(("size", "price"), [(25 * E18, "1"), (100 * E18, "0.0000001"), (60 * E18, "0.001")])
@pytest.mark.parametrize("buy", ["true", "false"])
def test_control_fill_never_overshoots_a_leg(dust: str, size: int, price: str, buy: str) -> None:
    """A fill at a price of its own is refused or leaves an order whose rest is not negative, in the book as in money."""
    relay = world({"order.dust": dust})
    order_hash = accepted(relay, order(buy=buy))["orderHash"]
    status = control(relay, "POST", f"orders/{order_hash}/fill", {"size": str(size), "price": price}).status
    assert status in (200, 409)
    (record,) = records(relay)
    assert int(record["filledSize"]) <= int(record["size"])
    for item in call(relay, valid_request("get_depth")).data["asks"]:
        assert 0 < int(item[1]) <= 100 * E18 - int(record["filledSize"])
    conserved(relay)
