"""Answers that are ready and wait for the relayer's clock."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from mockrelay.clock import Clock
from mockrelay.journal.views import CLOCK_STANDS
from mockrelay.wire.http import Response

WARN_AFTER_S = 2
"""The real time after which stderr says that an answer waits for a clock that stands still."""


class DelayQueue:
    """The delayed answers of one server or one world, which wait in the server's loop; clocks may move in any thread."""

    __slots__ = ("_moves", "_parts", "released")

    def __init__(self) -> None:
        self._moves: set[Callable[[], None]] = set()
        self._parts: list[DelayQueue] = []
        self.released = False
        """Whether the server is stopping: from then on nothing is delayed."""

    def part(self) -> DelayQueue:
        """A queue that can be released alone, and is released together with this one."""
        part = DelayQueue()
        part.released = self.released
        self._parts = [*(other for other in self._parts if not other.released), part]
        return part

    @property
    def is_waiting(self) -> bool:
        """Whether an answer waits."""
        return bool(self._moves) or any(part.is_waiting for part in self._parts)

    async def until(self, clock: Clock, at_ms: int, generation: int) -> None:
        """Return when the clock shows `at_ms`, a moment of its generation `generation`, or is restored, or on `release`."""
        with self._waiter() as (moved, notify):
            unwatch = clock.on_move(notify)
            try:
                while (
                    not self.released
                    and clock.generation == generation
                    and (left_ms := clock.real_ms_until(at_ms)) != 0
                ):
                    moved.clear()
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(None if left_ms is None else left_ms / 1000):
                            await moved.wait()
            finally:
                unwatch()

    async def until_released(self) -> None:
        """Return when every answer is let go."""
        with self._waiter() as (moved, _):
            while not self.released:
                await moved.wait()

    def release(self) -> None:
        """Let every answer go at once, and for good. From any thread."""
        self.released = True
        for notify in tuple(self._moves):
            notify()
        for part in self._parts:
            part.release()

    @contextlib.contextmanager
    def _waiter(self) -> Iterator[tuple[asyncio.Event, Callable[[], None]]]:
        """An event of the loop, and what sets it, from any thread."""
        loop = asyncio.get_running_loop()
        moved = asyncio.Event()

        def notify() -> None:
            # A thread that moves the clock may have read the list of watchers just before the loop was closed.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(moved.set)

        self._moves.add(notify)
        try:
            yield moved, notify
        finally:
            self._moves.discard(notify)


class DelayedResponse(NamedTuple):
    """An answer that is ready and waits for the clock of the relayer that gave it."""

    response: Response
    at_ms: int
    generation: int
    """The clock's generation that `at_ms` belongs to."""
    clock: Clock
    queue: DelayQueue
    describe: Callable[[], str]
    """The call and what its client has met so far."""
    leave: Callable[[], None]
    """Called where the connection is closed before the answer can be sent."""
    in_turn: Callable[[Callable[[], None]], object]
    """Calls a function that needs the relayer: in the loop, when nobody would wait there for another thread."""

    async def due(self, is_closing: Callable[[], bool]) -> Response:
        """The answer when its time has come, the clock was restored or the server stops. Where it waits for a clock that
        stands still, a line on stderr says so after a while: the client may wait for ever. `is_closing`: whether its
        connection can take no answer any more.
        """
        warning = asyncio.get_running_loop().call_later(WARN_AFTER_S, self.in_turn, self._warn)
        try:
            await self.queue.until(self.clock, self.at_ms, self.generation)
        except asyncio.CancelledError:
            self.in_turn(self.leave)
            raise
        finally:
            warning.cancel()
        if is_closing():
            self.in_turn(self.leave)
        return self.response

    def _warn(self) -> None:
        if self.clock.real_ms_until(self.at_ms) is None:
            sys.stderr.write(f"mockrelay: {self.describe()}; {CLOCK_STANDS}\n")
