"""Calls that are nearly right, at every endpoint and under any options: none is a failure, no refusal changes anything."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mockrelay.relay import Relay
from mockrelay.spec.choices import CHOICES
from mockrelay.wire.http import RawRequest
from tests.conformance.transcript import BY_NAME, ROWS
from tests.properties.effort import LONG, effort
from tests.support.answer_shapes import is_healthy, is_refusal, settled
from tests.support.calls import valid_request
from tests.support.client import account, done
from tests.support.hostile_values import HEADERS, JSON_TEXTS, TEXTS, any_json_text, any_text, edited
from tests.support.worlds import world

FRAGMENTS = (
    *(b'"', b"{", b"}", b"[", b",", b":", b"\\", b"\xff", b"\x00", b"\xef\xbb\xbf", b"\\u", b"\\ud800", b"1e9", b"-"),
)
TWO_SHAPES = "rate."
"""Choices under which an answer is on purpose not in the shape of the API."""
SHARES = 5
METHODS = ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "get", "", "\ud800")
PATHS = ("/", "", "/api/v2/", "/api/v3/order/", "/API/v3/order", "//api/v3/order", "/api/v3/order\x00", "/api/\udcff")

options = st.dictionaries(
    st.sampled_from([choice for choice in CHOICES if not choice.key.startswith(TWO_SHAPES)]),
    st.integers(0, 9),
    max_size=3,
).map(lambda drawn: {choice.key: choice.options[nth % len(choice.options)] for choice, nth in drawn.items()})


@pytest.fixture(scope="module")
def relay() -> Relay:
    return world()


def inner_names(fields: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """The ways to the fields, those of inner objects too."""
    ways: list[tuple[str, ...]] = []
    for name, value in fields.items():
        ways.append((name,))
        if isinstance(value, dict):
            ways += [(name, *way) for way in inner_names(value)]
    return ways


def text_with(
    fields: Mapping[str, Any], changes: Mapping[tuple[str, ...], str | None], way: tuple[str, ...] = ()
) -> str:
    """The JSON text of an object, with the texts of some of its fields as they are given; None: left out."""
    parts = []
    for name, value in fields.items():
        here = (*way, name)
        text = changes.get(here, text_with(value, changes, here) if isinstance(value, dict) else json.dumps(value))
        if text is not None:
            parts.append(f"{json.dumps(name)}:{text}")
    parts += [f"{json.dumps(name)}:{text}" for (*at, name), text in changes.items() if tuple(at) == way and name == "+"]
    return "{" + ",".join(parts) + "}"


@st.composite
def posted(draw: st.DrawFn, name: str) -> bytes:
    fields = valid_request(name).fields
    ways = st.sampled_from([*inner_names(fields), ("+",)])
    changes = draw(st.dictionaries(ways, st.none() | any_json_text, max_size=3))
    changes.pop(("+",), None) if changes.get(("+",), "") is None else None
    body = text_with(fields, changes)
    if draw(st.integers(0, 9)) == 0:
        # A field given twice.
        body = body[:-1] + f",{json.dumps(draw(ways)[0])}:{draw(any_json_text)}" + "}"
    sent = body.encode("utf-8", "surrogatepass")
    return draw(edited(sent, FRAGMENTS)) if draw(st.integers(0, 3)) == 0 else sent


@st.composite
def asked(draw: st.DrawFn, name: str) -> tuple[tuple[str, str], ...]:
    pairs = {key: [str(value)] for key, value in valid_request(name).fields.items()}
    names = st.sampled_from([*pairs, *("limit", "offset", "start", "end", "status", "owner", "accountId", "+", "")])
    pairs |= draw(st.dictionaries(names, st.lists(any_text, max_size=2), max_size=3))
    return tuple((key, value) for key, values in pairs.items() for value in values)


@st.composite
def requests(draw: st.DrawFn, relay: Relay) -> RawRequest:
    row = BY_NAME[draw(st.sampled_from([row.name for row in ROWS]))]
    good = valid_request(row.name)
    odd = draw(st.integers(0, 19))
    method = draw(st.sampled_from(METHODS)) if odd == 0 else row.method
    path = draw(st.sampled_from(PATHS)) if odd == 1 else row.path
    headers = {"host": "localhost", "content-type": "application/json"}
    if good.key is not None:
        headers["x-api-key"] = str(account(relay, good.key)["apiKey"])
    if good.signature is not None:
        headers["x-api-sig"] = good.signature
    headers |= draw(st.dictionaries(st.sampled_from(HEADERS), any_text, max_size=1)) if odd < 6 else {}
    query = draw(asked(row.name)) if row.method == "GET" else ((("a", "b"),) if odd == 7 else ())
    body = draw(posted(row.name)) if row.method == "POST" else b""
    target = path + "?" + "&".join(f"{name}={value}" for name, value in query)
    return RawRequest(method, path, target, query, headers, body, "http", headers["host"], "127.0.0.1")


def some(texts: tuple[str, ...], number: int) -> tuple[str, ...]:
    """A share of the texts, another one for each number; in the profile `long` all of them."""
    return texts if settings.get_current_profile_name() == LONG else texts[number % SHARES :: SHARES]


@pytest.mark.slow
@effort(max_examples=60)
@given(data=st.data())
def test_any_call_is_answered_in_shape_and_a_refusal_changes_nothing(relay: Relay, data: st.DataObject) -> None:
    done(relay, "POST", "reset", {"choices": data.draw(options)})
    before = settled(relay)
    for _ in range(data.draw(st.integers(1, 6))):
        response = relay.handle(data.draw(requests(relay)), relay.now_ms())
        after = settled(relay)
        assert not is_refusal(response) or after == before, response
        before = after
    assert is_healthy(relay)


@pytest.mark.parametrize("name", [row.name for row in ROWS])
def test_each_field_of_each_endpoint_with_each_hostile_value(relay: Relay, name: str) -> None:
    """One after the other; whatever is taken is well-formed, and what is refused leaves no trace."""
    done(relay, "POST", "reset", {})
    row, good = BY_NAME[name], valid_request(name)
    headers = {"host": "localhost", "content-type": "application/json"}
    if good.key is not None:
        headers["x-api-key"] = str(account(relay, good.key)["apiKey"])
    if good.signature is not None:
        headers["x-api-sig"] = good.signature
    before = settled(relay)
    for number, way in enumerate([*inner_names(good.fields), ("surplus",)]):
        for text in some(JSON_TEXTS if row.method == "POST" else TEXTS, number):
            query: tuple[tuple[str, str], ...] = ()
            body = b""
            if row.method == "POST":
                body = text_with({**good.fields, "surplus": 0}, {way: text}).encode("utf-8", "surrogatepass")
            else:
                query = tuple({**{key: str(value) for key, value in good.fields.items()}, way[0]: text}.items())
            raw = RawRequest(row.method, row.path, row.path, query, headers, body, "http", "localhost", "127.0.0.1")
            if not is_refusal(relay.handle(raw, relay.now_ms())):
                before = settled(relay)
        # What was refused since something was taken, or since the last field.
        assert settled(relay) == before, way
    assert is_healthy(relay)
