"""The relayer's clock, as a test moves it."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from numbers import Real
from typing import TYPE_CHECKING, TypeVar, overload

from mockrelay.client.control import Control, ControlError, hides
from mockrelay.clock import MOMENT_MAX_MS
from mockrelay.core.units import moment_text, seconds_ms

if TYPE_CHECKING:
    from asyncio import AbstractEventLoop

__tracebackhide__ = hides

T = TypeVar("T")

_MS = timedelta(milliseconds=1)


class Time:
    """The relayer's clock, which can stand still, run at a rate, and be moved forward, never back."""

    def __init__(self, control: Control) -> None:
        self._control = control
        self._wake_ups_ms: dict[AbstractEventLoop, list[int]] = {}
        """When the tasks of a loop that sleep are to go on."""

    @property
    def now_ms(self) -> int:
        """The relayer's time in milliseconds since 1970."""
        now_ms: int = self._control("GET", "clock")["now_ms"]
        return now_ms

    @property
    def now_s(self) -> int:
        """The relayer's time in whole seconds, as `validSince` and `validUntil` count it."""
        return self.now_ms // 1000

    @property
    def now(self) -> datetime:
        """The relayer's time as a datetime in UTC."""
        return datetime.fromtimestamp(0, UTC) + self.now_ms * _MS

    @property
    def rate(self) -> float:
        """Relayer seconds per real second: 0 stands still, 1 is real time."""
        return float(self._control("GET", "clock")["rate"])

    @rate.setter
    def rate(self, rate: float) -> None:
        self._control("POST", "clock", {"rate": rate})

    def time(self) -> float:
        """The relayer's time in seconds since 1970, as `time.time()` gives it."""
        return self.now_ms / 1000

    def advance(self, by: float | str | timedelta) -> None:
        """Move forward by seconds (`1.5`), a timedelta or a duration (`15s`, `1h30m`; units ms s m h d), to the nearest
        millisecond; events that are due by then happen.
        """
        self._control("POST", "clock", {"advance": f"{(by + _MS / 2) // _MS}ms" if isinstance(by, timedelta) else by})

    def sleep(self, seconds: float) -> None:
        """As `time.sleep`, on the relayer's clock: it moves forward, and nothing waits. Sleeps of several threads at the same
        time are not added up. Raises ValueError for a number below zero.
        """
        wake_up_ms = self._wake_up_ms(seconds)
        if wake_up_ms is not None:
            self._move_to(wake_up_ms)

    @overload
    async def asleep(self, seconds: float) -> None: ...

    @overload
    async def asleep(self, seconds: float, result: T) -> T: ...

    async def asleep(self, seconds: float, result: object = None) -> object:
        """As `asyncio.sleep`, on the relayer's clock: other tasks run, then it moves forward. Tasks that sleep at the same time
        go on in the order of their times. Infinite seconds are waited for in real time.
        """
        import asyncio  # noqa: PLC0415 - most tests do not sleep

        if seconds == math.inf:
            await asyncio.Event().wait()
        wake_up_ms = self._wake_up_ms(seconds) if seconds > 0 else None
        if wake_up_ms is None:
            await asyncio.sleep(0)
            return result
        loop = asyncio.get_running_loop()
        wake_ups_ms = self._wake_ups_ms.setdefault(loop, [])
        wake_ups_ms.append(wake_up_ms)
        try:
            await asyncio.sleep(0)
            while self.now_ms < wake_up_ms:
                if wake_up_ms == min(wake_ups_ms):
                    self._move_to(wake_up_ms)
                await asyncio.sleep(0)
        finally:
            wake_ups_ms.remove(wake_up_ms)
            if not wake_ups_ms:
                self._wake_ups_ms.pop(loop, None)
        return result

    def _wake_up_ms(self, seconds: float) -> int | None:
        """When a sleep that begins now ends, at least a millisecond from now; None: it takes no time."""
        now_ms = self.now_ms
        meant = "a number of seconds from 0 on, until the end of the year 9999"
        given: object = seconds
        if not isinstance(given, Real):
            raise TypeError(f"{seconds!r} is not a time to sleep; meant: {meant}")
        if not 0 <= seconds <= (MOMENT_MAX_MS - now_ms) / 1000:
            raise ValueError(f"{seconds!r} is not a time to sleep; meant: {meant}")
        return now_ms + max(seconds_ms(seconds), 1) if seconds else None

    def _move_to(self, at_ms: int) -> None:
        """Move forward to a moment, unless it has passed."""
        try:
            self.set(moment_text(at_ms))
        except ControlError:
            if self.now_ms < at_ms:
                raise

    def set(self, to: str | datetime) -> None:
        """Move forward to a moment (`2030-01-01T00:00:00Z`, or a datetime with a time zone)."""
        if isinstance(to, datetime):
            if to.tzinfo is None:
                raise ValueError(f"{to} has no time zone; meant: a datetime with one, such as UTC")
            to = to.isoformat()
        self._control("POST", "clock", {"set": to})

    def __repr__(self) -> str:
        return f"<relayer's clock at {self.now.isoformat()}, rate {self.rate:g}>"
