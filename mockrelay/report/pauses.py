"""Whether a client pauses once it is refused by the rate limit.

Blamed is who is refused again although less time has passed than `Retry-After` says or, without one, than the limit gives
to a single call. Calls that were already on their way when the first refusal was answered are no fault: for a moment
after it nothing is said, unless one connection is refused again and again: who calls on a connection has read what it was
answered before, so the third refusal in a row on it is blamed at once. While the relayer's clock stands still nobody can pause, so nothing is said either; while it is
slow, the client's own seconds count.
"""

from __future__ import annotations

from collections.abc import Callable

from mockrelay.journal.journal import Entry
from mockrelay.report.callers import caller_of, seconds_text
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.lint_rules import NO_PAUSE, Rule

KEPT_MAX = 1000
"""How many callers and endpoints are kept; the oldest go."""
ON_THE_WAY_MS = 250
"""For how long, in real time, calls may still come in that were sent before a refusal was read."""
READ_MIN = 3
"""The refusal in a row on one connection that is blamed although other calls may still be on their way: of a pool of
connections each may have had a call handed to it before the first refusal was heard of everywhere.
"""
SHARE = 0.5
"""What of the time that `Retry-After` says must have passed: of several calls at once each has a refusal of its own."""


class Pauses:
    """By endpoint and caller: when the present run of refusals began, when the last one was, and its request. By
    connection, too: when the last one was, and how many there were in a row.
    """

    __slots__ = ("_read", "_runs")

    def __init__(self) -> None:
        self._runs: dict[tuple[str | None, str], tuple[int, int, str]] = {}
        self._read: dict[tuple[str | None, str, int], tuple[int, int]] = {}

    def see_refusal(self, entry: Entry, rate: float, find: Callable[[Rule, str], None]) -> None:
        """A call was refused by the rate limit."""
        if not rate:
            return
        key = entry.trace.endpoint, caller_of(entry)
        now_ms = entry.at_ms
        began_ms, last_ms, request = self._runs.pop(key, (now_ms, now_ms, entry.id))
        due_ms = _due_ms(entry) * min(rate, 1)
        if not 0 <= now_ms - last_ms < due_ms:
            began_ms = now_ms
        if self._times_read(entry, due_ms) >= READ_MIN or now_ms - began_ms > ON_THE_WAY_MS * rate:
            passed = seconds_text(now_ms - last_ms)
            find(NO_PAUSE, f"{entry.trace.endpoint}: refused again {passed} after {request} was{_said(entry)}")
        self._runs[key] = began_ms, now_ms, entry.id
        if len(self._runs) > KEPT_MAX:
            del self._runs[next(iter(self._runs))]

    def _times_read(self, entry: Entry, due_ms: float) -> int:
        """How many refusals in a row without a pause this is on its connection; 1 where that is not known."""
        if not entry.raw.connection:
            return 1
        key = entry.trace.endpoint, entry.raw.remote, entry.raw.connection
        last_ms, times = self._read.pop(key, (entry.at_ms, 0))
        times = times + 1 if 0 <= entry.at_ms - last_ms < due_ms else 1
        self._read[key] = entry.at_ms, times
        if len(self._read) > KEPT_MAX:
            del self._read[next(iter(self._read))]
        return times

    def forget(self) -> None:
        """The world begins anew."""
        self._runs.clear()
        self._read.clear()


def _due_ms(entry: Entry) -> int:
    """How long after a refusal the next call may not come."""
    seconds = _retry_after_s(entry)
    if seconds is not None:
        return int(seconds * 1000 * SHARE)
    assert entry.trace.endpoint is not None
    return 1000 // (BY_NAME[entry.trace.endpoint].per_second or 1)


def _retry_after_s(entry: Entry) -> int | None:
    for name, value in entry.response.headers:
        if name.lower() == "retry-after" and value.isdigit() and value.isascii():
            return int(value[:9])
    return None


def _said(entry: Entry) -> str:
    seconds = _retry_after_s(entry)
    return "" if seconds is None else f"; Retry-After said {seconds} s"
