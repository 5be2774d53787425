"""What comes back through the socket, whatever goes in, from `serve` and from an application of aiohttp."""

from __future__ import annotations

import logging

import pytest

from mockrelay.web import Serving
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.server import bind
from mockrelay.wire.http import Response
from tests.support.connection import Connection, connected
from tests.web.cases import WAYS
from tests.web.fake import JSON_TYPE, FakeRelay


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_an_answer_is_sent_as_the_relay_gave_it(relay: FakeRelay, wire: Connection) -> None:
    relay.response = Response(429, (JSON_TYPE, ("Retry-After", "1")), b'{"a":"b"}')
    answer = wire.ask("GET", "/api/v2/ticker")
    assert answer[:3] == (
        429,
        {"content-type": "application/json", "retry-after": "1", "content-length": "9"},
        b'{"a":"b"}',
    )


def test_a_client_that_asks_for_a_close_gets_one(wire: Connection) -> None:
    assert wire.ask("GET", "/a", "Connection: close").headers["connection"] == "close"
    assert wire.at_end()


def test_http_1_0_closes_unless_the_client_keeps_it_open(wire: Connection) -> None:
    wire.send(b"GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
    assert wire.read().headers["connection"] == "keep-alive"
    wire.send(b"GET /a HTTP/1.0\r\n\r\n")
    assert wire.read().status == 200
    assert wire.at_end()


def test_head_gives_the_head_alone(relay: FakeRelay, wire: Connection) -> None:
    assert wire.ask("HEAD", "/a").headers["content-length"] == str(len(relay.response.body))
    assert wire.ask("GET", "/a").body == relay.response.body


@pytest.mark.parametrize("target", ["/__mockrelay/state", "/__mockrelay/worlds", "/w/a/__mockrelay/state"])
def test_the_control_api_answers_head_as_get(wire: Connection, target: str) -> None:
    head, get = wire.ask("HEAD", target), wire.ask("GET", target)
    assert (head.status, head.headers["content-length"]) == (get.status, str(len(get.body)))
    assert head.body == b""
    assert get.status == 200


def test_head_is_refused_where_get_is(wire: Connection) -> None:
    assert wire.ask("HEAD", "/__mockrelay/report").status == 405
    assert wire.ask("HEAD", "/__mockrelay/state", host="evil.test").status == 403


@pytest.mark.parametrize("status", [204, 304])
def test_a_status_without_a_body_has_none(relay: FakeRelay, wire: Connection, status: int) -> None:
    relay.response = Response(status, (), b"never sent")
    assert "content-length" not in wire.ask("GET", "/a").headers
    relay.response = Response(200, (), b"next")
    assert wire.ask("GET", "/a").body == b"next"


def test_a_failure_behind_is_a_500_with_its_trace_in_the_log_and_the_server_goes_on(
    relay: FakeRelay, wire: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    with relay.failing(ZeroDivisionError("inside")):
        answer = wire.ask("GET", "/api/v2/ticker")
        control = wire.ask("GET", "/__mockrelay/state")
    assert (answer.status, answer.refusal_code) == (500, 100000)
    assert control.status == 500
    assert set(control.json) == {"error", "field", "meant"}
    assert [record.exc_info and record.exc_info[0] for record in caplog.records] == [ZeroDivisionError] * 2
    assert caplog.records[0].levelno == logging.ERROR
    assert wire.ask("GET", "/api/v2/ticker").status == 200


def test_a_request_log_that_fails_changes_no_answer(relay: FakeRelay, caplog: pytest.LogCaptureFixture) -> None:
    def log(*_: object) -> None:
        raise OSError("No space left on device")

    dispatcher = Dispatcher(relay, log=log)
    with Serving(dispatcher, bind("127.0.0.1", 0, None), None) as server, connected(server.url) as wire:
        assert wire.ask("GET", "/api/v2/ticker").status == 200
        assert wire.ask("GET", "/__mockrelay/state").status == 200
    assert [record.exc_info and record.exc_info[0] for record in caplog.records] == [OSError] * 2


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("/__mockrelay/state", "state"),
        ("/__mockrelay/orders/0xab/fill", "orders/0xab/fill"),
        ("/__mockrelay/nft/%30x/deploy", "nft/0x/deploy"),
        ("/__mockrelay", ""),
        ("/__mockrelay/", ""),
    ],
)
def test_control_calls_go_to_control_without_their_prefix(
    relay: FakeRelay, wire: Connection, target: str, path: str
) -> None:
    answer = wire.ask("POST", target + "?a=1", body=b"{}")
    assert answer.json == {"method": "POST", "path": path, "query": [["a", "1"]], "length": 2}
    assert relay.seen == []


@pytest.mark.parametrize("target", ["/__mockrelayer/state", "/api/__mockrelay/state", "/a/"])
def test_everything_else_goes_to_the_relay(relay: FakeRelay, wire: Connection, target: str) -> None:
    assert wire.ask("GET", target).json == {"name": "fake"}
    assert relay.seen[0].path == target
