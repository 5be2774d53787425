"""How often getCode is polled: the one call for which the spec suggests a pace (spec §28).

A look before the deployment is asked for is no poll, so the count begins anew with it. While the relayer's clock stands
still no time passes between two calls, whatever the client does, so nothing is said; while it is slow, the client's own
seconds count.
"""

from __future__ import annotations

from collections.abc import Callable

from mockrelay.journal.journal import Entry
from mockrelay.report.callers import caller_of, seconds_text
from mockrelay.spec.lint_rules import FAST_POLLING, POLL_CODE_S, Rule

KEPT_MAX = 1000
"""How many contracts are kept; the oldest go."""
TOLERANCE_MS = 1000
"""How much sooner a poll may come: clocks and networks are not exact."""
_NO_CODE = b'"0x"'


class Polling:
    """When each caller last asked for the code of each contract that had none."""

    __slots__ = ("_asked",)

    def __init__(self) -> None:
        self._asked: dict[tuple[str, str], tuple[int, str]] = {}

    def see_poll(self, entry: Entry, rate: float, find: Callable[[Rule, str], None]) -> None:
        """A call of getCode."""
        address = entry.trace.args.get("address")
        if not rate or not isinstance(address, str) or entry.trace.code != 0:
            return
        key = address.lower(), caller_of(entry)
        before = self._asked.pop(key, None)
        # Once there is code, whoever asks again is not waiting for it.
        if _NO_CODE not in entry.response.body:
            return
        if before is not None:
            at_ms, request = before
            passed_ms = entry.at_ms - at_ms
            if 0 <= passed_ms < (POLL_CODE_S * 1000 - TOLERANCE_MS) * min(rate, 1):
                find(
                    FAST_POLLING, f"get_code: {seconds_text(passed_ms)} after {request}; {POLL_CODE_S} s are suggested"
                )
        self._asked[key] = entry.at_ms, entry.id
        if len(self._asked) > KEPT_MAX:
            del self._asked[next(iter(self._asked))]

    def see_deployment(self, entry: Entry, rate: float, find: Callable[[Rule, str], None]) -> None:
        """A deployment is asked for: what was asked before was a look."""
        address = entry.trace.args.get("tokenAddress")
        if isinstance(address, str) and self._asked:
            for key in [key for key in self._asked if key[0] == address.lower()]:
                del self._asked[key]

    def forget(self) -> None:
        """The world begins anew."""
        self._asked.clear()
