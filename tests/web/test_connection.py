"""One connection and what may happen on it: order, back-pressure, limits and ends."""

from __future__ import annotations

import asyncio
import gzip
import json
import socket
import struct
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from mockrelay.web import Serving, serve
from mockrelay.web.connection import UNREAD_BYTES_MAX
from mockrelay.web.handed import FRUITLESS_BYTES_MAX
from mockrelay.wire.http import RawRequest, Response
from tests.support.connection import PATIENCE_S, Connection, connected
from tests.support.worlds import START_MS
from tests.web.fake import JSON_TYPE, FakeRelay
from tests.web.transport import Fed, fed

BODY_MAX = 1 << 20
POST = b"POST /api/v3/order HTTP/1.1\r\nHost: a\r\n"
CONTROL = b"POST /__mockrelay/reset HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"


def get(number: int) -> bytes:
    return b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n" % number


class Echo(FakeRelay):
    """Answers with the path; that of `/late` waits for the clock."""

    padding = ""

    def handle(self, raw: RawRequest, now_ms: int, generation: int | None = None) -> Response:
        super().handle(raw, now_ms, generation)
        at_ms = START_MS + 1_000 if raw.path == "/late" else None
        return Response(200, (JSON_TYPE,), json.dumps(raw.path + self.padding).encode(), not_before_ms=at_ms)


@pytest.fixture
def relay() -> Echo:
    return Echo()


@pytest.fixture
def server(relay: Echo, caplog: pytest.LogCaptureFixture) -> Iterator[Serving]:
    """A server about which nothing is logged, whatever its clients do."""
    with serve(relay) as server:
        yield server
    assert caplog.records == []


def healthy(server: Serving) -> bool:
    """Whether a new client is answered. By then the loop has dealt with what other clients had sent before."""
    with connected(server.url) as another:
        return another.ask("GET", "/health").status == 200


def paths(relay: FakeRelay) -> list[str]:
    return [raw.path for raw in relay.seen if raw.path != "/health"]


def sent_until_it_blocks(wire: Connection, requests: Iterator[bytes], bytes_max: int) -> int:
    """Send requests as long as they are received, at most so many bytes; how many bytes went out."""
    wire.sock.settimeout(0.2)
    sent = 0
    try:
        while sent < bytes_max:
            sent += wire.sock.send(next(requests))
    except TimeoutError:
        pass
    wire.sock.settimeout(PATIENCE_S)
    return sent


# Order


def test_answers_come_in_order_also_behind_one_that_waits(relay: Echo, server: Serving, wire: Connection) -> None:
    wire.send(get(1) + b"GET /late HTTP/1.1\r\nHost: a\r\n\r\n" + get(2) + POST + b"Content-Length: 2\r\n\r\nab")
    assert wire.read().json == "/1"
    assert relay.clock.awaited.wait(PATIENCE_S)
    wire.send(get(3) * 2)
    assert healthy(server)
    assert paths(relay) == ["/1", "/late"]  # what comes behind has not happened yet
    relay.clock.advance(1_000)
    assert [wire.read().json for _ in range(5)] == ["/late", "/2", "/api/v3/order", "/3", "/3"]


def test_a_request_byte_by_byte_is_a_request(relay: Echo, wire: Connection) -> None:
    wire.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for byte in POST + CHUNKED + b"3;a=b\r\nabc\r\n1\r\nd\r\n0\r\nTrailer: x\r\n\r\n":
        wire.send(bytes([byte]))
    assert wire.read().json == "/api/v3/order"
    assert relay.seen[0].body == b"abcd"


async def test_a_request_ahead_of_half_a_request_is_handled_once(relay: Echo) -> None:
    second = POST + b"Content-Length: 2\r\n\r\nab"
    async with fed(relay) as (connection, transport, pool):
        await Fed(connection, transport, pool).feed(get(1) + second[:-1])
        await Fed(connection, transport, pool).feed(second[-1:])
    assert paths(relay) == ["/1", "/api/v3/order"]
    assert len(transport.written) == 2


def test_a_peer_that_closes_its_half_behind_its_requests_is_answered(wire: Connection) -> None:
    wire.send(get(1) + get(2))
    wire.sock.shutdown(socket.SHUT_WR)
    assert [wire.read().json for _ in range(2)] == ["/1", "/2"]
    assert wire.at_end()


def test_each_client_that_asks_first_is_told_to_go_on_in_its_turn(wire: Connection) -> None:
    head = POST + b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\n"
    wire.send(get(1) + head)
    assert wire.read().json == "/1"
    assert wire.read(body_follows=False).status == 100
    wire.send(b"abc" + head)
    assert wire.read().json == "/api/v3/order"
    assert wire.read(body_follows=False).status == 100
    wire.send(b"abc")
    assert wire.read().json == "/api/v3/order"


