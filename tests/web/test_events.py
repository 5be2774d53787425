"""`GET /__mockrelay/events`: what readers are sent, over `serve` and over `create_app`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from jsonschema import Draft202012Validator

from mockrelay.control import events
from mockrelay.control.events import batch_from, begin
from mockrelay.journal import event_log
from mockrelay.openapi import control_document
from mockrelay.relay import Relay
from mockrelay.web import Serving, create_app, serve
from mockrelay.web import event_feed as feeds
from mockrelay.web.delays import DelayQueue
from mockrelay.web.event_feed import EventFeed
from mockrelay.web.threads import Line
from tests.support.bodies import W
from tests.support.client import control, done, get, post
from tests.support.connection import Connection, connected
from tests.support.worlds import relay_from

PATH = "/__mockrelay/events"
SCHEMAS = control_document()["components"]["schemas"]
KINDS = SCHEMAS["get_events_answer"]["x-events"]


class Sent(NamedTuple):
    """An event as a reader has got it."""

    id: str
    kind: str
    data: Any


def parsed(text: str) -> list[Sent]:
    """The whole events of a stream, each as its schema says."""
    found = []
    for block in text.split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line)
        if "event" in fields:
            found.append(Sent(fields["id"], fields["event"], json.loads(fields["data"])))
    for event in found:
        schema = {**KINDS[event.kind], "components": {"schemas": SCHEMAS}}
        Draft202012Validator(schema).validate(event.data)
    return found


class Reader:
    """A connection that reads events."""

    def __init__(self, wire: Connection, *headers: str) -> None:
        self._wire = wire
        self._text = ""
        lines = [f"GET {wire.base}{PATH} HTTP/1.1", f"Host: {wire.host}", *headers, "", ""]
        wire.send("\r\n".join(lines).encode())
        while "\r\n\r\n" not in self._text:
            self._more()
        self.head, _, self._text = self._text.partition("\r\n\r\n")

    def until(self, kind: str, count: int = 1) -> list[Sent]:
        """All events so far, once there are so many of a kind."""
        while len([event for event in parsed(self._text) if event.kind == kind]) < count:
            self._more()
        return parsed(self._text)

    def to_the_end(self) -> list[Sent]:
        """All events until the server ends the stream."""
        while data := self._wire.sock.recv(1 << 16):
            self._text += data.decode()
        return parsed(self._text)

    def _more(self) -> None:
        data = self._wire.sock.recv(1 << 16)
        assert data, f"the server has ended the stream behind {self._text!r}"
        self._text += data.decode()


@pytest.fixture
def relay() -> Relay:
    return relay_from()


@pytest.fixture
def server(relay: Relay) -> Iterator[Serving]:
    with serve(relay) as server:
        yield server


@pytest.mark.parametrize("world", ["", "/w/one"])
def test_a_reader_is_sent_what_happens_in_its_world(server: Serving, world: str) -> None:
    with connected(server.url + world) as wire, connected(server.url + world) as other, connected(server.url) as main:
        reader = Reader(wire)
        assert reader.head.startswith("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")
        (start,) = reader.until("start")
        assert start.data["gone"] == 0
        if world:
            get(main, "/api/v2/depth", market="XXX-YYY")
        done(other, "POST", "faults", {"on": "submit_order", "hold": "UNKNOWN"})
        post(other, "/api/v3/order", W.order(1))
        done(other, "POST", "blocks/seal", {})
        found = reader.until("command", 2)
        assert {event.kind for event in found} >= {"start", "command", "fault", "moved", "call"}
        assert [event.data["endpoint"] for event in found if event.kind == "call"] == ["submit_order"]


def test_each_event_has_the_next_number_and_a_reader_that_comes_again_misses_none(
    server: Serving, relay: Relay
) -> None:
    with connected(server.url) as wire:
        first = Reader(wire)
        post(relay, "/api/v3/order", W.order(1))
        before = first.until("call")
    post(relay, "/api/v3/order", W.order(2))
    with connected(server.url) as wire:
        again = Reader(wire, f"Last-Event-ID: {before[-1].id}")
        post(relay, "/api/v3/order", W.order(3))
        after = again.until("call", 2)
    assert after[0].data["gone"] == 0
    numbers = [int(event.id.split("-")[1]) for event in [*before, *after[1:]]]
    assert numbers == list(range(len(numbers)))
    assert [event.data["id"] for event in [*before, *after] if event.kind == "call"] == ["r1", "r2", "r3"]


def test_a_reader_is_told_how_much_is_gone(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "EVENTS_MAX", 4)
    start = relay.keep_events().start
    for number in range(5):
        post(relay, "/api/v3/order", W.order(number))  # two events each, so that 7 to 10 are left
    first = begin(relay, f"{start}-3")
    assert parsed(first.data.decode())[0].data["gone"] == 3
    assert first.next_number == 7
    late = parsed(batch_from(relay, 2).data.decode())
    assert (late[0].kind, late[0].data) == ("gone", {"gone": 5})
    assert [event.id for event in late] == [f"{start}-{number}" for number in (6, 7, 8, 9, 10)]


@pytest.mark.parametrize("last_id", ["1-3", "nonsense", "{start}-99"])
def test_an_id_of_another_server_brings_all_that_is_kept(relay: Relay, last_id: str) -> None:
    start = relay.keep_events().start
    post(relay, "/api/v3/order", W.order(1))
    first = begin(relay, last_id.format(start=start))
    assert parsed(first.data.decode())[0].data["gone"] is None
    assert first.next_number == 1


def test_what_falls_due_is_sent_although_nobody_calls(relay: Relay) -> None:
    post(relay, "/api/v3/order", W.order(1))
    number = relay.keep_events().next_number
    relay.clock.set(W.order(1)["validUntil"] * 1000)
    due = [event.data for event in parsed(batch_from(relay, number).data.decode()) if event.kind == "due"]
    assert "order_expires" in [data["event"] for data in due]


class FakeTransport(asyncio.WriteTransport):
    """Keeps what is written, and says how much of it is unread."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []
        self.unread = 0

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    def get_write_buffer_size(self) -> int:
        return self.unread

    def is_closing(self) -> bool:
        return False


