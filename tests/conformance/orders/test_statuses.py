"""The filter `status` of get_orders, and what an end is."""

from __future__ import annotations

import re

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import refused_call
from tests.conformance.transcript import ORDER_FILTERS, ORDER_STATUSES
from tests.support.bodies import E18
from tests.support.calls import call, order, place, valid_request
from tests.support.client import advance, control, digest, done
from tests.support.views import depth, filters_that_list, money, order_record, orders
from tests.support.worlds import SLOW_CANCEL, START_S, relay_from


def ended_orders(relay: Relay) -> dict[str, str]:
    """One order filled, one cancelled, one expired: the hash by its status."""
    changes = {"processed": {}, "cancelled": {}, "expired": {"validUntil": START_S + 60}}
    hashes = {word: place(relay, order(number, **fields)) for number, (word, fields) in enumerate(changes.items())}
    done(relay, "POST", f"orders/{hashes['processed']}/fill", {"size": str(100 * E18)})
    done(relay, "POST", f"orders/{hashes['cancelled']}/cancel", {})
    advance(relay, "60s")
    return hashes


@pytest.mark.parametrize("word", ["foo", "cancelling", "processed,foo", "", "processed,", "PROCESSED", " processed"])
def test_get_orders_with_a_word_that_is_not_a_filter_is_100000(relay: Relay, word: str) -> None:
    """It never means everything."""
    ended_orders(relay)
    refused_call(call(relay, valid_request("get_orders").but(status=word)), "get_orders", {100000}, "status")


def test_the_refusal_lists_the_words_that_are_taken(relay: Relay) -> None:
    request = valid_request("get_orders")
    offered = set(re.findall(r"[a-z]+", call(relay, request.but(status="foo")).message))
    taken = {word for word in ORDER_STATUSES + ORDER_FILTERS if call(relay, request.but(status=word)).code == 0}
    assert offered & set(ORDER_STATUSES + ORDER_FILTERS) == taken


@pytest.mark.parametrize(("choice", "filter_word"), [("with_cancelled", "cancelled"), ("alone", "cancelling")])
def test_cancelling_is_found_by_a_filter_by_choice(choice: str, filter_word: str) -> None:
    """The record's word that no filter of the spec has; seen while a cancellation takes its time."""
    relay = relay_from(SLOW_CANCEL, choices={"orders.filter_cancelling": choice})
    hash_ = place(relay, order())
    done(relay, "POST", f"orders/{hash_}/cancel", {})
    assert order_record(relay, hash_)["status"] == "cancelling"
    assert [record["hash"] for record in orders(relay, status=filter_word)] == [hash_]
    assert orders(relay, status="processing") == []
    assert depth(relay) == ([], [])
    assert money(relay, "alice") == (9900 * E18, 100 * E18, 0)
    assert control(relay, "POST", f"orders/{hash_}/cancel", {}).status == 409
    advance(relay, "15s")
    assert filters_that_list(relay, hash_) == ["cancelled"]
    assert money(relay, "alice") == (10_000 * E18, 0, 0)


def test_nothing_can_be_done_to_an_order_that_has_ended(relay: Relay) -> None:
    """Cancelling, filling or releasing it is a 409 that says what it is, and changes nothing."""
    hashes = ended_orders(relay)
    before = digest(relay)
    for word, hash_ in hashes.items():
        for verb, body in (("cancel", {}), ("fill", {"size": "1"}), ("release", {"as": "active"})):
            answer = control(relay, "POST", f"orders/{hash_}/{verb}", body)
            assert answer.status == 409
            assert word in answer.json["error"]
    assert digest(relay) == before
