"""An order that is taken but not settled is no failed one: sent again, it is one order still."""

from __future__ import annotations

import pytest

from tests.flows.client import ALICE, BOB, E18, Client, purchase, sale
from tests.support.worlds import START_S

SUBMIT_WORDS = {"NEW_ACTIVED", "SUBMIT_ORDER_FAIL", "UNKNOWN"}
RECORD_WORDS = {"processing", "processed", "cancelling", "cancelled", "expired", "waiting"}


@pytest.mark.parametrize("word", ["UNKNOWN", "WAIT_FREEZE_BALANCE"])
@pytest.mark.parametrize("again", [1, 5])
def test_an_order_not_yet_settled_is_one_order_however_often_it_is_sent(client: Client, word: str, again: int) -> None:
    """UNKNOWN is no failure: one record, money frozen once, repeats change nothing, and after the release 102007."""
    client.done("faults", {"on": "submit_order", "hold": word})
    first = client.submit(sale()).data
    assert (first["status"], first["isIdempotent"]) == ("UNKNOWN", False)
    before = client.digest()
    for _ in range(again):
        assert client.submit(sale()).data == first | {"isIdempotent": True}
    assert client.digest() == before
    assert [record["hash"] for record in client.orders()] == [first["orderHash"]]
    assert client.money(ALICE, "LRC") == (9900 * E18, 100 * E18)
    client.done(f"orders/{first['orderHash']}/release", {"as": "active"})
    last = client.submit(sale())
    assert (last.code, last.data) == (102007, None)
    assert client.money(ALICE, "LRC") == (9900 * E18, 100 * E18)


@pytest.mark.parametrize("word", ["UNKNOWN", "WAIT_FREEZE_BALANCE"])
@pytest.mark.parametrize("end", ["cancelled", "expired"])
def test_an_order_can_end_while_it_is_held(client: Client, word: str, end: str) -> None:
    """Then it is no longer held: its money is free, a repeat is 102007, and there is nothing to release."""
    client.done("faults", {"on": "submit_order", "hold": word})
    body = sale(validUntil=START_S + 100)
    hash_ = client.submit(body).data["orderHash"]
    if end == "cancelled":
        client.done(f"orders/{hash_}/cancel", {})
        assert client.submit(body).code == 102007
    else:
        client.advance("100s")
        assert client.submit(body).code == 102007
    assert client.lists(hash_) == [end]
    assert client.money(ALICE, "LRC") == (10_000 * E18, 0)
    assert client.control("POST", f"orders/{hash_}/release", {"as": "active"}).status == 409


def test_an_order_stays_held_when_its_validity_begins(client: Client) -> None:
    """Only the release settles it: at validSince nothing happens, and afterwards it starts at once."""
    client.done("faults", {"on": "submit_order", "hold": "UNKNOWN"})
    hash_ = client.submit(sale(validSince=START_S + 100)).data["orderHash"]
    client.advance("200s")
    assert client.record(hash_)["status"] == "waiting"
    assert client.book() == ([], [])
    client.done(f"orders/{hash_}/release", {"as": "active"})
    assert client.record(hash_)["status"] == "processing"


def test_an_order_released_before_its_validity_waits_for_it(client: Client) -> None:
    client.done("faults", {"on": "submit_order", "hold": "UNKNOWN"})
    hash_ = client.submit(sale(validSince=START_S + 100)).data["orderHash"]
    client.done(f"orders/{hash_}/release", {"as": "active"})
    client.advance("99999ms")
    assert client.record(hash_)["status"] == "waiting"
    assert client.submit(sale(validSince=START_S + 100)).code == 102007
    client.advance("1ms")
    assert client.record(hash_)["status"] == "processing"


@pytest.mark.parametrize("outcome", ["active", "failed"])
def test_no_status_word_is_outside_the_specs_sets(client: Client, outcome: str) -> None:
    client.done("faults", {"on": "submit_order", "hold": "UNKNOWN"})
    answers = [client.submit(sale()), client.submit(sale())]
    client.done(f"orders/{answers[0].data['orderHash']}/release", {"as": outcome})
    answers += [client.submit(sale()), client.submit(sale(1)), client.submit(purchase())]
    assert {answer.data["status"] for answer in answers if answer.data} <= SUBMIT_WORDS
    assert {record["status"] for who in (ALICE, BOB) for record in client.orders(who)} <= RECORD_WORDS
