"""The relayer's clock, the only place where real time is read.

Virtual time is a straight line over real time: `base + rate * (real - real_base)`. Rate 0 is a frozen clock that only
moves by command, 1 is real time, 60 makes a minute of every second. Everything in a relayer that depends on time
(expiry, limits, blocks, candles) reads this clock, so moving it moves everything.

All times are integers in milliseconds. Tools that move the time of a test (freezegun, time-machine) do not move this clock.
The source of real time is an argument, so no test of a clock waits.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from typing import NamedTuple

RATE_MAX = 1_000_000
MOMENT_MAX_MS = 253_402_300_799_000
"""The last second of the year 9999, after which no date can be written."""


class ClockState(NamedTuple):
    """A clock in a snapshot: its time and its rate."""

    now_ms: int
    rate: float


class ClockConfig(NamedTuple):
    """The rate and the start of a clock; without a start it is the scenario's, or the present."""

    rate: float
    start_ms: int | None = None

    def from_scenario(self, start_ms: int | None) -> ClockConfig:
        """The same with a scenario's start, where it has one."""
        return self if start_ms is None else self._replace(start_ms=start_ms)

    @classmethod
    def of_text(cls, text: str) -> ClockConfig:
        """`real`, `frozen` or a rate in digits; ValueError for anything else."""
        words = {"real": 1.0, "frozen": 0.0}
        try:
            rate = words[text] if text in words else float(text)
        except ValueError:
            raise ValueError(f"{text!r} is not a clock; meant: real, frozen or a rate such as 60") from None
        return cls(_checked_rate(rate))


class _Line(NamedTuple):
    """The line that virtual time follows. Replaced as one value, so a reader in another thread sees the old line or
    the new one, never half of each.
    """

    base_ms: int
    real_base_ms: int
    rate: float


class _Real(NamedTuple):
    """The functions of real time. In an object, since freezegun replaces those that are attributes of modules."""

    monotonic_s: Callable[[], float]
    """Seconds from some moment on."""
    monotonic_ns: Callable[[], int]
    wall_ns: Callable[[], int]


REAL = _Real(time.monotonic, time.monotonic_ns, time.time_ns)


def monotonic_s() -> float:
    """Real time in seconds from some moment on, which no tool of a test moves."""
    return REAL.monotonic_s()


def _monotonic_ms() -> int:
    return REAL.monotonic_ns() // 1_000_000


def _wall_ms() -> int:
    # time-machine changes what the functions of `time` do, and has the real ones.
    hatch = getattr(sys.modules.get("time_machine"), "escape_hatch", None)
    wall_ns = REAL.wall_ns() if hatch is None or not hatch.is_travelling() else int(hatch.time.time_ns())
    return wall_ns // 1_000_000


