"""One connection: bytes in, aiohttp's request parser, `Front`, bytes out.

aiohttp's own protocol gives each request tasks and several rounds of the loop; most answers here are ready before the
call that brought the bytes has returned, so they go out within it. What aiohttp took care of is taken care of here:

- Requests are answered in the order in which they came. While one waits for the relayer's clock, or the peer does not
  read its answers, nothing is parsed; what arrives meanwhile is kept up to `UNREAD_BYTES_MAX`, then not received.
- Bytes are parsed in pieces that end where a request ends, so that no request is looked at before the one ahead of it
  is answered, and that neither many requests nor a compressed body become large at one stroke.
- What is no HTTP is answered in the shape of the API, then the connection ends. Its rest, and that of a body that was
  refused, is still received for `LINGER_S` and dropped: a peer that is still sending would lose the answer otherwise.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, Protocol, cast

# From where they are made: a server imports no more of aiohttp than these (see `sparing`).
from aiohttp.http_parser import HttpRequestParser, RawRequestMessage
from aiohttp.http_writer import HttpVersion10
from aiohttp.streams import EMPTY_PAYLOAD, StreamReader

from mockrelay.web.errors import api_error
from mockrelay.web.front import Front, Held, body_max
from mockrelay.web.heads import BLANK_LINE, Heads
from mockrelay.web.reply import CONTINUE, encoded
from mockrelay.web.requests import Target, headers_of, target_of
from mockrelay.wire.messages import RawRequest, Response

LINGER_S = 2.0
"""How long what follows a refused request is received and dropped."""
PIECE_BYTES = 16 << 10
"""How much is parsed at a time."""
UNREAD_BYTES_MAX = 64 << 10
"""How much is kept of what may not be parsed yet before no more is received."""
FRUITLESS_BYTES_MAX = 256 << 10
"""How long a head may be, or anything else that brings a request no further: chunk sizes, trailers."""
_BODY_LIMIT = 64 << 10  # aiohttp has its bodies ask for a pause at twice as much


class Home(Protocol):
    """The server that a connection belongs to."""

    loop: asyncio.AbstractEventLoop
    front: Front
    heads: Heads

    def joined(self, connection: Connection) -> None:
        """A connection begins."""

    def left(self, connection: Connection) -> None:
        """A connection has ended."""

    def gathers(self, count: int) -> None:
        """So many bytes more, or fewer, of bodies that are not whole yet are kept."""


class Valve:
    """What the parser's bodies ask to receive no more. They are emptied after each piece, so only one that unpacks to
    more than the piece asks, and only of an aiohttp that stops unpacking then: its parser goes on when it is fed again.
    """

    def __init__(self) -> None:
        self.parser: Any = None
        self.shut = False
        self._reading_paused = False  # aiohttp's bodies look at it

    def pause_reading(self) -> None:
        """Have the parser stop, if it can."""
        if not self._reading_paused and hasattr(self.parser, "pause_reading"):
            self._reading_paused = self.shut = True
            self.parser.pause_reading()

    def resume_reading(self, **_: object) -> None:
        """The body has been emptied."""
        self._reading_paused = False


class Connection(asyncio.Protocol):
    """The protocol of one connection."""

    _transport: asyncio.Transport
    _remote: str
    _port: int
    _due: int | None
    """How many bytes of the present body are still to come; None: only the parser knows, since it comes in chunks."""

    def __init__(self, home: Home) -> None:
        self._home = home
        self._renew_parser()
        # The request that is not answered yet; its body may still be on its way.
        self._request: tuple[RawRequestMessage, StreamReader] | None = None
        self._body: bytearray | None = None  # what has come of that, if it did not come at once
        self._rest: StreamReader | None = None  # the body that was refused, of which the rest is dropped
        self._unread = b""
        self._fruitless = 0
        self._held: asyncio.Task[None] | None = None
        self._last_bytes = b""  # the last three that were parsed
        self._has_more = False  # whether more came together with what is parsed now
        self._is_sent_ahead = False  # whether the next request came before this one was answered
        self._stuffed = False  # whether the peer does not read
        self._ended = False  # whether no further request is answered
        self._linger: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self._remote = str(peer[0]) if peer else ""
        self._port = int(peer[1]) if isinstance(peer, tuple) else 0
        self._home.joined(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End, and take an answer along that waits."""
        self._ended = True
        for pending in (self._held, self._linger):
            if pending is not None:
                pending.cancel()
        self._held = self._linger = self._rest = self._request = None
        self._forget_body()
        self._unread = b""
        self._home.left(self)

    def data_received(self, data: bytes) -> None:
        """Answer what is whole now, unless something must go out before."""
        if self._held is None and not self._stuffed:
            self._take(data)
        else:
            self._unread += data
            if len(self._unread) > UNREAD_BYTES_MAX:
                self._transport.pause_reading()

    def pause_writing(self) -> None:
        """Answer nothing more until the peer has read."""
        self._stuffed = True
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Go on, since the peer has read."""
        self._stuffed = False
        self._go_on()

    def finish(self) -> None:
        """End as soon as there is nothing to be answered, since the server stops; what was held back goes out anyway."""
        if self._held is None and self._request is None:
            self._close()

    def abort(self) -> None:
        """End at once."""
        self._ended = True
        self._forget_body()
        self._transport.abort()

    @property
    def _is_between_requests(self) -> bool:
        return self._due == 0 and self._request is None and not self._fruitless

    @property
    def is_idle(self) -> bool:
        """Whether it is between two requests."""
        is_busy = self._held is not None or self._request is not None or self._fruitless or self._unread
        return not is_busy and not self._ended

    @property
    def is_half_way(self) -> bool:
        """Whether it waits for the rest of a request."""
        return self._held is None and not self._stuffed and not self._ended and not self.is_idle

    @property
    def gathered_bytes(self) -> int:
        """How much it keeps of a body that is not whole yet."""
        return 0 if self._body is None else len(self._body)

    def _forget_body(self) -> None:
        if self._body is not None:
            self._home.gathers(-len(self._body))
            self._body = None

    def _go_on(self) -> None:
        """Answer what had to wait."""
        self._advance()
        data, self._unread = self._unread, b""
        if data:
            self._is_sent_ahead = True
            self._take(data)
        # Also while an answer is held, so that a peer that leaves is noticed.
        if not self._stuffed and len(self._unread) <= UNREAD_BYTES_MAX:
            self._transport.resume_reading()

    def _take(self, data: bytes) -> None:
        if self._is_between_requests and self._held is None and not self._stuffed and not self._ended:
            known = self._home.heads.find(data)
            if known is not None:
                message, target, headers, body_bytes = known
                self._has_more = False
                self._answer(message, target, headers, bytes(data[len(data) - body_bytes :]))
                return
        at = 0
        while at < len(data) or self._valve.shut:
            if self._held is not None or self._stuffed:
                self._unread = data[at:]
                return
            if self._ended and self._rest is None:
                return
            start, at = at, self._end_of_piece(data, at)
            self._has_more = at < len(data)
            self._valve.shut = False
            tail = self._parse(data[start:at])
            if tail:
                data, at = tail + data[at:], 0

    def _end_of_piece(self, data: bytes, at: int) -> int:
        """How far to parse from `at` on: to the end of the request at most. Where that is not known, to the next blank
        line, which ends each head and each body in chunks.
        """
        if self._valve.shut:
            return at
        end = at + PIECE_BYTES
        if self._due:
            return min(end, at + self._due)
        for begun in (3, 2, 1):
            if self._last_bytes.endswith(BLANK_LINE[:begun]) and data.startswith(BLANK_LINE[begun:], at):
                return at + len(BLANK_LINE) - begun
        found = data.find(BLANK_LINE, at, end)
        return end if found < 0 else found + len(BLANK_LINE)

    def _parse(self, piece: bytes) -> bytes:
        """Parse a piece and answer what it completes; what the parser leaves of it."""
        try:
            messages, upgraded, tail = self._parser.feed_data(piece)
            if any(not message.path for message, _ in messages):
                raise ValueError("it has no target")  # noqa: TRY301 - the parser lets it pass
        except Exception as error:  # noqa: BLE001 - whatever it is called, the client has sent what is no HTTP
            self._refuse(error)
            return b""
        self._last_bytes = bytes(self._last_bytes + piece)[-3:]
        if messages:
            self._fruitless = 0
            (self._request,) = messages
            self._due = self._body_bytes(piece, messages[0][0])
        else:
            self._fruitless += len(piece)
            if self._due:
                self._due -= len(piece)
        self._part_chunked()
        if self._rest is None:
            self._advance()
        else:
            self._drop(self._rest)
        if self._fruitless > FRUITLESS_BYTES_MAX:
            self._refuse(ValueError(f"{FRUITLESS_BYTES_MAX} bytes of head, trailer or chunk sizes, and no end"))
        if upgraded:
            # Another protocol was asked for. We speak none, and what follows our answer is HTTP again.
            self._parser.set_upgraded(False)
            self._due = 0
            return bytes(tail)
        return b""

    def _renew_parser(self) -> None:
        # All that the parser has its protocol for.
        valve: Any = Valve()
        self._valve: Valve = valve
        self._parser: Any = HttpRequestParser(valve, self._home.loop, _BODY_LIMIT, payload_exception=ValueError)
        valve.parser = self._parser
        self._due = 0

    def _body_bytes(self, piece: bytes, message: RawRequestMessage) -> int | None:
        """How long the body is behind the head that a piece ends with; None where it comes in chunks."""
        if message.chunked:
            return None
        body_bytes = int(message.headers.get("Content-Length", "0"))
        self._home.heads.keep(bytes(piece), body_bytes, message)
        return body_bytes

    def _part_chunked(self) -> None:
        """Keep the trailers of a body in chunks away from what comes behind it: aiohttp's parser in C puts them into the
        head of the next request.
        """
        if self._request is not None:
            message, payload = self._request
            if message.chunked and payload.is_eof():
                self._renew_parser()

    def _advance(self) -> None:
        """Answer the request if it is whole and nothing must go out before."""
        if self._request is None or self._held is not None or self._stuffed or self._ended:
            return
        message, payload = self._request
        try:
            body = b"" if payload is EMPTY_PAYLOAD else self._gathered(message, payload)
        except Exception as error:  # noqa: BLE001 - as in `_parse`
            self._refuse(error)
            return
        if body is None:
            return
        self._request = None
        self._fruitless = 0
        headers = headers_of(message.headers)
        if len(headers) != len(message.headers) and len(message.headers.getall("Host", ())) > 1:
            # Until 3.13 aiohttp lets it pass, and the guard looks at one of them.
            self._refuse(ValueError("it has two Host headers"))
            return
        self._answer(message, target_of(message.path), headers, body)

    def _gathered(self, message: RawRequestMessage, payload: StreamReader) -> bytes | None:
        """The body of the request, once it is whole or one byte longer than it may be."""
        chunk = payload.read_nowait()
        if chunk:
            self._fruitless = 0
        if self._body is None:
            if payload.is_eof() and len(chunk) <= PIECE_BYTES:
                return chunk
            if not chunk and self._has_more:
                return None
            self._body = bytearray()
            if not payload.is_eof() and "Expect" in message.headers and message.version != HttpVersion10:
                self._transport.write(CONTINUE)
        self._body += chunk
        self._home.gathers(len(chunk))
        if self._ended:
            return None
        bytes_max = body_max(target_of(message.path))
        if not payload.is_eof():
            if len(self._body) <= bytes_max:
                return None
            self._rest = payload
        body = bytes(memoryview(self._body)[: bytes_max + 1])
        self._forget_body()
        return body

    def _answer(self, message: RawRequestMessage, target: Target, headers: dict[str, str], body: bytes) -> None:
        raw = RawRequest(
            message.method,
            target.path,
            target.sent,
            target.query,
            headers,
            body,
            "http",
            headers.get("host", ""),
            self._remote,
            # Who sends ahead has not read the answer before.
            0 if self._is_sent_ahead else self._port,
        )
        self._is_sent_ahead = self._has_more
        answer = self._home.front.answer(raw, target)
        if isinstance(answer, Held):
            self._held = self._home.loop.create_task(self._wait(message, answer))
        else:
            self._send(message, answer)

    async def _wait(self, message: RawRequestMessage, held: Held) -> None:
        response = await held.due()
        self._held = None
        self._send(message, response)
        self._go_on()

    def _send(self, message: RawRequestMessage, response: Response) -> None:
        if self._transport.is_closing():
            return
        if response.drop:
            self.abort()
            return
        connection = "keep-alive" if message.version == HttpVersion10 else ""
        closes = message.should_close or self._rest is not None or self._home.front.holding.released
        self._transport.write(encoded(response, message.method, "close" if closes else connection))
        if self._rest is not None:
            self._end_soon()
        elif closes:
            self._close()

    def _refuse(self, error: Exception) -> None:
        """Answer what is no HTTP, and end."""
        if self._ended:
            self._close()
            return
        if self._request is not None:
            message, _ = self._request
            origin = headers_of(message.headers).get("origin")
            written = encoded(
                self._home.front.unreadable(target_of(message.path), origin, error), message.method, "close"
            )
        else:
            reason = str(getattr(error, "message", error)).partition("\n")[0]
            written = encoded(api_error(400, f"the request cannot be read: {reason}"), "", "close")
        self._transport.write(written)
        # No further answer can come, and a peer that waits for the end is told so.
        with contextlib.suppress(OSError):
            self._transport.write_eof()
        self._end_soon()

    def _drop(self, rest: StreamReader) -> None:
        """Drop what has come of a refused body, and end with it."""
        if rest.exception() is not None:
            self._close()
            return
        if rest.read_nowait():
            self._fruitless = 0
        if rest.is_eof():
            self._close()

    def _end_soon(self) -> None:
        self._ended = True
        self._linger = self._home.loop.call_later(LINGER_S, self._close)

    def _close(self) -> None:
        """End when what was written has been sent."""
        self._ended = True
        self._rest = None
        self._transport.close()
