"""What a browser is told before and after a page of another origin uses the API."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.web import Serving, create_app, serve
from mockrelay.web.cors import ANY, Cors, control_cors
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.server import bind
from mockrelay.wire.http import Response
from tests.support.answer import Answer
from tests.support.connection import Connection, connected
from tests.web.fake import JSON_TYPE, FakeRelay

PAGE = "http://app.test:3000"
ORIGIN = f"Origin: {PAGE}"
ASKS = "Access-Control-Request-Method: POST"
ASKED = "Access-Control-Request-Headers"
EXPOSED = "X-Mockrelay-Request-Id, Retry-After"
PATHS = ["/api/v3/order", "/w/a/api/v3/order", "/w/a/api/", "http://relay.test/api/v3/order", "/%61pi/v3/order"]


@contextmanager
def serving_pages(relay: FakeRelay, cors: Collection[str] = ANY, token: str | None = None) -> Iterator[Connection]:
    """A connection to a server that lets these origins in."""
    with Serving(Dispatcher(relay, token, cors=cors), bind("127.0.0.1", 0)) as server, connected(server.url) as wire:
        yield wire


def cors_headers(answer: Answer) -> dict[str, str]:
    return {name: text for name, text in answer.headers.items() if name.startswith("access-control-") or name == "vary"}


@pytest.mark.parametrize("path", PATHS)
def test_a_preflight_is_answered_ahead_of_every_relayer(relay: FakeRelay, path: str) -> None:
    with serving_pages(relay) as wire:
        answer = wire.ask("OPTIONS", path, ORIGIN, ASKS, f"{ASKED}: content-type,x-api-key,x-client", host="app.test")
        assert (answer.status, answer.body) == (204, b"")
        assert cors_headers(answer) == {
            "access-control-allow-origin": "*",
            "access-control-allow-methods": "DELETE, GET, POST",
            "access-control-allow-headers": "content-type, x-api-key, x-client, X-API-SIG",
            "access-control-max-age": "600",
            "access-control-expose-headers": EXPOSED,
            "vary": "Origin",
        }
        # The connection goes on, and nobody was asked or made.
        assert wire.ask("GET", "/a").status == 200
    assert ([raw.path for raw in relay.seen], relay.siblings) == (["/a"], [])


@pytest.mark.parametrize(
    ("asked", "allowed"),
    [
        (None, "Content-Type, X-API-KEY, X-API-SIG"),
        ("", "Content-Type, X-API-KEY, X-API-SIG"),
        ("X-API-SIG, x-api-sig", "x-api-sig, Content-Type, X-API-KEY"),
        ("a b, ok, x:y, \xe4, (, ,", "ok, Content-Type, X-API-KEY, X-API-SIG"),
        ("*", "*, Content-Type, X-API-KEY, X-API-SIG"),
    ],
)
def test_the_headers_asked_for_are_allowed_as_far_as_they_can_be_headers(asked: str | None, allowed: str) -> None:
    with serving_pages(FakeRelay()) as wire:
        answer = wire.ask("OPTIONS", "/api/v3/order", ORIGIN, ASKS, *([] if asked is None else [f"{ASKED}: {asked}"]))
        assert answer.headers["access-control-allow-headers"] == allowed


@pytest.mark.parametrize("headers", [[], [ORIGIN], [ASKS]])
def test_an_options_request_that_is_no_preflight_goes_to_the_relayer(relay: FakeRelay, headers: list[str]) -> None:
    with serving_pages(relay) as wire:
        assert wire.ask("OPTIONS", "/api/v3/order", *headers).json == {"name": "fake"}
    assert relay.seen[0].method == "OPTIONS"


def test_a_preflight_leaves_the_real_relayer_as_it_was() -> None:
    """Five preflights in one second meet no limit of three, and the state's digest with everything is the same."""
    relay = Relay.from_scenario(clock="frozen")
    with serve(relay) as server, connected(server.url) as wire:
        before = wire.ask("GET", "/__mockrelay/state").json
        path = "/api/v2/exchange/tokens"
        assert {wire.ask("OPTIONS", path, ORIGIN, ASKS).status for _ in range(5)} == {204}
        assert wire.ask("GET", "/__mockrelay/state").json == before
        answer = wire.ask("OPTIONS", path)
        assert (answer.status, answer.refusal_code) == (405, 100000)
        assert answer.headers["x-mockrelay-request-id"] == "r1"


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("origin", [PAGE, "null", "https://xn--4ca.test", "http://[::1]:3000"])
def test_the_answer_to_a_page_can_be_read_by_it(path: str, origin: str) -> None:
    with serving_pages(FakeRelay()) as wire:
        answer = wire.ask("GET", path, f"Origin: {origin}", host="relay.test")
        assert answer.status == 200
        assert cors_headers(answer) == {
            "access-control-allow-origin": "*",
            "access-control-expose-headers": EXPOSED,
            "vary": "Origin",
        }


