"""Answers that are late or never come, through a socket."""

from __future__ import annotations

import asyncio
import gc
from time import monotonic
from typing import Any

import aiohttp
import pytest

from mockrelay.control import Load
from mockrelay.relay import REQUEST_ID_HEADER
from mockrelay.web import Serving, create_app, serve
from mockrelay.wire.http import Response
from tests.support.connection import PATIENCE_S, Connection, connected
from tests.support.worlds import START_MS
from tests.web.fake import JSON_TYPE, FakeRelay

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
    relay: ScriptedRelay, server: Serving, wire: Connection, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    relay.response = DROPPED
    with pytest.raises((EOFError, ConnectionError)) as ended:
        wire.ask("POST", "/a", body=body)
    if ended.type is EOFError:
        assert str(ended.value) == "the peer closed; left over: b''"
    assert len(relay.seen) == 1
    relay.response = ON_TIME
    with connected(server.url) as another:
        assert another.ask("GET", "/a").body == ON_TIME.body
    assert caplog.records == []


def test_requests_behind_a_dropped_one_on_its_connection_are_not_answered_either(
    relay: ScriptedRelay, wire: Connection
) -> None:
    relay.response = DROPPED
    wire.send(GET * 3)
    assert ends_without_an_answer(wire)
    assert len(relay.seen) == 1


def test_a_late_answer_comes_when_the_control_api_has_moved_the_clock_and_others_are_served_meanwhile(
    relay: ScriptedRelay, server: Serving, wire: Connection
) -> None:
    hold(relay, wire)
    with connected(server.url) as another:
        assert another.ask("GET", "/a").body == ON_TIME.body
        assert another.ask("POST", "/__mockrelay/advance/59999").status == 200
        assert another.ask("GET", "/a").body == ON_TIME.body
        assert not wire.has_received
        assert another.ask("POST", "/__mockrelay/advance/1").status == 200
    assert wire.read().body == LATE.body
    assert wire.ask("GET", "/a").body == ON_TIME.body  # on the same connection


def test_a_late_answer_may_also_be_dropped_at_its_time(relay: ScriptedRelay, wire: Connection) -> None:
    hold(relay, wire, LATE._replace(drop=True))
    assert not wire.has_received
    relay.clock.advance(60_000)
    assert ends_without_an_answer(wire)


def test_stop_sends_what_waits_and_closes_behind_it(relay: ScriptedRelay, caplog: pytest.LogCaptureFixture) -> None:
    server = serve(relay)
    with connected(server.url) as wire:
        hold(relay, wire)
        started = monotonic()
        server.stop()
        assert monotonic() - started < PATIENCE_S
        answer = wire.read()
        assert (answer.body, answer.headers["connection"]) == (LATE.body, "close")
        assert wire.at_end()
    assert relay.clock.left.is_set()
    assert caplog.records == []


def test_stop_does_not_wait_for_one_whose_client_has_gone(relay: ScriptedRelay) -> None:
    server = serve(relay)
    with connected(server.url) as wire:
        hold(relay, wire)
    started = monotonic()
    server.stop()
    assert monotonic() - started < PATIENCE_S
    assert relay.clock.left.is_set()


def test_a_client_that_leaves_while_it_waits_leaves_nothing_behind(
    relay: ScriptedRelay, server: Serving, caplog: pytest.LogCaptureFixture
) -> None:
    with connected(server.url) as wire:
        hold(relay, wire)
    assert relay.clock.left.wait(PATIENCE_S)
    assert relay.departures == ["r7"]
    relay.clock.advance(60_000)
    with connected(server.url) as another:
        assert another.ask("GET", "/a").body == ON_TIME.body
    gc.collect()  # a task that was left pending would be logged here
    assert caplog.records == []


async def test_the_application_drops_too(aiohttp_client: Any, caplog: pytest.LogCaptureFixture) -> None:
    relay = FakeRelay()
    client = await aiohttp_client(create_app(relay))
    relay.response = DROPPED
    with pytest.raises(aiohttp.ClientConnectionError):
        await client.post("/a", data=b"{}")
    relay.response = ON_TIME
    assert await (await client.get("/a")).read() == ON_TIME.body
    assert caplog.records == []


async def _held(relay: FakeRelay, client: Any) -> asyncio.Task[bytes]:
    """A request of the application's client that waits."""

    async def ask() -> bytes:
        async with client.get("/a") as answer:
            return bytes(await answer.read())

    relay.response = LATE
    task = asyncio.create_task(ask())
    assert await asyncio.to_thread(relay.clock.awaited.wait, PATIENCE_S)
    relay.response = ON_TIME
    return task


async def test_the_application_holds_back_too_and_serves_others_meanwhile(aiohttp_client: Any) -> None:
    relay = FakeRelay()
    client = await aiohttp_client(create_app(relay))
    late = await _held(relay, client)
    assert await (await client.get("/a")).read() == ON_TIME.body
    assert not late.done()
    relay.clock.advance(60_000)
    assert await late == LATE.body


async def test_the_application_sends_what_waits_when_it_shuts_down(aiohttp_client: Any) -> None:
    relay = FakeRelay()
    client = await aiohttp_client(create_app(relay))
    late = await _held(relay, client)
    await client.server.close()
    assert await late == LATE.body


async def test_a_client_of_the_application_that_left_is_forgotten_at_its_shut_down(
    aiohttp_client: Any, caplog: pytest.LogCaptureFixture
) -> None:
    relay = FakeRelay()
    client = await aiohttp_client(create_app(relay))
    before = asyncio.all_tasks()
    late = await _held(relay, client)
    late.cancel()
    assert await asyncio.gather(late, return_exceptions=True)
    await client.close()
    assert relay.clock.left.is_set()
    assert asyncio.all_tasks() <= before
    assert caplog.records == []
