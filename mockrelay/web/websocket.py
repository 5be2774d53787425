"""WebSockets on aiohttp's implementation: what the relayer sends goes out in order, what the client sends goes in.

A relayer may send from any thread, under its lock, so sending is only putting into a queue (`SocketSender.put`). The loop is
woken once for all the queues that a change of the relayer has filled.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections import deque
from typing import Any

from aiohttp import WSCloseCode, WSMsgType, web

from mockrelay.relay import REQUEST_ID_HEADER, Relay
from mockrelay.relay.sessions import Out, SocketEvent
from mockrelay.spec.sockets import Ending
from mockrelay.wire.http import Response

MESSAGE_BYTES_MAX = 64 << 10
"""The longest message of a client."""
QUEUED_MAX = 10_000
QUEUED_BYTES_MAX = 8 << 20
"""How much waits for a client that does not read, beside what the system keeps; then it is cut off."""
LOOK_EVERY_S = 0.1
"""How often, while sockets are open and the clock runs, the loop looks for what has become due."""


class SocketHub:
    """The WebSockets of one server. All but `wake` is done in its loop."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._senders: set[SocketSender] = set()
        self._filled: deque[SocketSender] = deque()
        self._is_woken = False
        self._clocks: dict[int, asyncio.Task[None]] = {}

    def wake(self, sender: SocketSender) -> None:
        """Have a sender send what is in its queue, soon. From any thread."""
        self._filled.append(sender)
        if not self._is_woken and self._loop is not None:
            self._is_woken = True
            # The loop may have been closed just now.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._wake_all)

    def close(self) -> None:
        """Close all connections, since the server stops."""
        for sender in self._senders:
            sender.put(Out(sender.session, None, Ending.CLEAN, WSCloseCode.GOING_AWAY))
        for clock in self._clocks.values():
            clock.cancel()

    async def run(self, request: web.BaseRequest, relay: Relay, response: Response) -> web.StreamResponse:
        """Carry a session from its handshake, which the relayer has accepted with `response`, to its end."""
        self._loop = asyncio.get_running_loop()
        session: str = json.loads(response.body)["session"]
        socket = web.WebSocketResponse(compress=False, max_msg_size=MESSAGE_BYTES_MAX)
        socket.headers[REQUEST_ID_HEADER] = dict(response.headers)[REQUEST_ID_HEADER]
        sending: asyncio.Task[None] | None = None
        sender = SocketSender(self, relay, session, request, socket)
        try:
            await socket.prepare(request)
            self._senders.add(sender)
            relay.connect_socket(session, sender.put)
            sending = self._loop.create_task(sender.run())
            self._watch_clock(relay)
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    await socket.close(code=WSCloseCode.UNSUPPORTED_DATA, message=b"text messages only")
                    break
                relay.socket_event(session, SocketEvent.MESSAGE, relay.clock.now_ms(), message.data)
        finally:
            self._senders.discard(sender)
            if sending is not None:
                sending.cancel()
            relay.socket_event(session, SocketEvent.CLOSED, relay.clock.now_ms())
        return socket

    def _wake_all(self) -> None:
        self._is_woken = False
        while self._filled:
            self._filled.popleft().wake()

    def _watch_clock(self, relay: Relay) -> None:
        assert self._loop is not None
        if id(relay) not in self._clocks:
            task = self._clocks[id(relay)] = self._loop.create_task(_run_clock(relay))
            task.add_done_callback(lambda _: self._clocks.pop(id(relay), None))


class SocketSender:
    """Sends what a session sends."""

    def __init__(
        self, hub: SocketHub, relay: Relay, session: str, request: web.BaseRequest, socket: web.WebSocketResponse
    ) -> None:
        self.session = session
        self._hub = hub
        self._relay = relay
        self._request = request
        self._socket = socket
        self._queue: deque[Out] = deque()
        self._queued_bytes = 0
        self._is_awake = False
        self._is_slow = False
        self._filled = asyncio.Event()

    def put(self, out: Out) -> None:
        """Have something sent, in order. From any thread; nothing waits."""
        if self._is_slow:
            return
        self._queue.append(out)
        self._queued_bytes += len(out.text or "")
        if len(self._queue) > QUEUED_MAX or self._queued_bytes > QUEUED_BYTES_MAX:
            self._is_slow = True
        if not self._is_awake or self._is_slow:
            self._is_awake = True
            self._hub.wake(self)

    def wake(self) -> None:
        """Send what has been put."""
        if self._is_slow:
            self._cut_off()
        else:
            self._filled.set()

    async def run(self) -> None:
        """Send until the session ends."""
        while True:
            await self._filled.wait()
            self._filled.clear()
            self._is_awake = False
            while self._queue:
                out = self._queue.popleft()
                self._queued_bytes -= len(out.text or "")
                if out.text is not None:
                    with contextlib.suppress(ConnectionError):
                        await self._socket.send_str(out.text)
                elif out.ending in (Ending.RESET, Ending.SLOW):
                    self._abort()
                elif out.ending is Ending.CLEAN:
                    await self._socket.close(code=out.code or WSCloseCode.GOING_AWAY)

    def _cut_off(self) -> None:
        waiting, self._queue = len(self._queue), deque()
        detail = f"{waiting} messages waited, and the client did not read"
        self._relay.socket_event(self.session, SocketEvent.NOT_READ, self._relay.clock.now_ms(), detail)
        self._abort()

    def _abort(self) -> None:
        transport = self._request.transport
        if transport is not None:
            transport.abort()


async def _run_clock(relay: Relay) -> None:
    """Have what is due happen while the relayer has open sockets and its clock runs: no call may come that would do it."""
    clock: Any = relay.clock
    while relay.sessions.opened:
        left_ms: int | None = None
        if clock.rate and (due_ms := relay.sockets_due_ms()) is not None:
            left_ms = clock.real_ms_until(due_ms)
            if left_ms == 0:
                relay.socket_event("", SocketEvent.DUE, clock.now_ms())
        await asyncio.sleep(LOOK_EVERY_S if left_ms is None else min(left_ms / 1000, LOOK_EVERY_S))
