"""What goes through aiohttp's request handler: other protocols, large bodies, and turns."""

from __future__ import annotations

import asyncio
import gzip
import threading
import zlib
from typing import Any

import pytest
from aiohttp import WSMsgType, web

from mockrelay.web import app, create_app, serve
from mockrelay.web.app import UNPACKED_BYTES
from mockrelay.web.connection import TURN_BYTES, TURN_REQUESTS
from mockrelay.web.handed import PIECE_BYTES
from mockrelay.web.http1 import BODY_BYTES_MAX, LOOP_CONTROL_BODY_BYTES_MAX
from mockrelay.wire.http import RawRequest, Response
from tests.support.connection import PATIENCE_S, connected
from tests.web.fake import FakeRelay
from tests.web.transport import fed

POST = b"POST /api/v3/order HTTP/1.1\r\nHost: a\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n\r\n"
GET = b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n"


async def test_an_application_may_have_web_sockets_beside_the_relay(aiohttp_client: Any) -> None:
    async def echo(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            await socket.send_str(f"{message.data}!")
        return socket

    application = create_app(FakeRelay())
    application.router.add_get("/ws", echo)
    client = await aiohttp_client(application)
    assert (await client.get("/api")).status == 200
    async with client.ws_connect("/ws") as socket:
        for text in ("a", "b" * 200_000):
            await socket.send_str(text)
            assert (await socket.receive()).data == f"{text}!"
        await socket.close()
        assert (await socket.receive()).type == WSMsgType.CLOSED
    assert (await client.get("/api")).status == 200


async def test_middlewares_of_an_application_see_every_answer(aiohttp_client: Any) -> None:
    @web.middleware
    async def marks(request: web.Request, handler: Any) -> web.StreamResponse:
        response: web.StreamResponse = await handler(request)
        response.headers["X-Mark"] = "1"
        return response

    application = create_app(FakeRelay())
    application.middlewares.append(marks)
    client = await aiohttp_client(application)
    assert (await client.get("/api")).headers["X-Mark"] == "1"


async def test_plain_requests_are_answered_so_many_a_turn() -> None:
    async with fed(FakeRelay()) as connection:
        connection.connection.data_received(GET * (TURN_REQUESTS * 3))
        assert len(connection.transport.written) == TURN_REQUESTS
        await connection.settle()
        assert len(connection.transport.written) == TURN_REQUESTS * 3


@pytest.mark.parametrize("chunk", [b"1\r\nx\r\n", b"4\r\n\r\n\r\n\r\n", b"1000\r\n" + b"x" * 4096 + b"\r\n"])
async def test_a_body_is_parsed_so_much_a_turn(chunk: bytes) -> None:
    sent = POST + CHUNKED + chunk * (400_000 // len(chunk)) + b"0\r\n\r\n"
    async with fed(FakeRelay()) as connection:
        connection.connection.data_received(sent)
        assert connection.connection.buffered_bytes >= len(sent) - TURN_BYTES - PIECE_BYTES
        await connection.settle()
        assert len(connection.transport.written) == 1
        assert connection.connection.is_idle


@pytest.mark.parametrize("wbits", [31, 15, -15], ids=["gzip", "deflate", "deflate without its frame"])
def test_a_packed_body_that_is_refused_is_unpacked_no_further(monkeypatch: pytest.MonkeyPatch, wbits: int) -> None:
    """Of 50 MB little more than the limit."""
    unpacked = []

    class Counting:
        def __init__(self, bits: int) -> None:
            self._stream = zlib.decompressobj(bits)

        def decompress(self, data: bytes, bytes_max: int) -> bytes:
            unpacked.append(self._stream.decompress(data, bytes_max))
            return unpacked[-1]

        def __getattr__(self, name: str) -> Any:
            return getattr(self._stream, name)

    packer = zlib.compressobj(wbits=wbits)
    packed = packer.compress(b"x" * 50_000_000) + packer.flush()
    relay = FakeRelay()
    with serve(relay) as server, connected(server.url) as wire:
        monkeypatch.setattr(app, "zlib", type("Zlib", (), {"decompressobj": Counting, "error": zlib.error}))
        encoding = "gzip" if wbits == 31 else "deflate"
        answer = wire.ask("POST", "/api/v3/order", f"Content-Encoding: {encoding}", body=packed)
    assert answer.headers["connection"] == "close"
    assert len(relay.seen[0].body) == BODY_BYTES_MAX + 1
    assert sum(map(len, unpacked)) <= BODY_BYTES_MAX + UNPACKED_BYTES + 1


def _control(method: bytes, verb: bytes, body: bytes = b"", headers: bytes = b"") -> bytes:
    head = b"%b /__mockrelay/%b HTTP/1.1\r\nHost: localhost\r\n%b" % (method, verb, headers)
    return head + b"Content-Length: %d\r\n\r\n" % len(body) + body


LONG = {
    "a long body": _control(b"POST", b"reset", b"x" * (LOOP_CONTROL_BODY_BYTES_MAX + 1)),
    "a packed body": _control(
        b"POST", b"reset", gzip.compress(b"x" * (LOOP_CONTROL_BODY_BYTES_MAX + 1)), b"Content-Encoding: gzip\r\n"
    ),
    "load": _control(b"POST", b"load", b"x"),
    "state": _control(b"GET", b"state"),
    "dump": _control(b"GET", b"dump"),
    "requests": _control(b"GET", b"requests"),
}


@pytest.mark.parametrize("sent", LONG.values(), ids=LONG)
def test_a_long_control_call_keeps_nobody_waiting(sent: bytes) -> None:
    """It is under way until another client has been answered."""
    relay = FakeRelay()
    begun, goes_on = threading.Event(), threading.Event()

    class Slow(FakeRelay):
        def control(self, *args: Any, **options: Any) -> Response:
            begun.set()
            assert goes_on.wait(PATIENCE_S)
            return super().control(*args, **options)

        def handle(self, raw: RawRequest, now_ms: int, generation: int | None = None) -> Response:
            return relay.response

    with serve(Slow()) as server, connected(server.url) as long, connected(server.url) as other:
        long.send(sent)
        assert begun.wait(PATIENCE_S)
        assert other.ask("GET", "/api").status == 200
        goes_on.set()
        assert long.read().status == 200


async def test_requests_of_many_kinds_leave_no_task_behind() -> None:
    async with fed(FakeRelay()) as connection:
        before = len(asyncio.all_tasks())
        for _ in range(10):
            await connection.feed(POST + CHUNKED + b"1\r\nx\r\n0\r\nT: x\r\n\r\n" + GET)
            await connection.feed(b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n")
            await connection.feed(b"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
        for _ in range(10):
            await asyncio.sleep(0)
        assert len(asyncio.all_tasks()) == before
        assert len(connection.transport.written) == 40
