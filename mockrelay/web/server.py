"""A server: a bound socket, the loop that answers its connections, and two ways to run it.

It runs in a thread beside its caller (`serve`), or in the caller's thread until it is asked to stop (`serve_until`).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Future
from pathlib import Path
from ssl import SSLContext
from types import TracebackType
from typing import Any, Self, TypeVar

from mockrelay.clock import monotonic_s
from mockrelay.relay import Relay
from mockrelay.web.access import is_loopback
from mockrelay.web.app import Server
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.pool import ConnectionPool

T = TypeVar("T")

logger = logging.getLogger("mockrelay")

_ANY_IPV4 = "0.0.0.0"  # noqa: S104 - compared with, never bound to
_PIECE_BYTES = 4096
BACKLOG = 1024
IDLE_LOOKS = 4
"""How often the server looks for idle worlds in the time after which a world is idle."""


class Listener:
    """A dispatcher on a bound socket, which it takes over. All is done in the loop that opens it."""

    def __init__(self, dispatcher: Dispatcher, sock: socket.socket, ssl: SSLContext | None) -> None:
        self.closed: Future[None] = Future()
        """Done once every connection has ended; may be waited for in any other thread."""
        self._dispatcher = dispatcher
        self._sock = sock
        self._ssl = ssl
        self._pool: ConnectionPool | None = None
        self._server: asyncio.Server | None = None
        self._idle_looks: asyncio.Task[None] | None = None

    def open(self) -> None:
        """Start to accept connections."""
        loop = asyncio.get_running_loop()
        self._pool = ConnectionPool(self._dispatcher, loop, self.closed)
        server = Server(self._pool, access_log=None)
        self._server = _at_once(loop.create_server(server, sock=self._sock, backlog=BACKLOG, ssl=self._ssl))
        if self._dispatcher.idle_s is not None:
            self._idle_looks = loop.create_task(self._remove_idle_worlds(self._dispatcher.idle_s / IDLE_LOOKS))

    def close(self) -> None:
        """Stop listening and end every connection."""
        if self._idle_looks is not None:
            self._idle_looks.cancel()
        if self._server is not None:
            self._server.close()
        if self._pool is not None:
            self._pool.close()

    async def _remove_idle_worlds(self, every_s: float) -> None:
        while True:
            await asyncio.sleep(every_s)
            try:
                removed = await self._dispatcher.threads.run(self._dispatcher.remove_idle_worlds)
            except Exception:
                # A fault of the server; the next look may find nothing wrong.
                logger.exception("mockrelay failed to remove idle worlds")
                continue
            for name in removed:
                sys.stderr.write(
                    f"mockrelay: nobody has asked the world {name} for long: it is removed, its report stays\n"
                )


class LoopThread:
    """A thread that runs an event loop of its own, whatever loops its callers have."""

    def __init__(self) -> None:
        """Raises what keeps the loop from running: OSError without descriptors, RuntimeError without threads."""
        started = threading.Event()
        failures: list[BaseException] = []
        self._thread = threading.Thread(target=self._main, args=(started, failures), name="mockrelay", daemon=True)
        self._loop: asyncio.AbstractEventLoop
        self._closing: asyncio.Event
        self._thread.start()
        started.wait()
        if failures:
            self._thread.join()
            raise failures[0]

    @property
    def is_current(self) -> bool:
        """Whether the caller is in this very thread, where waiting for the loop would never end."""
        return threading.current_thread() is self._thread

    def call(self, work: Callable[[], object]) -> None:
        """Have a function called in the thread's loop, from any thread; in the order in which they were given."""
        self._loop.call_soon_threadsafe(work)

    def end(self) -> None:
        """Have the loop and the thread end soon."""
        self.call(self._closing.set)

    def close(self) -> None:
        """End the loop and the thread, from another thread. Twice does no harm."""
        if self._thread.is_alive():
            self.end()
            self._thread.join()

    def _main(self, started: threading.Event, failures: list[BaseException]) -> None:
        try:
            asyncio.run(self._live(started))
        except BaseException as error:
            if started.is_set():
                raise
            failures.append(error)
            started.set()

    async def _live(self, started: threading.Event) -> None:
        self._loop = asyncio.get_running_loop()
        # The loop's own clock is one that freezegun stops, and answers that are delayed would never come.
        self._loop.time = monotonic_s  # type: ignore[method-assign]
        self._closing = asyncio.Event()
        started.set()
        await self._closing.wait()
        await _last_rounds()


