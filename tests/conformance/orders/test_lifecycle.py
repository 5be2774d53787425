"""An order's life through the socket, read back after each turn by every view that shows it.

Alice sells 100 LRC at 0.0005 ETH each. Makers pay 10 bips of what they receive, takers 20. All amounts are worked out
by hand.
"""

from __future__ import annotations

import pytest

from tests.flows.client import ALICE, BOB, E18, ETH, LRC, Client, purchase, sale
from tests.support.worlds import DAY_S, START_MS, START_S

START_LRC, START_ETH = 10_000 * E18, 10 * E18
PRICE = "0.0005"
NO_TRADES = ["0", "0", "0", "0", "0", "0", "0"]
"""Of a ticker row: volumes, open, high, low, close, number."""


def untouched(client: Client) -> None:
    """Nobody has traded."""
    assert client.ticker()[2:9] == NO_TRADES
    assert client.candles() == []
    assert client.pending() == []


def traded(client: Client, lrc: int, eth: int) -> None:
    """There was one trade, at the maker's price, in ticker, candle and the next block."""
    volumes = [str(lrc), str(eth)]
    assert client.ticker()[2:9] == [*volumes, PRICE, PRICE, PRICE, PRICE, "1"]
    assert client.candles() == [[str(START_MS), "1", PRICE, PRICE, PRICE, PRICE, *volumes]]
    (tx,) = client.pending()
    assert tx["txType"] == "SpotTrade"
    assert {tx[leg]["tokenS"]: tx[leg]["fillS"] for leg in ("orderA", "orderB")} == {LRC: lrc, ETH: eth}


def shown_at_the_top(client: Client, bid: str, ask: str) -> None:
    """The ticker's best two prices are the depth's."""
    bids, asks = client.book()
    assert client.ticker()[9:] == [bid, ask]
    assert [bids[0][0] if bids else "0", asks[0][0] if asks else "0"] == [bid, ask]


