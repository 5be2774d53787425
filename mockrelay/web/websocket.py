"""WebSockets on aiohttp's implementation: what the relayer sends goes out in order, what the client sends goes in.

A relayer may send from any thread, under its lock, so sending is only putting into a queue (`SocketSender.put`). The loop is
woken once for all the queues that a change of the relayer has filled.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import struct
import sys
from collections import deque
from functools import partial
from socket import SO_LINGER, SOL_SOCKET
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from mockrelay.relay import REQUEST_ID_HEADER, Relay
from mockrelay.relay.sessions import Out, SocketEvent
from mockrelay.spec.sockets import Ending
from mockrelay.web.hosted import HostedRelay
from mockrelay.web.threads import until_free
from mockrelay.wire.http import Response

logger = logging.getLogger("mockrelay")

MESSAGE_BYTES_MAX = 64 << 10
"""The longest message of a client."""
QUEUED_MAX = 10_000
QUEUED_BYTES_MAX = 8 << 20
"""How much waits for a client that does not read, beside what the system keeps; then it is cut off."""
LOOK_EVERY_S = 0.1
"""How often, while sockets are open and the clock runs, the loop looks for what has become due."""
CLOSE_WITHIN_S = 2.0
"""How long a connection that ends may take to send what is queued and to get the client's close message."""
WRITE_BYTES = 64 << 10
"""About how much is written at a time."""
_CLOSE_HEAD = b"\x88\x02"
"""What is before the code of a close message."""
_CLOSES_AT_ONCE = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
"""The value of SO_LINGER with which a close sends a reset."""


