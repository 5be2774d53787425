"""Whether a client keeps the pace that the relayer asks for: a pause after a refusal by the rate limit, and 15 seconds
between two polls of getCode (spec §28).

Intervals are measured by the relayer's clock. While it stands still nothing is reported, since no time passes between two
calls whatever the client does; where it is slower than real time, intervals count in real time.
"""

from __future__ import annotations

from mockrelay.journal.journal import Entry
from mockrelay.report.report_finding import AddFinding
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.lint_rules import FAST_POLLING, NO_PAUSE, POLL_CODE_S

STORED_MAX = 1000
"""The number of callers, connections or contracts that are stored; the oldest are dropped."""
IN_FLIGHT_MS = 250
"""For how long after a refusal, in real time, calls may arrive that were sent before the client read it."""
REFUSALS_IN_A_ROW = 3
"""The refusal in a row on one connection that is reported at once: of a pool of connections, each may have had one call
handed to it before the first refusal was read.
"""
RETRY_AFTER_SHARE = 0.5
"""The share of `Retry-After` that must have passed: several simultaneous calls get a refusal each."""
TOLERANCE_MS = 1000
"""How much sooner than suggested a poll may come: clocks and networks are not exact."""
_NO_CODE = b'"0x"'


class RateLimitWatch:
    """Whether a client pauses after a refusal by the rate limit.

    A finding is a call that is refused again before the time that `Retry-After` says or, without one, the time that the
    limit allows one call in. Calls in flight when the first refusal was answered are excused, but not on a connection
    that is refused several times in a row: on one connection a client has read each answer before it sends the next call.
    """

    __slots__ = ("_connections", "_runs")

    def __init__(self) -> None:
        self._runs: dict[tuple[str | None, str], tuple[int, int, str]] = {}
        """By endpoint and caller: start of the current run of refusals, time of the last one (ms), and its request id."""
        self._connections: dict[tuple[str | None, str, int], tuple[int, int]] = {}
        """By endpoint, address and connection: time of the last refusal (ms), and how many came in a row."""

    def check_refusal(self, entry: Entry, rate: float, add: AddFinding) -> None:
        """Check a call that the rate limit refused."""
        if not rate:
            return
        key = entry.trace.endpoint, _caller(entry)
        now_ms = entry.at_ms
        began_ms, last_ms, request = self._runs.pop(key, (now_ms, now_ms, entry.id))
        pause_ms = _pause_ms(entry) * min(rate, 1)
        if not 0 <= now_ms - last_ms < pause_ms:
            began_ms = now_ms
        if self._in_a_row(entry, pause_ms) >= REFUSALS_IN_A_ROW or now_ms - began_ms > IN_FLIGHT_MS * rate:
            retry_after_s = _retry_after_s(entry)
            said = "" if retry_after_s is None else f"; Retry-After said {retry_after_s} s"
            add(NO_PAUSE, f"{key[0]}: refused again {_duration_text(now_ms - last_ms)} after {request} was{said}")
        self._runs[key] = began_ms, now_ms, entry.id
        if len(self._runs) > STORED_MAX:
            del self._runs[next(iter(self._runs))]

    def _in_a_row(self, entry: Entry, pause_ms: float) -> int:
        """The number of refusals without a pause on the connection, this one included; 1 if the connection is unknown."""
        if not entry.raw.connection:
            return 1
        key = entry.trace.endpoint, entry.raw.remote, entry.raw.connection
        last_ms, count = self._connections.pop(key, (entry.at_ms, 0))
        count = count + 1 if 0 <= entry.at_ms - last_ms < pause_ms else 1
        self._connections[key] = entry.at_ms, count
        if len(self._connections) > STORED_MAX:
            del self._connections[next(iter(self._connections))]
        return count

    def clear(self) -> None:
        """Drop all refusals."""
        self._runs.clear()
        self._connections.clear()


class PollingWatch:
    """Whether a client polls getCode no faster than suggested. Calls before the deployment was requested are not polls."""

    __slots__ = ("_polls",)

    def __init__(self) -> None:
        self._polls: dict[tuple[str, str], tuple[int, str]] = {}
        """By contract without code, and caller: time (ms) and request id of the last poll."""

    def check_poll(self, entry: Entry, rate: float, add: AddFinding) -> None:
        """Check a call of getCode."""
        address = entry.trace.args.get("address")
        if not rate or not isinstance(address, str) or entry.trace.code != 0:
            return
        key = address.lower(), _caller(entry)
        last = self._polls.pop(key, None)
        # A client that asks again once there is code is not waiting for it.
        if _NO_CODE not in entry.response.body:
            return
        if last is not None:
            last_ms, request = last
            passed_ms = entry.at_ms - last_ms
            if 0 <= passed_ms < (POLL_CODE_S * 1000 - TOLERANCE_MS) * min(rate, 1):
                passed = _duration_text(passed_ms)
                add(FAST_POLLING, f"get_code: {passed} after {request}; {POLL_CODE_S} s are suggested")
        self._polls[key] = entry.at_ms, entry.id
        if len(self._polls) > STORED_MAX:
            del self._polls[next(iter(self._polls))]

    def check_deployment(self, entry: Entry, rate: float, add: AddFinding) -> None:
        """Drop what was asked about a contract before its deployment was requested."""
        address = entry.trace.args.get("tokenAddress")
        if isinstance(address, str) and self._polls:
            for key in [key for key in self._polls if key[0] == address.lower()]:
                del self._polls[key]

    def clear(self) -> None:
        """Drop all polls."""
        self._polls.clear()


def _caller(entry: Entry) -> str:
    """The account of the API key; without one, the address that the call came from."""
    return f"address {entry.raw.remote}" if entry.trace.account_id is None else f"account {entry.trace.account_id}"


def _duration_text(ms: int) -> str:
    """`1.5 s`, `200 ms`."""
    return f"{ms} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def _pause_ms(entry: Entry) -> int:
    """How long after a refusal the next call may not come."""
    seconds = _retry_after_s(entry)
    if seconds is not None:
        return int(seconds * 1000 * RETRY_AFTER_SHARE)
    assert entry.trace.endpoint is not None
    return 1000 // (BY_NAME[entry.trace.endpoint].per_second or 1)


def _retry_after_s(entry: Entry) -> int | None:
    for name, value in entry.response.headers:
        if name.lower() == "retry-after" and value.isdigit() and value.isascii():
            return int(value[:9])
    return None
