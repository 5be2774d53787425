"""One request that aiohttp reads and answers: its request handler, and the bytes of the request fed to it piece by piece.

Each such request has a handler of its own, because after some requests aiohttp's parsers carry state over to the next:
the C parser adds the trailers of a body in chunks to the next request's headers, the Python parser reads everything
behind CONNECT as its body. Pieces end where the request ends, so that nothing behind it is parsed before its answer.
"""

from __future__ import annotations

import re
from typing import Any, Protocol

from aiohttp import HttpVersion10, web
from aiohttp.http_exceptions import LineTooLong
from aiohttp.streams import StreamReader

from mockrelay.web.http1 import body_max, target_of

PIECE_BYTES = 16 << 10
"""How many bytes are parsed at a time."""
FRUITLESS_BYTES_MAX = 256 << 10
"""How many bytes may come that neither complete the head nor add to the body: headers, chunk sizes, trailers."""
BLANK_LINE = b"\r\n\r\n"
"""The end of a head, and of a body in chunks."""

_CONTROL_CHARACTER = re.compile(r"[\x00-\x1f\x7f]")
_EMPTY_LINES = re.compile(rb"(?:\r\n)+")
_LENGTH_END = 1 << 63
"""From here on aiohttp's parser in C refuses a length, and the one in Python does not."""

HANDLER_OPTIONS: dict[str, Any] = {
    # A refused body must not be unpacked any further, so bodies are unpacked where they are read.
    "auto_decompress": False,
    # Idle connections are kept open, and none waits for the rest of a body: the connection does.
    "keepalive_timeout": 10.0**9,
    "lingering_time": 0,
    "tcp_keepalive": False,
    "read_bufsize": 1 << 20,
}
"""Options of aiohttp's request handler."""


class BrokenBody(web.RequestPayloadError):
    """A body that cannot be read, with the reason in our own words."""


class Feeder(Protocol):
    """What feeds a handler: the connection."""

    def on_answer(self, handler: Handler, response: web.StreamResponse) -> None:
        """The handler has sent an answer, or failed to."""

    def on_upgrade(self) -> None:
        """The handler speaks another protocol from now on: it gets all that comes."""

    def on_drained(self) -> None:
        """The handler can take more of the body."""


class Handler(web.RequestHandler):
    """aiohttp's request handler, which tells its feeder when the answer has been sent and when it can take more."""

    __slots__ = ("feeder",)

    def __init__(self, server: web.Server, feeder: Feeder, **options: Any) -> None:
        super().__init__(server, **options)
        self.feeder = feeder

    async def finish_response(
        self, request: web.BaseRequest, resp: web.StreamResponse, start_time: float | None
    ) -> tuple[web.StreamResponse, bool]:
        """Send a response."""
        result = await super().finish_response(request, resp, start_time)
        self.feeder.on_answer(self, result[0])
        return result

    def set_parser(self, *args: Any, **options: Any) -> None:
        """Speak another protocol from now on."""
        super().set_parser(*args, **options)
        self.feeder.on_upgrade()

    def pause_reading(self) -> None:
        """Ask for no more of the body. Parser and transport go on: bytes already fed are to be parsed at once."""
        self._reading_paused = True

    def resume_reading(self, *_: object, **__: object) -> None:
        """Ask for more of the body."""
        if self._reading_paused:
            self._reading_paused = False
            self.feeder.on_drained()

    @property
    def is_full(self) -> bool:
        """Whether it asks for no more of the body."""
        return bool(self._reading_paused)