def test_open_order_in_every_view(client: Client) -> None:
    hash_ = client.accepted(sale(clientOrderId="mine"))
    assert client.record(hash_) == {
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
    assert client.lists(hash_) == ["processing"]
    assert client.book() == ([], [[PRICE, str(100 * E18), str(5 * 10**16), "1"]])
    shown_at_the_top(client, "0", PRICE)
    untouched(client)
    assert client.money(ALICE, "LRC") == (START_LRC - 100 * E18, 100 * E18)
    assert client.next_id() == 1


def test_order_to_fill(client: Client) -> None:
    sold = client.accepted(sale())
    bought = client.accepted(purchase())
    for hash_, account, fee in ((sold, ALICE, 5 * 10**13), (bought, BOB, E18 // 5)):
        record = client.record(hash_, account)
        assert (record["filledSize"], record["filledVolume"]) == (str(100 * E18), str(5 * 10**16))
        assert (record["status"], record["filledFee"]) == ("processed", str(fee))
        assert client.lists(hash_, account) == ["processed"]
    assert client.book() == ([], [])
    shown_at_the_top(client, "0", "0")
    traded(client, 100 * E18, 5 * 10**16)
    assert client.money(ALICE, "LRC") == (START_LRC - 100 * E18, 0)
    assert client.money(ALICE, "ETH") == (START_ETH + 5 * 10**16 - 5 * 10**13, 0)
    assert client.money(BOB, "LRC") == (START_LRC + 100 * E18 - E18 // 5, 0)
    assert client.money(BOB, "ETH") == (START_ETH - 5 * 10**16, 0)


def test_a_taker_who_offers_more_pays_the_makers_price(client: Client) -> None:
    """Bob would pay 0.08 ETH for 100 LRC; he pays 0.05 and has the rest back."""
    client.accepted(sale())
    hash_ = client.accepted(purchase(eth=8 * 10**16))
    record = client.record(hash_, BOB)
    assert (record["price"], record["filledVolume"], record["status"]) == ("0.0008", str(5 * 10**16), "processed")
    traded(client, 100 * E18, 5 * 10**16)
    assert client.money(BOB, "ETH") == (START_ETH - 5 * 10**16, 0)


def test_partial_fill(client: Client) -> None:
    """Bob takes 40 of the 100: 60 LRC worth 0.03 ETH stay in the book and frozen."""
    sold = client.accepted(sale())
    bought = client.accepted(purchase(lrc=40 * E18, eth=2 * 10**16))
    record = client.record(sold)
    assert (record["filledSize"], record["filledVolume"]) == (str(40 * E18), str(2 * 10**16))
    assert (record["status"], record["filledFee"]) == ("processing", str(2 * 10**13))
    assert client.lists(sold) == ["processing"]
    assert client.lists(bought, BOB) == ["processed"]
    assert client.book() == ([], [[PRICE, str(60 * E18), str(3 * 10**16), "1"]])
    shown_at_the_top(client, "0", PRICE)
    traded(client, 40 * E18, 2 * 10**16)
    assert client.money(ALICE, "LRC") == (START_LRC - 100 * E18, 60 * E18)


def test_a_takers_rest_waits_on_the_other_side(client: Client) -> None:
    """Bob wants 150 at 0.0005: 100 at once, and his rest is a bid of 50 LRC worth 0.025 ETH."""
    sold = client.accepted(sale())
    bought = client.accepted(purchase(lrc=150 * E18, eth=75 * 10**15))
    assert client.lists(sold) == ["processed"]
    assert client.lists(bought, BOB) == ["processing"]
    assert client.book() == ([[PRICE, str(50 * E18), str(25 * 10**15), "1"]], [])
    shown_at_the_top(client, PRICE, "0")
    traded(client, 100 * E18, 5 * 10**16)
    assert client.money(BOB, "ETH") == (START_ETH - 75 * 10**15, 25 * 10**15)


def test_cancel(client: Client) -> None:
    """40 of 100 are filled, then the order is cancelled: what was filled stays, 60 are free again."""
    hash_ = client.accepted(sale())
    client.accepted(purchase(lrc=40 * E18, eth=2 * 10**16))
    assert client.done(f"orders/{hash_}/cancel", {})["status"] in ("cancelling", "cancelled")
    record = client.record(hash_)
    assert (record["status"], record["filledSize"]) == ("cancelled", str(40 * E18))
    assert client.lists(hash_) == ["cancelled"]
    assert client.book() == ([], [])
    shown_at_the_top(client, "0", "0")
    traded(client, 40 * E18, 2 * 10**16)
    assert client.money(ALICE, "LRC") == (START_LRC - 40 * E18, 0)


def test_expiry(client: Client) -> None:
    """A millisecond before validUntil the order rests; at validUntil it has expired and its money is free."""
    hash_ = client.accepted(sale(validUntil=START_S + 100))
    client.advance("99999ms")
    assert client.record(hash_)["status"] == "processing"
    assert client.book()[1] != []
    client.advance("1ms")
    assert client.record(hash_)["status"] == "expired"
    assert client.lists(hash_) == ["expired"]
    assert client.book() == ([], [])
    shown_at_the_top(client, "0", "0")
    untouched(client)
    assert client.money(ALICE, "LRC") == (START_LRC, 0)


def test_waiting_for_its_validity(client: Client) -> None:
    """An order for later is in no book, but its money is frozen; at validSince it meets what is there."""
    client.accepted(purchase(lrc=40 * E18, eth=2 * 10**16))
    hash_ = client.accepted(sale(validSince=START_S + 3600))
    assert client.record(hash_)["status"] == "waiting"
    assert client.lists(hash_) == ["waiting"]
    assert client.book()[1] == []
    untouched(client)
    assert client.money(ALICE, "LRC") == (START_LRC - 100 * E18, 100 * E18)
    client.advance("2h")
    record = client.record(hash_)
    assert (record["status"], record["filledSize"]) == ("processing", str(40 * E18))
    assert client.book() == ([], [[PRICE, str(60 * E18), str(3 * 10**16), "1"]])
    # It came second, so it took: 20 bips of 0.02 ETH. The trade was at validSince, not when somebody looked.
    assert record["filledFee"] == str(4 * 10**13)
    assert client.candles() == [[str(START_MS + 3_600_000), "1", *[PRICE] * 4, str(40 * E18), str(2 * 10**16)]]
    assert client.ticker()[1] == str(START_MS + 3_600_000)


def test_fill_by_hand(client: Client) -> None:
    """The house takes 25 LRC: worth 0.0125 ETH at the order's own price, 0.02 ETH at 0.0008."""
    hash_ = client.accepted(sale())
    client.done(f"orders/{hash_}/fill", {"size": str(25 * E18)})
    record = client.record(hash_)
    assert (record["filledSize"], record["filledVolume"]) == (str(25 * E18), str(125 * 10**14))
    assert client.book()[1] == [[PRICE, str(75 * E18), str(375 * 10**14), "1"]]
    traded(client, 25 * E18, 125 * 10**14)
    client.done(f"orders/{hash_}/fill", {"size": str(25 * E18), "price": "0.0008"})
    assert client.record(hash_)["filledVolume"] == str(325 * 10**14)
    assert client.ticker()[2:9] == [str(50 * E18), str(325 * 10**14), PRICE, "0.0008", PRICE, "0.0008", "2"]
    assert [tx["orderA"]["accountID"] for tx in client.pending()] == [0, 0]
    client.done(f"orders/{hash_}/fill", {"size": str(50 * E18)})
    assert client.lists(hash_) == ["processed"]
    assert client.book() == ([], [])


@pytest.mark.parametrize("word", ["UNKNOWN", "WAIT_FREEZE_BALANCE"])
def test_held_and_released_as_active(client: Client, word: str) -> None:
    """Held: its money is frozen and nothing else shows; released: it meets the market like any other."""
    client.accepted(purchase(lrc=40 * E18, eth=2 * 10**16))
    client.done("faults", {"on": "submit_order", "hold": word})
    answer = client.submit(sale())
    assert answer.code == 0
    hash_ = answer.data["orderHash"]
    assert answer.data == {"orderHash": hash_, "status": "UNKNOWN", "isIdempotent": False}
    assert client.record(hash_)["status"] == "waiting"
    assert client.lists(hash_) == ["waiting"]
    assert client.book()[1] == []
    untouched(client)
    assert client.money(ALICE, "LRC") == (START_LRC - 100 * E18, 100 * E18)
    assert client.next_id() == 1
    client.done(f"orders/{hash_}/release", {"as": "active"})
    assert client.lists(hash_) == ["processing"]
    assert client.book() == ([], [[PRICE, str(60 * E18), str(3 * 10**16), "1"]])
    traded(client, 40 * E18, 2 * 10**16)


@pytest.mark.parametrize("word", ["UNKNOWN", "WAIT_FREEZE_BALANCE"])
def test_held_and_released_as_failed(client: Client, word: str) -> None:
    """Its record says cancelled, the word `failed` alone lists it, its money is free, and its id stays used."""
    client.done("faults", {"on": "submit_order", "hold": word})
    hash_ = client.submit(sale()).data["orderHash"]
    client.done(f"orders/{hash_}/release", {"as": "failed"})
    assert client.record(hash_)["status"] == "cancelled"
    assert client.lists(hash_) == ["failed"]
    assert client.book() == ([], [])
    untouched(client)
    assert client.money(ALICE, "LRC") == (START_LRC, 0)
    before = client.digest()
    again = client.submit(sale())
    assert again.code == 102027
    assert again.data == {"orderHash": hash_, "status": "SUBMIT_ORDER_FAIL", "isIdempotent": False}
    assert client.submit(sale(lrc=E18)).code == 102004
    assert client.digest() == before
    assert client.next_id() == 1


def test_orders_of_one_moment_start_in_the_order_in_which_they_came(client: Client) -> None:
    """Both wait for the same second; the first rests, the second takes, and the third finds nothing left."""
    since = {"validSince": START_S + 3600}
    first = client.accepted(sale(**since))
    second = client.accepted(purchase(**since))
    third = client.accepted(purchase(1, **since))
    client.advance("1h")
    assert client.lists(first) == client.lists(second, BOB) == ["processed"]
    assert client.lists(third, BOB) == ["processing"]
    # Makers pay 10 bips, takers 20: 0.05 ETH and 100 LRC were received.
    assert client.record(first)["filledFee"] == str(5 * 10**13)
    assert client.record(second, BOB)["filledFee"] == str(E18 // 5)


def test_an_order_that_ends_when_another_begins_does_not_meet_it(client: Client) -> None:
    """The one that came first is looked at first: it has expired when the other starts."""
    first = client.accepted(sale(validUntil=START_S + 3600))
    second = client.accepted(purchase(validSince=START_S + 3600))
    client.advance("1h")
    assert client.lists(first) == ["expired"]
    assert client.lists(second, BOB) == ["processing"]
    untouched(client)