# Back-pressure


def test_behind_an_answer_that_waits_little_is_kept(relay: Echo, wire: Connection) -> None:
    """The rest stays with its sender, and comes once the answer is out."""
    wire.send(b"GET /late HTTP/1.1\r\nHost: a\r\n\r\n")
    assert relay.clock.awaited.wait(PATIENCE_S)
    request = POST + b"Content-Length: 500000\r\n\r\n" + b"x" * 500_000
    sent = sent_until_it_blocks(wire, iter(lambda: request, b""), 200 * len(request))
    assert sent < 100 * len(request)
    assert paths(relay) == ["/late"]
    relay.clock.advance(1_000)
    assert wire.read().json == "/late"
    assert [wire.read().json for _ in range(sent // len(request))] == ["/api/v3/order"] * (sent // len(request))


def test_a_peer_that_does_not_read_is_answered_no_further(relay: Echo, server: Serving, wire: Connection) -> None:
    """Its requests have not happened while it has not read the answers to those before, and nothing piles up."""
    relay.padding = "x" * 200_000
    wire.send(b"".join(get(number) for number in range(500)))
    assert healthy(server)
    assert len(paths(relay)) < 100
    for number in range(500):
        assert wire.read().json == f"/{number}" + relay.padding
    assert paths(relay) == [f"/{number}" for number in range(500)]


def test_a_client_that_leaves_takes_along_what_waits_and_what_was_to_follow(relay: Echo, server: Serving) -> None:
    with connected(server.url) as wire:
        wire.send(b"GET /late HTTP/1.1\r\nHost: a\r\n\r\n" + get(1) * 10)
        assert relay.clock.awaited.wait(PATIENCE_S)
    assert relay.clock.left.wait(PATIENCE_S)
    relay.clock.advance(1_000)
    assert healthy(server)
    assert paths(relay) == ["/late"]


async def test_no_more_is_received_than_what_is_kept_and_all_of_it_is_answered(relay: Echo) -> None:
    """Also where a loop hands over what it has received as bytearrays, as Windows' does."""
    async with fed(relay) as (connection, transport, pool):
        await _check_limits(relay, Fed(connection, transport, pool))


async def _check_limits(relay: Echo, fed_: Fed) -> None:
    connection, transport, _ = fed_
    received: Any = bytearray(get(1) * 500)
    await fed_.feed(received)
    assert len(transport.written) == 500
    connection.pause_writing()
    assert not transport.is_reading()
    connection.resume_writing()
    assert transport.is_reading()
    connection.data_received(b"GET /late HTTP/1.1\r\nHost: a\r\n\r\n")
    assert transport.is_reading()  # so that it is seen when the peer leaves
    sent = 0
    while transport.is_reading():
        connection.data_received(received)
        sent += len(received)
    assert UNREAD_BYTES_MAX < sent <= UNREAD_BYTES_MAX + len(received)
    await asyncio.sleep(0)  # the one that is held begins to wait
    relay.clock.advance(1_000)
    for _ in range(10):
        await asyncio.sleep(0)
    await fed_.settle()
    assert len(transport.written) == 501 + sent // len(get(1))
    assert transport.is_reading()


# What is no HTTP


@pytest.mark.parametrize("size", [b"zz", b"-1", b"+3", b"0x3", b"fffffffffffffffff", b"3 4", b""])
def test_a_bad_chunk_size_in_a_later_packet_is_refused(
    wire: Connection, server: Serving, monkeypatch: pytest.MonkeyPatch, size: bytes
) -> None:
    monkeypatch.setattr("mockrelay.web.connection.LINGER_S", 0.05)
    wire.send(POST + CHUNKED + b"3\r\nabc\r\n")
    assert healthy(server)
    wire.send(size + b"\r\nabc\r\n")
    answer = wire.read()
    assert (answer.status, answer.refusal_code, answer.headers["connection"]) == (400, 100000, "close")
    assert wire.at_end()


def test_a_body_that_breaks_is_refused_in_the_shape_of_what_was_asked(wire: Connection, server: Serving) -> None:
    wire.send(CONTROL + CHUNKED)
    assert healthy(server)
    wire.send(b"zz\r\n")
    answer = wire.read()
    assert answer.status == 400
    assert set(answer.json) == {"error", "field", "meant"}


def test_what_comes_before_broken_bytes_in_an_earlier_packet_is_answered(wire: Connection) -> None:
    assert wire.ask("GET", "/1").json == "/1"
    wire.send(b"\x16\x03\x01\x02\x00 is no HTTP")
    assert wire.read().refusal_code == 100000
    assert wire.at_end()


@pytest.mark.parametrize(
    ("start", "endless"),
    [
        (b"GET /a HTTP/1.1\r\nHost: a\r\n", b"X-Header: value\r\n"),
        (b"GET /a HTTP/1.1\r\nHost: a\r\n", b"x: " + b"y" * 8_000 + b"\r\n"),
        (POST + CHUNKED + b"0\r\n", b"X-Trailer: value\r\n"),
        (POST + CHUNKED, b"00000"),
        (b"", b"\r\n"),
    ],
    ids=["headers", "long headers", "trailers", "chunk size", "empty lines"],
)
def test_what_never_becomes_a_request_is_refused_and_its_sender_sees_the_answer(
    wire: Connection, server: Serving, start: bytes, endless: bytes
) -> None:
    """8 MiB are sent before the answer is looked for."""
    wire.send(start + endless * ((8 << 20) // len(endless)))
    answer = wire.read()
    assert (answer.status, answer.refusal_code) == (400, 100000)
    assert healthy(server)
    assert wire.at_end()


# Bodies


def test_a_body_in_chunks_of_one_byte_is_read(relay: Echo, wire: Connection) -> None:
    wire.send(POST + CHUNKED + b"1\r\nx\r\n" * 300_000 + b"0\r\n\r\n")
    assert wire.read().status == 200
    assert relay.seen[0].body == b"x" * 300_000


def _raw_deflate(body: bytes) -> bytes:
    return zlib.compress(body)[2:-4]


@pytest.mark.parametrize(
    ("encoding", "packed", "body"),
    [
        ("gzip", gzip.compress(b"x" * 900_000), b"x" * 900_000),
        ("gzip", gzip.compress(b"a" * 70_000) + gzip.compress(b"") + gzip.compress(b"b"), b"a" * 70_000 + b"b"),
        ("deflate", _raw_deflate(b"{}" + b" " * 65_534), b"{}" + b" " * 65_534),
        ("deflate", _raw_deflate(b"{}" + b" " * 65_535), b"{}" + b" " * 65_535),
        ("deflate", _raw_deflate(b" " * (3 << 16)), b" " * (3 << 16)),
    ],
    ids=["gzip", "gzip of three members", "64 KiB", "64 KiB and a byte", "192 KiB"],
)
def test_a_packed_body_is_unpacked(relay: Echo, wire: Connection, encoding: str, packed: bytes, body: bytes) -> None:
    answer = wire.ask("POST", "/a", f"Content-Encoding: {encoding}", body=packed)
    assert "connection" not in answer.headers
    assert relay.seen[0].body == body


def test_a_packed_body_is_unpacked_to_one_byte_beyond_the_limit_only(relay: Echo, wire: Connection) -> None:
    packed = gzip.compress(b"x" * 20_000_000)
    answer = wire.ask("POST", "/a", "Content-Encoding: gzip", body=packed)
    assert (answer.status, answer.headers["connection"]) == (200, "close")
    assert len(relay.seen[0].body) == BODY_MAX + 1
    assert wire.at_end()


def test_a_body_of_a_hundred_megabytes_is_refused_and_its_sender_sees_the_answer(relay: Echo, wire: Connection) -> None:
    wire.send(POST + b"Content-Length: 100000000\r\n\r\n")
    for _ in range(100):
        wire.send(b"x" * 1_000_000)
    answer = wire.read()
    assert (answer.status, answer.headers["connection"]) == (200, "close")
    assert relay.seen[0].body == b""  # it is refused by the length that it declares
    assert wire.at_end()


def test_a_refused_body_that_never_ends_is_not_waited_for(wire: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockrelay.web.connection.LINGER_S", 0.05)
    wire.send(POST + b"Content-Length: 100000000\r\n\r\n" + b"x" * (BODY_MAX + 1))
    assert wire.read().headers["connection"] == "close"
    assert wire.at_end()


# Ends


def test_a_client_that_resets_its_connection_at_any_point_is_no_news(relay: Echo, server: Serving) -> None:
    relay.padding = "x" * 3_000_000
    sent = [
        b"",
        b"GET",
        get(1),
        get(1) * 20,
        POST + b"Content-Length: 9\r\n\r\nabc",
        POST + b"Content-Length: 9000000\r\n\r\n" + b"x" * 2_000_000,
        b"rubbish\r\n\r\n",
        b"GET /a HTTP/1.1\r\nConnection: close\r\nHost: a\r\n\r\n",
        b"GET /late HTTP/1.1\r\nHost: a\r\n\r\n",
    ]
    for data in sent:
        with connected(server.url) as wire:
            wire.send(data)
            wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    assert healthy(server)


def test_the_limits_are_what_the_tests_reckon_with() -> None:
    assert UNREAD_BYTES_MAX < 500_000
    assert FRUITLESS_BYTES_MAX < 8 << 20