class Serving:
    """A running server, until `stop` or the end of its `with` block."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        sock: socket.socket,
        thread: LoopThread | None = None,
        ssl: SSLContext | None = None,
    ) -> None:
        self.url = url_of(sock, "http" if ssl is None else "https")
        """`http://HOST:PORT` or, with TLS, `https://HOST:PORT`, without a slash at the end."""
        self.port: int = sock.getsockname()[1]
        self._lock = threading.Lock()
        self._owns_thread = thread is None
        self._thread: LoopThread | None = thread or LoopThread()
        self._listener = Listener(dispatcher, sock, ssl)
        # Not waited for: the socket is bound and the system takes connections until the loop gets to them. So a server
        # is opened at the cost of a few system calls, and also from inside the loop itself.
        self._thread.call(self._listener.open)

    def stop(self) -> None:
        """Close the port and every connection, in less than half a second. Twice does no harm.

        From inside the server's own loop it only begins to, since nobody can wait there.
        """
        thread = self._thread
        closing = self.begin_stop()
        if thread is None or closing is None:
            return
        if not thread.is_current:
            closing.result()
            if self._owns_thread:
                thread.close()
        elif self._owns_thread:
            closing.add_done_callback(lambda _: thread.end())

    def begin_stop(self) -> Future[None] | None:
        """Begin to do what `stop` does, but for a thread of its own, and give what is done when it is done; None: that
        was begun before.
        """
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is None:
            return None
        thread.call(self._listener.close)
        return self._listener.closed

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def serve(
    relay: Relay,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    token: str | None = None,
    thread: LoopThread | None = None,
    ssl: SSLContext | None = None,
    allow_files: Path | None = None,
) -> Serving:
    """Start a server in a thread of its own, to be used as a context: inside, its `url` answers.

    It listens when this returns. Port 0 takes a free port. `thread` is one to share with other servers, which it
    outlives. `ssl` is the context of a server with TLS; `allow_files` is the
    folder of the scenario files that the control API may read. Raises ValueError for a host beyond loopback without a token, OSError where the address cannot be had.
    """
    dispatcher, sock = Dispatcher(relay, token, allow_files=allow_files), bind(host, port, token)
    try:
        return Serving(dispatcher, sock, thread, ssl)
    except BaseException:
        sock.close()
        raise


def serve_until(
    dispatcher: Dispatcher,
    sock: socket.socket,
    *,
    listening: Callable[[], None],
    when_asked: Callable[[Callable[[], None]], None],
    ssl: SSLContext | None = None,
) -> None:
    """Serve in this thread, until it is asked to stop or the control call `shutdown` comes. `listening` is called once
    connections are accepted; `when_asked` is given what ends it, which may be called from a signal handler or another
    thread.
    """

    def when_asked_or_called(stop: Callable[[], None]) -> None:
        dispatcher.when_shut_down(stop)
        when_asked(stop)

    asyncio.run(_serve_until(Listener(dispatcher, sock, ssl), listening, when_asked_or_called))


async def _serve_until(
    listener: Listener, listening: Callable[[], None], when_asked: Callable[[Callable[[], None]], None]
) -> None:
    loop = asyncio.get_running_loop()
    asked = asyncio.Event()
    with _woken_by_signals(loop):
        when_asked(lambda: _wake(loop, asked))
        listener.open()
        try:
            listening()
            await asked.wait()
        finally:
            listener.close()
            await asyncio.wrap_future(listener.closed)
            await _last_rounds()


@contextlib.contextmanager
def _woken_by_signals(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Have every signal wake the loop, so that its handler is called soon.

    A handler is called when the main thread next runs Python code. If the signal comes just before the loop waits, or to
    another thread, that would be at the next request, which may never come. On Windows asyncio does this itself.
    """
    if sys.platform == "win32" or threading.current_thread() is not threading.main_thread():
        yield
        return
    woken, wakes = socket.socketpair()
    with woken, wakes:
        woken.setblocking(False)
        wakes.setblocking(False)
        loop.add_reader(woken, woken.recv, _PIECE_BYTES)
        before = signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(before)
            loop.remove_reader(woken)


async def _last_rounds() -> None:
    """Have what was just accepted or closed report its end, which would outlive the loop otherwise."""
    for _ in range(3):
        await asyncio.sleep(0)


def _wake(loop: asyncio.AbstractEventLoop, asked: asyncio.Event) -> None:
    # The loop of a server that has stopped already is closed: then there is nothing left to wake.
    if not loop.is_closed():
        loop.call_soon_threadsafe(asked.set)


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


def url_of(sock: socket.socket, scheme: str = "http") -> str:
    """The address under which a bound socket is reached from this machine."""
    host, port = sock.getsockname()[:2]
    local = {_ANY_IPV4: "127.0.0.1", "::": "::1"}.get(host, host)
    return f"{scheme}://[{local}]:{port}" if ":" in local else f"{scheme}://{local}:{port}"
