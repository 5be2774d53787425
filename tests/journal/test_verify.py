"""`POST verify` says whether the expected calls were made, and otherwise how the nearest differ."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.support.bodies import W
from tests.support.client import control, get, post
from tests.support.worlds import relay_from


@pytest.fixture
def relay() -> Relay:
    """Two orders, the second refused, and a look at the depth."""
    relay = relay_from()
    post(relay, "/api/v3/order", W.order())
    post(relay, "/api/v3/order", W.order(1, amountS="1"))
    get(relay, "/api/v2/depth", market="LRC-ETH", level="0", limit="5")
    return relay


@pytest.mark.parametrize(
    ("expected", "found"),
    [
        ({"endpoint": "submit_order"}, 2),
        ({"endpoint": "submit_order", "times": 2}, 2),
        ({"endpoint": "submit_order", "atLeast": 1, "atMost": 2}, 2),
        ({"endpoint": "submit_order", "atMost": 3}, 2),
        ({"endpoint": "submit_order", "times": 1, "code": 0}, 1),
        ({"endpoint": "submit_order", "times": 1, "body": {"amountS": "1"}}, 1),
        ({"endpoint": "submit_order", "times": 1, "body": {"amountS": "1"}, "code": 102012}, 1),
        ({"endpoint": "submit_order", "times": 0, "body": {"amountS": "2"}}, 0),
        ({"endpoint": "get_depth", "query": {"market": "LRC-ETH", "limit": 5}}, 1),
        ({"endpoint": "submit_transfer", "times": 0}, 0),
        ({"sequence": ["submit_order", "get_depth"]}, 2),
        ({"sequence": ["submit_order", "submit_order", "get_depth"]}, 3),
    ],
)
def test_what_holds_is_confirmed(relay: Relay, expected: Any, found: int) -> None:
    answer = control(relay, "POST", "verify", expected)
    assert (answer.status, answer.json) == (200, {"found": found})


@pytest.mark.parametrize(
    ("expected", "text"),
    [
        ({"endpoint": "submit_order", "times": 1}, "submit_order was called 2 times; once expected"),
        ({"endpoint": "submit_order", "times": 0}, "submit_order was called 2 times; no call expected"),
        ({"endpoint": "submit_order", "atLeast": 3}, "submit_order was called 2 times; at least 3 times expected"),
        ({"endpoint": "submit_order", "atMost": 1}, "submit_order was called 2 times; at most once expected"),
        ({"endpoint": "submit_transfer"}, "submit_transfer was called 0 times; at least once expected"),
        ({"sequence": ["get_depth", "submit_order"]}, "submit_order was not called after get_depth"),
    ],
)
def test_what_does_not_hold_is_told_in_a_sentence(relay: Relay, expected: Any, text: str) -> None:
    answer = control(relay, "POST", "verify", expected)
    assert answer.status == 409
    assert answer.json["error"].splitlines()[0] == text


def test_the_nearest_calls_come_first_with_the_fields_that_differ(relay: Relay) -> None:
    wanted = {"amountS": "1", "orderId": 7, "clientOrderId": "a1"}
    answer = control(relay, "POST", "verify", {"endpoint": "submit_order", "body": wanted})
    assert answer.status == 409
    nearest = answer.json["nearest"]
    assert [near["request"]["id"] for near in nearest] == ["r2", "r1"]
    assert nearest[0]["differences"] == [
        {"field": "orderId", "wanted": 7, "found": 1},
        {"field": "clientOrderId", "wanted": "a1", "found": "(absent)"},
    ]
    assert "    orderId: wanted 7, found 1" in answer.json["error"].splitlines()
    assert answer.json["found"] == 0


def test_a_field_that_no_request_should_have_may_be_asked_for_once_a_call_has_it(relay: Relay) -> None:
    verify = {"endpoint": "get_depth", "query": {"colour": "red"}}
    assert control(relay, "POST", "verify", verify).status == 400
    get(relay, "/api/v2/depth", market="LRC-ETH", level="0", limit="5", colour="red")
    assert control(relay, "POST", "verify", verify).json == {"found": 1}


def test_true_is_not_one_and_a_number_is_not_its_digits(relay: Relay) -> None:
    for wanted in ({"orderId": False}, {"orderId": "0"}, {"amountS": 1}):
        assert control(relay, "POST", "verify", {"endpoint": "submit_order", "body": wanted}).status == 400


def test_inner_fields_are_compared_alone() -> None:
    relay = relay_from()
    post(relay, "/api/v3/user/withdrawals", {"token": {"tokenId": 1, "volume": "5"}})
    verify = {"endpoint": "submit_withdrawal", "body": {"token": {"volume": "5"}}}
    assert control(relay, "POST", "verify", verify).status == 200
    verify["body"] = {"token": {"volume": "6"}}
    differences = control(relay, "POST", "verify", verify).json["nearest"][0]["differences"]
    assert differences == [{"field": "token.volume", "wanted": "6", "found": "5"}]


def test_a_signature_is_compared_and_never_shown(relay: Relay) -> None:
    right = {"endpoint": "submit_order", "body": {"signatureRx": "111"}}
    assert control(relay, "POST", "verify", right).status == 200
    wrong = {"endpoint": "submit_order", "body": {"signatureRx": "77777"}}
    answer = control(relay, "POST", "verify", wrong)
    assert answer.status == 409
    assert b"77777" not in answer.body


@pytest.mark.parametrize(
    ("body", "field", "meant"),
    [
        ({}, "endpoint", "endpoint or sequence"),
        ({"endpoint": "submit_order", "sequence": ["submit_order"]}, "endpoint", "endpoint or sequence"),
        ({"endpoint": "submit_oder"}, "endpoint", "submit_order"),
        ({"sequence": []}, "sequence", "at least one name"),
        ({"sequence": ["submit_order", "nothing at all"]}, "sequence", "one of"),
        ({"endpoint": "submit_order", "times": 1, "atMost": 2}, "times", "times, or atLeast and atMost"),
        ({"endpoint": "submit_order", "times": -1}, "times", "a whole number"),
        ({"endpoint": "submit_order", "atLeast": 3, "atMost": 1}, "atMost", "3 or more"),
        ({"endpoint": "/api/v3/order"}, "endpoint", "submit_order"),
        ({"endpoint": "GET /api/v2/depth?market=LRC-ETH"}, "endpoint", "get_depth"),
        ({"sequence": ["submit_order"], "times": 0}, "times", "a sequence alone"),
        ({"sequence": ["submit_order"], "code": 0}, "code", "a sequence alone"),
        ({"sequence": ["submit_order"], "body": {"orderId": 9}}, "body", "a sequence alone"),
        ({"endpoint": "submit_order", "body": []}, "body", "an object"),
        ({"endpoint": "get_depth", "times": 0, "query": {"markt": "LRC-ETH"}}, "query.markt", "'market'"),
        ({"endpoint": "submit_order", "body": {"amounts": "1"}}, "body.amounts", "amountS"),
        ({"endpoint": "get_tokens", "query": {"x": "1"}}, "query.x", "no field: it takes none"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused(relay: Relay, body: Any, field: str, meant: str) -> None:
    answer = control(relay, "POST", "verify", body)
    assert answer.status == 400
    assert answer.json["field"] == field
    assert meant in answer.json["meant"]


def test_nobody_can_say_that_a_call_was_not_made_once_calls_are_no_longer_kept() -> None:
    relay = relay_from()
    get(relay, "/api/v2/depth", market="LRC-ETH", level="0")
    for _ in range(1001):
        get(relay, "/api/v2/exchange/tokens")
    verify = {"endpoint": "get_depth", "query": {"market": "LRC-ETH"}}
    for bound in ({"times": 0}, {"times": 1}, {"atMost": 3}):
        answer = control(relay, "POST", "verify", verify | bound)
        assert answer.status == 409
        assert "1 calls of get_depth are no longer kept" in answer.json["error"]
    assert control(relay, "POST", "verify", {"endpoint": "get_depth", "times": 1}).status == 200
    assert "no longer kept" in control(relay, "POST", "verify", {"sequence": ["get_depth"]}).json["error"]


def test_a_secret_within_a_field_is_not_shown() -> None:
    relay = relay_from()
    post(relay, "/api/v3/user/withdrawals", {"to": {"eddsaSignature": "s3cr3t"}})
    answer = control(relay, "POST", "verify", {"endpoint": "submit_withdrawal", "body": {"to": f"0x{0:040}"}})
    assert answer.status == 409
    assert b"s3cr3t" not in answer.body
