"""Work beside the loop. Its threads end with the process and hold up no stop, as those of asyncio's own pool would."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from mockrelay.relay import Relay

T = TypeVar("T")

THREADS_MAX = 32
"""How many run at a time; what comes then waits for its turn."""
LOOK_EVERY_S = 0.01
"""How often a relay is looked at that another thread is at work on."""


async def until_free(relay: Relay) -> None:
    """Return when no other thread is at work on a relay: a call to it would hold up the loop."""
    while relay.is_busy:  # noqa: ASYNC110 - the lock of threads tells nobody that it is free
        await asyncio.sleep(LOOK_EVERY_S)


class Threads:
    """The threads of one server. Belongs to its loop."""

    __slots__ = ("_free",)

    def __init__(self) -> None:
        self._free = asyncio.Semaphore(THREADS_MAX)

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

        def main() -> None:
            result, failure = None, None
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 - raised again where the result is waited for
                failure = error
            # A server that has stopped meanwhile has closed its loop.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(finish, result, failure)

        async with self._free:
            threading.Thread(target=main, name="mockrelay call", daemon=True).start()
            return await done
