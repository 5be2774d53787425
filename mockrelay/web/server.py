"""The listening side: a bound socket whose connections a `Front` answers, opened and closed in a running loop."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from mockrelay.web.front import Front
from mockrelay.web.guard import is_loopback
from mockrelay.web.heads import Heads
from mockrelay.web.protocol import Connection

T = TypeVar("T")

_ANY_IPV4 = "0.0.0.0"  # noqa: S104 - compared with, never bound to
GRACE_S = 0.1
"""How long a request in flight may go on when its server stops."""
BACKLOG = 1024
CONNECTIONS_MAX = 10_000
"""How many connections are open at a time; half as many as this process may have files open, if that is fewer."""
GATHERED_BYTES_MAX = 512 << 20
"""How much is kept of the bodies that are not whole yet, on all connections together."""


class Listener:
    """A front on a bound socket, which it takes over. All is done in the loop that opens it."""

    loop: asyncio.AbstractEventLoop

    def __init__(self, front: Front, sock: socket.socket) -> None:
        self.front = front
        self.heads = Heads()
        self.closed: Future[None] = Future()
        """Is done once every connection has ended; may be waited for in any other thread."""
        self._sock = sock
        # In the order in which they began.
        self._connections: dict[Connection, None] = {}
        self._connections_max = _connections_max()
        self._gathered_bytes = 0
        self._accepting: asyncio.Server | None = None
        self._closing = False

    def open(self) -> None:
        """Start to accept connections."""
        self.loop = asyncio.get_running_loop()
        serving = self.loop.create_server(lambda: Connection(self), sock=self._sock, backlog=BACKLOG)
        self._accepting = _at_once(serving)

    def close(self) -> None:
        """Stop listening and end every connection: idle ones at once, those in a request after `GRACE_S`.

        An answer that waits for the clock is sent now; its connection closes behind it.
        """
        if self._closing:
            return
        self._closing = True
        if self._accepting is not None:
            self._accepting.close()
        self.front.holding.release()
        for connection in tuple(self._connections):
            connection.finish()
        if self._connections:
            self.loop.call_later(GRACE_S, self._abort)
        else:
            self.closed.set_result(None)

    def joined(self, connection: Connection) -> None:
        """A connection begins; it may have been accepted just before the end."""
        self._connections[connection] = None
        if self._closing:
            connection.abort()
        elif len(self._connections) > self._connections_max:
            self._make_room()

    def left(self, connection: Connection) -> None:
        """A connection has ended."""
        self._connections.pop(connection, None)
        if self._closing and not self._connections and not self.closed.done():
            self.closed.set_result(None)

    def gathers(self, count: int) -> None:
        """So many bytes more, or fewer, of bodies that are not whole yet are kept. The oldest body makes room."""
        self._gathered_bytes += count
        if self._gathered_bytes > GATHERED_BYTES_MAX:
            next(connection for connection in self._connections if connection.gathered_bytes).abort()

    def _make_room(self) -> None:
        """End the oldest connection that nobody uses; if there is none, the oldest that waits for its peer; else the new
        one.
        """
        connections = tuple(self._connections)
        for connection in connections:
            if connection.is_idle and connection is not connections[-1]:
                connection.finish()
                return
        next((connection for connection in connections if connection.is_half_way), connections[-1]).abort()

    def _abort(self) -> None:
        for connection in tuple(self._connections):
            connection.abort()


def _connections_max() -> int:
    """How many connections a server may have. Where all files are in use, nobody is let in any more."""
    try:
        import resource  # noqa: PLC0415 - Windows has none
    except ImportError:
        return CONNECTIONS_MAX
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS_MAX if files == resource.RLIM_INFINITY else min(CONNECTIONS_MAX, max(files // 2, 1))


def _at_once(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that waits for nothing but its turn: a task for it would take two rounds of the loop.

    That is so for serving a socket that is bound already.
    """
    try:
        while (waits_for := work.send(None)) is None:
            pass
    except StopIteration as done:
        result: T = done.value
        return result
    raise RuntimeError(f"the event loop waits for {waits_for!r} before it serves a bound socket")


def bind(host: str, port: int, token: str | None = None) -> socket.socket:
    """A bound socket; port 0 takes a free one, and nobody else can get it before the server listens.

    Raises ValueError for a host beyond loopback without a token, OSError where the address cannot be had.
    """
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    if token is None and not is_loopback(host):
        raise ValueError(
            f"{host} can be reached from other machines, and the control API may do anything to this relayer: "
            "give a token, or bind to 127.0.0.1"
        )
    sock = socket.socket(family, kind, protocol)
    with contextlib.ExitStack() as undo:
        undo.callback(sock.close)
        if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            # Free again at once after a stop. (On Windows the option would share the port between two servers.)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        # Each connection inherits it: one whose peer has vanished with its machine ends some day.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        sock.bind(address)
        sock.listen(BACKLOG)
        undo.pop_all()
    return sock


def url_of(sock: socket.socket) -> str:
    """The address under which a bound socket is reached from this machine."""
    host, port = sock.getsockname()[:2]
    local = {_ANY_IPV4: "127.0.0.1", "::": "::1"}.get(host, host)
    return f"http://[{local}]:{port}" if ":" in local else f"http://{local}:{port}"
