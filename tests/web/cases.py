"""Requests as bytes, and the statuses that answer each, whoever serves and whichever parser aiohttp has.

`python -m tests.web.cases` prints all answers, served in both ways, as JSON.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import queue
import socket
import sys
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any, NamedTuple
from unittest.mock import patch

from aiohttp import web

from mockrelay.relay.start import Start
from mockrelay.web import connection, create_app, dispatch, serve
from mockrelay.wire.http import RawRequest, Response
from tests.support.connection import PATIENCE_S, connected
from tests.web.fake import JSON_TYPE, FakeRelay, control

GET = b"GET /api/v2/depth?market=LRC-ETH&level=0 HTTP/1.1\r\nHost: localhost\r\n"
POST = b"POST /api/v3/order HTTP/1.1\r\nHost: localhost\r\nX-API-KEY: key-a\r\nContent-Type: application/json\r\n"
CONTROL = b"POST /__mockrelay/reset HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
BEHIND = b"GET /behind HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
"""Sent behind each of them: whether it is answered says whether its connection has ended."""
HOST = b" HTTP/1.1\r\nHost: localhost\r\n\r\n"


class Case(NamedTuple):
    sent: bytes
    statuses: tuple[int, ...]
    """Of all answers, to the last or to `BEHIND`."""


def _posted(body: bytes, *headers: bytes) -> bytes:
    return POST + b"".join(header + b"\r\n" for header in headers) + b"Content-Length: %d\r\n\r\n" % len(body) + body


def _chunked(body: bytes) -> bytes:
    return POST + CHUNKED + b"\r\n" + body


AMBIGUOUS: Mapping[str, bytes] = {
    "length and chunks": POST + b"Content-Length: 5\r\n" + CHUNKED + b"\r\n0\r\n\r\n",
    "chunks and length": POST + CHUNKED + b"Content-Length: 5\r\n\r\n0\r\n\r\n",
    "two lengths": POST + b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "the same length twice": POST + b"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}",
    "a list of lengths": POST + b"Content-Length: 2, 2\r\n\r\n{}",
    "a length with a sign": POST + b"Content-Length: +2\r\n\r\n{}",
    "a negative length": POST + b"Content-Length: -2\r\n\r\n{}",
    "a length in hex": POST + b"Content-Length: 0x2\r\n\r\n{}",
    "a length with an underscore": POST + b"Content-Length: 1_0\r\n\r\n{}",
    "a length in words": POST + b"Content-Length: minus\r\n\r\n{}",
    "a length that no number holds": POST + b"Content-Length: " + b"9" * 40 + b"\r\n\r\n{}",
    "a blank before the colon": POST + b"Content-Length : 2\r\n\r\n{}",
    "chunks twice": POST + b"Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n",
    "chunks and identity": POST + CHUNKED + b"Transfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    "something like chunks": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "chunks behind a control character": POST + b"Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n",
    "a folded header": GET + b"X-A: b\r\n c\r\n\r\n",
    "a folded first header": GET.partition(b"\r\n")[0] + b"\r\n Host: localhost\r\n\r\n",
    "bare line feeds": GET.replace(b"\r\n", b"\n") + b"\n",
    "bare carriage returns": GET.replace(b"\r\n", b"\r") + b"\r",
    "a bare line feed behind a chunk's size": POST + CHUNKED + b"\r\n2\n{}\n0\n\n",
    "more than the chunk's size": POST + CHUNKED + b"\r\n2\r\n{}xx\r\n0\r\n\r\n",
    "zero in a header": GET + b"X: a\x00b\r\n\r\n",
    "zero in the target": b"GET /api\x00/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a control character in the target": b"GET /\x01" + HOST,
    "a blank in a header's name": GET + b"X A: b\r\n\r\n",
    "a header without a name": GET + b": b\r\n\r\n",
    "a header without a colon": GET + b"abc\r\n\r\n",
    "two hosts": GET + b"Host: localhost\r\n\r\n",
    "a relative target": b"GET api/v2/depth HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "an unknown version": b"GET / HTTP/1.10\r\nHost: localhost\r\n\r\n",
    "a version of the future": b"GET / HTTP/9.9\r\nHost: localhost\r\n\r\n",
    "another protocol": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 500,
    "rubbish": b"rubbish\r\n\r\n",
    "a tunnel to nowhere": b"CONNECT \r\n\r\n",
    "a long method": b"A" * 5_000 + b" / HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a long target": b"GET /" + b"a" * 1_000_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "a long header": GET + b"X: " + b"a" * 100_000 + b"\r\n\r\n",
    "bytes in the target": b"GET /api/\xff HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "packed in a way that is unknown": POST + b"Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope",
}
"""What can be read in two ways, or in none."""

ODD: Mapping[str, tuple[bytes, int]] = {
    "HTTP/1.0": (b"GET /api/v2/depth HTTP/1.0\r\n\r\n", 200),
    "HTTP/1.0 that stays": (b"GET /api/v2/depth HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", 200),
    "HTTP/0.9": (b"GET /api/v2/depth\r\n\r\n", 200),
    "empty lines ahead": (b"\r\n\r\n" + GET + b"\r\n", 200),
    "a GET with a body": (GET + b"Content-Length: 5\r\n\r\nabcde", 200),
    "a wish for HTTP/2": (GET + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n", 200),
    "an absolute target": (GET.replace(b"GET /", b"GET http://elsewhere.test/") + b"\r\n", 200),
    "an absolute target without a path": (b"POST http://elsewhere.test HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "all of the server": (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "all of the server, with an odd expectation": (b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\nExpect: 0\r\n\r\n", 404),
    "a tunnel": (b"CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 404),
    "a line feed in the path": (b"GET /api/a%0ab HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "broken percents": (b"GET /api/%zz/%?a=%&b=%4 HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "percents that are no UTF-8": (b"GET /api/%ff%c0%af?%ff=%ff HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "percents in the path": (b"GET /%61pi/v2/%64epth?market=LRC-ETH&level=0 HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
    "a slash in percents": (b"GET /api%2fv2%2fdepth?market=LRC-ETH&level=0 HTTP/1.1\r\nHost: localhost\r\n\r\n", 200),
    "8,000 letters": (b"GET /" + b"a" * 8_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "an unknown expectation": (POST + b"Expect: wonders\r\nContent-Length: 2\r\n\r\n{}", 200),
    "half a code point in a header": (GET + b"X-API-KEY: \xff\xed\xa0\x80\r\n\r\n", 200),
    "a long extension of a chunk": (POST + CHUNKED + b"\r\n2;" + b"x" * 5_000 + b"\r\n{}\r\n0\r\n\r\n", 200),
    "an endless extension of a chunk": (POST + CHUNKED + b"\r\n2;" + b"x" * 100_000 + b"\r\n{}\r\n0\r\n\r\n", 200),
    "nobody's world": (b"GET /w/../api/v2/depth HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "no world": (b"GET /w//api/v2/depth HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "a world in percents": (b"GET /w/%2e%2e/api/v2/depth HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "a world with a zero": (b"GET /w/a%00/api/v2/depth HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
    "a world with a long name": (b"GET /w/" + b"x" * 65 + b"/api/v2/depth HTTP/1.1\r\nHost: localhost\r\n\r\n", 404),
}
"""What is unusual and has an answer, with its status where a relayer is behind."""

_BY_SERVER = frozenset(name for name in ODD if "world" in name)
_ENDS = frozenset({"HTTP/1.0", "HTTP/0.9"})

CASES: Mapping[str, Case] = {
    **{name: Case(sent, (400,)) for name, sent in AMBIGUOUS.items()},
    **{
        name: Case(sent, (status if name in _BY_SERVER else 200, *(() if name in _ENDS else (200,))))
        for name, (sent, status) in ODD.items()
    },
    # Plain ones
    "a GET": Case(GET + b"\r\n", (200, 200)),
    "a GET without Host": Case(b"GET /a HTTP/1.1\r\n\r\n", (400,)),
    "a GET with an empty Host": Case(b"GET /a HTTP/1.1\r\nHost:\r\n\r\n", (200, 200)),
    "a GET that closes": Case(GET + b"Connection: close\r\n\r\n", (200,)),
    "a GET that closes in capitals": Case(GET + b"Connection: CLOSE\r\n\r\n", (200,)),
    "a GET that stays": Case(GET + b"Connection: keep-alive\r\n\r\n", (200, 200)),
    "a GET with other words for its connection": Case(GET + b"Connection: te, close\r\n\r\n", (200,)),
    "a GET with its query encoded": Case(b"GET /api?a=%41+b&%E2%82%AC=;&&c" + HOST, (200, 200)),
    "a GET with marks in its path": Case(b"GET /-._~!$&'()*+,;=:@%2F" + HOST, (200, 200)),
    "a GET with a fragment": Case(b"GET /api#part" + HOST, (200, 200)),
    "a GET with brackets": Case(b"GET /api?a[]={}|" + HOST, (200, 200)),
    "a GET of two slashes": Case(b"GET //elsewhere.test/api" + HOST, (200, 200)),
    "blanks and tabs around a value": Case(GET + b"X-API-KEY: \t k e\ty \t\r\n\r\n", (200, 200)),
    "a header without a value": Case(GET + b"X-API-KEY:\r\n\r\n", (200, 200)),
    "a header twice": Case(GET + b"X-Api-Key: one\r\nx-api-key: two\r\n\r\n", (200, 200)),
    "a hundred headers": Case(GET + b"".join(b"x%d: y\r\n" % n for n in range(100)) + b"\r\n", (200, 200)),
    "a hundred thousand headers": Case(GET + b"".join(b"x%d: y\r\n" % n for n in range(100_000)) + b"\r\n", (400,)),
    "a HEAD": Case(b"HEAD /a" + HOST, (200, 200)),
    "a PUT": Case(b"PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}", (200, 200)),
    "a DELETE": Case(b"DELETE /a" + HOST, (200, 200)),
    "a method of its own": Case(b"BREW /a" + HOST, (400,)),
    "a method in small letters": Case(b"get /a" + HOST, (400,)),
    "a POST": Case(_posted(b"{}"), (200, 200)),
    "a POST without a body": Case(POST + b"\r\n", (200, 200)),
    "a POST of nothing": Case(_posted(b""), (200, 200)),
    "a POST whose length has zeros ahead": Case(POST + b"Content-Length: 0002\r\n\r\n{}", (200, 200)),
    "a POST of blank lines": Case(_posted(b"\r\n\r\n" * 50), (200, 200)),
    "a POST of a mebibyte": Case(_posted(b"x" * (1 << 20)), (200, 200)),
    "several in one packet": Case(GET + b"\r\n" + _posted(b"{}") + _chunked(b"0\r\n\r\n") + GET + b"\r\n", (200,) * 5),
    "rubbish behind several": Case(GET + b"\r\n" + _chunked(b"0\r\n\r\n") + b"rubbish\r\n\r\n", (200, 200, 400)),
    # Chunks
    "chunks": Case(_chunked(b"3;a=b\r\nabc\r\n1\r\nd\r\n0\r\n\r\n"), (200, 200)),
    "chunks of blank lines": Case(_chunked(b"4\r\n\r\n\r\n\r\n4\r\n\r\n\r\n\r\n0\r\n\r\n"), (200, 200)),
    "chunks and a trailer": Case(_chunked(b"2\r\n{}\r\n0\r\nX-API-KEY: key-b\r\nOrigin: null\r\n\r\n"), (200, 200)),
    "chunks that end in zeros": Case(_chunked(b"2\r\n{}\r\n000;a=b\r\n\r\n"), (200, 200)),
    **{
        f"a chunk of the size {size!r}, {where}": Case(_chunked(begun + size.encode() + b"\r\n{}\r\n0\r\n\r\n"), (400,))
        for size in ("zz", "-1", "+2", "0x2", "f" * 17, "2 3", "")
        for where, begun in (("at once", b""), ("behind another", b"3\r\nabc\r\n"))
    },
    "a control body that breaks": Case(CONTROL + CHUNKED + b"\r\nzz\r\n", (400,)),
    "a page's body that breaks": Case(POST + b"Origin: http://a.test\r\n" + CHUNKED + b"\r\nzz\r\n", (400,)),
    # What never ends
    "headers without end": Case(GET + b"X-Header: value\r\n" * 20_000, (400,)),
    "long headers without end": Case(GET + (b"x: " + b"y" * 8_000 + b"\r\n") * 40, (400,)),
    "trailers without end": Case(_chunked(b"0\r\n") + b"X-Trailer: value\r\n" * 20_000, (400,)),
    "a chunk's size without end": Case(_chunked(b"") + b"0" * 300_000, (400,)),
    "empty lines without end": Case(b"\r\n" * 150_000, (400,)),
    # Packed
    "gzip": Case(_posted(gzip.compress(b"{}", mtime=0), b"Content-Encoding: gzip"), (200, 200)),
    "gzip in capitals": Case(_posted(gzip.compress(b"{}", mtime=0), b"Content-Encoding: GZIP"), (200, 200)),
    "deflate": Case(_posted(zlib.compress(b"{}"), b"Content-Encoding: deflate"), (200, 200)),
    "deflate without its frame": Case(_posted(zlib.compress(b"{}")[2:-4], b"Content-Encoding: deflate"), (200, 200)),
    "deflate that is none": Case(_posted(b"nope", b"Content-Encoding: deflate"), (400,)),
    "x-gzip": Case(_posted(gzip.compress(b"{}", mtime=0), b"Content-Encoding: x-gzip"), (200, 200)),
    "identity": Case(_posted(b"{}", b"Content-Encoding: identity"), (200, 200)),
    "gzip without its end": Case(_posted(gzip.compress(b"{}", mtime=0)[:-8], b"Content-Encoding: gzip"), (400,)),
    "gzip of two members": Case(
        _posted(gzip.compress(b"{", mtime=0) + gzip.compress(b"}", mtime=0), b"Content-Encoding: gzip"), (200, 200)
    ),
    "gzip and half a member": Case(
        _posted(gzip.compress(b"{}", mtime=0) + gzip.compress(b"", mtime=0)[:-1], b"Content-Encoding: gzip"), (400,)
    ),
    "deflate twice": Case(_posted(zlib.compress(b"{}") * 2, b"Content-Encoding: deflate"), (400,)),
    "gzip and more": Case(_posted(gzip.compress(b"{}", mtime=0) + b"x", b"Content-Encoding: gzip"), (400,)),
    "deflate without its end": Case(_posted(zlib.compress(b"{}")[:-4], b"Content-Encoding: deflate"), (400,)),
    "an encoding that nobody knows": Case(_posted(b"{}", b"Content-Encoding: rot13"), (400,)),
    "an encoding, and no body": Case(_posted(b"", b"Content-Encoding: rot13"), (200, 200)),
    "brotli": Case(_posted(b"\x01\x80{}\x03", b"Content-Encoding: br"), (400,)),
    "gzip of too much": Case(_posted(gzip.compress(b"x" * 5_000_000, mtime=0), b"Content-Encoding: gzip"), (200,)),
    # Too much
    "too long for the API": Case(POST + b"Content-Length: 1048577\r\n\r\n", (200,)),
    "too long for the API, in chunks": Case(_chunked(b"100001\r\n" + b"x" * 0x100001 + b"\r\n0\r\n\r\n"), (200,)),
    "too long for the control API": Case(CONTROL + b"Content-Length: 8388609\r\n\r\n", (413,)),
    "too long, and asks first": Case(CONTROL + b"Expect: 100-continue\r\nContent-Length: 8388609\r\n\r\n", (413,)),
    "as long as only a load may be": Case(
        CONTROL.replace(b"reset", b"load") + b"Content-Length: 9437184\r\n\r\n" + b"x" * (9 << 20), (200, 200)
    ),
    "too long to load": Case(CONTROL.replace(b"reset", b"load") + b"Content-Length: 268435457\r\n\r\n", (413,)),
    # Expect and Upgrade
    "asks first, and has sent it": Case(_posted(b"{}", b"Expect: 100-continue"), (200, 200)),
    "asks first in HTTP/1.0": Case(
        b"POST / HTTP/1.0\r\nExpect: 100-continue\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\n{}", (200, 200)
    ),
    "a wish for a web socket": Case(
        GET + b"Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n", (200, 200)
    ),
    "two wishes for TCP": Case((GET + b"Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n") * 2, (200, 200, 200)),
    "Upgrade alone": Case(GET + b"Upgrade: websocket\r\n\r\n", (200, 200)),
    "two tunnels": Case(b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n" * 2, (200, 200, 200)),
    "all of the server, and asks first": Case(
        b"OPTIONS * HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\r\n", (200, 200)
    ),
    "a target of a query alone": Case(b"GET http://elsewhere.test?a=1" + HOST, (200, 200)),
    # Pages and the control API
    "a page": Case(GET + b"Origin: http://a.test\r\n\r\n", (200, 200)),
    "a page asks": Case(
        b"OPTIONS /api/x HTTP/1.1\r\nHost: a\r\nOrigin: http://b.test\r\nAccess-Control-Request-Method: GET\r\n\r\n",
        (204, 200),
    ),
    "control": Case(CONTROL + b"Content-Length: 2\r\n\r\n{}", (200, 200)),
    "control of 5 MiB": Case(CONTROL + b"Content-Length: 5242880\r\n\r\n" + b"x" * (5 << 20), (200, 200)),
    "control in HTTP/1.0": Case(b"GET /__mockrelay/state HTTP/1.0\r\n\r\n", (200,)),
    "control from another host": Case(b"GET /__mockrelay/state HTTP/1.1\r\nHost: evil.test\r\n\r\n", (403, 200)),
    "control through a proxy": Case(b"GET http://evil.test/__mockrelay/state HTTP/1.0\r\n\r\n", (403,)),
    "control of a world": Case(b"GET /w/a/__mockrelay/state" + HOST, (200, 200)),
    "control of a world of a wrong name": Case(b"GET /w/a~b/__mockrelay/state" + HOST, (404, 200)),
}

PYTHON_PARSER: Mapping[str, tuple[tuple[int, ...], str]] = {
    "a version of the future": ((200, 200), "it takes any digit for a version"),
    "a method of its own": ((200, 200), "it takes any word for a method"),
    "a method in small letters": ((200, 200), "it takes any word for a method, in capitals"),
    "a long method": ((200, 200), "it takes any word for a method"),
    "bytes in the target": ((200, 200), "it takes any byte but control characters"),
    "HTTP/0.9": ((400,), "it wants a version"),
    "an endless extension of a chunk": ((400,), "it has a limit for such a line"),
    f"a chunk of the size {'f' * 17!r}, at once": ((), "its numbers have no end, so it waits for the rest"),
    f"a chunk of the size {'f' * 17!r}, behind another": ((), "as above"),
}
"""What aiohttp's parser in Python makes of what its parser in C answers otherwise, and why."""
Answers = dict[str, list[Any]]
"""By case: status, headers and body of each answer."""


