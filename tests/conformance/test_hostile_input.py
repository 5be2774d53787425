"""Row 25 of the trouble list: hostile input is never a server error."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mockrelay.control import handle_control
from mockrelay.relay import Relay
from tests.conformance.checks import all_integers_safe, refused, refused_call, shape_code
from tests.conformance.fields import REQUESTS
from tests.conformance.transcript import BY_NAME, ROWS, Row
from tests.support.answer import Answer
from tests.support.calls import OWNER_A, call, order, valid_request
from tests.support.client import digest, post, send
from tests.support.views import orders
from tests.support.worlds import world

POSTS = [row for row in ROWS if row.method == "POST"]


def _order_text(**raw: str) -> bytes:
    """Order O with some fields' JSON text as given."""
    fields = {name: json.dumps(value) for name, value in order().fields.items()}
    return ("{" + ", ".join(f'"{name}": {text}' for name, text in {**fields, **raw}.items()) + "}").encode()


HOSTILE_BODIES: dict[str, bytes] = {
    "lone surrogate": _order_text(clientOrderId='"\\ud800"', amountB='"x"'),
    "lone surrogate alone": b'"\\udfff"',
    "surrogate as a name": b'{"\\ud800": 1}',
    "invalid utf-8": b'{"exchangeId": "\xff\xfe"}',
    "overlong utf-8": b'{"exchangeId": "\xc0\xaf"}',
    "nul": b"\x00",
    "nul in a string": _order_text(amountB='"\\u0000"'),
    "NaN": _order_text(exchangeId="NaN"),
    "Infinity": _order_text(exchangeId="Infinity"),
    "-Infinity": _order_text(label="-Infinity"),
    "1e400": _order_text(exchangeId="1e400"),
    "1e400 for a label": _order_text(label="1e400"),
    "5,000 digits": _order_text(exchangeId="9" * 5000),
    "5,000 digits for orderId": _order_text(orderId="9" * 5000),
    "list": b"[]",
    "null": b"null",
    "10,000 deep lists": b"[" * 10_000 + b"]" * 10_000,
    "10,000 deep objects": b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
    "10,000 deep in a field": _order_text(amountS="[" * 10_000 + "]" * 10_000),
    "100,000 open brackets": b"[" * 100_000,
    "true": _order_text(exchangeId="true"),
    "2.0": _order_text(exchangeId="2.0"),
    "2e0": _order_text(exchangeId="2e0"),
    "-0": _order_text(exchangeId="-0"),
    "utf-16": json.dumps(order().fields).encode("utf-16"),
    "utf-32": json.dumps(order().fields).encode("utf-32"),
    "single quotes": b"{'exchangeId': 2}",
    "trailing comma": b'{"exchangeId": 2,}',
    "two objects": b"{} {}",
    "empty": b"",
    "blanks": b"   \n",
    "form": b"exchangeId=2&orderId=1",
}

QUERY_VALUES = (
    "",
    "²",
    "-1",
    "1" + "0" * 30,
    "9" * 5000,
    "\udcff",
    "\ud800",
    "\x00",
    "null",
    "true",
    "1.0",
    "NaN",
    "%00",
)


