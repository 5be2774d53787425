"""One connection: its requests are answered one after the other, plain ones at once, all others by aiohttp.

A plain request (`plain`) is answered within the call that brought its last byte. Every other one is fed to aiohttp's
request handler (`handed`), also what is not HTTP: aiohttp's parser finds out.

- While a request is answered, its answer is delayed, or the peer does not read, no further request is parsed. What
  arrives meanwhile is kept up to `UNREAD_BYTES_MAX`; then the transport stops receiving.
- A connection parses at most so much a turn of the loop (`TURN_BYTES`, `TURN_REQUESTS`), then others have theirs.
- What follows a refused request is received for `LINGER_S` and dropped, since a peer that is still sending would lose
  the answer if the connection were closed at once.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar, cast

from aiohttp import web

from mockrelay.web.delays import DelayedResponse
from mockrelay.web.dispatch import Answer
from mockrelay.web.handed import HandedRequest, Handler
from mockrelay.web.http1 import api_error, encoded
from mockrelay.web.plain import plain_head
from mockrelay.web.pool import ConnectionPool
from mockrelay.wire.http import RawRequest, Response

T = TypeVar("T")

LINGER_S = 2.0
"""How long the bytes behind a refused request are received and dropped."""
UNREAD_BYTES_MAX = 64 << 10
"""How many bytes are kept that may not be parsed yet."""
TURN_BYTES = 16 << 10
"""About how many bytes aiohttp parses for one connection before others have their turn."""
TURN_REQUESTS = 64
"""How many plain requests of one connection are answered before others have their turn."""


class Connection(asyncio.Protocol):
    """The protocol of one connection."""

    __slots__ = (
        "_ahead",
        "_body_bytes",
        "_counted_bytes",
        "_ended",
        "_has_plain_lane",
        "_is_delayed",
        "_is_eof",
        "_is_stuffed",
        "_linger",
        "_new_handler",
        "_pool",
        "_port",
        "_remote",
        "_request",
        "_rest",
        "_scheme",
        "_transport",
        "_turn",
        "_unread",
        "_waiting",
        "_wanted",
    )

    _transport: asyncio.Transport
    _remote: str
    _port: int
    _scheme: str

    def __init__(
        self, pool: ConnectionPool, new_handler: Callable[[Connection], Handler], *, has_plain_lane: bool
    ) -> None:
        self._pool = pool
        self._new_handler = new_handler
        self._has_plain_lane = has_plain_lane
        self._unread = bytearray()
        self._wanted = 0  # how many unread bytes there must be before parsing is useful
        self._request: HandedRequest | None = None
        self._waiting: asyncio.Task[None] | None = None  # sends a late answer to a plain request
        self._is_delayed = False
        self._turn: asyncio.Handle | None = None  # goes on in the next turn of the loop
        self._is_stuffed = False  # whether the peer does not read
        self._is_eof = False  # whether the peer sends no more
        self._ended = False  # whether no further request is answered
        self._rest: int | None = None  # how many bytes of a refused body are still to come
        self._linger: asyncio.TimerHandle | None = None
        self._ahead = False  # whether the next request was sent before the answer to the one before
        self._body_bytes = 0
        self._counted_bytes = 0

    # --- What the transport calls ------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self._transport = cast(asyncio.Transport, transport)
        peer = transport.get_extra_info("peername")
        self._remote = str(peer[0]) if peer else ""
        self._port = int(peer[1]) if isinstance(peer, tuple) else 0
        self._scheme = "http" if transport.get_extra_info("sslcontext") is None else "https"
        self._pool.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """End. A delayed answer is given up."""
        self._ended = True
        for pending in (self._waiting, self._turn, self._linger):
            if pending is not None:
                pending.cancel()
        self._waiting = self._turn = self._linger = None
        request, self._request = self._request, None
        if request is not None:
            request.handler.connection_lost(exc)
        self._forget()
        self._pool.remove(self)

    def data_received(self, data: bytes) -> None:
        """Answer the requests that are whole now, unless something must be sent before."""
        if self._ended:
            self._drop(len(data))
        elif self._unread or self._is_blocked():
            self._unread += data
            if self._is_blocked() or len(self._unread) < self._wanted:
                self._settle()
            else:
                self._go_on()
        else:
            self._take(bytes(data))  # from some loops it is a bytearray

    def eof_received(self) -> bool:
        """The peer sends no more: whether the connection stays open for answers. A delayed one is given up, since a peer
        that has gone altogether looks the same.
        """
        self._is_eof = True
        # TLS has no half of a connection.
        return self._is_blocked() and not self._is_delayed and not self._ended and self._scheme == "http"

    def pause_writing(self) -> None:
        """Answer nothing more until the peer has read."""
        self._is_stuffed = True
        if self._request is not None:
            self._request.handler.pause_writing()
        self._transport.pause_reading()

    def resume_writing(self) -> None:
        """Go on, since the peer has read."""
        self._is_stuffed = False
        if self._request is not None and self._request.handler.writing_paused:
            self._request.handler.resume_writing()
        self._ahead = self._ahead or bool(self._unread)
        self._go_on()

    # --- What the pool asks ------------------------------------------------------------------------------------------

    @property
    def is_idle(self) -> bool:
        """Whether it is between two requests."""
        return not (self._request or self._unread or self._is_blocked() or self._ended)

    @property
    def is_incomplete(self) -> bool:
        """Whether it waits for the rest of a request."""
        return not (self._is_blocked() or self._ended or self.is_idle or (self._request and self._request.is_upgraded))

    @property
    def buffered_bytes(self) -> int:
        """How many bytes of incomplete requests it keeps."""
        return self._counted_bytes

    def finish(self) -> None:
        """Close it unless a request is in flight; then close it behind the answer."""
        has_head = self._wanted or (self._request is not None and self._request.has_head)
        if not has_head and not self._is_blocked():
            self._close()

    def abort(self) -> None:
        """Close it at once."""
        self._ended = True
        self._forget()
        self._transport.abort()

    # --- What a handler's request asks -------------------------------------------------------------------------------

    @property
    def port(self) -> int:
        """The number that tells this client's connections apart; 0 for a request that was sent ahead of an answer."""
        return 0 if self._ahead else self._port

    def count_body(self, count: int) -> None:
        """So many bytes of the present request's body are kept elsewhere."""
        self._body_bytes = count
        self._count()

    async def open_during(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of what an answer waits for. A peer that sends no more gives it up."""
        self._is_delayed = True
        try:
            if self._is_eof:
                self.abort()
            return await work
        finally:
            self._is_delayed = False

    def on_answer(self, handler: Handler, response: web.StreamResponse) -> None:
        """The handler has sent an answer, or failed to."""
        request = self._request
        if request is None or request.handler is not handler:
            return
        self._request = None
        request.end()
        self.count_body(0)
        if self._transport.is_closing():
            return
        if request.is_upgraded:
            self._close()
        elif not request.is_whole:
            self._end_soon(request.due)
        elif response.keep_alive:
            self._ahead = bool(self._unread)
            self._go_on()
        else:
            self._close()

    def on_upgrade(self) -> None:
        """The handler speaks another protocol from now on: it gets all that comes."""
        assert self._request is not None
        self._request.is_upgraded = True
        self._go_on()

    def on_drained(self) -> None:
        """The handler can take more of the body."""
        self._go_on()

    # --- Requests ----------------------------------------------------------------------------------------------------

    def _is_blocked(self) -> bool:
        """Whether nothing may be parsed now."""
        waits = self._is_stuffed or self._is_delayed or self._waiting is not None or self._turn is not None
        return waits or (self._request is not None and self._request.is_blocked)

    def _go_on(self) -> None:
        if self._unread and not (self._is_blocked() or self._ended):
            data, self._unread = bytes(self._unread), bytearray()
            self._take(data)
        else:
            self._settle()

    def _next_turn(self) -> None:
        self._turn = None
        self._go_on()

    def _take(self, data: bytes) -> None:
        """Parse and answer as much of `data` (not empty) as may be; the rest stays unread. To be called unblocked."""
        at, size = 0, len(data)
        self._wanted = turns = 0
        while True:
            begun = at
            end = self._answer_plain(data, at) if self._request is None and self._has_plain_lane else 0
            if not self._wanted:
                at = end or self._feed(data, at)
            if at == size or self._ended or self._wanted or self._is_blocked():
                break
            turns += 1 if self._request is None else max(1, (at - begun) * TURN_REQUESTS // TURN_BYTES)
            if turns >= TURN_REQUESTS:
                self._turn = self._pool.loop.call_soon(self._next_turn)
                break
        if self._ended:
            self._drop(size - at)
        elif at < size:
            self._unread += memoryview(data)[at:]
        if self._ended or self._unread or self._counted_bytes or self._is_eof:
            self._settle()

    def _feed(self, data: bytes, at: int) -> int:
        """Feed a piece of a request that is not plain; where it ends."""
        if self._request is None:
            handler = self._new_handler(self)
            handler.connection_made(self._transport)
            self._request = HandedRequest(handler)
        try:
            return self._request.feed(data, at)
        except ValueError as error:
            self._refuse(error)
            return len(data)

    def _answer_plain(self, data: bytes, at: int) -> int:
        """Answer a plain request; where it ends. 0: it is not plain, or, with `_wanted` set, its body is incomplete."""
        found = plain_head(data, at)
        if found is None:
            return 0
        (method, target, headers, closes, body_bytes), begin = found
        end = begin + body_bytes
        if end > len(data):
            self._wanted = end - at
            return 0
        body, host = data[begin:end], headers["host"]
        raw = RawRequest(
            method, target.path, target.sent, target.query, headers, body, self._scheme, host, self._remote, self.port
        )
        dispatcher = self._pool.dispatcher
        answer = (dispatcher.answer_beside if dispatcher.holds_up_loop(raw, target) else dispatcher.answer)(raw, target)
        if isinstance(answer, Response):
            self._ahead = end < len(data)
            self._send(answer, method, closes=closes)
        else:
            self._is_delayed = isinstance(answer, DelayedResponse)
            self._waiting = self._pool.loop.create_task(self._wait(method, answer, closes=closes))
        return end

    async def _wait(self, method: str, answer: Answer | Awaitable[Answer], *, closes: bool) -> None:
        """Send an answer when it is there and due."""
        if isinstance(answer, Awaitable):
            answer = await answer
        if isinstance(answer, DelayedResponse):
            answer = await self.open_during(answer.due(self._transport.is_closing))
        assert isinstance(answer, Response)
        self._waiting = None
        self._ahead = bool(self._unread)
        self._send(answer, method, closes=closes)
        self._go_on()

    def _send(self, response: Response, method: str, *, closes: bool) -> None:
        if self._transport.is_closing():
            return
        if response.drop:
            self.abort()
            return
        closes = closes or self._pool.dispatcher.delays.released
        self._transport.write(encoded(response, method, "close" if closes else ""))
        if closes:
            self._close()

    # --- Ends --------------------------------------------------------------------------------------------------------

    def _refuse(self, error: ValueError) -> None:
        """Answer bytes that are not HTTP, and end."""
        request, self._request = self._request, None
        if request is not None:
            request.end()
        answer = api_error(400, f"the request cannot be read: {error}")
        self._transport.write(encoded(answer, "", "close"))
        if self._transport.can_write_eof():
            # No further answer can come: a peer that waits for the end learns of it.
            with contextlib.suppress(OSError):
                self._transport.write_eof()
        self._end_soon(None)

    def _end_soon(self, rest: int | None) -> None:
        """End when so many bytes have come, or, if their number is not known, after `LINGER_S`."""
        self._ended = True
        self._rest = rest
        self._linger = self._pool.loop.call_later(LINGER_S, self._close)
        self._drop(len(self._unread))
        self._forget()
        self._transport.resume_reading()

    def _drop(self, count: int) -> None:
        if self._rest is not None:
            self._rest -= count
            if self._rest <= 0:
                self._close()

    def _settle(self) -> None:
        """Receive more, or no more, after something has changed."""
        self._count()
        if self._ended:
            return
        if self._is_eof:
            if not self._is_blocked():
                self._close()
        elif self._is_stuffed or (self._is_blocked() and len(self._unread) > UNREAD_BYTES_MAX):
            self._transport.pause_reading()
        else:
            # Also while an answer is delayed, so that a peer that leaves is noticed.
            self._transport.resume_reading()

    def _count(self) -> None:
        count = len(self._unread) + self._body_bytes
        if count != self._counted_bytes:
            change, self._counted_bytes = count - self._counted_bytes, count
            self._pool.count_buffered(change)

    def _forget(self) -> None:
        self._unread = bytearray()
        self._body_bytes = 0
        self._count()

    def _close(self) -> None:
        """End when what was written has been sent."""
        self._ended = True
        self._rest = None
        # To close a TLS transport twice would leave it to itself until its peer answers: `abort` has no effect then.
        if not self._transport.is_closing():
            self._transport.close()