def test_whatever_the_answer_is_a_page_can_read_it(relay: FakeRelay, caplog: pytest.LogCaptureFixture) -> None:
    with serving_pages(relay) as wire:
        relay.response = Response(429, (JSON_TYPE, ("Retry-After", "1")), b"{}")
        assert cors_headers(wire.ask("POST", "/api/v3/order", ORIGIN))["access-control-allow-origin"] == "*"
        with relay.failing(ZeroDivisionError("inside")):
            answer = wire.ask("GET", "/api/v2/ticker", ORIGIN)
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (500, "*")
        answer = wire.ask("GET", "/w/no~name/api/v2/ticker", ORIGIN)
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (404, "*")
        answer = wire.ask("POST", "/api/v3/order", ORIGIN, "Content-Encoding: gzip", body=b"nope")
        assert (answer.status, answer.refusal_code) == (400, 100000)
        assert cors_headers(answer)["access-control-allow-origin"] == "*"
    assert [record.getMessage() for record in caplog.records] == ["mockrelay failed on GET /api/v2/ticker"]


@pytest.mark.parametrize("cors", [ANY, (PAGE,), ()])
def test_without_an_origin_nothing_is_added(cors: Collection[str]) -> None:
    with serving_pages(FakeRelay(), cors) as wire:
        answer = wire.ask("GET", "/api/v2/ticker")
        assert answer.headers == {"content-type": "application/json", "content-length": "16"}


def test_only_the_origins_listed_are_let_in() -> None:
    with serving_pages(FakeRelay(), ("http://other.test", "HTTP://App.test:3000", "null")) as wire:
        for origin in (PAGE, "http://other.test", "null"):
            answer = wire.ask("OPTIONS", "/api/v3/order", f"Origin: {origin}", ASKS)
            assert (answer.status, answer.headers["access-control-allow-origin"]) == (204, origin)
            assert cors_headers(wire.ask("GET", "/api/v2/ticker", f"Origin: {origin}")) == {
                "access-control-allow-origin": origin,
                "access-control-allow-credentials": "true",
                "access-control-expose-headers": EXPOSED,
                "vary": "Origin",
            }


@pytest.mark.parametrize(
    "origin",
    ["http://app.test", "https://app.test:3000", "http://app.test:30000", "http://x.app.test:3000", "null", ""],
)
def test_a_page_that_is_not_listed_is_told_why_and_its_calls_go_on_unread(relay: FakeRelay, origin: str) -> None:
    with serving_pages(relay, (PAGE,)) as wire:
        answer = wire.ask("OPTIONS", "/api/v3/order", f"Origin: {origin}", ASKS)
        assert (answer.status, answer.refusal_code) == (403, 100000)
        assert "--cors" in answer.json["resultInfo"]["message"]
        assert cors_headers(answer) == {"vary": "Origin"}
        assert relay.seen == []
        # What needs no preflight is no business of ours: the browser keeps the answer to itself.
        answer = wire.ask("GET", "/api/v2/ticker", f"Origin: {origin}")
        assert (answer.json, cors_headers(answer)) == ({"name": "fake"}, {"vary": "Origin"})


