"""An order's life, read back after each step by every view that shows it.

Alice sells 100 LRC at 0.0005 ETH each. Makers pay 10 bips of what they receive, takers 20. All amounts are worked out
by hand.
"""

from __future__ import annotations

import pytest

from mockrelay.relay import Relay
from tests.support.bodies import E18, ETH, LRC
from tests.support.calls import bid, call, order, place, valid_request
from tests.support.client import advance, digest, done
from tests.support.views import candles, depth, filters_that_list, money, order_record, pending, ticker
from tests.support.worlds import DAY_S, START_MS, START_S

START_LRC, START_ETH = 10_000 * E18, 10 * E18
PRICE = "0.0005"
NO_TRADES = ["0", "0", "0", "0", "0", "0", "0"]
"""Of a ticker row: volumes, open, high, low, close, number."""
ASK_OF_60 = [PRICE, str(60 * E18), str(3 * 10**16), "1"]
WHOLE = {"lrc": 100 * E18, "eth": 5 * 10**16}
"""A bid for all that alice sells."""


def no_trade(relay: Relay) -> None:
    assert ticker(relay)[2:9] == NO_TRADES
    assert candles(relay) == []
    assert pending(relay) == []


def one_trade(relay: Relay, lrc: int, eth: int) -> None:
    """There was one trade, at the maker's price, in ticker, candle and the next block."""
    volumes = [str(lrc), str(eth)]
    assert ticker(relay)[2:9] == [*volumes, PRICE, PRICE, PRICE, PRICE, "1"]
    assert candles(relay) == [[str(START_MS), "1", PRICE, PRICE, PRICE, PRICE, *volumes]]
    (tx,) = pending(relay)
    assert tx["txType"] == "SpotTrade"
    assert {tx[leg]["tokenS"]: tx[leg]["fillS"] for leg in ("orderA", "orderB")} == {LRC: lrc, ETH: eth}


def best_prices(relay: Relay, best_bid: str, best_ask: str) -> None:
    """The ticker's best two prices are the depth's."""
    bids, asks = depth(relay)
    assert ticker(relay)[9:] == [best_bid, best_ask]
    assert [bids[0][0] if bids else "0", asks[0][0] if asks else "0"] == [best_bid, best_ask]


def next_id(relay: Relay) -> str:
    data: str = call(relay, valid_request("get_order_id")).data
    return data


def test_open_order_in_every_view(relay: Relay) -> None:
    hash_ = place(relay, order(0, clientOrderId="mine"))
    assert order_record(relay, hash_) == {
        "hash": hash_,
        "clientOrderId": "mine",
        "size": str(100 * E18),
        "volume": str(5 * 10**16),
        "price": PRICE,
        "filledSize": "0",
        "filledVolume": "0",
        "filledFee": "0",
        "status": "processing",
        "validSince": START_S,
        "validUntil": START_S + 60 * DAY_S,
        "createdAt": START_MS,
        "side": "SELL",
        "market": "LRC-ETH",
    }
    assert filters_that_list(relay, hash_) == ["processing"]
    assert depth(relay) == ([], [[PRICE, str(100 * E18), str(5 * 10**16), "1"]])
    best_prices(relay, "0", PRICE)
    no_trade(relay)
    assert money(relay, "alice") == (START_LRC - 100 * E18, 100 * E18, 0)


