from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockrelay.core.call import Call
from mockrelay.spec.endpoints import BY_NAME, ENDPOINTS
from mockrelay.spec.vocab import Interval
from mockrelay.wire.decode import NoRoute, decode, relax
from tests.wire.generate import json_values
from tests.wire.requests import ORDER, UPDATE, default, get, order, post, reached, request


def test_a_right_order_is_a_call_without_violations() -> None:
    headers = {"content-type": "application/json", "x-api-key": "key", "x-api-sig": "sig"}
    raw = request("POST", "/api/v3/order", body=json.dumps(dict(ORDER)).encode(), headers=headers)
    call, soft = reached(decode(raw, default))
    assert call == Call(BY_NAME["submit_order"], dict(ORDER), (), "key", "sig", "127.0.0.1")
    assert soft == ()


def test_the_integers_of_a_query_become_integers_and_its_texts_stay_texts() -> None:
    call, soft = get("/api/v2/orders", accountId="10001", limit="50", status="waiting,failed", market="LRC-ETH")
    assert call.args == {"accountId": 10001, "limit": 50, "status": "waiting,failed", "market": "LRC-ETH"}
    assert call.violations == ()
    assert soft == ()
    assert get("/api/v3/nft/info/nftData", minter="10001").call.args["minter"] == "10001"


@pytest.mark.parametrize(
    "text", ["", "x", "+5", "05", "-0", "1.0", "1e3", " 5", "5\n", "\uff15", "\u00b2", "0x5", "9" * 79, "true", "--1"]
)
def test_an_integer_that_is_not_written_as_json_writes_it_is_a_violation(text: str) -> None:
    call = get("/api/v2/orders", accountId="1", limit=text).call
    assert [(violation.field, violation.code) for violation in call.violations] == [("limit", None)]


@pytest.mark.parametrize("text", ["-1", "0"])
def test_an_integer_out_of_range_is_a_violation(text: str) -> None:
    call = get("/api/v2/orders", accountId="1", limit=text).call
    assert [(violation.field, violation.rule) for violation in call.violations] == [("limit", "minimum")]


def test_an_account_id_may_be_any_integer_because_an_unknown_one_has_a_code() -> None:
    for text in ["-1", "0", str(10**30)]:
        assert get("/api/v2/orders", accountId=text).call.args == {"accountId": int(text)}


@pytest.mark.parametrize(
    "status", ["", ",", "waiting,", ",failed", "foo", "waiting,foo", "Waiting", "waiting, failed", "failed\n"]
)
def test_a_status_filter_is_a_list_of_the_filters_words(status: str) -> None:
    assert get("/api/v2/orders", accountId="1", status="cancelled,failed,expired").call.violations == ()
    assert [violation.field for violation in get("/api/v2/orders", accountId="1", status=status).call.violations] == [
        "status"
    ]


def test_a_word_of_the_records_is_one_of_the_filter_only_under_the_option_that_makes_it_one() -> None:
    raw = request("GET", "/api/v2/orders", (("accountId", "1"), ("status", "cancelled,cancelling")))
    asked: list[str] = []

    def alone(key: str, _: object) -> str:
        asked.append(key)
        return "alone"

    assert [violation.field for violation in reached(decode(raw, default)).call.violations] == ["status"]
    assert reached(decode(raw, alone)).call.violations == ()
    assert asked == ["orders.filter_cancelling"]


@pytest.mark.parametrize(
    ("block", "right"),
    [
        ("finalized", True),
        ("confirmed", True),
        ("0", True),
        ("12", True),
        ("-1", False),
        ("012", False),
        ("all", False),
    ],
)
def test_a_block_is_asked_for_by_word_or_number(block: str, right: bool) -> None:
    assert (get("/api/v3/block/getBlock", id=block).call.violations == ()) is right


def test_a_parameter_given_twice_with_one_value_is_open_and_with_two_values_a_violation() -> None:
    twice = request("GET", "/api/v2/ticker", (("market", "LRC-ETH"), ("market", "LRC-ETH")))
    call, soft = reached(decode(twice, default))
    assert call.violations == ()
    assert [(choice, violation.field, violation.rule) for choice, violation in soft] == [
        ("http.repeated_query", "market", "repeated")
    ]
    two = request("GET", "/api/v2/ticker", (("market", "LRC-ETH"), ("market", "LRC-USDT")))
    call, soft = reached(decode(two, default))
    assert [(violation.field, violation.rule) for violation in call.violations] == [("market", "repeated")]
    assert soft == ()


def test_a_word_of_an_enumeration_is_a_plain_text_and_so_are_equal_ones_later() -> None:
    """Equal queries share what was decoded; a caller in this process may have used an enumeration."""
    for interval in (Interval.WEEK_1, "1w"):
        pairs = (("market", "only here"), ("interval", interval))
        decoded = reached(decode(request("GET", "/api/v2/candlestick", pairs), default))
        assert type(decoded.call.args["interval"]) is str


