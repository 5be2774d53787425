"""Checks of a client that need more than one call.

What is stored is bounded. The checks run within each call, so a usual call takes one or two look-ups. When a world starts
anew everything is dropped, since calls to the old one say nothing about the new one.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import TypeAlias

from mockrelay.journal.journal import Entry
from mockrelay.report.pacing import PollingWatch, RateLimitWatch
from mockrelay.report.report_finding import AddFinding
from mockrelay.report.retries import OUTCOME_READS, WATCHED, RetryWatch
from mockrelay.report.time_units import check_units, millisecond_fields
from mockrelay.report.unread_ends import UnreadEnds
from mockrelay.spec.endpoint import Step
from mockrelay.spec.lint_rules import FOREIGN_PATH

Check: TypeAlias = Callable[[Entry, float, AddFinding], None]
"""Checks a call; the number is the rate of the relayer's clock, 0 where it stands still."""

_NOT_FOUND = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
_TOO_MANY_REQUESTS = HTTPStatus.TOO_MANY_REQUESTS.value


class ClientWatch:
    """Checks all calls to one relayer."""

    __slots__ = ("_checks", "_polling", "_rate_limit", "_retries", "unread_ends")

    def __init__(self) -> None:
        self._rate_limit = RateLimitWatch()
        self._polling = PollingWatch()
        self._retries = RetryWatch()
        self.unread_ends = UnreadEnds()
        self._checks: dict[str, tuple[Check, ...]] = {}
        """By endpoint, from its first call on."""

    def check(self, entry: Entry, rate: float, add: AddFinding) -> None:
        """Check a call."""
        trace, endpoint, status = entry.trace, entry.trace.endpoint, entry.response.status
        if endpoint is None:
            if status in _NOT_FOUND and not entry.raw.is_of_browsers:
                add(FOREIGN_PATH, trace.detail)
            return
        checks = self._checks.get(endpoint)
        if checks is None:
            checks = self._checks[endpoint] = self._checks_of(endpoint)
        for check in checks:
            check(entry, rate, add)
        is_refused = status == _TOO_MANY_REQUESTS or (trace.code and trace.step is Step.RATE_LIMIT)
        if is_refused and entry.is_sent(entry.at_ms):
            self._rate_limit.check_refusal(entry, rate, add)

    def clear(self) -> None:
        """Drop all earlier calls."""
        self._rate_limit.clear()
        self._polling.clear()
        self._retries.clear()
        self.unread_ends.clear()

    def leave(self, request_id: str) -> None:
        """Note that a call's connection was closed before its delayed answer was sent."""
        self._retries.leave(request_id)

    def _checks_of(self, endpoint: str) -> tuple[Check, ...]:
        checks: list[Check] = []
        if endpoint in WATCHED:
            checks += (self._retries.check_submission, self.unread_ends.check_submission)
        if endpoint in OUTCOME_READS:
            checks += (self._retries.check_read, self.unread_ends.check_read)
        if endpoint == "get_code":
            checks.append(self._polling.check_poll)
        if endpoint == "deploy_nft_contract":
            checks.append(self._polling.check_deployment)
        if millisecond_fields(endpoint):
            checks.append(check_units)
        return tuple(checks)