def test_with_no_origin_allowed_the_server_says_nothing_of_origins() -> None:
    with serving_pages(FakeRelay(), ()) as wire:
        assert wire.ask("OPTIONS", "/api/v3/order", ORIGIN, ASKS).status == 403
        assert cors_headers(wire.ask("GET", "/api/v2/ticker", ORIGIN)) == {}


@pytest.mark.parametrize("origin", [PAGE, "http://localhost:4627", "null"])
@pytest.mark.parametrize("token", [None, "s3cret"])
@pytest.mark.parametrize("path", ["/__mockrelay/state", "/w/a/__mockrelay/state", "/%5f_mockrelay/worlds"])
def test_the_control_api_never_lets_a_page_in(path: str, token: str | None, origin: str) -> None:
    with serving_pages(FakeRelay(), token=token) as wire:
        preflight = wire.ask("OPTIONS", path, f"Origin: {origin}", ASKS, f"{ASKED}: authorization")
        assert preflight.status in (401, 403)
        assert cors_headers(preflight) == {}
        bearer = [] if token is None else [f"Authorization: Bearer {token}"]
        assert cors_headers(wire.ask("GET", path, f"Origin: {origin}", *bearer)) == {}


def test_the_control_api_says_nothing_to_its_own_origin_either() -> None:
    with serving_pages(FakeRelay()) as wire:
        own = ("Origin: http://localhost:4627",)
        answer = wire.ask("GET", "/__mockrelay/state", *own, host="localhost:4627")
        assert (answer.status, cors_headers(answer)) == (200, {})


@pytest.mark.parametrize("path", ["/", "/apis/v3/order", "/API/v3/order", "//api/v3/order", "/w/a", "/w/api/v3"])
def test_nothing_beside_the_api_is_open_to_pages(path: str) -> None:
    with serving_pages(FakeRelay()) as wire:
        assert cors_headers(wire.ask("GET", path, ORIGIN)) == {}


@pytest.mark.parametrize("origin", ["app.test", "http://app.test/", "http://", "http://a b", "", "any,", "http://a@b"])
def test_what_no_browser_sends_cannot_be_listed(origin: str) -> None:
    with pytest.raises(ValueError, match="is not an origin"):
        Cors((origin,))


async def test_the_application_tells_pages_the_same(aiohttp_client: Any) -> None:
    client = await aiohttp_client(create_app(FakeRelay(), cors=(PAGE,)))
    asks = {"Origin": PAGE, "Access-Control-Request-Method": "POST"}
    answer = await client.options("/api/v3/order", headers=asks)
    assert (answer.status, answer.headers["Access-Control-Allow-Origin"]) == (204, PAGE)
    answer = await client.get("/api/v2/ticker", headers={"Origin": PAGE})
    assert answer.headers["Access-Control-Allow-Origin"] == PAGE


# --- Pages that may use the control API ------------------------------------------------------------------------------

CONTROL_EXPOSED = "Allow, WWW-Authenticate"


@contextmanager
def opened(token: str | None = None, relay: Relay | None = None) -> Iterator[Connection]:
    """A connection to a server whose control API is open to one page."""
    front = Dispatcher(relay or FakeRelay(), token, cors=(), control_origins=(PAGE,))
    with Serving(front, bind("127.0.0.1", 0)) as server, connected(server.url) as wire:
        yield wire


@pytest.mark.parametrize("path", ["/__mockrelay/reset", "/w/a/__mockrelay/reset", "/__mockrelay/worlds"])
@pytest.mark.parametrize("token", [None, "s3cret"])
def test_a_listed_page_learns_that_it_may_use_the_control_api(relay: FakeRelay, path: str, token: str | None) -> None:
    """A preflight has no token, and makes no world."""
    with opened(token, relay) as wire:
        answer = wire.ask("OPTIONS", path, ORIGIN, ASKS, f"{ASKED}: authorization")
        assert (answer.status, answer.body) == (204, b"")
        assert cors_headers(answer) == {
            "access-control-allow-origin": PAGE,
            "access-control-allow-credentials": "true",
            "access-control-allow-methods": "DELETE, GET, HEAD, POST, PUT",
            "access-control-allow-headers": "authorization, Content-Type, Last-Event-ID",
            "access-control-max-age": "600",
            "access-control-expose-headers": CONTROL_EXPOSED,
            "vary": "Origin",
        }
    assert (relay.seen, relay.siblings) == ([], [])