class SocketHub:
    """The WebSockets of one server. All but `wake` is done in its loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._senders: set[SocketSender] = set()
        self._filled: deque[SocketSender] = deque()
        self._is_woken = False
        self._clocks: dict[int, asyncio.Task[None]] = {}
        self._frames: dict[str, bytes] = {}
        """The frames of texts that many sessions send now."""

    def wake(self, sender: SocketSender) -> None:
        """Have a sender send what is in its queue, soon. From any thread."""
        self._filled.append(sender)
        if not self._is_woken and self._loop is not None:
            self._is_woken = True
            # The loop may have been closed just now.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._wake_all)

    def frame(self, text: str) -> bytes:
        """The frame of a text message (RFC 6455, 5.2)."""
        frame = self._frames.get(text)
        if frame is None:
            data = text.encode()
            size = len(data)
            length = (
                bytes([size])
                if size < 126
                else b"\x7e" + size.to_bytes(2, "big")
                if size < 1 << 16
                else b"\x7f" + size.to_bytes(8, "big")
            )
            frame = self._frames[text] = b"\x81" + length + data
        return frame

    def close(self) -> None:
        """Close all connections, since the server stops."""
        for sender in self._senders:
            sender.put(Out(sender.session, None, Ending.CLEAN, WSCloseCode.GOING_AWAY))
        for clock in self._clocks.values():
            clock.cancel()

    async def run(self, request: web.BaseRequest, world: HostedRelay, response: Response) -> web.StreamResponse:
        """Carry a session from its handshake, which the relayer has accepted with `response`, to its end."""
        self._loop = asyncio.get_running_loop()
        relay = world.relay
        session = dict(response.headers)[REQUEST_ID_HEADER]
        socket = _Answer(
            timeout=CLOSE_WITHIN_S,
            autoclose=False,
            autoping=False,
            compress=False,
            # aiohttp refuses a message of this size.
            max_msg_size=MESSAGE_BYTES_MAX + 1,
        )
        socket.headers.update(header for header in response.headers if header[0] != "Content-Type")
        sender = SocketSender(self, world, session, request, socket)
        code: int | None = None
        try:
            await socket.prepare(request)
            self._senders.add(sender)
            if not await world.line.call(relay, partial(relay.connect_socket, session, sender.put)):
                # It has ended since the relayer accepted it.
                sender.put(Out(session, None, Ending.CLEAN))
            self._watch_clock(relay)
            code = await self._receive(sender, world, socket)
        except ConnectionError:
            # The client has left.
            return socket
        except Exception:
            if not socket.prepared:
                raise
            logger.exception("mockrelay failed on the WebSocket %s", session)
            code = WSCloseCode.INTERNAL_ERROR
        finally:
            self._senders.discard(sender)
            sender.end()
            await world.line.call(relay, partial(relay.socket_event, session, SocketEvent.CLOSED))
        if code is None:
            sender.hang_up()
        else:
            sender.abort_later()
            await socket.close(code=code)
        return socket

    async def _receive(self, sender: SocketSender, world: HostedRelay, socket: web.WebSocketResponse) -> int | None:
        """Pass on the client's messages until the connection is to be closed; the code of the close message that is still to
        be sent.
        """
        while True:
            # Many messages may have come in one packet, and a receive that finds one lets nobody else have a turn.
            await asyncio.sleep(0)
            message = await socket.receive()
            if sender.is_silent:
                # Nothing is read any more: the system stops the client in the end. The end of the connection cancels this.
                await asyncio.Event().wait()
            if message.type is WSMsgType.TEXT:
                await world.line.call(world.relay, partial(sender.pass_on, message.data))
            elif message.type is WSMsgType.PING:
                if not sender.is_closing:
                    await socket.pong(message.data)
            elif message.type is WSMsgType.CLOSE:
                return None if sender.is_closing else message.data or WSCloseCode.OK
            elif message.type is not WSMsgType.PONG:
                return WSCloseCode.UNSUPPORTED_DATA

    def _wake_all(self) -> None:
        self._is_woken = False
        while self._filled:
            sender = self._filled.popleft()
            try:
                sender.wake()
            except Exception:
                logger.exception("mockrelay failed on the WebSocket %s", sender.session)
        self._frames.clear()

    def _watch_clock(self, relay: Relay) -> None:
        assert self._loop is not None
        if id(relay) not in self._clocks:
            task = self._clocks[id(relay)] = self._loop.create_task(_run_clock(relay))
            task.add_done_callback(lambda _: self._clocks.pop(id(relay), None))


class SocketSender:
    """Sends what a session sends."""

    def __init__(
        self, hub: SocketHub, world: HostedRelay, session: str, request: web.BaseRequest, socket: web.WebSocketResponse
    ) -> None:
        self.session = session
        self.is_silent = False
        """Whether nothing is sent and nothing is read any more."""
        self.is_closing = False
        """Whether the close message has been sent."""
        self._hub = hub
        self._relay = world.relay
        self._line = world.line
        self._request = request
        self._socket = socket
        self._queue: deque[Out] = deque()
        # Two counts, since one thread adds to the queue while another takes from it.
        self._put_bytes = 0
        self._sent_bytes = 0
        self._is_awake = False
        self._is_slow = False
        self._is_ending = False
        self._end: asyncio.TimerHandle | None = None
        self._draining: asyncio.Task[None] | None = None
        """Waits until the client has read; None: nobody waits."""

    def put(self, out: Out) -> None:
        """Have something sent, in order. From any thread, under the relayer's lock; nothing waits."""
        if self._is_slow:
            return
        self._queue.append(out)
        self._put_bytes += len(out.text or "")
        self._is_slow = len(self._queue) > QUEUED_MAX or self._put_bytes - self._sent_bytes > QUEUED_BYTES_MAX
        self._is_ending = self._is_ending or out.ending in (Ending.CLEAN, Ending.RESET, Ending.SLOW)
        if not self._is_awake or self._is_slow or self._is_ending:
            self._is_awake = True
            self._hub.wake(self)

    def pass_on(self, text: str) -> None:
        """Give the relayer a message of the client, unless the session ends."""
        if not self.is_closing:
            self._relay.socket_event(self.session, SocketEvent.MESSAGE, text=text)

    def wake(self) -> None:
        """Send what has been put."""
        if self._is_slow:
            self._cut_off()
            return
        if self._is_ending:
            self.abort_later()
        if self._draining is None:
            self._send_queue()

    def end(self) -> None:
        """Send nothing more."""
        self._queue.clear()
        if self._draining is not None:
            self._draining.cancel()

    def _send_queue(self) -> None:
        """Send what is queued, as long as the client reads."""
        # Before the queue is looked at, so that what is put later wakes this again.
        self._is_awake = False
        transport = self._request.transport
        while self._queue and transport is not None and not transport.is_closing():
            if self._request.protocol.writing_paused:
                self._is_awake = True
                self._draining = asyncio.get_running_loop().create_task(self._drain())
                return
            frames: list[bytes] = []
            size = 0
            while self._queue and self._queue[0].text is not None and size < WRITE_BYTES:
                text = self._queue.popleft().text or ""
                self._sent_bytes += len(text)
                frames.append(self._hub.frame(text))
                size += len(frames[-1])
            if frames:
                transport.write(b"".join(frames))
            else:
                self._end_as(self._queue.popleft(), transport)

    async def _drain(self) -> None:
        """Go on when the client has read."""
        with contextlib.suppress(ConnectionError):
            await self._request.writer.drain()
        self._draining = None
        self._hub.wake(self)

    def _end_as(self, out: Out, transport: asyncio.WriteTransport) -> None:
        if out.ending is Ending.SILENT:
            self.is_silent = True
        elif out.ending is Ending.RESET:
            self._abort(resets=True)
        elif not self.is_closing:
            self.is_closing = True
            code = out.code or WSCloseCode.GOING_AWAY
            transport.write(_CLOSE_HEAD + code.to_bytes(2, "big"))

    def abort_later(self) -> None:
        """Break the connection off where it takes too long to end."""
        if self._end is None:
            self._end = asyncio.get_running_loop().call_later(CLOSE_WITHIN_S, self._abort)

    def hang_up(self) -> None:
        """Close the connection, since both sides have sent a close message."""
        transport = self._request.transport
        if transport is not None:
            transport.close()

    def _cut_off(self) -> None:
        waiting, self._queue = len(self._queue), deque()
        detail = f"{waiting} messages waited, and the client did not read"
        note = partial(self._relay.socket_event, self.session, SocketEvent.NOT_READ, text=detail)
        self._line.call(self._relay, note)
        self._abort()

    def _abort(self, *, resets: bool = False) -> None:
        transport = self._request.transport
        if transport is None:
            return
        if resets:
            # Else the client would see an orderly end of the stream.
            sock = transport.get_extra_info("socket")
            with contextlib.suppress(OSError, AttributeError):
                sock.setsockopt(SOL_SOCKET, SO_LINGER, _CLOSES_AT_ONCE)
        transport.abort()


class _Answer(web.WebSocketResponse):
    """An answer with the headers of other answers: without a `Date` that is not the relayer's, and without the server's name."""

    async def _prepare_headers(self) -> None:
        date = self.headers.get("Date")
        await super()._prepare_headers()
        del self.headers["Server"]
        if date is None:
            del self.headers["Date"]


async def _run_clock(relay: Relay) -> None:
    """Have what is due happen while the relayer has open sockets and its clock runs: no call may come that would do it."""
    clock: Any = relay.clock
    while relay.sessions.opened:
        left_ms: int | None = None
        await until_free(relay)
        if clock.rate and (due_ms := relay.sockets_due_ms()) is not None:
            left_ms = clock.real_ms_until(due_ms)
            if left_ms == 0:
                try:
                    relay.socket_event("", SocketEvent.DUE)
                except Exception:
                    # The next look may succeed, and meanwhile the others are to be served.
                    logger.exception("mockrelay failed on what is due")
                    left_ms = None
        await asyncio.sleep(LOOK_EVERY_S if left_ms is None else min(left_ms / 1000, LOOK_EVERY_S))
