"""An error repeats at most 200 characters of what it was sent, wherever that stood."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from mockrelay.control import ROUTES, handle_control
from mockrelay.control.routes import Route
from mockrelay.relay import Relay
from mockrelay.replay import load_into
from mockrelay.web import serve
from tests.conformance.transcript import ROWS, Row
from tests.support.calls import valid_request
from tests.support.client import send
from tests.support.connection import connected
from tests.support.worlds import relay_from

LONG = "x" * 1500
TOO_LONG = b"x" * 201


@pytest.fixture(scope="module")
def relay() -> Relay:
    return relay_from()


def bodies(route: Route) -> Iterator[Any]:
    """Bodies with the long text as a value, inside one, as the name of a field, and as the whole."""
    for name in route.fields or ():
        for value in (LONG, [LONG], {LONG: 1}, {"a": LONG}, {LONG: {LONG: LONG}}, int("9" * 900)):
            yield {name: value}
    yield {LONG: LONG}
    yield LONG
    yield [LONG]


@pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {route.template}")
def test_control_calls(relay: Relay, route: Route) -> None:
    for word in (LONG, "alice"):
        path = "/".join(word if piece.startswith("{") else piece for piece in route.template.split("/"))
        for body in bodies(route):
            answer = handle_control(relay, route.method, path, (), json.dumps(body).encode(), load_into)
            assert TOO_LONG not in answer.body, (path[:60], json.dumps(body)[:60], answer.body[:600])
            assert b"9" * 201 not in answer.body
        for pairs in ([(LONG, "1")], [("last", LONG)], [("format", LONG)], [("endpoint", LONG)]):
            answer = handle_control(relay, route.method, path, tuple(pairs), b"", load_into)
            assert TOO_LONG not in answer.body


@pytest.mark.parametrize("path", [LONG, f"faults/{LONG}/{LONG}", f"{LONG}/cancel", f"reset/{LONG}"])
def test_control_paths(relay: Relay, path: str) -> None:
    assert TOO_LONG not in handle_control(relay, "GET", path, (), b"").body


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        ("restart", "reset"),
        ("block/seal", "blocks/seal"),
        ("account/alice/key", "accounts/*/keys"),
        ("wrolds", "worlds"),
        ("event", "events"),
    ],
)
def test_an_unknown_verb_is_answered_with_the_nearest_and_all_in_order(relay: Relay, path: str, nearest: str) -> None:
    meant = json.loads(handle_control(relay, "POST", path, (), b"{}").body)["meant"]
    first, _, others = meant.partition("; there are ")
    assert first == nearest
    assert others.split(", ") == sorted(
        {"events", "metrics", "report", "shutdown", "worlds", "worlds/*", *(route.path for route in ROUTES)}
    )


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_api_calls(relay: Relay, row: Row) -> None:
    for name in ("X", *valid_request(row.name).fields):
        for value in (LONG, LONG + "€"):
            query = ((name, value), (value, "1")) if row.method == "GET" else ()
            body = b"" if row.method == "GET" else json.dumps({name: value, value: value}).encode()
            answer = send(relay, row.method, row.path, query=query, body=body)
            assert TOO_LONG not in answer.body, answer.body[:600]


def test_paths_methods_hosts_origins_and_worlds_of_a_server() -> None:
    with serve(relay_from()) as server:
        for request in (
            ("GET", f"/{LONG}"),
            ("GET", f"/api/{LONG}"),
            (LONG.upper(), "/api/v2/depth"),
            ("GET", f"/w/{LONG}/api/v2/depth"),
            ("GET", f"/__mockrelay/worlds/{LONG}/{LONG}"),
            ("DELETE", f"/__mockrelay/worlds/{LONG}"),
            ("POST", f"/__mockrelay/worlds/{LONG}"),
            ("GET", f"/__mockrelay/worlds?{LONG}=1"),
            ("GET", f"/__mockrelay/orders/{LONG}/cancel"),
            (LONG.upper(), "/__mockrelay/worlds"),
            (LONG.upper(), "/__mockrelay/state"),
            ("GET", "/__mockrelay/state", f"Host: {LONG}"),
            ("GET", "/__mockrelay/state", "Host: localhost", f"Origin: http://{LONG}"),
            ("POST", "/__mockrelay/reset", "Host: localhost", f"Content-Encoding: {LONG}"),
        ):
            method, path, *headers = request
            with connected(server.url) as wire:
                answer = wire.ask(method, path, *headers, body=b"{}", host=None if headers else "localhost")
            assert b"x" * 201 not in answer.body.lower(), request[0][:60]


def test_half_a_surrogate_pair_of_a_client_is_shown_as_a_replacement_and_a_whole_one_as_it_is() -> None:
    """A strict reader of JSON would refuse the whole answer."""
    relay = relay_from()
    body = rb'{"clientOrderId":"\ud800 and \ud83d\ude00"}'
    send(relay, "POST", "/api/v3/order", body=body)
    answer = handle_control(relay, "GET", "requests", (), b"", load_into)
    assert "\ufffd and \U0001f600" in str(json.loads(answer.body))
    json.dumps(json.loads(answer.body), ensure_ascii=False).encode()  # which half a pair would not allow
