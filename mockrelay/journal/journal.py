"""The journal of a relayer: its newest calls, and counts of all of them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias

from mockrelay.core.context import Trace
from mockrelay.journal.masking import masked_target
from mockrelay.wire.http import RawRequest, Response

ENTRIES_MAX = 1000
BYTES_MAX = 16 << 20
ENTRY_BYTES = 2048
"""Memory of an entry that does not depend on the call: tuples, numbers."""
VALUE_BYTES = 200
"""At most the memory of a value in a body beside its text: a map with one field takes most."""
PAIR_BYTES = 400
"""The same for a query parameter and for a header."""
STEP_BYTES = 250
"""The same for an event, a transition, a choice or a finding."""
CHARACTER_BYTES = 4
"""At most the memory of a character of a text."""
BATCH_MAX = 64
"""The number of entries that are measured, or counted by a report, at a time."""
LONG_BODY_BYTES = 4096
"""Entries with longer bodies do not wait for that, so that those that wait do not keep much memory."""
PROBLEMS_MAX = 100
_BRACKET = ord("[")  # as a number it is found faster
NO_ENDPOINT = "(no endpoint)"
"""The key of the counts for calls that reached no endpoint."""
NO_CODE = "(no code)"
"""The key of the counts for answers without a code, for instance those of a fault."""
Key: TypeAlias = tuple[str | None, int | None]
"""What calls are counted by: their endpoint and the code that they were answered with."""


@dataclass(slots=True, eq=False)
class Entry:
    """A call, its answer and its trace. It holds secrets; the views mask them."""

    id: str
    """The number of the request, from `r1`; a reset does not start the numbers anew."""
    at_ms: int
    raw: RawRequest
    response: Response
    trace: Trace
    is_left: bool = False
    """Whether its connection was closed before its delayed answer was sent."""

    @property
    def asked(self) -> str:
        """Method and target, without secrets."""
        return f"{self.raw.method} {masked_target(self.raw.raw_target)}"

    def is_sent(self, now_ms: float) -> bool:
        """Whether its answer has been sent by now."""
        due_ms = self.response.not_before_ms
        return not (self.response.drop or self.is_left) and (due_ms is None or due_ms <= now_ms)


class ProblemKind(StrEnum):
    """The kinds of problems."""

    UNKNOWN_PATH = "unknown_path"
    """A request that reached no endpoint: an unknown path, or another method."""
    INNER_FAILURE = "inner_failure"
    """A bug of mockrelay itself."""
    UNFIRED_FAULT = "unfired_fault"
    """A scripted fault that never fired."""
    CALLBACK_FAILED = "callback_failed"
    """An exception of the test's own `verifier` or `decide`."""
    RECORD_FAILED = "record_failed"
    """The record can no longer be written."""


class Problem(NamedTuple):
    """Something that should make a test fail unless the test allows it."""

    kind: ProblemKind
    request_id: str | None
    reason: str
    meant: str