class Echo(FakeRelay):
    """Answers with what it sees."""

    def handle(self, raw: RawRequest, now_ms: int, generation: int | None = None) -> Response:
        seen = asdict(raw) | {"body": f"{len(raw.body)} bytes {raw.body[:100]!r}", "connection": bool(raw.connection)}
        return Response(200, (JSON_TYPE,), json.dumps(seen).encode())

    def spawn(self, name: str = "", start: Start | None = None) -> Echo:
        return Echo(name)


@contextmanager
def by_serve(relay: FakeRelay) -> Iterator[str]:
    """The URL of a relay that `serve` serves."""
    with serve(relay) as server:
        yield server.url


@contextmanager
def by_application(relay: FakeRelay) -> Iterator[str]:
    """The URL of a relay's application, on a loop in a thread of its own."""
    urls: queue.Queue[str] = queue.Queue()
    loop = asyncio.new_event_loop()
    stop = asyncio.Event()

    async def run() -> None:
        runner = web.AppRunner(create_app(relay))
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        urls.put(f"http://127.0.0.1:{runner.addresses[0][1]}")
        await stop.wait()
        await runner.cleanup()

    thread = threading.Thread(target=loop.run_until_complete, args=(run(),))
    thread.start()
    try:
        yield urls.get(timeout=PATIENCE_S)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()
        loop.close()


WAYS = {"serve": by_serve, "create_app": by_application}


def answers(way: str) -> Answers:
    """The answers to all cases, each on a connection of its own; what ends a connection ends it soon."""
    with (
        patch.object(connection, "LINGER_S", 0.05),
        patch.object(dispatch, "handle_control", control),
        WAYS[way](Echo()) as url,
    ):
        return {name: _answers(url, case.sent + BEHIND) for name, case in CASES.items()}


def _answers(url: str, sent: bytes) -> list[Any]:
    found: list[Any] = []
    with connected(url) as wire:
        try:
            wire.send(sent)
            wire.sock.shutdown(socket.SHUT_WR)
            while True:
                found.append(wire.read(body_follows=not sent.startswith(b"HEAD") or bool(found)))
        except EOFError as end:
            left_over = str(end)
    assert left_over.endswith("b''"), (sent[:80], left_over)
    return [[*answer[:2], answer[2].decode()] for answer in found]


if __name__ == "__main__":
    json.dump({way: answers(way) for way in WAYS}, sys.stdout)
