"""Answers that are ready and wait for the relayer's clock."""

from __future__ import annotations

import asyncio
import contextlib

from mockrelay.clock import Clock


class Holding:
    """The answers that one server holds back. Belongs to the server's loop; the clock may be moved in any thread."""

    __slots__ = ("_moves", "_parts", "released")

    def __init__(self) -> None:
        self._moves: set[asyncio.Event] = set()
        self._parts: list[Holding] = []
        self.released = False
        """Whether the server is stopping: nothing is held back from then on."""

    def part(self) -> Holding:
        """A holding that can be released alone, and is released together with this one."""
        part = Holding()
        part.released = self.released
        self._parts = [*(other for other in self._parts if not other.released), part]
        return part

    async def until(self, clock: Clock, at_ms: int, era: int) -> None:
        """Return when the clock shows `at_ms`, which was reckoned in its era `era`, or is restored, or on `release`."""
        loop = asyncio.get_running_loop()
        moved = asyncio.Event()

        def told() -> None:
            # Whoever moves the clock may have looked us up just before our loop was closed.
            with contextlib.suppress(RuntimeError):
                loop.call_soon_threadsafe(moved.set)

        self._moves.add(moved)
        unwatch = clock.on_move(told)
        try:
            while not self.released and clock.era == era and (left_ms := clock.real_ms_until(at_ms)) != 0:
                moved.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(None if left_ms is None else left_ms / 1000):
                        await moved.wait()
        finally:
            unwatch()
            self._moves.discard(moved)

    def release(self) -> None:
        """Let every answer go at once, and for good. To be called in the loop."""
        self.released = True
        for moved in self._moves:
            moved.set()
        for part in self._parts:
            part.release()
