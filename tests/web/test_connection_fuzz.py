"""Any bytes, in any pieces, to a connection: it never fails, and what it writes is HTTP in one of the two shapes."""

from __future__ import annotations

import asyncio
import gzip
import json
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.web.fake import FakeRelay
from tests.web.transport import fed

HEAD = b"POST /api/v3/order HTTP/1.1\r\nHost: a\r\n"
PARTS = [
    b"GET /a?b=%41 HTTP/1.1\r\nHost: a\r\n\r\n",
    b"HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: x\r\n\r\n",
    HEAD + b"Expect: 100-continue\r\nContent-Length: 4\r\n\r\nabcd",
    HEAD + b"Content-Encoding: gzip\r\nContent-Length: 23\r\n\r\n" + gzip.compress(b"abc", mtime=0),
    b"POST /__mockrelay/reset HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}",
    b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: a\r\nOrigin: null\r\n\r\n",
]
SPLINTERS = [b"\r\n", b"0", b"-1", b"\xff", b"\x00", b": ", b"Host: x\r\n", b"HTTP/1.1", b" ", b"/w/x/", b"%"]


@st.composite
def spoiled(draw: st.DrawFn) -> bytes:
    """Requests, spoiled here and there."""
    data = bytearray(b"".join(draw(st.lists(st.sampled_from(PARTS), min_size=1, max_size=4))))
    for _ in range(draw(st.integers(0, 4))):
        at = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 8))
        data[at : at + length] = draw(st.one_of(st.sampled_from(SPLINTERS), st.binary(max_size=4)))
    return bytes(data)


@settings(max_examples=300, deadline=None)
@given(st.one_of(spoiled(), st.binary()), st.integers(1, 200))
def test_a_connection_survives_everything(data: bytes, piece: int) -> None:
    asyncio.run(_fed(data, piece))


async def _fed(data: bytes, piece: int) -> None:
    async with fed(FakeRelay()) as connection:
        for at in range(0, len(data), piece):
            await connection.feed(data[at : at + piece])
    for written in connection.transport.written:
        head, _, body = written.partition(b"\r\n\r\n")
        status = re.match(rb"HTTP/1\.1 (\d{3}) ", head)
        assert status is not None
        assert status[1] != b"500"
        if body:
            assert b"\r\nContent-Length: %d" % len(body) in head
            json.loads(body)