class Journal:
    """The newest calls, bounded by number and bytes; dropped calls stay in the counts."""

    __slots__ = ("_bytes", "_delayed", "_entries", "_sizes", "_unmeasured", "counts", "dropped", "last", "problems")

    def __init__(self, problems: Iterable[Problem] = ()) -> None:
        self._entries: deque[Entry] = deque()
        self._sizes: deque[int] = deque()
        """The bytes of each entry but the unmeasured ones."""
        self._unmeasured: list[Entry] = []
        """The newest entries, whose bytes are not known yet: measured many at a time they cost less than one by one."""
        self._bytes = 0
        self._delayed: dict[str, Entry] = {}
        """The entries whose answers wait for the clock, or have waited, by id."""
        self.last: Entry | None = None
        """The newest call."""
        self.dropped = 0
        self.counts: dict[Key, int] = {}
        """The number of calls by endpoint and code, dropped ones included; those of `_delayed` have no code."""
        self.problems: deque[Problem] = deque(problems, maxlen=PROBLEMS_MAX)

    def __iter__(self) -> Iterator[Entry]:
        """The entries, oldest first."""
        return iter(self._entries)

    def __reversed__(self) -> Iterator[Entry]:
        """The entries, newest first."""
        return reversed(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def total(self) -> int:
        """The number of calls since the start, dropped ones included."""
        return len(self._entries) + self.dropped

    def add(self, entry: Entry) -> None:
        """Store a call; drop the oldest ones where there is no room."""
        entries, is_delayed = self._entries, entry.response.is_delayed()
        key = entry.trace.endpoint, None if is_delayed else entry.trace.code
        self.counts[key] = self.counts.get(key, 0) + 1
        if is_delayed:
            self._delayed[entry.id] = entry
        self.last = entry
        entries.append(entry)
        self._unmeasured.append(entry)
        if len(self._unmeasured) >= BATCH_MAX or len(entry.raw.body) + len(entry.response.body) > LONG_BODY_BYTES:
            self._measure()
        while len(entries) > ENTRIES_MAX or (self._bytes > BYTES_MAX and len(entries) > 1):
            oldest = entries.popleft()
            if oldest.id in self._delayed and not self._delayed.pop(oldest.id).is_left:
                # It counts as sent from now on, since nobody can say later when it was.
                _count_sent(self.counts, oldest)
            self._bytes -= self._sizes.popleft()
            self.dropped += 1

    def _measure(self) -> None:
        sizes = [_size(entry) for entry in self._unmeasured]
        self._unmeasured = []
        self._sizes += sizes
        self._bytes += sum(sizes)

    def leave(self, request_id: str) -> bool:
        """Note that a call's connection was closed before its delayed answer was sent; whether the call is kept."""
        entry = self._delayed.get(request_id)
        if entry is not None:
            self._replace(entry, replace(entry, is_left=True))
        return entry is not None

    def release(self, now_ms: int) -> None:
        """All delayed answers are sent now, since the clock that they waited for is another."""
        for entry in list(self._delayed.values()):
            due_ms = entry.response.not_before_ms
            assert due_ms is not None
            self._replace(entry, replace(entry, response=replace(entry.response, not_before_ms=min(due_ms, now_ms))))

    def _replace(self, entry: Entry, other: Entry) -> None:
        self._delayed[entry.id] = other
        self._entries[self._entries.index(entry)] = other
        if self.last is entry:
            self.last = other

    def find(self, request_id: str) -> Entry | None:
        """The call with this id; None where it was dropped or never made."""
        return next((entry for entry in self if entry.id == request_id), None)

    def times(self, endpoint: str) -> int:
        """The number of calls to an endpoint."""
        return sum(n for (name, _), n in self.counts.items() if name == endpoint)

    def times_answered(self, endpoint: str, code: int | None, now_ms: int) -> int:
        """The number of those that were answered with `code` by now; None: with any, or not at all."""
        counts = self._counts_at(now_ms)
        return sum(n for (name, answered), n in counts.items() if name == endpoint and code in (None, answered))

    def counts_view(self, now_ms: int) -> Mapping[str, Mapping[str, int]]:
        """The number of calls by endpoint, then by the code in digits that they were answered with by now."""
        view: dict[str, dict[str, int]] = {}
        for (name, code), n in self._counts_at(now_ms).items():
            if n:
                view.setdefault(name or NO_ENDPOINT, {})[NO_CODE if code is None else str(code)] = n
        return MappingProxyType(view)

    def _counts_at(self, now_ms: int) -> Mapping[Key, int]:
        """The counts, with the codes of the delayed answers that have been sent by now."""
        sent = [entry for entry in self._delayed.values() if entry.is_sent(now_ms)]
        if not sent:
            return self.counts
        counts = dict(self.counts)
        for entry in sent:
            _count_sent(counts, entry)
        return counts

    def note_problem(self, kind: ProblemKind, request_id: str | None, reason: str, meant: str) -> None:
        """Add a problem."""
        self.problems.append(Problem(kind, request_id, reason, meant))


def _count_sent(counts: dict[Key, int], entry: Entry) -> None:
    """Count a delayed answer by its code."""
    endpoint, code = entry.trace.endpoint, entry.trace.code
    counts[endpoint, None] -= 1
    counts[endpoint, code] = counts.get((endpoint, code), 0) + 1


def _size(entry: Entry) -> int:
    """An upper bound of the memory of an entry, in bytes."""
    raw, trace = entry.raw, entry.trace
    headers, body = raw.headers, raw.body
    steps = len(trace.options) + len(trace.events) + len(trace.moves) + len(trace.findings)
    size = ENTRY_BYTES + STEP_BYTES * steps + PAIR_BYTES * (len(raw.query) + len(headers)) + len(entry.response.body)
    # The target is stored as sent, as a path and as parameters; a body is stored both raw and decoded.
    characters = 3 * len(raw.raw_target) + len("".join(headers.values()))
    if body:
        size += len(body) + VALUE_BYTES * _values(body, trace.args)
        characters += len(body)
    return size + CHARACTER_BYTES * characters


def _values(body: bytes, fields: Mapping[str, Any]) -> int:
    """An upper bound of the number of values in a body."""
    has_lists = _BRACKET in body
    if not has_lists and body.find(b"{", 1) < 0:  # the usual case: nothing inside the fields
        return len(fields)
    # Of an object each value follows a colon, of a list a comma or the opening bracket. A form may have no colon.
    values = max(body.count(b":"), len(fields))
    return values + body.count(b",") + body.count(b"[") if has_lists else values
