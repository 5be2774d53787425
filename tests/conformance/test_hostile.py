"""Bodies, texts and headers that nobody should send: no server error, each refusal in shape, and nothing is stored."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import all_integers_safe, refused, refused_call, shape_code
from tests.conformance.transcript import BY_NAME, ROWS, Row
from tests.support import bodies
from tests.support.answer import Answer
from tests.support.calls import OWNER_A, call, order, ready, valid_request
from tests.support.client import digest, done, post, send
from tests.support.views import orders
from tests.support.worlds import world

ORDER = BY_NAME["submit_order"].path
POSTS = [row for row in ROWS if row.method == "POST"]
INTEGER_EDGES = [-(2**63) - 1, -(2**63), -(2**53), -1, 2**31, 2**32, 2**53, 2**63 - 1, 2**63, 2**64]


def order_text(**raw: str) -> bytes:
    """A right order, the JSON text of some fields as given."""
    fields = {name: json.dumps(value) for name, value in bodies.W.order().items()}
    return ("{" + ", ".join(f'"{name}": {text}' for name, text in {**fields, **raw}.items()) + "}").encode()


def in_shape(answer: Answer) -> None:
    """Not a server error; JSON in UTF-8; a refusal has resultInfo with a code and a message."""
    assert answer.status < 500, answer
    assert answer.headers["content-type"].startswith("application/json"), answer
    all_integers_safe(answer.json)
    if answer.code or answer.status >= 400:
        assert set(answer.json) == {"resultInfo"}, answer
        assert answer.code != 0, answer
        assert answer.message, answer


HOSTILE_BODIES: dict[str, bytes] = {
    "lone surrogate": order_text(clientOrderId='"\\ud800"', amountB='"x"'),
    "lone surrogate in lists": order_text(amountB='[["\\ud800"]]'),
    "lone surrogate alone": b'"\\udfff"',
    "surrogate as a name": b'{"\\ud800": 1}',
    "invalid utf-8": b'{"exchangeId": "\xff\xfe"}',
    "overlong utf-8": b'{"exchangeId": "\xc0\xaf"}',
    "nul": b"\x00",
    "nul in a string": order_text(amountB='"\\u0000"'),
    "NaN": order_text(exchangeId="NaN"),
    "Infinity": order_text(exchangeId="Infinity"),
    "-Infinity": order_text(label="-Infinity"),
    "1e400": order_text(exchangeId="1e400"),
    "1e400 for a label": order_text(label="1e400"),
    "5,000 digits": order_text(exchangeId="9" * 5000),
    "5,000 digits for orderId": order_text(orderId="9" * 5000),
    "10,000 deep lists": b"[" * 10_000 + b"]" * 10_000,
    "10,000 deep objects": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "10,000 deep in a field": order_text(amountS="[" * 10_000 + "]" * 10_000),
    "100,000 open brackets": b"[" * 100_000,
    "true": order_text(exchangeId="true"),
    "2.0": order_text(exchangeId="2.0"),
    "2e0": order_text(exchangeId="2e0"),
    "-0": order_text(exchangeId="-0"),
    "utf-16": json.dumps(bodies.W.order()).encode("utf-16"),
    "utf-32": json.dumps(bodies.W.order()).encode("utf-32"),
    "single quotes": b"{'exchangeId': 2}",
    "trailing comma": b'{"exchangeId": 2,}',
    "blanks": b"   \n",
    "form": b"exchangeId=2&orderId=1",
}


@pytest.mark.parametrize("row", POSTS, ids=[row.name for row in POSTS])
def test_a_hostile_body_is_refused(relay: Relay, row: Row) -> None:
    """By an order with the shape code or, for a readable number, the field's own; nothing is stored."""
    request = valid_request(row.name)
    before = digest(relay)
    for how, body in HOSTILE_BODIES.items():
        answer = post(relay, row.path, body, key=request.key, signature=request.signature)
        in_shape(answer)
        assert answer.code != 0, how
        assert answer.code in (102120, 102001, 102004) or row.name != "submit_order", how
    assert digest(relay) == before


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_an_integer_at_an_edge_of_machines_is_answered_cleanly(row: Any) -> None:
    """In each field that holds a number, digits or not; a refusal names the field and changes nothing."""
    relay, request = ready(world(), row.name), valid_request(row.name)
    done(relay, "POST", "snapshots", {"name": "before"})
    before = digest(relay)
    for name, value in request.fields.items():
        if not isinstance(value, int) and not (isinstance(value, str) and value.isdigit()):
            continue
        for edge in INTEGER_EDGES:
            answer = call(relay, request.but(**{name: edge if isinstance(value, int) else str(edge)}))
            assert answer.status < 500, (name, edge)
            if answer.code != 0:
                assert name in answer.message, (name, edge, answer.body)
                assert digest(relay) == before
            else:
                done(relay, "POST", "snapshots/before/restore")