class Clock:
    """A clock that is frozen, real or runs at any rate.

    `base_ms` is the virtual time now, in milliseconds since 1970-01-01 UTC; `rate` is virtual milliseconds per real one;
    `real_ms` returns the real time, which must never go back; its zero does not matter.
    """

    __slots__ = ("_line", "_lock", "_real_ms", "_watchers", "generation")

    def __init__(self, base_ms: int, rate: float = 0, real_ms: Callable[[], int] = _monotonic_ms) -> None:
        self._real_ms = real_ms
        self._line = _Line(base_ms, real_ms(), _checked_rate(rate))
        self._lock = threading.Lock()
        self._watchers: dict[object, Callable[[], None]] = {}
        self.generation = 0
        """The number of restores. A deadline computed in an earlier generation never comes. To read both, read the generation
        before the time."""

    @classmethod
    def real(cls) -> Clock:
        """Wall time at rate 1. The wall is read once; later corrections of the machine's time do not move this clock."""
        return cls(_wall_ms(), 1)

    @classmethod
    def frozen(cls, start_ms: int | None = None) -> Clock:
        """Stands at `start_ms` (without one: at the present wall time) until a command moves it."""
        return cls(_wall_ms() if start_ms is None else start_ms, 0)

    @classmethod
    def running(cls, rate: float, start_ms: int | None = None) -> Clock:
        """Runs at `rate` from `start_ms` (without one: from the present wall time)."""
        return cls(_wall_ms() if start_ms is None else start_ms, rate)

    def now_ms(self) -> int:
        """The virtual time. Two calls in a row never go back."""
        base_ms, real_base_ms, rate = self._line
        # Frozen is the usual case in tests and needs no look at the real clock.
        if not rate:
            return base_ms
        return min(base_ms + int(rate * (self._real_ms() - real_base_ms)), MOMENT_MAX_MS)

    def real_ms_until(self, at_ms: int) -> int | None:
        """Real milliseconds, rounded up, until the clock shows `at_ms` if no command changes it.

        0: it does already; None: it never will.
        """
        base_ms, real_base_ms, rate = self._line
        passed = self._real_ms() - real_base_ms
        ahead = at_ms - base_ms
        if int(rate * passed) >= ahead:
            return 0
        try:
            needed = int(ahead / rate)
            # Not `ceil`, since the division is rounded: what counts is what `now_ms` will show.
            if int(rate * needed) < ahead:
                needed += 1
        except (ZeroDivisionError, OverflowError):  # frozen, or so slow that it comes to the same
            return None
        return max(needed - passed, 1)

    def on_move(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` after every advance, set, change of rate and restore; returns a function that ends this.

        It is called in the thread that made the change, so it must be quick and must not raise. Another thread may
        call it once more while it is being removed.
        """
        key = object()
        with self._lock:
            self._watchers[key] = callback

        def end() -> None:
            with self._lock:
                self._watchers.pop(key, None)

        return end

    def advance(self, ms: int) -> None:
        """Move forward by `ms`.

        Raises ValueError for a negative number.
        """
        if ms < 0:
            raise ValueError(f"time cannot go backwards: asked to advance by {ms} ms")
        self._move_to(_checked_moment(self.now_ms() + ms))

    def set(self, ms: int) -> None:
        """Move forward to `ms`.

        Raises ValueError for a moment that has passed.
        """
        now_ms = self.now_ms()
        if ms < now_ms:
            raise ValueError(f"time cannot go backwards: it is {now_ms}, asked to set {ms} ({now_ms - ms} ms earlier)")
        self._move_to(_checked_moment(ms))

    @property
    def rate(self) -> float:
        """Virtual milliseconds per real one. A new rate holds from now on, without a jump.

        Raises ValueError for a rate that is negative or not finite.
        """
        return self._line.rate

    @rate.setter
    def rate(self, rate: float) -> None:
        self._move_to(self.now_ms(), _checked_rate(rate))

    def set_rate(self, rate: float) -> Callable[[], None]:
        """Set the rate; returns a function that undoes it, after which the clock shows what it would have shown without it."""
        before = self._line
        self.rate = rate

        def undo() -> None:
            self._line = before
            self._notify()

        return undo

    def state(self) -> ClockState:
        """The time and rate, for `restore`."""
        return ClockState(self.now_ms(), self.rate)

    def restore(self, state: ClockState) -> None:
        """Set time and rate to those of `state`. The only way back in time, for which the whole world is restored too."""
        self._move_to(state.now_ms, state.rate, restored=True)

    def _move_to(self, ms: int, rate: float | None = None, *, restored: bool = False) -> None:
        self._line = _Line(ms, self._real_ms(), self._line.rate if rate is None else rate)
        # In this order a reader may pair the new time with the old generation, never the old time with the new one.
        if restored:
            self.generation += 1
        self._notify()

    def _notify(self) -> None:
        if self._watchers:
            with self._lock:
                watchers = list(self._watchers.values())
            for callback in watchers:
                callback()


def _checked_rate(rate: float) -> float:
    if not 0 <= rate <= RATE_MAX:
        raise ValueError(f"a clock's rate is 0 (frozen), 1 (wall time) or another number up to {RATE_MAX}, not {rate}")
    return rate


def _checked_moment(ms: int) -> int:
    if ms > MOMENT_MAX_MS:
        raise ValueError("time ends with the year 9999, since no date can be written after it")
    return ms
