"""Watches the calls of a client as they come, for what no single one shows.

What it keeps is bounded. It runs within each call, so the usual call costs it a look-up or two. A world that begins anew
has nothing to do with the calls to the one before: then everything is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from mockrelay.core.gate import STEPS
from mockrelay.journal.journal import Entry
from mockrelay.report.pauses import Pauses
from mockrelay.report.polling import Polling
from mockrelay.report.retries import LOOKS, SUBMISSIONS, Retries
from mockrelay.report.time_units import check_units, millisecond_fields
from mockrelay.spec.lint_rules import FOREIGN_PATH, Rule

Find = Callable[[Rule, str], None]
"""Notes a finding about the call that is being watched."""
See = Callable[[Entry, float, Find], None]
"""Looks at a call; the number is the rate of the relayer's clock, 0 where it stands still."""

_RATE_LIMIT = STEPS.index("rate limit")
_TOO_MANY = HTTPStatus.TOO_MANY_REQUESTS
_NOWHERE = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)


class Watcher:
    """Sees every call of one relayer."""

    __slots__ = ("_pauses", "_polling", "_retries", "_watches")

    def __init__(self) -> None:
        self._pauses = Pauses()
        self._polling = Polling()
        self._retries = Retries()
        self._watches: dict[str, tuple[See, ...]] = {}
        """By endpoint, made at its first call."""

    def see(self, entry: Entry, rate: float, find: Find) -> None:
        """Look at a call."""
        trace, endpoint, status = entry.trace, entry.trace.endpoint, entry.response.status
        if endpoint is None:
            if status in _NOWHERE:
                find(FOREIGN_PATH, trace.detail)
            return
        watches = self._watches.get(endpoint)
        if watches is None:
            watches = self._watches[endpoint] = self._watches_of(endpoint)
        for watch in watches:
            watch(entry, rate, find)
        if status == _TOO_MANY or (trace.stage == _RATE_LIMIT and trace.code):
            self._pauses.see_refusal(entry, rate, find)

    def forget(self) -> None:
        """The world begins anew."""
        self._pauses.forget()
        self._polling.forget()
        self._retries.forget()

    def _watches_of(self, endpoint: str) -> tuple[See, ...]:
        watches: list[See] = []
        if endpoint in SUBMISSIONS:
            watches.append(self._retries.see_submission)
        if endpoint in LOOKS:
            watches.append(self._retries.see_look)
        if endpoint == "get_code":
            watches.append(self._polling.see_poll)
        if endpoint == "deploy_nft_contract":
            watches.append(self._polling.see_deployment)
        if millisecond_fields(endpoint):
            watches.append(check_units)
        return tuple(watches)