def test_a_listed_page_can_read_every_answer_of_the_control_api() -> None:
    allowed = {
        "access-control-allow-origin": PAGE,
        "access-control-allow-credentials": "true",
        "access-control-expose-headers": CONTROL_EXPOSED,
        "vary": "Origin",
    }
    with opened() as wire:
        for method, path, status in (("GET", "state", 200), ("POST", "worlds", 400), ("PUT", "worlds", 405)):
            answer = wire.ask(method, f"/__mockrelay/{path}", ORIGIN)
            assert (answer.status, cors_headers(answer)) == (status, allowed)
    with opened("s3cret") as wire:
        answer = wire.ask("GET", "/__mockrelay/state", ORIGIN)
        assert (answer.status, cors_headers(answer)) == (401, allowed)
        answer = wire.ask("GET", "/__mockrelay/state", ORIGIN, "Authorization: Bearer s3cret")
        assert (answer.status, cors_headers(answer)) == (200, allowed)


@pytest.mark.parametrize(
    "origin",
    ["http://app.test", "https://app.test:3000", "http://x.app.test:3000", "null", "", "http://app.test:3000/"],
)
def test_no_other_page_may_and_the_refusal_says_what_helps(origin: str) -> None:
    with opened() as wire:
        for method, headers in (("GET", ()), ("OPTIONS", (ASKS,))):
            answer = wire.ask(method, "/__mockrelay/state", f"Origin: {origin}", *headers)
            assert (answer.status, answer.json["field"]) == (403, "header Origin")
            assert f"--control-cors {origin or 'ORIGIN'}" in answer.json["meant"]
            assert cors_headers(answer) == {"vary": "Origin"}


def test_a_listed_page_is_let_in_under_this_machines_names_only() -> None:
    """Its own name, rebound to this machine, stays foreign."""
    with opened() as wire:
        answer = wire.ask("GET", "/__mockrelay/state", ORIGIN, host="app.test:3000")
        assert (answer.status, answer.json["field"]) == (403, "header Host")
        assert "--token" in answer.json["meant"]


def test_a_listed_page_can_read_events() -> None:
    with opened(relay=Relay.from_scenario(clock="frozen")) as wire:
        wire.send(f"GET /__mockrelay/events HTTP/1.1\r\nHost: localhost\r\n{ORIGIN}\r\n\r\n".encode())
        answer = wire.read(body_follows=False)
        assert (answer.status, answer.headers["access-control-allow-origin"]) == (200, PAGE)


@pytest.mark.parametrize("path", ["/api/v3/order", "/__mockrelay/state"])
@pytest.mark.parametrize(("asked", "allowed"), [("true", "true"), ("TRUE", "true"), ("false", None), ("", None)])
def test_a_page_of_the_internet_may_call_a_private_network_if_it_asks(
    path: str, asked: str, allowed: str | None
) -> None:
    front = Dispatcher(FakeRelay(), cors=(PAGE,), control_origins=(PAGE,))
    with Serving(front, bind("127.0.0.1", 0)) as server, connected(server.url) as wire:
        answer = wire.ask("OPTIONS", path, ORIGIN, ASKS, f"Access-Control-Request-Private-Network: {asked}")
        assert (answer.status, answer.headers.get("access-control-allow-private-network")) == (204, allowed)
        other = wire.ask(
            "OPTIONS", path, "Origin: http://evil.test", ASKS, "Access-Control-Request-Private-Network: true"
        )
        assert (other.status, other.headers.get("access-control-allow-private-network")) == (403, None)


@pytest.mark.parametrize("origin", ["*", "null", "NULL", "app.test", ""])
def test_the_control_api_cannot_be_opened_to_every_page(origin: str) -> None:
    with pytest.raises(ValueError, match=r"would let every page in|is not an origin"):
        control_cors((origin,))
