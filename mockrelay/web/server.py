"""The listening side: aiohttp's protocol around a `Front`, opened and closed inside a running loop."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import Any

from aiohttp import web

from mockrelay.web.errors import api_error
from mockrelay.web.front import Front
from mockrelay.web.guard import is_loopback
from mockrelay.web.holding import Holding
from mockrelay.web.reply import Reply

_ANY_IPV4 = "0.0.0.0"  # noqa: S104 - compared with, never bound to
GRACE_S = 0.1
"""How long a request in flight may go on when its server stops."""
BACKLOG = 1024
LINGER_S = 2.0
"""How long the rest of a refused body is read and dropped, so that its sender gets to see the answer."""


class ApiProtocol(web.RequestHandler):
    """aiohttp's protocol, which answers in the API's shape also where no request could be made of the bytes."""

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """Answer for a request that never reached the handler: broken HTTP is the client's error, never logged."""
        reason = (message or str(exc) or "").partition("\n")[0]
        reply = Reply(api_error(status, f"the request cannot be read: {reason}"), request)
        reply.force_close()
        return reply

    def log_exception(self, *args: Any, **kw: Any) -> None:
        """Leave out what a client did: a body that cannot be read is met again when its rest is to be dropped."""
        if not isinstance(kw.get("exc_info"), web.RequestPayloadError | ConnectionError):
            super().log_exception(*args, **kw)


class Listener:
    """A front on an open socket of the running loop; made by `open`."""

    def __init__(self, holding: Holding, server: web.Server, accepting: asyncio.Server) -> None:
        self._holding = holding
        self._server = server
        self._accepting: asyncio.Server | None = accepting

    @classmethod
    async def open(cls, front: Front, sock: socket.socket) -> Listener:
        """Start to accept connections. The listener takes the socket over."""

        async def handle(request: web.BaseRequest) -> web.StreamResponse:
            reply = Reply(await front.answer(request), request)
            if holding.released:
                reply.force_close()
            return reply

        holding = front.holding
        loop = asyncio.get_running_loop()
        # A client that leaves takes its request along, also one whose answer waits for the clock.
        server = web.Server(handle, handler_cancellation=True)
        options: dict[str, Any] = {"loop": loop, "access_log": None, "lingering_time": LINGER_S}
        accepting = await loop.create_server(lambda: ApiProtocol(server, **options), sock=sock, backlog=BACKLOG)
        return cls(holding, server, accepting)

    async def close(self) -> None:
        """Stop listening and end every connection: idle ones at once, those in a request after `GRACE_S`.

        An answer that waits for the clock is sent now; its connection closes behind it.
        """
        if self._accepting is None:
            return
        self._accepting.close()
        self._accepting = None
        # What has been accepted may start before anything is closed.
        await asyncio.sleep(0)
        transports = [protocol.transport for protocol in self._server.connections]
        self._server.pre_shutdown()
        self._holding.release()
        # Most tests end with no connection left, and each round of the loop costs as much as a call.
        if not transports:
            return
        await self._server.shutdown(GRACE_S)
        for transport in transports:
            # Already closed, but for an answer that its peer does not read.
            if transport is not None:
                transport.abort()
        # Transports report their end in the loop's next rounds; without them they would outlive it.
        for _ in range(2):
            await asyncio.sleep(0)


def bind(host: str, port: int, token: str | None = None) -> socket.socket:
    """A bound socket; port 0 takes a free one, and nobody else can get it before the server listens.

    Raises ValueError for a host beyond loopback without a token, OSError where the address cannot be had.
    """
    if token is None and not is_loopback(host):
        raise ValueError(
            f"{host} can be reached from other machines, and the control API may do anything to this relayer: "
            "give a token, or bind to 127.0.0.1"
        )
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    sock = socket.socket(family, kind, protocol)
    with contextlib.ExitStack() as undo:
        undo.callback(sock.close)
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            # Free again at once after a stop. (On Windows the option would share the port between two servers.)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(BACKLOG)
        undo.pop_all()
    return sock


def url_of(sock: socket.socket) -> str:
    """The address under which a bound socket is reached from this machine."""
    host, port = sock.getsockname()[:2]
    local = {_ANY_IPV4: "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{local}]:{port}" if ":" in local else f"http://{local}:{port}"
