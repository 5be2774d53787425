"""Work beside the loop. Its threads end with the process and hold up no stop, as those of asyncio's own pool would."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from mockrelay.relay import Relay

T = TypeVar("T")

THREADS_MAX = 32
"""How many run at a time; what comes then waits for its turn."""
IDLE_S = 1.0
"""How long a thread without work waits for more before it ends."""
LOOK_EVERY_S = 0.01
"""How often a relay is looked at that another thread is at work on."""


async def until_free(relay: Relay) -> None:
    """Return when no other thread is at work on a relay: a call to it would hold up the loop."""
    while relay.is_busy:  # noqa: ASYNC110 - the lock of threads tells nobody that it is free
        await asyncio.sleep(LOOK_EVERY_S)


async def _when_free(relay: Relay, work: Callable[[], T]) -> T:
    await until_free(relay)
    return work()


class Line:
    """What waits for its turn at a relay, in the order in which it came: calls that threads answer, and what follows them.
    Belongs to the loop. It may be there before its relay is.
    """

    __slots__ = ("__weakref__", "last")

    def __init__(self) -> None:
        self.last: asyncio.Task[Any] | None = None
        """What came last; None: nothing waits."""

    def add(self, work: Callable[[], Coroutine[Any, Any, T]]) -> asyncio.Future[T]:
        """The result of work that begins when all before it is done. It is done even where this is cancelled."""
        task = self.last = asyncio.get_running_loop().create_task(self._after(self.last, work))
        task.add_done_callback(self._end)
        return asyncio.shield(task)

    def call(self, relay: Relay, work: Callable[[], T]) -> asyncio.Future[T]:
        """The result of a function that is called in the loop: at once, or when all before it is done and no other thread is
        at work on the relay.
        """
        if self.last is not None or relay.is_busy:
            return self.add(partial(_when_free, relay, work))
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        done.set_result(work())
        return done

    def _end(self, task: asyncio.Task[Any]) -> None:
        if self.last is task:
            self.last = None

    async def _after(self, before: asyncio.Task[Any] | None, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        if before is not None:
            await asyncio.wait((before,))
        return await work()


class Threads:
    """The threads of one server. Belongs to its loop."""

    __slots__ = ("_free", "_idle", "_is_closed")

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(THREADS_MAX)
        self._idle: list[_Worker] = []
        """Those that wait for work for a while: to start a thread takes longer than most calls."""
        self._is_closed = False

    async def run(self, work: Callable[[], T]) -> T:
        """The result of a function, which is called in a thread. It goes on where this is cancelled."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def finish(result: T | None, error: BaseException | None) -> None:
            if not done.done():
                if error is None:
                    done.set_result(result)  # type: ignore[arg-type]
                else:
                    done.set_exception(error)

        def main() -> Callable[[], object]:
            result, failure = None, None
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 - raised again where the result is waited for
                failure = error
            return partial(loop.call_soon_threadsafe, finish, result, failure)

        async with self._free:
            worker = self._take_idle()
            if worker is None:
                worker = _Worker(self)
                worker.start()
            worker.inbox.put(main)
            return await done

    def close(self) -> None:
        """End the threads that have nothing to do; the others end with their work."""
        self._is_closed = True
        while (worker := self._take_idle()) is not None:
            worker.inbox.put(None)
            worker.join()

    def keep(self, worker: _Worker) -> bool:
        """Have a worker that is done wait for more; False: it is to end. In the worker's thread."""
        if self._is_closed:
            return False
        self._idle.append(worker)
        return True

    def give_up(self, worker: _Worker) -> bool:
        """End a worker that nothing came for; False: something is about to come. In the worker's thread."""
        try:
            self._idle.remove(worker)
        except ValueError:
            return False
        return True

    def _take_idle(self) -> _Worker | None:
        # One that is there may give up at any moment.
        with suppress(IndexError):
            return self._idle.pop()
        return None


class _Worker(threading.Thread):
    """Does what comes in its inbox, and reports what it was; None ends it."""

    def __init__(self, threads: Threads) -> None:
        super().__init__(name="mockrelay call", daemon=True)
        self.inbox: SimpleQueue[Callable[[], Callable[[], object]] | None] = SimpleQueue()
        self._threads = threads

    def run(self) -> None:
        """Work until nothing has come for `IDLE_S`."""
        is_kept = True
        while is_kept:
            try:
                work = self.inbox.get(timeout=IDLE_S)
            except Empty:
                is_kept = not self._threads.give_up(self)
                continue
            if work is None:
                return
            report = work()
            # Before the loop is told, since it may have more work at once.
            is_kept = self._threads.keep(self)
            # A server that has stopped meanwhile has closed its loop.
            with suppress(RuntimeError):
                report()
