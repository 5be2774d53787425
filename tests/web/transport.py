"""A transport without a socket, and a connection on one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from mockrelay.relay import Relay
from mockrelay.web.app import Server
from mockrelay.web.connection import Connection
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.pool import ConnectionPool

ROUNDS_MAX = 10_000


class RecordingTransport(asyncio.Transport):
    """Records what is written and whether it receives; to write once it is closed is a failure."""

    def __init__(self) -> None:
        super().__init__({"peername": ("127.0.0.1", 1)})
        self.written: list[bytes] = []
        self._receives = True
        self._closed = False

    def write(self, data: bytes | bytearray | memoryview[Any]) -> None:
        assert not self._closed
        self.written.append(bytes(data))

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        assert not self._closed

    def pause_reading(self) -> None:
        self._receives = False

    def resume_reading(self) -> None:
        self._receives = True

    def is_reading(self) -> bool:
        return self._receives

    def is_closing(self) -> bool:
        return self._closed

    def close(self) -> None:
        self._closed = True

    def abort(self) -> None:
        self._closed = True


class Fed(NamedTuple):
    """A connection that is fed by hand."""

    connection: Connection
    transport: RecordingTransport
    pool: ConnectionPool

    async def feed(self, data: Any) -> None:
        """Have the connection receive data, unless it is closed, and do all that there is to do."""
        if not self.transport.is_closing():
            self.connection.data_received(data)
        await self.settle()

    async def settle(self) -> None:
        """Have the loop go round until the connection can parse again, or waits for a clock."""
        for _ in range(ROUNDS_MAX):
            await asyncio.sleep(0)
            if self.transport.is_closing() or not self.connection._is_blocked() or self.connection._is_delayed:
                break
        await asyncio.sleep(0)


@asynccontextmanager
async def fed(relay: Relay) -> AsyncIterator[Fed]:
    """A connection to a relay, which is lost at the end."""
    pool = ConnectionPool(Dispatcher(relay), asyncio.get_running_loop())
    connection, transport = Server(pool, access_log=None)(), RecordingTransport()
    connection.connection_made(transport)
    yield Fed(connection, transport, pool)
    connection.connection_lost(None)
    for _ in range(10):
        await asyncio.sleep(0)
    pool.close()
    assert pool.closed.done()
    assert pool._buffered_bytes == 0