def test_order_to_fill(relay: Relay) -> None:
    sold, bought = place(relay, order()), place(relay, bid(**WHOLE))
    for hash_, name, fee in ((sold, "alice", 5 * 10**13), (bought, "bob", E18 // 5)):
        record = order_record(relay, hash_, name)
        assert (record["filledSize"], record["filledVolume"]) == (str(100 * E18), str(5 * 10**16))
        assert (record["status"], record["filledFee"]) == ("processed", str(fee))
        assert filters_that_list(relay, hash_, name) == ["processed"]
    assert depth(relay) == ([], [])
    best_prices(relay, "0", "0")
    one_trade(relay, 100 * E18, 5 * 10**16)
    assert money(relay, "alice") == (START_LRC - 100 * E18, 0, 0)
    assert money(relay, "alice", "ETH") == (START_ETH + 5 * 10**16 - 5 * 10**13, 0, 0)
    assert money(relay, "bob") == (START_LRC + 100 * E18 - E18 // 5, 0, 0)
    assert money(relay, "bob", "ETH") == (START_ETH - 5 * 10**16, 0, 0)


def test_a_taker_who_offers_more_pays_the_makers_price(relay: Relay) -> None:
    """Bob would pay 0.08 ETH for 100 LRC; he pays 0.05 and has the rest back."""
    place(relay, order())
    record = order_record(relay, place(relay, bid(lrc=100 * E18, eth=8 * 10**16)), "bob")
    assert (record["price"], record["filledVolume"], record["status"]) == ("0.0008", str(5 * 10**16), "processed")
    one_trade(relay, 100 * E18, 5 * 10**16)
    assert money(relay, "bob", "ETH") == (START_ETH - 5 * 10**16, 0, 0)


def test_partial_fill(relay: Relay) -> None:
    """Bob takes 40 of the 100: 60 LRC worth 0.03 ETH stay in the book and frozen."""
    sold, bought = place(relay, order()), place(relay, bid())
    record = order_record(relay, sold)
    assert (record["filledSize"], record["filledVolume"]) == (str(40 * E18), str(2 * 10**16))
    assert (record["status"], record["filledFee"]) == ("processing", str(2 * 10**13))
    record = order_record(relay, bought, "bob")
    assert (record["filledSize"], record["filledVolume"]) == (str(40 * E18), str(2 * 10**16))
    assert (record["status"], record["filledFee"]) == ("processed", str(8 * 10**16))
    assert filters_that_list(relay, sold) == ["processing"]
    assert filters_that_list(relay, bought, "bob") == ["processed"]
    assert depth(relay) == ([], [ASK_OF_60])
    best_prices(relay, "0", PRICE)
    one_trade(relay, 40 * E18, 2 * 10**16)
    assert money(relay, "alice") == (START_LRC - 100 * E18, 60 * E18, 0)


def test_a_takers_rest_waits_on_the_other_side(relay: Relay) -> None:
    """Bob wants 150 at 0.0005: 100 at once, and his rest is a bid of 50 LRC worth 0.025 ETH."""
    sold, bought = place(relay, order()), place(relay, bid(lrc=150 * E18, eth=75 * 10**15))
    assert filters_that_list(relay, sold) == ["processed"]
    assert filters_that_list(relay, bought, "bob") == ["processing"]
    assert depth(relay) == ([[PRICE, str(50 * E18), str(25 * 10**15), "1"]], [])
    best_prices(relay, PRICE, "0")
    one_trade(relay, 100 * E18, 5 * 10**16)
    assert money(relay, "bob", "ETH") == (START_ETH - 75 * 10**15, 25 * 10**15, 0)


def test_cancel(relay: Relay) -> None:
    """40 of 100 are filled, then the order is cancelled: what was filled stays, 60 are free again."""
    hash_ = place(relay, order())
    place(relay, bid())
    assert done(relay, "POST", f"orders/{hash_}/cancel", {})["status"] in ("cancelling", "cancelled")
    record = order_record(relay, hash_)
    assert (record["status"], record["filledSize"]) == ("cancelled", str(40 * E18))
    assert filters_that_list(relay, hash_) == ["cancelled"]
    assert depth(relay) == ([], [])
    best_prices(relay, "0", "0")
    one_trade(relay, 40 * E18, 2 * 10**16)
    assert money(relay, "alice") == (START_LRC - 40 * E18, 0, 0)


def test_expiry(relay: Relay) -> None:
    """A millisecond before validUntil the order rests; at validUntil it has expired and what is left is free."""
    hash_ = place(relay, order(validUntil=START_S + 100))
    done(relay, "POST", f"orders/{hash_}/fill", {"size": str(30 * E18)})
    advance(relay, "99999ms")
    assert order_record(relay, hash_)["status"] == "processing"
    assert depth(relay)[1] != []
    advance(relay, "1ms")
    record = order_record(relay, hash_)
    assert (record["status"], record["filledSize"]) == ("expired", str(30 * E18))
    assert filters_that_list(relay, hash_) == ["expired"]
    assert depth(relay) == ([], [])
    best_prices(relay, "0", "0")
    assert money(relay, "alice") == (START_LRC - 30 * E18, 0, 0)


def test_waiting_for_its_validity(relay: Relay) -> None:
    """An order for later is in no book, but its money is frozen; at validSince it meets what is there."""
    place(relay, bid())
    hash_ = place(relay, order(validSince=START_S + 3600))
    assert order_record(relay, hash_)["status"] == "waiting"
    assert filters_that_list(relay, hash_) == ["waiting"]
    assert depth(relay)[1] == []
    no_trade(relay)
    assert money(relay, "alice") == (START_LRC - 100 * E18, 100 * E18, 0)
    advance(relay, "2h")
    record = order_record(relay, hash_)
    assert (record["status"], record["filledSize"]) == ("processing", str(40 * E18))
    assert depth(relay) == ([], [ASK_OF_60])
    # It came second, so it took: 20 bips of 0.02 ETH. The trade was at validSince, not when somebody looked.
    assert record["filledFee"] == str(4 * 10**13)
    assert candles(relay) == [[str(START_MS + 3_600_000), "1", *[PRICE] * 4, str(40 * E18), str(2 * 10**16)]]
    assert ticker(relay)[1] == str(START_MS + 3_600_000)


def test_a_waiting_order_takes_at_the_price_of_a_bid_that_came_meanwhile(relay: Relay) -> None:
    """It has bid 0.001, twice alice's price."""
    hash_ = place(relay, order(validSince=START_S + 3600))
    assert order_record(relay, place(relay, bid(eth=4 * 10**16)), "bob")["filledSize"] == "0"
    advance(relay, "3600s")
    record = order_record(relay, hash_)
    assert (record["filledSize"], record["filledVolume"]) == (str(40 * E18), str(4 * 10**16))


def test_orders_of_one_moment_start_in_the_order_in_which_they_came(relay: Relay) -> None:
    """Both wait for the same second; the first rests, the second takes, and the third finds nothing left."""
    since = {"validSince": START_S + 3600}
    first = place(relay, order(**since))
    second, third = (place(relay, bid(number, **WHOLE, **since)) for number in (1, 2))
    advance(relay, "1h")
    assert filters_that_list(relay, first) == filters_that_list(relay, second, "bob") == ["processed"]
    assert filters_that_list(relay, third, "bob") == ["processing"]
    # Makers pay 10 bips, takers 20: 0.05 ETH and 100 LRC were received.
    assert order_record(relay, first)["filledFee"] == str(5 * 10**13)
    assert order_record(relay, second, "bob")["filledFee"] == str(E18 // 5)


def test_an_order_that_ends_when_another_begins_does_not_meet_it(relay: Relay) -> None:
    """The one that came first is looked at first: it has expired when the other starts."""
    first = place(relay, order(validUntil=START_S + 3600))
    second = place(relay, bid(validSince=START_S + 3600))
    advance(relay, "1h")
    assert filters_that_list(relay, first) == ["expired"]
    assert filters_that_list(relay, second, "bob") == ["processing"]
    no_trade(relay)


def test_fill_by_hand(relay: Relay) -> None:
    """The house takes 25 LRC: worth 0.0125 ETH at the order's own price, 0.02 ETH at 0.0008."""
    hash_ = place(relay, order())
    done(relay, "POST", f"orders/{hash_}/fill", {"size": str(25 * E18)})
    record = order_record(relay, hash_)
    assert (record["filledSize"], record["filledVolume"]) == (str(25 * E18), str(125 * 10**14))
    assert depth(relay)[1] == [[PRICE, str(75 * E18), str(375 * 10**14), "1"]]
    one_trade(relay, 25 * E18, 125 * 10**14)
    done(relay, "POST", f"orders/{hash_}/fill", {"size": str(25 * E18), "price": "0.0008"})
    assert order_record(relay, hash_)["filledVolume"] == str(325 * 10**14)
    assert ticker(relay)[2:9] == [str(50 * E18), str(325 * 10**14), PRICE, "0.0008", PRICE, "0.0008", "2"]
    assert [tx["orderA"]["accountID"] for tx in pending(relay)] == [0, 0]
    done(relay, "POST", f"orders/{hash_}/fill", {"size": str(50 * E18)})
    assert filters_that_list(relay, hash_) == ["processed"]
    assert depth(relay) == ([], [])


@pytest.mark.parametrize("word", ["UNKNOWN", "WAIT_FREEZE_BALANCE"])
def test_held_and_released_as_active(relay: Relay, word: str) -> None:
    """Held: its money is frozen once and nothing else shows, however often it is sent; released it meets the market."""
    place(relay, bid())
    done(relay, "POST", "faults", {"on": "submit_order", "hold": word})
    answer = call(relay, order(0))
    assert answer.code == 0
    hash_ = answer.data["orderHash"]
    assert answer.data == {"orderHash": hash_, "status": "UNKNOWN", "isIdempotent": False}
    before = digest(relay)
    for _ in range(5):
        assert call(relay, order(0)).data == answer.data | {"isIdempotent": True}
    assert digest(relay) == before
    assert order_record(relay, hash_)["status"] == "waiting"
    assert filters_that_list(relay, hash_) == ["waiting"]
    assert depth(relay)[1] == []
    no_trade(relay)
    assert money(relay, "alice") == (START_LRC - 100 * E18, 100 * E18, 0)
    assert next_id(relay) == "1"
    done(relay, "POST", f"orders/{hash_}/release", {"as": "active"})
    assert filters_that_list(relay, hash_) == ["processing"]
    assert depth(relay) == ([], [ASK_OF_60])
    one_trade(relay, 40 * E18, 2 * 10**16)
    again = call(relay, order(0))
    assert (again.code, again.data) == (102007, None)
    assert money(relay, "alice") == (START_LRC - 100 * E18, 60 * E18, 0)


@pytest.mark.parametrize("word", ["UNKNOWN", "WAIT_FREEZE_BALANCE"])
def test_held_and_released_as_failed(relay: Relay, word: str) -> None:
    """Its record says cancelled, the word `failed` alone lists it, its money is free, and its id stays used."""
    done(relay, "POST", "faults", {"on": "submit_order", "hold": word})
    hash_ = call(relay, order(0)).data["orderHash"]
    done(relay, "POST", f"orders/{hash_}/release", {"as": "failed"})
    assert order_record(relay, hash_)["status"] == "cancelled"
    assert filters_that_list(relay, hash_) == ["failed"]
    assert depth(relay) == ([], [])
    no_trade(relay)
    assert money(relay, "alice") == (START_LRC, 0, 0)
    before = digest(relay)
    again = call(relay, order(0))
    assert again.code == 102027
    assert again.data == {"orderHash": hash_, "status": "SUBMIT_ORDER_FAIL", "isIdempotent": False}
    assert call(relay, order(0, amountS=str(E18))).code == 102004
    assert digest(relay) == before
    assert next_id(relay) == "1"


def test_a_held_order_stays_held_when_its_validity_begins(relay: Relay) -> None:
    """Only the release settles it: at validSince nothing happens, and afterwards it starts at once."""
    done(relay, "POST", "faults", {"on": "submit_order", "hold": "UNKNOWN"})
    hash_ = call(relay, order(validSince=START_S + 100)).data["orderHash"]
    advance(relay, "200s")
    assert order_record(relay, hash_)["status"] == "waiting"
    assert depth(relay) == ([], [])
    done(relay, "POST", f"orders/{hash_}/release", {"as": "active"})
    assert order_record(relay, hash_)["status"] == "processing"


def test_a_held_order_released_before_its_validity_waits_for_it(relay: Relay) -> None:
    done(relay, "POST", "faults", {"on": "submit_order", "hold": "UNKNOWN"})
    hash_ = call(relay, order(validSince=START_S + 100)).data["orderHash"]
    done(relay, "POST", f"orders/{hash_}/release", {"as": "active"})
    advance(relay, "99999ms")
    assert order_record(relay, hash_)["status"] == "waiting"
    assert call(relay, order(validSince=START_S + 100)).code == 102007
    advance(relay, "1ms")
    assert order_record(relay, hash_)["status"] == "processing"
