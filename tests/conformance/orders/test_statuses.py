"""All views agree about what has become of an order, and an end is an end."""

from __future__ import annotations

import pytest

from tests.flows.client import ALICE, E18, FILTERS, Client, sale
from tests.support.worlds import START_S

ENDS = {"processed", "cancelled", "expired"}


def four_orders(client: Client) -> dict[str, str]:
    """One filled, one cancelled, one expired, one left: hash by what became of it."""
    wishes = {"processed": {}, "cancelled": {}, "expired": {"validUntil": START_S + 60}, "processing": {}}
    hashes = {word: client.accepted(sale(number, **wish)) for number, (word, wish) in enumerate(wishes.items())}
    client.done(f"orders/{hashes['processed']}/fill", {"size": str(100 * E18)})
    client.done(f"orders/{hashes['cancelled']}/cancel", {})
    client.advance("60s")
    return hashes


def test_each_order_is_in_one_list_and_ends_are_final(client: Client) -> None:
    hashes = four_orders(client)
    records = []
    for _ in range(2):
        for word in FILTERS:
            expected = [hashes[word]] if word in hashes else []
            answer = client.get("v2/orders", accountId=ALICE, status=word).data
            assert [record["hash"] for record in answer["orders"]] == expected
            assert answer["totalNum"] == len(expected)
        both = client.orders(status="cancelled,expired")
        assert [record["hash"] for record in both] == [hashes["expired"], hashes["cancelled"]]
        records.append({record["hash"]: record for record in client.orders()})
        client.advance("1d")
    assert records[0] == records[1]
    assert records[0][hashes["processed"]]["filledSize"] == str(100 * E18)
    assert {word: records[0][hash_]["status"] for word, hash_ in hashes.items()} == {word: word for word in hashes}


def test_total_counts_the_filtered_set_and_not_the_page(client: Client) -> None:
    four_orders(client)
    for query, total, shown in (
        ({"limit": 1}, 4, 1),
        ({"offset": 3}, 4, 1),
        ({"offset": 4}, 4, 0),
        ({"limit": 1, "status": "cancelled,expired"}, 2, 1),
        ({"status": "failed"}, 0, 0),
    ):
        data = client.get("v2/orders", accountId=ALICE, **query).data
        assert (data["totalNum"], len(data["orders"])) == (total, shown)


@pytest.mark.parametrize("word", ["foo", "cancelling", "processed,foo", "", "processed,", "PROCESSED", " processed"])
def test_a_word_that_is_no_filter_is_refused_and_never_means_everything(client: Client, word: str) -> None:
    four_orders(client)
    answer = client.get("v2/orders", accountId=ALICE, status=word)
    assert answer.code == 100000
    assert answer.data is None
    assert "status" in answer.message


@pytest.mark.parametrize(("choice", "filter_word"), [("with_cancelled", "cancelled"), ("alone", "cancelling")])
def test_cancelling_is_found_by_a_documented_filter(client: Client, choice: str, filter_word: str) -> None:
    """The record's word that no filter of the spec has; seen while a cancellation takes its time."""
    client.done("reset", {"scenarioText": SLOW_CANCEL, "choices": {"orders.filter_cancelling": choice}})
    hash_ = client.accepted(sale())
    client.done(f"orders/{hash_}/cancel", {})
    assert client.record(hash_)["status"] == "cancelling"
    assert [record["hash"] for record in client.orders(status=filter_word)] == [hash_]
    assert client.orders(status="processing") == []
    assert client.book() == ([], [])
    assert client.money(ALICE, "LRC") == (9900 * E18, 100 * E18)
    assert client.control("POST", f"orders/{hash_}/cancel", {}).status == 409
    client.advance("15s")
    assert client.lists(hash_) == ["cancelled"]
    assert client.money(ALICE, "LRC") == (10_000 * E18, 0)


SLOW_CANCEL = """
format: 1
extends: default
accounts:
  - {name: alice, apiKey: key-a, balances: {LRC: "10000000000000000000000"}}
lifecycles:
  cancel: {cancelling: {after: 15s}}
"""


def test_nothing_can_be_done_to_an_order_that_has_ended(client: Client) -> None:
    """Cancelling, filling or releasing it is a 409 that says what it is, and changes nothing."""
    hashes = four_orders(client)
    before = client.digest()
    for word in sorted(ENDS):
        for verb, body in (("cancel", {}), ("fill", {"size": "1"}), ("release", {"as": "active"})):
            answer = client.control("POST", f"orders/{hashes[word]}/{verb}", body)
            assert answer.status == 409
            assert word in answer.json["error"]
    assert client.digest() == before