def test_a_byte_order_mark_is_read_or_refused(relay: Relay) -> None:
    in_shape(post(relay, ORDER, b"\xef\xbb\xbf" + order_text()))


@pytest.mark.parametrize("second", ["3", '"x"', "null"])
def test_a_doubled_key_does_not_hide_a_wrong_value(relay: Relay, second: str) -> None:
    """Of a name given twice the later value is not passed over: the order is refused."""
    before = digest(relay)
    answer = post(relay, ORDER, order_text()[:-1] + b', "exchangeId": %s}' % second.encode())
    refused_call(answer, "submit_order", {102120, 102001}, "exchangeId")
    assert digest(relay) == before


@pytest.mark.parametrize("text", ["é", "漢字", "😀", "\u2028", '"\\', "</script>", "x" * 10_000], ids=ascii)
def test_free_text_comes_back_as_it_went_in(relay: Relay, text: str) -> None:
    """ClientOrderId is the client's own text: the order is accepted, and the list is UTF-8 JSON that has it."""
    assert call(relay, order(clientOrderId=text)).code == 0
    in_shape(call(relay, valid_request("get_orders")))
    assert orders(relay)[0]["clientOrderId"] == text


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\u0000", "a\u0000b"], ids=ascii)
def test_half_a_surrogate_pair_or_nul_in_free_text_is_refused(relay: Relay, text: str) -> None:
    before = digest(relay)
    refused_call(call(relay, order(clientOrderId=text)), "submit_order", {102120}, "clientOrderId")
    assert digest(relay) == before


@pytest.mark.parametrize("name", ["get_orders", "get_depth", "get_candlestick"])
def test_a_limit_that_is_not_a_count_is_refused_by_name(relay: Relay, name: str) -> None:
    for value in ("²", "-1", "1.0", "x", "\uff19"):
        refused_call(call(relay, valid_request(name).but(limit=value)), name, {shape_code(name)}, "limit")


@pytest.mark.parametrize("name", ["get_account", "get_eth_balance"])
def test_an_owner_given_twice_is_refused_where_the_values_differ(relay: Relay, name: str) -> None:
    path = BY_NAME[name].path
    assert send(relay, "GET", path, query=[("owner", OWNER_A)] * 2).code == 0
    answer = send(relay, "GET", path, query=[("owner", OWNER_A), ("owner", "0x" + "b2" * 20)])
    refused_call(answer, name, {shape_code(name)}, "owner")


@pytest.mark.parametrize("header", ["x-api-key", "x-api-sig", "content-type", "host", "user-agent"])
def test_any_header_value_is_answered_in_shape(relay: Relay, header: str) -> None:
    for value in ("\xff", "\udcff", "", " ", "key-a ", "x" * 10_000, "键", "\x00"):
        for name in ("submit_order", "submit_transfer", "get_orders"):
            row, request = BY_NAME[name], valid_request(name)
            body = json.dumps(request.fields).encode() if row.method == "POST" else b""
            query = [(key, str(value)) for key, value in request.fields.items()] if row.method == "GET" else []
            in_shape(send(relay, row.method, row.path, query=query, body=body, headers={header: value}))


@pytest.mark.parametrize("content_type", ["", "text/plain"])
def test_another_content_type_is_not_refused_by_default(relay: Relay, content_type: str) -> None:
    """The body can still be read; it is a finding."""
    assert post(relay, ORDER, order_text(), headers={"content-type": content_type}).code == 0


@pytest.mark.parametrize(
    "path",
    ["", "*", "//", "/\x00", "/\udcff", "/api/v2/\ud800", "/" + "a" * 100_000],
    ids=lambda path: ascii(path)[:20],
)
def test_any_other_path_is_404_in_shape(relay: Relay, path: str) -> None:
    refused(send(relay, "GET", path), 404, {100000})
