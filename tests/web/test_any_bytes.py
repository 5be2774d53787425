"""Any bytes in any pieces to a connection with a relayer behind it: what is written is in shape, however they were cut."""

from __future__ import annotations

import asyncio
import gzip
import json
import re

from hypothesis import given
from hypothesis import strategies as st

from mockrelay.relay import Relay
from mockrelay.web.handed import PIECE_BYTES
from mockrelay.web.http1 import CONTINUE
from tests.properties.effort import effort
from tests.support.answer_shapes import ERROR, is_healthy, is_refused, value_of
from tests.support.calls import order
from tests.support.client import done
from tests.support.hostile_values import edited
from tests.support.worlds import world
from tests.web.transport import fed

ORDER = json.dumps(order().fields).encode()
PACKED = gzip.compress(ORDER, mtime=0)
POST = b"POST /api/v3/order HTTP/1.1\r\nHost: localhost\r\nX-API-KEY: key-a\r\nContent-Type: application/json\r\n"
PARTS = (
    b"GET /api/v2/depth?market=LRC-ETH&level=0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"GET /w/a/api/v2/ticker?market=%4cRC-ETH HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    POST + b"Content-Length: %d\r\n\r\n" % len(ORDER) + ORDER,
    POST + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n" % len(ORDER) + ORDER + b"\r\n0\r\nX-API-KEY: key-b\r\n\r\n",
    POST + b"Expect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
    b"OPTIONS /api/v2/depth HTTP/1.1\r\nHost: a\r\nOrigin: null\r\nAccess-Control-Request-Method: GET\r\n\r\n",
    b"GET /__mockrelay/clock HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"POST /__mockrelay/blocks/seal HTTP/1.1\r\nHost: localhost\r\nContent-Length: 12\r\n\r\n" + b'{"count": 2}',
    b"DELETE /__mockrelay/worlds/a HTTP/1.1\r\nHost: localhost\r\n\r\n",
    POST + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(PACKED) + PACKED,
    b"CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n",
    b"GET /api/v2/depth HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
    b"OPTIONS * HTTP/1.1\r\nHost: a\r\nOrigin: null\r\n\r\n",
)
FRAGMENTS = (
    *(b"\r\n", b"\r\n\r\n", b"0", b"0\r\n\r\n", b"-1", b"\xff", b"\x00", b": ", b"Host: x\r\n", b"HTTP/1.1", b" "),
    *(b"/w/x/", b"%"),
    *(b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n", b"Connection: close\r\n"),
    *(b"Expect: 100-continue\r\n", b"{"),
)
HEAD = re.compile(rb"HTTP/1\.1 (\d{3}) [^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n")


REQUESTS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=4)


@effort(max_examples=100)
@given(
    data=REQUESTS.flatmap(lambda parts: edited(b"".join(parts), FRAGMENTS)) | st.binary(),
    piece=st.integers(1, 700),
)
def test_any_bytes_are_answered_in_shape_and_the_same_however_they_are_cut(data: bytes, piece: int) -> None:
    """The relayer is reset before each way. The two are compared where neither has refused bytes as no HTTP or ended the
    connection, since that may come earlier where more comes in one piece; request ids and 100 Continue are left out.
    """
    whole = asyncio.run(_written(data, PIECE_BYTES))
    cut = asyncio.run(_written(data, piece))
    if b"cannot be read" not in whole + cut and b"Connection: close" not in whole + cut:
        assert whole.replace(CONTINUE, b"") == cut.replace(CONTINUE, b"")


async def _written(data: bytes, piece: int) -> bytes:
    relay = RELAY
    done(relay, "POST", "reset", {})
    async with fed(relay) as connection:
        for at in range(0, len(data), piece):
            await connection.feed(data[at : at + piece])
    assert is_healthy(relay)
    written = b"".join(connection.transport.written)
    _in_shape(written)
    return re.sub(rb"X-Mockrelay-Request-Id: \w+", b"", written)


def _in_shape(written: bytes) -> None:
    """One answer after the other and nothing between them."""
    at = 0
    while at < len(written):
        head = HEAD.match(written, at)
        assert head is not None, written[at:]
        lines = (line.partition(b": ") for line in head[2].splitlines())
        headers = {name.decode().lower(): value.decode() for name, _, value in lines}
        at = head.end()
        body = written[at : at + int(headers.get("content-length", 0))]
        if headers.get("content-length") is not None and not written.startswith(b"HTTP/1.1", at):
            at += len(body)
            value = value_of(headers, body)
            if int(head[1]) >= 400 and set(value) == ERROR:
                assert isinstance(value["error"], str)
            else:
                is_refused(int(head[1]), headers, body)


RELAY: Relay = world()
