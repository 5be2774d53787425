"""Two ways to run a server: in a thread of its own beside the caller, or in the foreground until told to stop."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

from mockrelay.web.front import Behind, Front
from mockrelay.web.server import Listener, bind, url_of

T = TypeVar("T")


class LoopThread:
    """A thread that runs an event loop of its own, whatever loops its callers have."""

    def __init__(self) -> None:
        started = threading.Event()
        self._thread = threading.Thread(target=self._main, args=(started,), name="mockrelay", daemon=True)
        self._loop: asyncio.AbstractEventLoop
        self._closing: asyncio.Event
        self._thread.start()
        started.wait()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end in the thread's loop; its exception is raised here."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        """End the loop and the thread. Twice does no harm."""
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._closing.set)
            self._thread.join()

    def _main(self, started: threading.Event) -> None:
        asyncio.run(self._live(started))

    async def _live(self, started: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        self._closing = asyncio.Event()
        started.set()
        await self._closing.wait()


class Serving:
    """A running server, until `stop` or the end of its `with` block."""

    def __init__(self, front: Front, sock: socket.socket) -> None:
        self.url = url_of(sock)
        """`http://HOST:PORT`, without a slash at the end."""
        self.port: int = sock.getsockname()[1]
        self._lock = threading.Lock()
        self._thread: LoopThread | None = LoopThread()
        self._listener = self._thread.run(Listener.open(front, sock))

    def stop(self) -> None:
        """Close the port and every connection, in less than half a second. Twice does no harm."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            thread.run(self._listener.close())
            thread.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def serve(relay: Behind, host: str = "127.0.0.1", port: int = 0, *, token: str | None = None) -> Serving:
    """Start a server in a thread of its own, to be used as a context: inside, its `url` answers.

    It listens when this returns. Port 0 takes a free port. Raises ValueError for a host beyond loopback without a
    token, OSError where the address cannot be had.
    """
    return Serving(Front(relay, token), bind(host, port, token))


def serve_until(
    front: Front,
    sock: socket.socket,
    *,
    listening: Callable[[], None],
    when_asked: Callable[[Callable[[], None]], None],
) -> None:
    """Serve in this thread. `listening` is called once connections are accepted; `when_asked` is given what ends it,
    which may be called from a signal handler or another thread.
    """
    asyncio.run(_serve_until(front, sock, listening, when_asked))


async def _serve_until(
    front: Front,
    sock: socket.socket,
    listening: Callable[[], None],
    when_asked: Callable[[Callable[[], None]], None],
) -> None:
    loop = asyncio.get_running_loop()
    asked = asyncio.Event()
    when_asked(lambda: _wake(loop, asked))
    listener = await Listener.open(front, sock)
    try:
        listening()
        await asked.wait()
    finally:
        await listener.close()


def _wake(loop: asyncio.AbstractEventLoop, asked: asyncio.Event) -> None:
    # The loop of a server that has stopped already is closed: then there is nothing left to wake.
    if not loop.is_closed():
        loop.call_soon_threadsafe(asked.set)