class TestHostileInput:
    """Row 25: no input is a server error, and each refusal is valid JSON in the API's shape."""

    @pytest.mark.parametrize("body", HOSTILE_BODIES.values(), ids=HOSTILE_BODIES.keys())
    def test_hostile_order(self, body: bytes) -> None:
        """Refused with the shape code or, for a readable number, the field's own; quick; nothing stored."""
        relay = world()
        before, began = digest(relay), time.monotonic()
        answer = post(relay, BY_NAME["submit_order"].path, body)
        assert time.monotonic() - began < 1
        refused_call(answer, "submit_order", {102120, 102001, 102004})
        assert digest(relay) == before
        assert call(relay, order()).code == 0, "still valid_request"

    @pytest.mark.parametrize("row", POSTS, ids=[row.name for row in POSTS])
    def test_hostile_bodies_everywhere(self, row: Row) -> None:
        """The same bodies at every other endpoint that takes one."""
        relay, request = world(), valid_request(row.name)
        before = digest(relay)
        for body in HOSTILE_BODIES.values():
            answer = post(relay, row.path, body, key=request.key, signature=request.signature)
            _in_shape(answer)
            assert answer.code != 0
        assert digest(relay) == before

    def test_byte_order_mark_is_read_or_refused(self) -> None:
        """A BOM ahead of the body is a clean refusal or no matter at all."""
        _in_shape(post(world(), BY_NAME["submit_order"].path, b"\xef\xbb\xbf" + json.dumps(order().fields).encode()))

    @pytest.mark.parametrize("second", ["3", '"x"', "null"])
    def test_doubled_key_does_not_hide_a_wrong_value(self, second: str) -> None:
        """Of a name given twice the later value is not passed over: the order is refused."""
        body = json.dumps(order().fields).encode()[:-1] + b', "exchangeId": %s}' % second.encode()
        relay = world()
        before = digest(relay)
        answer = post(relay, BY_NAME["submit_order"].path, body)
        refused_call(answer, "submit_order", {102120, 102001}, "exchangeId")
        assert digest(relay) == before

    def test_lone_surrogate_in_free_text_is_echoed_as_json_or_refused(self) -> None:
        """ClientOrderId of a lone surrogate: if taken, the list is still valid UTF-8 JSON that tells it back."""
        relay = world()
        answer = post(relay, BY_NAME["submit_order"].path, _order_text(clientOrderId='"\\ud800"'))
        _in_shape(answer)
        listed = call(relay, valid_request("get_orders"))
        _in_shape(listed)
        if answer.code == 0:
            assert listed.data["orders"][0]["clientOrderId"] == "\ud800"

    @pytest.mark.parametrize("text", ["é", "漢字", "😀", "\u2028", "\u0000", '"\\', "</script>", "x" * 10_000])
    def test_free_text_comes_back_as_it_went_in(self, text: str) -> None:
        """ClientOrderId is the client's own text."""
        relay = world()
        answer = call(relay, order(clientOrderId=text))
        _in_shape(answer)
        if answer.code == 0:
            assert orders(relay)[0]["clientOrderId"] == text

    @pytest.mark.parametrize("value", QUERY_VALUES, ids=lambda value: ascii(value)[:24])
    @pytest.mark.parametrize("row", [row for row in ROWS if row.method == "GET"], ids=lambda row: row.name)
    def test_hostile_query(self, row: Row, value: str) -> None:
        """Each field of each query in turn: an answer in shape, and nothing changes."""
        relay, good = world(), valid_request(row.name)
        before = digest(relay)
        for field in (*(field.name for field in REQUESTS[row.name]), "surplus"):
            _in_shape(call(relay, good.but(**{field: value})))
        _in_shape(send(relay, "GET", row.path, query=[(value, value)]))
        assert digest(relay) == before

    @pytest.mark.parametrize("value", ["²", "-1", "1.0", "x", "\uff19"])
    def test_limit_that_is_no_count_is_refused(self, value: str) -> None:
        """By name, at each endpoint that has a limit."""
        relay = world()
        for name in ("get_orders", "get_depth", "get_candlestick"):
            refused_call(call(relay, valid_request(name).but(limit=value)), name, {shape_code(name)}, "limit")

    @pytest.mark.parametrize("name", ["get_account", "get_eth_balance"])
    def test_repeated_owner(self, name: str) -> None:
        """Twice the same value leaves no doubt; two values are refused by name."""
        relay, path = world(), BY_NAME[name].path
        assert send(relay, "GET", path, query=[("owner", OWNER_A)] * 2).code == 0
        answer = send(relay, "GET", path, query=[("owner", OWNER_A), ("owner", "0x" + "b2" * 20)])
        refused_call(answer, name, {shape_code(name)}, "owner")

    @pytest.mark.parametrize("value", ["\xff", "\udcff", "", " ", "key-a ", "x" * 10_000, "键", "\x00"], ids=ascii)
    @pytest.mark.parametrize("header", ["x-api-key", "x-api-sig", "content-type", "host", "user-agent"])
    def test_hostile_header(self, header: str, value: str) -> None:
        """Any header value: an answer in shape."""
        relay = world()
        for name in ("submit_order", "submit_transfer", "get_orders"):
            row, request = BY_NAME[name], valid_request(name)
            body = json.dumps(request.fields).encode() if row.method == "POST" else b""
            query = [(key, str(value)) for key, value in request.fields.items()] if row.method == "GET" else []
            _in_shape(send(relay, row.method, row.path, query=query, body=body, headers={header: value}))

    def test_no_content_type_is_no_error(self) -> None:
        """The body can still be read; by default that is a finding and no refusal."""
        relay = world()
        body = json.dumps(order().fields).encode()
        assert post(relay, BY_NAME["submit_order"].path, body, headers={"content-type": ""}).code == 0
        assert (
            post(
                relay, BY_NAME["submit_order"].path, _order_text(orderId="2"), headers={"content-type": "text/plain"}
            ).code
            == 0
        )

    @pytest.mark.parametrize(
        "path",
        ["", "*", "//", "/\x00", "/\udcff", "/api/v2/\ud800", "/" + "a" * 100_000],
        ids=lambda path: ascii(path)[:20],
    )
    def test_hostile_path(self, path: str) -> None:
        """404 in shape, whatever the path is made of."""
        refused(send(world(), "GET", path), 404, {100000})

    @settings(
        max_examples=60, derandomize=True, database=None, deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    @given(data=st.data())
    def test_any_json_in_any_field(self, data: st.DataObject) -> None:
        """Random JSON in random fields of a random endpoint: an answer in shape, and a refusal changes nothing."""
        relay = _fuzzed()
        name = data.draw(st.sampled_from([row.name for row in ROWS]))
        request = valid_request(name)
        row = BY_NAME[name]
        fields = st.sampled_from([field.name for field in REQUESTS[name]] or ["surplus"])
        values = ANY_JSON if row.method == "POST" else st.text(max_size=30)
        changes = data.draw(st.dictionaries(fields, values, min_size=1, max_size=4))
        before = digest(relay)
        answer = call(relay, request.but(**changes))
        _in_shape(answer)
        if answer.code:
            assert digest(relay) == before

    @settings(max_examples=60, derandomize=True, database=None, deadline=None)
    @given(body=st.binary(max_size=60), name=st.sampled_from([row.name for row in POSTS]))
    def test_any_bytes_as_a_body(self, body: bytes, name: str) -> None:
        """Random bytes at a random endpoint: a coded refusal in shape."""
        relay, request = _fuzzed(), valid_request(name)
        answer = post(relay, BY_NAME[name].path, body, key=request.key, signature=request.signature)
        _in_shape(answer)
        assert answer.code != 0

    @settings(max_examples=60, derandomize=True, database=None, deadline=None)
    @given(
        path=st.text(max_size=12), verb=st.sampled_from(["GET", "POST", "PUT", "DELETE"]), body=st.binary(max_size=30)
    )
    def test_any_control_call(self, path: str, verb: str, body: bytes) -> None:
        """The control API too answers JSON, and never with a server error."""
        relay = _fuzzed()
        response = handle_control(relay, verb, path, (), body)
        assert response.status < 500
        json.loads(response.body)


ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
_FUZZED: list[Relay] = []


def _fuzzed() -> Relay:
    """One world for all random calls: none of them is accepted, or an accepted one does no harm to the next."""
    if not _FUZZED:
        _FUZZED.append(world())
    return _FUZZED[0]


def _in_shape(answer: Answer) -> None:
    """Not a server error; JSON in UTF-8; a refusal has resultInfo with a code and a message."""
    assert answer.status < 500, answer
    assert answer.headers["content-type"].startswith("application/json"), answer
    all_integers_safe(answer.json)
    if answer.code or answer.status >= 400:
        assert set(answer.json) == {"resultInfo"}, answer
        assert answer.code != 0, answer
        assert answer.message, answer
