"""Calls as requests, and answers taken apart."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mockrelay.client.call import ApiCall, parse_answer
from mockrelay.client.control import ControlError, control_request, control_value, over
from mockrelay.client.http import HttpRequest, HttpResponse

ACCEPTED = {"resultInfo": {"code": 0, "message": "SUCCESS"}, "data": [1]}
REFUSED = {"resultInfo": {"code": 102004, "message": "orderID invalid"}}
BARE_REFUSED = {"code": 100001, "message": "Invalid argument"}
JSON = {"content-type": "application/json"}


@pytest.mark.parametrize(
    ("value", "code", "is_accepted", "payload"),
    [
        (ACCEPTED, 0, True, [1]),
        (REFUSED, 102004, False, None),
        (BARE_REFUSED, 100001, False, BARE_REFUSED),
        ({"gasPrice": "1"}, 0, True, {"gasPrice": "1"}),
        ([], 0, True, []),
        ({"resultInfo": {"code": "0"}}, None, False, None),
        ({"resultInfo": None, "data": 1}, None, False, 1),
    ],
)
def test_an_answer_is_taken_apart(value: Any, code: int | None, is_accepted: bool, payload: Any) -> None:
    answer = parse_answer(200, json.dumps(value).encode())
    assert (answer.code, answer.is_accepted, answer.payload) == (code, is_accepted, payload)


@pytest.mark.parametrize("body", [b"", b"<html>", b"[" * 100_000])
def test_an_answer_that_is_not_json_has_no_code(body: bytes) -> None:
    answer = parse_answer(200, body)
    assert (answer.code, answer.value, answer.is_accepted, answer.body) == (None, None, False, body)


def test_a_call_is_one_request_with_and_without_a_socket() -> None:
    call = ApiCall("get_depth", {"market": "LRC-ETH", "level": 2}, "key")
    assert call.request.target == "/api/v2/depth?market=LRC-ETH&level=2"
    raw = call.raw_request("http://host:81/w/mine")
    assert (raw.path, raw.raw_target) == ("/api/v2/depth", "/w/mine" + call.request.target)
    assert (raw.scheme, raw.host, raw.headers["host"], raw.headers["x-api-key"]) == (
        "http",
        "host:81",
        "host:81",
        "key",
    )
    assert raw.body == call.request.body == b""


@pytest.mark.parametrize(
    ("endpoint", "method", "target", "body"),
    [
        ("cancel_order_v3", "DELETE", "/api/v3/order?accountId=1", b""),
        ("submit_order_gen3", "POST", "/api/v3/order", b'{"accountId":1}'),
        ("post_timestamp_v2", "POST", "/api/v2/timestamp", b'{"accountId":1}'),
    ],
)
def test_only_a_post_has_its_fields_in_the_body_and_a_form_goes_by_its_id(
    endpoint: str, method: str, target: str, body: bytes
) -> None:
    request = ApiCall(endpoint, {"accountId": 1}).request
    assert (request.method, request.target, request.body) == (method, target, body)
    assert ("content-type" in request.headers) == bool(body)


def test_a_control_call_carries_its_token_query_and_body() -> None:
    request = control_request("POST", "accounts/a b/deposit", {"amount": "1"}, {"x": 1}, "secret")
    assert request == HttpRequest(
        "POST",
        "/__mockrelay/accounts/a%20b/deposit?x=1",
        {"content-type": "application/json", "authorization": "Bearer secret"},
        b'{"amount": "1"}',
    )
    assert control_request("POST", "load", "text").body == b"text"


def test_a_refused_control_call_says_what_was_meant() -> None:
    refusal = {"error": "amount: found 'x'", "field": "amount", "meant": "a number"}
    with pytest.raises(ControlError, match="amount: found 'x'; meant: a number") as refused:
        control_value(400, "application/json; charset=utf-8", json.dumps(refusal).encode())
    assert (refused.value.status, refused.value.field) == (400, "amount")
    assert control_value(200, "text/plain", b"1") == "1"
    with pytest.raises(ControlError, match="the server answered 502: <html>"):
        control_value(502, "text/html", b"<html>")


@pytest.mark.parametrize(
    ("response", "status", "text"),
    [
        (HttpResponse(0, {}, b"", "the connection is refused"), 0, "does not answer: the connection is refused"),
        (HttpResponse(200, JSON, b"{", "the body ends 9 bytes before its Content-Length"), 0, "the body ends 9 bytes"),
        (HttpResponse(401, JSON, b"{}"), 401, "asks for its token"),
    ],
)
def test_a_control_call_without_a_whole_answer_fails(response: HttpResponse, status: int, text: str) -> None:
    with pytest.raises(ControlError, match=text) as failed:
        over(lambda request: response, "http://host")("GET", "health")
    assert failed.value.status == status
