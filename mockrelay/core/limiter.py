"""Rate limits, by the relayer's clock (spec, Limits)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from itertools import islice
from typing import Any, NamedTuple

from mockrelay.core.state import State, saved_field

SECOND_MS = 1000
BAN_AFTER = 10
"""Refusals in a row after which a caller is banned (choice `rate.escalate`)."""
_SWEEP_AT = 10_000
WINDOWS_MAX = 20_000
"""The most windows and runs in memory; while the clock is frozen there is no limit to the callers of one second."""

_COUNTED_BY = frozenset({"rate.scope", "rate.window"})
_BANNED_BY = frozenset({"rate.scope", "rate.escalate"})


class RefusalRun(NamedTuple):
    """A caller's refusals in a row, and the end of its ban (0: never banned)."""

    refused: int
    banned_until_ms: int


class Limiter(State):
    """Counts by (endpoint, caller, kind of window). The first number of a window is its end in ms; the others are the count
    (`second`), the times of the last calls in ms (`sliding`), or the time at which the bucket is full (`bucket`).
    """

    _windows: dict[tuple[str, str, str], tuple[int, ...]] = saved_field(factory=dict)
    _runs: dict[str, RefusalRun] = saved_field(factory=dict)
    _sweep_at: int = saved_field(factory=lambda: _SWEEP_AT)

    def admit(self, endpoint: str, caller: str, per_second: int, window: str, now_ms: int) -> bool:
        """Count a call if the window admits it, which ends the caller's run of refusals; otherwise return False and count
        nothing.
        """
        key = endpoint, caller, window
        before = self._windows.get(key)
        if before is None or before[0] <= now_ms:
            before = None
            if len(self._windows) + len(self._runs) >= self._sweep_at:
                self._sweep(now_ms)
        after = _WINDOWS[window](before, per_second, now_ms)
        if after is None:
            return False
        self._windows[key] = after
        if self._runs:
            self._runs.pop(caller, None)
        return True

    def is_banned(self, caller: str, now_ms: int) -> bool:
        """Whether the caller is banned now."""
        run = self._runs.get(caller)
        return run is not None and now_ms < run.banned_until_ms

    def note_refused(self, caller: str, ban_ms: int, now_ms: int) -> None:
        """Count a refusal in a row; the tenth bans the caller."""
        run = self._runs.get(caller, RefusalRun(0, 0))
        if run.refused + 1 >= BAN_AFTER:
            self._runs[caller] = RefusalRun(0, now_ms + ban_ms)
        else:
            self._runs[caller] = RefusalRun(run.refused + 1, run.banned_until_ms)

    def forget(self, changed_choices: Collection[str]) -> None:
        """Delete what has no meaning under other options of these choices: counts where another caller or another window
        counts, refusals in a row and bans where another caller or none is banned.
        """
        if not _COUNTED_BY.isdisjoint(changed_choices):
            self._windows.clear()
        if not _BANNED_BY.isdisjoint(changed_choices):
            self._runs.clear()

    def _sweep(self, now_ms: int) -> None:
        # Delete windows that have ended and runs of callers that are not banned, so that memory stays bounded.
        self._windows = {key: window for key, window in self._windows.items() if window[0] > now_ms}
        self._runs = {caller: run for caller, run in self._runs.items() if run.banned_until_ms > now_ms}
        if len(self._windows) + len(self._runs) >= WINDOWS_MAX:
            # Delete the oldest half of each.
            tables: tuple[dict[Any, Any], ...] = (self._windows, self._runs)
            for table in tables:
                for key in list(islice(table, len(table) // 2)):
                    del table[key]
        self._sweep_at = min(max(_SWEEP_AT, 2 * (len(self._windows) + len(self._runs))), WINDOWS_MAX)


_Window = tuple[int, ...] | None
"""A window; None: as an argument, there is none yet; as a result, the call is one too many."""


def _second(before: _Window, per_second: int, now_ms: int) -> _Window:
    """A whole second of the clock."""
    count = before[1] if before else 0
    return None if count >= per_second else (now_ms - now_ms % SECOND_MS + SECOND_MS, count + 1)


def _sliding(before: _Window, per_second: int, now_ms: int) -> _Window:
    """The last 1000 ms."""
    recent = tuple(at_ms for at_ms in before[1:] if at_ms > now_ms - SECOND_MS) if before else ()
    return None if len(recent) >= per_second else (now_ms + SECOND_MS, *recent, now_ms)


def _bucket(before: _Window, per_second: int, now_ms: int) -> _Window:
    """A bucket of `per_second` tokens, refilled at that rate, stored as the time at which it is full again. The time is in
    units of 1/per_second ms so that it is an integer: a token is 1000 units.
    """
    now_units = now_ms * per_second
    full_at_units = (before[1] if before else now_units) + SECOND_MS
    if full_at_units - now_units > SECOND_MS * per_second:
        return None
    return -(-full_at_units // per_second), full_at_units


_WINDOWS: Mapping[str, Callable[[_Window, int, int], _Window]] = {
    "second": _second,
    "sliding": _sliding,
    "bucket": _bucket,
}
