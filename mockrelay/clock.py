"""The relayer's clock, the only place where real time is read.

Virtual time is a straight line over real time: `base + rate * (real - real_base)`. Rate 0 is a frozen clock that only
moves by hand, 1 goes with the wall, 60 makes a minute of every second. Everything in a relayer that depends on time
(expiry, limits, blocks, candles) reads this one line, so moving it moves everything.

All times are integers in milliseconds. The real source is handed in, so no test of a clock ever waits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import NamedTuple

RATE_MAX = 1_000_000
MOMENT_MAX_MS = 253_402_300_799_000
"""The last second of the year 9999, after which no date can be written."""


class ClockState(NamedTuple):
    """What a snapshot keeps of a clock: where it stood and how fast it went."""

    now_ms: int
    rate: float


class ClockWish(NamedTuple):
    """How a clock is to run, and from which moment (None: what the scenario says, or the present)."""

    rate: float
    start_ms: int | None = None

    def from_scenario(self, start_ms: int | None) -> ClockWish:
        """The same, starting when a scenario says so; None: it does not say."""
        return self if start_ms is None else self._replace(start_ms=start_ms)

    @classmethod
    def of_text(cls, text: str) -> ClockWish:
        """`real`, `frozen` or a rate in digits; ValueError for anything else."""
        words = {"real": 1.0, "frozen": 0.0}
        try:
            rate = words[text] if text in words else float(text)
        except ValueError:
            raise ValueError(f"{text!r} is no clock: real, frozen or a rate such as 60") from None
        return cls(_checked_rate(rate))


class _Line(NamedTuple):
    """The line that virtual time follows. Replaced as one value, so a reader in another thread sees the old line or
    the new one, never half of each.
    """

    base_ms: int
    real_base_ms: int
    rate: float


def _monotonic_ms() -> int:
    return time.monotonic_ns() // 1_000_000


def _wall_ms() -> int:
    return time.time_ns() // 1_000_000


class Clock:
    """A clock that is frozen, driven or real by one number.

    `base_ms` is the virtual time now, in milliseconds since 1970-01-01 UTC; `rate` is how many virtual milliseconds go
    by in a real one; `real_ms` gives the real time and must never go back, its zero does not matter.
    """

    __slots__ = ("_line", "_lock", "_real_ms", "_watchers", "era")

    def __init__(self, base_ms: int, rate: float = 0, real_ms: Callable[[], int] = _monotonic_ms) -> None:
        self._real_ms = real_ms
        self._line = _Line(base_ms, real_ms(), _checked_rate(rate))
        self._lock = threading.Lock()
        self._watchers: dict[object, Callable[[], None]] = {}
        self.era = 0
        """How many times the clock was restored. A moment that was reckoned in an earlier era never comes: its time is
        gone. To learn both, read the era before the time."""

    @classmethod
    def real(cls) -> Clock:
        """Wall time at rate 1. The wall is read once; later corrections of the machine's time do not move this clock."""
        return cls(_wall_ms(), 1)

    @classmethod
    def frozen(cls, start_ms: int | None = None) -> Clock:
        """Stands at `start_ms` (without one: at the present wall time) until it is moved by hand."""
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
        """How many real milliseconds, rounded up, until the clock shows `at_ms` if nobody touches it.

        0: it does already; None: it never will by itself.
        """
        base_ms, real_base_ms, rate = self._line
        passed = self._real_ms() - real_base_ms
        ahead = at_ms - base_ms
        if int(rate * passed) >= ahead:
            return 0
        try:
            needed = int(ahead / rate)
            # Not `ceil`, which takes the division at its word: what counts is what `now_ms` will show.
            if int(rate * needed) < ahead:
                needed += 1
        except (ZeroDivisionError, OverflowError):  # frozen, or so slow that it comes to the same
            return None
        return max(needed - passed, 1)

    def on_move(self, told: Callable[[], None]) -> Callable[[], None]:
        """Have `told` called after every change by hand: advance, set, rate, restore. Gives what ends that.

        It is called in the thread that made the change, so it must be quick and must not raise. It may come once more
        in another thread while it is being ended.
        """
        key = object()
        with self._lock:
            self._watchers[key] = told

        def end() -> None:
            with self._lock:
                self._watchers.pop(key, None)

        return end

    def advance(self, ms: int) -> None:
        """Move ahead by `ms`.

        Raises ValueError for a negative one: nothing in a relayer can be undone by time.
        """
        if ms < 0:
            raise ValueError(f"time cannot go backwards: asked to advance by {ms} ms")
        self._stand_at(_checked_moment(self.now_ms() + ms))

    def set(self, ms: int) -> None:
        """Move ahead to `ms`.

        Raises ValueError for a moment that has passed.
        """
        now_ms = self.now_ms()
        if ms < now_ms:
            raise ValueError(f"time cannot go backwards: it is {now_ms}, asked to set {ms} ({now_ms - ms} ms earlier)")
        self._stand_at(_checked_moment(ms))

    @property
    def rate(self) -> float:
        """Virtual milliseconds in a real one. Config it bends the line here and now, without a jump.

        Raises ValueError for a rate that is negative or not finite.
        """
        return self._line.rate

    @rate.setter
    def rate(self, rate: float) -> None:
        self._stand_at(self.now_ms(), _checked_rate(rate))

    def bend(self, rate: float) -> Callable[[], None]:
        """Set the rate; gives what takes that back, so that the clock shows what it would if it had not been done."""
        before = self._line
        self.rate = rate

        def unbend() -> None:
            self._line = before
            self._tell()

        return unbend

    def state(self) -> ClockState:
        """What `restore` needs to come back to this moment."""
        return ClockState(self.now_ms(), self.rate)

    def restore(self, state: ClockState) -> None:
        """Stand where `state` was taken and go on at its rate. The one way back in time: it takes the whole world along."""
        self._stand_at(state.now_ms, state.rate, anew=True)

    def _stand_at(self, ms: int, rate: float | None = None, *, anew: bool = False) -> None:
        self._line = _Line(ms, self._real_ms(), self._line.rate if rate is None else rate)
        # In this order a reader may take the new time for one of the old era, never the other way round.
        if anew:
            self.era += 1
        self._tell()

    def _tell(self) -> None:
        if self._watchers:
            with self._lock:
                watchers = list(self._watchers.values())
            for told in watchers:
                told()


def _checked_rate(rate: float) -> float:
    if not 0 <= rate <= RATE_MAX:
        raise ValueError(f"a clock's rate is 0 (frozen), 1 (wall time) or another number up to {RATE_MAX}, not {rate}")
    return rate


def _checked_moment(ms: int) -> int:
    if ms > MOMENT_MAX_MS:
        raise ValueError("time ends with the year 9999 here, since no date can be written after it")
    return ms
