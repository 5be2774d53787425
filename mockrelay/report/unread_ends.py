"""Requests that failed, of which a client knows no more than that they have ended.

A repeat of a request that has ended is refused (102021) whether it succeeded or failed. A client that has met this for a
failed request, and has read nothing since that shows how it ended, may take it for done.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mockrelay.core.context import CALL
from mockrelay.core.world import Finding
from mockrelay.journal.journal import Entry
from mockrelay.report.report_finding import AddFinding
from mockrelay.report.retries import WATCHED
from mockrelay.spec.codes import SUCCESS
from mockrelay.spec.lint_rules import END_NOT_READ

STORED_MAX = 64
"""The number of ends that are stored; the oldest are dropped."""


class UnreadEnd(NamedTuple):
    """A failed request whose repeat was refused, until its end is read."""

    finding: Finding
    asked: str
    caller: object
    reads: tuple[str, ...]


class UnreadEnds:
    """The failed requests of one relayer whose ends their clients have not read."""

    __slots__ = ("_by_hash",)

    def __init__(self) -> None:
        self._by_hash: dict[str, UnreadEnd] = {}

    def __iter__(self) -> Iterator[UnreadEnd]:
        """The ends that are unread by now, oldest first."""
        # Of a copy, since another thread may add to them.
        return iter(tuple(self._by_hash.values()))

    def check_submission(self, entry: Entry, rate: float, add: AddFinding) -> None:
        """Store a failed request whose repeat this call is, if its client has met the refusal."""
        failed, row = entry.trace.failed_repeat, entry.trace.row
        if failed is None or entry.trace.source != CALL:
            return
        if entry.trace.code != entry.trace.outcome or not entry.is_sent(entry.at_ms):
            return
        assert row is not None
        reads = WATCHED[row].reads
        detail = (
            f"{entry.trace.endpoint}: {failed} had failed, and its repeat was refused with {entry.trace.outcome}, which says that it "
            f"has ended; nothing that shows how was read since ({', '.join(reads)})"
        )
        finding = Finding(END_NOT_READ.id, detail, entry.id, CALL)
        self._by_hash.pop(failed, None)
        self._by_hash[failed] = UnreadEnd(finding, entry.asked, _caller(entry), reads)
        if len(self._by_hash) > STORED_MAX:
            del self._by_hash[next(iter(self._by_hash))]

    def check_read(self, entry: Entry, rate: float, add: AddFinding) -> None:
        """Drop the ends of the caller that this call shows."""
        if self._by_hash and entry.trace.code == SUCCESS:
            for hash_, end in tuple(self._by_hash.items()):
                if entry.trace.endpoint in end.reads and end.caller == _caller(entry):
                    del self._by_hash[hash_]

    def clear(self) -> None:
        """Drop all ends."""
        self._by_hash.clear()


def _caller(entry: Entry) -> object:
    """The account of the API key; without one, the address that the call came from."""
    return entry.raw.remote if entry.trace.account_id is None else entry.trace.account_id