def test_text_that_is_no_text_is_a_violation_of_its_field() -> None:
    for value in ["\ud800", "a\0"]:
        assert [violation.field for violation in get("/api/v2/ticker", market=value).call.violations] == ["market"]
        assert [violation.field for violation in order(clientOrderId=value).violations] == ["clientOrderId"]
    assert get("/api/v2/ticker", market="\U0001f600").call.violations == ()


def test_unknown_fields_are_open_and_named_in_inner_objects_too() -> None:
    body = {**UPDATE, "more": 1, "maxFee": {"tokenId": 1, "volume": "5", "amount": "5"}}
    call, soft = post("/api/v3/account", body)
    assert call.violations == ()
    assert {choice for choice, _ in soft} == {"http.unknown_fields"}
    assert [violation.field for _, violation in soft] == ["more", "maxFee.amount"]
    assert [violation.field for _, violation in get("/api/v2/exchange/tokens", page="1").soft] == ["page"]
    raw = request("POST", "/api/v3/order", (("a", "b"),), json.dumps(dict(ORDER)).encode())
    assert [violation.field for _, violation in reached(decode(raw, default)).soft] == ["a"]


def test_of_nine_thousand_unknown_fields_twenty_are_named() -> None:
    _, soft = post("/api/v3/order", {**ORDER, **{f"f{number}": 1 for number in range(9_000)}})
    assert len(soft) == 20


@pytest.mark.parametrize(
    ("content_type", "right"),
    [
        ("application/json", True),
        ("application/json; charset=utf-8", True),
        ("Application/JSON;charset=utf-8", True),
        ("text/plain", False),
        ("application/jsonp", False),
        ("", False),
        (None, False),
    ],
)
def test_the_content_type_of_a_body_is_open_where_it_is_not_json(content_type: str | None, right: bool) -> None:
    headers = {} if content_type is None else {"content-type": content_type}
    raw = request("POST", "/api/v3/order", body=json.dumps(dict(ORDER)).encode(), headers=headers)
    call, soft = reached(decode(raw, default))
    assert call.violations == ()
    assert [(choice, violation.field) for choice, violation in soft] == (
        [] if right else [("http.content_type", "header Content-Type")]
    )


def test_an_unknown_path_is_404_and_the_nearest_one_is_named() -> None:
    missed = decode(request("GET", "/api/v2/exchange/token"), default)
    assert missed == NoRoute(
        404, "path: the API has no /api/v2/exchange/token; GET /api/v2/exchange/tokens is near it", ()
    )
    far = decode(request("GET", "/" + "\u20ac" * 70_000), default)
    assert isinstance(far, NoRoute)
    assert far.status == 404
    assert far.detail.isascii()
    assert len(far.detail) < 500


def test_lenient_numbers_are_read_in_both_directions_and_in_inner_objects() -> None:
    call = order(exchangeId="2", amountS=100, maxFeeBips="63", signatureS=9)
    assert len(call.violations) == 4
    relaxed = relax(call, default)
    assert relaxed.violations == ()
    assert [relaxed.args[name] for name in ("exchangeId", "amountS", "maxFeeBips", "signatureS")] == [2, "100", 63, "9"]
    update = post("/api/v3/account", {**UPDATE, "maxFee": {"tokenId": "1", "volume": 5}}).call
    assert relax(update, default).args["maxFee"] == {"tokenId": 1, "volume": "5"}
    assert relax(update, default).violations == ()


def test_lenient_numbers_leave_every_other_violation() -> None:
    call = order(exchangeId="2x", amountS=-1, amountB=1.5, clientOrderId=7, label=True)
    relaxed = relax(call, default)
    assert [violation.field for violation in relaxed.violations] == [
        "exchangeId",
        "amountS",
        "amountB",
        "label",
        "clientOrderId",
    ]
    broken = post("/api/v3/order", b"{").call
    assert relax(broken, default) is broken
    pairs = (("accountId", "1"), ("accountId", "2"), ("tokenSId", "x"))
    repeated = reached(decode(request("GET", "/api/v2/orderId", pairs), default)).call
    assert [violation.rule for violation in relax(repeated, default).violations] == ["repeated", "type"]


@given(st.sampled_from(ENDPOINTS), st.binary(max_size=60) | json_values.map(lambda value: json.dumps(value).encode()))
def test_no_body_raises(row: Any, body: bytes) -> None:
    assert isinstance(decode(request(row.method, row.path, body=body), default), Call)


texts = st.text(st.characters(), max_size=8) | st.sampled_from(["\ud800", "\0", "1", "-1", "\u00b2", "9" * 5000])


@given(st.sampled_from(ENDPOINTS), st.lists(st.tuples(st.sampled_from(["owner", "market", "limit"]) | texts, texts)))
def test_no_query_raises(row: Any, pairs: list[tuple[str, str]]) -> None:
    call = decode(request(row.method, row.path, tuple(pairs), b"{}"), default)
    assert isinstance(call, Call)
    assert all(violation.detail.isascii() for violation in call.violations)