async def test_events_are_encoded_once_for_all_readers(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    encoded: list[int] = []

    def counting(relay: Relay, number: int) -> events.Batch:
        encoded.append(number)
        return batch_from(relay, number)

    monkeypatch.setattr(events, "batch_from", counting)
    feed, queue = EventFeed(relay, Line()), DelayQueue()
    transports = [FakeTransport() for _ in range(3)]
    tasks = [asyncio.create_task(feed.serve(transport, b"", "", queue)) for transport in transports]
    await asyncio.sleep(0)
    get(relay, "/api/v2/depth", market="XXX-YYY")
    feed._send()
    assert encoded == [1]
    assert len({transport.written[-1] for transport in transports}) == 1
    assert b"event: call" in transports[0].written[-1]
    await _end(queue, tasks)


async def test_a_reader_that_does_not_read_gets_nothing_until_it_has_and_then_all(relay: Relay) -> None:
    feed, queue, slow = EventFeed(relay, Line()), DelayQueue(), FakeTransport()
    task = asyncio.create_task(feed.serve(slow, b"", "", queue))
    await asyncio.sleep(0)
    slow.unread = feeds.UNREAD_BYTES_MAX + 1
    for number in range(3):
        post(relay, "/api/v3/order", W.order(number))
        feed._send()
    assert len(slow.written) == 1
    slow.unread = 0
    feed._send()
    assert [event.data["id"] for event in parsed(slow.written[-1].decode()) if event.kind == "call"] == [
        "r1",
        "r2",
        "r3",
    ]
    await _end(queue, [task])


async def test_a_quiet_reader_is_sent_a_pulse(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = 0.0
    monkeypatch.setattr(feeds, "monotonic_s", lambda: now_s)
    feed, queue, reader = EventFeed(relay, Line()), DelayQueue(), FakeTransport()
    task = asyncio.create_task(feed.serve(reader, b"", "", queue))
    await asyncio.sleep(0)
    feed._send()
    assert len(reader.written) == 1
    now_s = feeds.PULSE_S + 1
    feed._send()
    assert reader.written[1:] == [b":\n\n"]
    await _end(queue, [task])


async def test_without_a_reader_nothing_is_planned(relay: Relay) -> None:
    feed, queue = EventFeed(relay, Line()), DelayQueue()
    assert relay.events is None
    task = asyncio.create_task(feed.serve(FakeTransport(), b"", "", queue))
    await asyncio.sleep(0)
    assert feed._timer is not None
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert feed._timer is None


async def _end(queue: DelayQueue, tasks: list[asyncio.Task[None]]) -> None:
    queue.release()
    await asyncio.gather(*tasks)


def test_a_stream_ends_with_its_server_and_with_its_world(relay: Relay) -> None:
    with serve(relay) as server, connected(server.url) as main, connected(f"{server.url}/w/one") as wire:
        reader, of_world = Reader(main), Reader(wire)
        with connected(server.url) as other:
            assert control(other, "DELETE", "worlds/one").status == 200
        assert [event.kind for event in of_world.to_the_end()] == ["start", "removed"]
        server.stop()
        assert [event.kind for event in reader.to_the_end()] == ["start"]


def test_the_server_notices_that_a_reader_has_left(server: Serving, relay: Relay) -> None:
    """A second reader is still served."""
    with connected(server.url) as wire:
        Reader(wire)
    with connected(server.url) as wire:
        reader = Reader(wire)
        post(relay, "/api/v3/order", W.order(1))
        assert reader.until("call")


@pytest.mark.parametrize(("method", "query", "status"), [("POST", "", 405), ("HEAD", "", 200), ("GET", "?last=1", 400)])
def test_what_does_not_get_events_is_answered_and_ends(server: Serving, method: str, query: str, status: int) -> None:
    with connected(server.url) as wire:
        assert wire.ask(method, PATH + query).status == status
        assert wire.ask("GET", "/api/v2/depth?market=LRC-ETH&level=0").status == 200


def test_with_a_token_events_ask_for_it(relay: Relay) -> None:
    with serve(relay, token="sesame") as server:
        with connected(server.url) as wire:
            assert wire.ask("GET", PATH).status == 401
        with connected(server.url) as wire:
            assert Reader(wire, "Authorization: Bearer sesame").until("start")


async def test_the_application_sends_events_too(aiohttp_client: Any, relay: Relay) -> None:
    client = await aiohttp_client(create_app(relay))
    async with client.get(PATH) as answer:
        assert answer.content_type == "text/event-stream"
        post(relay, "/api/v3/order", W.order(1))
        text = ""
        while "event: call" not in text or not text.endswith("\n\n"):
            text += (await answer.content.readany()).decode()
    assert [event.kind for event in parsed(text)] == ["start", "moved", "call"]
