"""Answers that are late or never come, through a socket, from `serve` and from an application of aiohttp."""

from __future__ import annotations

import gc
from contextlib import ExitStack
from dataclasses import replace
from time import monotonic

import pytest

from mockrelay.control import Load
from mockrelay.relay import REQUEST_ID_HEADER
from mockrelay.wire.http import Response
from tests.support.client import ask
from tests.support.connection import PATIENCE_S, Connection, connected
from tests.support.worlds import START_MS
from tests.web.cases import WAYS
from tests.web.fake import JSON_TYPE, FakeRelay

pytestmark = pytest.mark.parametrize("way", WAYS)
GET = b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n"
ON_TIME = Response(200, (JSON_TYPE,), b'"on time"')
LATE = Response(200, (JSON_TYPE, (REQUEST_ID_HEADER, "r7")), b'"late"', not_before_ms=START_MS + 60_000)
DROPPED = Response(200, (JSON_TYPE,), b'"never"', drop=True)


class ScriptedRelay(FakeRelay):
    """Has a control call `advance/MS`."""

    def control(
        self, method: str, path: str, query: tuple[tuple[str, str], ...], body: bytes, load: Load | None = None
    ) -> Response:
        self.clock.advance(int(path.removeprefix("advance/")))
        return super().control(method, path, query, body, load)


@pytest.fixture
def relay() -> ScriptedRelay:
    return ScriptedRelay()


def hold(relay: FakeRelay, wire: Connection, response: Response = LATE) -> None:
    """Send a request whose answer is late, and return once it waits; other requests are answered on time."""
    relay.response = response
    wire.send(GET)
    assert relay.clock.awaited.wait(PATIENCE_S)
    relay.response = ON_TIME


def ends_without_an_answer(wire: Connection) -> bool:
    try:
        return wire.at_end()
    except ConnectionResetError:
        return True


@pytest.mark.parametrize("body", [b"", b"x" * 1_000, b"x" * (3 << 20)], ids=len)
def test_a_dropped_answer_ends_the_connection_and_nothing_is_written(
    relay: ScriptedRelay, url: str, wire: Connection, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    relay.response = DROPPED
    with pytest.raises((EOFError, ConnectionError)) as ended:
        wire.ask("POST", "/a", body=body)
    if ended.type is EOFError:
        assert str(ended.value) == "the peer closed; left over: b''"
    assert len(relay.seen) == 1
    relay.response = ON_TIME
    assert ask(f"{url}/a").body == ON_TIME.body
    assert caplog.records == []


def test_requests_behind_a_dropped_one_on_its_connection_are_not_answered_either(
    relay: ScriptedRelay, wire: Connection
) -> None:
    relay.response = DROPPED
    wire.send(GET * 3)
    assert ends_without_an_answer(wire)
    assert len(relay.seen) == 1


def test_a_late_answer_comes_when_the_control_api_has_moved_the_clock_and_others_are_served_meanwhile(
    relay: ScriptedRelay, url: str, wire: Connection
) -> None:
    hold(relay, wire)
    assert ask(f"{url}/a").body == ON_TIME.body
    assert ask(f"{url}/__mockrelay/advance/59999", "POST").status == 200
    assert ask(f"{url}/a").body == ON_TIME.body
    assert not wire.has_received
    assert ask(f"{url}/__mockrelay/advance/1", "POST").status == 200
    assert wire.read().body == LATE.body
    assert wire.ask("GET", "/a").body == ON_TIME.body  # on the same connection


def test_a_late_answer_may_also_be_dropped_at_its_time(relay: ScriptedRelay, wire: Connection) -> None:
    hold(relay, wire, replace(LATE, drop=True))
    assert not wire.has_received
    relay.clock.advance(60_000)
    assert ends_without_an_answer(wire)


def test_stop_sends_what_waits_and_closes_behind_it(
    relay: ScriptedRelay, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    with ExitStack() as stack:
        with WAYS[way](relay) as url:
            wire = stack.enter_context(connected(url))
            hold(relay, wire)
            started = monotonic()
        assert monotonic() - started < PATIENCE_S
        answer = wire.read()
        assert (answer.body, answer.headers["connection"]) == (LATE.body, "close")
        assert wire.at_end()
    assert relay.clock.left.is_set()
    assert caplog.records == []


def test_stop_does_not_wait_for_one_whose_client_has_gone(relay: ScriptedRelay, way: str) -> None:
    with WAYS[way](relay) as url:
        with connected(url) as wire:
            hold(relay, wire)
        started = monotonic()
    assert monotonic() - started < PATIENCE_S
    assert relay.clock.left.is_set()


def test_a_client_that_leaves_while_it_waits_leaves_nothing_behind(
    relay: ScriptedRelay, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    with connected(url) as wire:
        hold(relay, wire)
    assert relay.clock.left.wait(PATIENCE_S)
    assert relay.departures.get(timeout=PATIENCE_S) == "r7"
    relay.clock.advance(60_000)
    assert ask(f"{url}/a").body == ON_TIME.body
    gc.collect()  # a task that was left pending would be logged here
    assert caplog.records == []