class HandedRequest:
    """A request that is being fed to its handler."""

    __slots__ = (
        "_due",
        "_fruitless",
        "_is_fresh",
        "_is_refused",
        "_last_bytes",
        "_payload",
        "handler",
        "is_upgraded",
        "is_whole",
    )

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.is_whole = False
        """Whether all its bytes have been fed."""
        self.is_upgraded = False
        """Whether it has become a connection of another protocol, which has no end but that of the connection."""
        self._payload: StreamReader | None = None
        self._due: int | None = None
        self._is_fresh = True  # whether nothing but empty lines has come
        self._is_refused = False  # whether the rest of the body is of no use, since it is broken or too long
        self._fruitless = 0
        self._last_bytes = b""

    @property
    def has_head(self) -> bool:
        """Whether its head has been parsed."""
        return self._payload is not None

    @property
    def due(self) -> int | None:
        """How many bytes of its body are still to come; None where only the parser knows."""
        return self._due

    @property
    def is_blocked(self) -> bool:
        """Whether it can be fed no more for now."""
        return ((self.is_whole or self._is_refused) and not self.is_upgraded) or self.handler.is_full

    def feed(self, data: bytes, at: int) -> int:
        """Feed a piece of `data` from `at` on; where it ends. Raises ValueError where the bytes are not HTTP."""
        if self.is_upgraded:
            end = min(at + PIECE_BYTES, len(data))
            self.handler.data_received(data[at:end])
            return end
        end = self._end_of_piece(data, at)
        piece = data[at:end]
        bytes_before = 0 if self._payload is None else self._payload.total_bytes
        self.handler.data_received(piece)
        self._last_bytes = (self._last_bytes + piece)[-3:]
        messages = self.handler._messages  # noqa: SLF001 - nothing public says what was parsed
        error = getattr(messages[-1][0], "exc", None) if messages else None
        if self._payload is None:
            if error is not None:
                raise ValueError(_why_not_http(error))
            if messages:
                self._begin(*messages[-1])
            else:
                self._count_fruitless(len(piece))
            return end
        if error is not None:
            messages.pop()
            self._break(_why_not_http(error))
        elif self._due is not None:
            self._due -= len(piece)
            self.is_whole = self._due == 0
        else:
            self.is_whole = self._payload.is_eof()
            if self._payload.total_bytes > bytes_before:
                self._fruitless = 0
            elif not self.is_whole:
                try:
                    self._count_fruitless(len(piece))
                except ValueError as too_long:
                    self._break(str(too_long))
        return end

    def _begin(self, message: Any, payload: StreamReader) -> None:
        """Take up the head."""
        if not message.path:
            raise ValueError("it has no target")
        # Before 3.14.4 aiohttp accepts some of what follows, depending on the parser.
        if _CONTROL_CHARACTER.search(message.path):
            raise ValueError("its target has a control character")
        hosts = len(message.headers.getall("Host", ()))
        if hosts > 1 or (not hosts and message.version > HttpVersion10):
            raise ValueError(f"it has {hosts} Host headers")
        if message.method == "CONNECT":
            payload.feed_eof()
        elif not message.chunked:
            self._due = int(message.headers.get("Content-Length", "0"))
            if self._due >= _LENGTH_END:
                raise ValueError("its Content-Length is too large")
            self._is_refused = self._due > body_max(target_of(message.path))
        elif message.headers["Transfer-Encoding"].lower() != "chunked":
            raise ValueError("its Transfer-Encoding is not `chunked`")
        self._payload = payload
        self._fruitless = 0
        self.is_whole = self._due == 0 or payload.is_eof()

    def _break(self, reason: str) -> None:
        """Make the body's reader raise BrokenBody."""
        assert self._payload is not None
        self._payload.set_exception(BrokenBody(reason))
        self._is_refused = True

    def _count_fruitless(self, count: int) -> None:
        self._fruitless += count
        if self._fruitless > FRUITLESS_BYTES_MAX:
            raise ValueError(f"{FRUITLESS_BYTES_MAX} bytes of head, trailer or chunk sizes, and no end")

    def _end_of_piece(self, data: bytes, at: int) -> int:
        """How far to parse from `at` on: to the end of the body, or, where that is not known, to the next blank line."""
        end = min(at + PIECE_BYTES, len(data))
        if self._due:
            return min(end, at + self._due)
        if self._is_fresh:
            empty_lines = _EMPTY_LINES.match(data, at, end)
            if empty_lines is not None:
                return empty_lines.end()
            self._is_fresh = False
        for begun in (3, 2, 1):
            if self._last_bytes.endswith(BLANK_LINE[:begun]) and data.startswith(BLANK_LINE[begun:], at):
                return at + len(BLANK_LINE) - begun
        found = data.find(BLANK_LINE, at, end)
        return end if found < 0 else found + len(BLANK_LINE)

    def end(self) -> None:
        """End the handler and leave the connection open."""
        self.handler.transport = None
        self.handler.connection_lost(None)


def _why_not_http(error: BaseException) -> str:
    """Why bytes are not HTTP. The words of aiohttp's parsers differ by version, and between C and Python."""
    return "a line of it is too long" if isinstance(error, LineTooLong) else "it is not HTTP/1.1"
