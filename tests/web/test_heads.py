"""A head that has come before is not parsed again, and nobody can tell."""

from __future__ import annotations

import asyncio
import gzip
import socket
from collections.abc import Sequence

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mockrelay.web.front import Front
from mockrelay.web.heads import HEADS_MAX, Heads, Known
from mockrelay.web.protocol import Connection
from mockrelay.web.server import Listener
from tests.web.fake import FakeRelay
from tests.web.noted import Noted

HEAD = b"POST /api/v3/order HTTP/1.1\r\nHost: a\r\n"
GET = b"GET /a?b=%41 HTTP/1.1\r\nHost: a\r\n\r\n"
POST = HEAD + b"Content-Length: 2\r\n\r\n"
PIECES = [
    *(GET, POST + b"{}", POST + b"[]", POST, b"{}", b"{", b"}"),
    GET + GET,
    GET + b"GE",
    b"T /c HTTP/1.1\r\nHost: a\r\n\r\n",
    POST + b"{}GET ",
    POST + b"{} ",
    HEAD + b"Content-Length: 20\r\n\r\n" + b"\r\n\r\n" * 5,
    HEAD + b"Content-Length: 8\n\n{}\r\n\r\n{}",
    b"GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n folded\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nX: 1\r\nX: 2\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    b"HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    b"HEAD / HTTP/1.0\r\n\r\n",
    b"\r\n\r\n" + GET,
    HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nT: x\r\n\r\n",
    HEAD + b"Expect: 100-continue\r\nContent-Length: 4\r\n\r\nabcd",
    HEAD + b"Expect: 100-continue\r\nContent-Length: 4\r\n\r\n",
    b"abcd",
    HEAD + b"Content-Encoding: gzip\r\nContent-Length: 23\r\n\r\n" + gzip.compress(b"abc", mtime=0),
    b"GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: a\r\nOrigin: null\r\n\r\n",
]


class Forgetful(Heads):
    """Knows no head, so that everything is parsed."""

    def find(self, data: bytes) -> Known | None:
        return None


def written(pieces: Sequence[Sequence[bytes]], heads: Heads) -> list[list[bytes]]:
    """What is written to connections, one after another, that each get some pieces."""

    async def fed() -> list[list[bytes]]:
        told = []
        with socket.socket() as sock:
            listener = Listener(Front(FakeRelay()), sock)
            listener.loop = asyncio.get_running_loop()
            listener.heads = heads
            for sent in pieces:
                connection, transport = Connection(listener), Noted()
                connection.connection_made(transport)
                for piece in sent:
                    if not transport.is_closing():
                        connection.data_received(piece)
                connection.connection_lost(None)
                told.append(transport.written)
            listener.close()
        return told

    return asyncio.run(fed())


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=8), min_size=2, max_size=5))
@example([[piece] for piece in PIECES for _ in range(3)])
@example([[piece] * 4 for piece in PIECES])
@example([[GET] * 3, [GET + b"GE", GET], [POST, GET, b"{}"]])
def test_known_heads_change_no_answer(pieces: list[list[bytes]]) -> None:
    assert written(pieces, Heads()) == written(pieces, Forgetful())


@pytest.mark.parametrize("piece", [GET, POST + b"{}"])
def test_a_head_is_known_from_its_third_time_on(piece: bytes) -> None:
    heads = Heads()
    written([[piece]], heads)
    assert heads.find(piece) is None
    written([[piece]], heads)
    known = heads.find(piece)
    assert known is not None
    assert known.body_bytes == (0 if piece is GET else 2)
    assert heads.find(piece + b"G") is None
    assert heads.find(piece[:-1]) is None


@pytest.mark.parametrize(
    "piece", [piece for piece in PIECES if b"close" in piece or b"chunked" in piece or b"gzip" in piece]
)
def test_what_a_head_does_not_say_alone_is_not_known(piece: bytes) -> None:
    heads = Heads()
    written([[piece]] * 3, heads)
    assert heads.find(piece) is None


def test_there_is_an_end_to_what_is_known() -> None:
    heads = Heads()
    pieces = [b"GET /%d HTTP/1.1\r\nHost: a\r\n\r\n" % number for number in range(HEADS_MAX + 10)]
    for piece in pieces:
        written([[piece] * 2], heads)
    known = [piece for piece in pieces if heads.find(piece) is not None]
    assert known == pieces[HEADS_MAX:]
    long = b"GET /" + b"x" * 2048 + b" HTTP/1.1\r\nHost: a\r\n\r\n"
    written([[long] * 3], heads)
    assert heads.find(long) is None
