"""The open connections of one server: how many there may be, how much they may buffer, and their end."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from typing import Protocol

from mockrelay.web.dispatch import Dispatcher

GRACE_S = 0.1
"""How long a request in flight may go on when its server stops."""
CONNECTIONS_MAX = 10_000
"""How many connections may be open; half as many as this process may have files open, if that is fewer."""
BUFFERED_BYTES_MAX = 512 << 20
"""How many bytes of incomplete requests are kept, on all connections together."""


class PooledConnection(Protocol):
    """A connection as its pool uses it."""

    @property
    def is_idle(self) -> bool:
        """Whether it is between two requests."""

    @property
    def is_incomplete(self) -> bool:
        """Whether it waits for the rest of a request."""

    @property
    def buffered_bytes(self) -> int:
        """How many bytes of incomplete requests it keeps."""

    def finish(self) -> None:
        """Close it unless a request is in flight; then close it behind the answer."""

    def abort(self) -> None:
        """Close it at once."""


class ConnectionPool:
    """The connections of one server. All is done in the server's loop."""

    def __init__(
        self, dispatcher: Dispatcher, loop: asyncio.AbstractEventLoop, closed: Future[None] | None = None
    ) -> None:
        self.dispatcher = dispatcher
        self.loop = loop
        self.closed: Future[None] = closed or Future()
        """Done once the pool was closed and every connection has ended; may be waited for in any other thread."""
        # In the order in which they were accepted.
        self._connections: dict[PooledConnection, None] = {}
        self._connections_max = _connections_max()
        self._buffered_bytes = 0
        self._closing = False

    def add(self, connection: PooledConnection) -> None:
        """Add a new connection, which may have been accepted just before the end."""
        self._connections[connection] = None
        if self._closing:
            connection.abort()
        elif len(self._connections) > self._connections_max:
            self._make_room()

    def remove(self, connection: PooledConnection) -> None:
        """Remove a connection that has ended."""
        self._connections.pop(connection, None)
        if self._closing and not self._connections and not self.closed.done():
            self.closed.set_result(None)

    def count_buffered(self, change: int) -> None:
        """So many bytes more, or fewer, are buffered. Above the limit the oldest connection that buffers is aborted."""
        self._buffered_bytes += change
        if self._buffered_bytes > BUFFERED_BYTES_MAX:
            next(connection for connection in self._connections if connection.buffered_bytes).abort()

    def close(self) -> None:
        """End every connection: idle ones at once, those with a request in flight after `GRACE_S`.

        A delayed answer is sent now; its connection closes behind it.
        """
        if self._closing:
            return
        self._closing = True
        self.dispatcher.delays.release()
        self.dispatcher.sockets.close()
        self.dispatcher.threads.close()
        for connection in tuple(self._connections):
            connection.finish()
        if self._connections:
            self.loop.call_later(GRACE_S, self._abort)
        else:
            self.closed.set_result(None)

    def _make_room(self) -> None:
        """End the oldest idle connection; if there is none, the oldest with half a request; else the new one."""
        connections = tuple(self._connections)
        for connection in connections:
            if connection.is_idle and connection is not connections[-1]:
                connection.finish()
                return
        next((connection for connection in connections if connection.is_incomplete), connections[-1]).abort()

    def _abort(self) -> None:
        for connection in tuple(self._connections):
            connection.abort()


def _connections_max() -> int:
    """How many connections a server may have, so that some files of the process stay free."""
    try:
        import resource  # noqa: PLC0415 - Windows has none
    except ImportError:
        return CONNECTIONS_MAX
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return CONNECTIONS_MAX if files == resource.RLIM_INFINITY else min(CONNECTIONS_MAX, max(files // 2, 1))
