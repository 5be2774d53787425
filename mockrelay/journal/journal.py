"""The calls of a relayer, newest kept, oldest dropped, all of them counted."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.core.context import Trace
from mockrelay.journal.masking import masked_target
from mockrelay.wire.http import RawRequest, Response

ENTRIES_MAX = 1000
BYTES_MAX = 16 << 20
ENTRY_BYTES = 2048
"""What an entry counts for beside what depends on the call: tuples, numbers, what it shares with no other."""
VALUE_BYTES = 200
"""What a value in a body takes at most beside its text: a map with one field takes most."""
PAIR_BYTES = 400
"""The same for a pair of a query and for a header."""
STEP_BYTES = 250
"""The same for what fell due, moved, was consulted or found."""
LETTER_BYTES = 4
"""What a letter of a text takes at most."""
PROBLEMS_MAX = 100
NOWHERE = "(no endpoint)"
"""Under what calls are counted that reached no endpoint."""
NO_CODE = "(no code)"
"""Under what answers are counted that carry no code, for instance those of a fault."""
_BRACKET, _BRACE = b"[{"


class Entry(NamedTuple):
    """One call and what became of it. What is a secret in it is masked where it is shown."""

    id: str
    """The number of the request, from `r1`; never used again, also over a reset."""
    at_ms: int
    raw: RawRequest
    response: Response
    trace: Trace

    @property
    def asked(self) -> str:
        """Method and target, without secrets."""
        return f"{self.raw.method} {masked_target(self.raw.raw_target)}"


class ProblemKind(StrEnum):
    """What a test should not pass over in silence."""

    UNKNOWN_PATH = "unknown_path"
    """A request that reached no endpoint: another path, or another method."""
    INNER_FAILURE = "inner_failure"
    """A fault of mockrelay itself."""
    UNFIRED_FAULT = "unfired_fault"
    """A scripted fault that met no call."""
    RECORD_FAILED = "record_failed"
    """The record could not be written any more."""


class Problem(NamedTuple):
    """Something that a test should not pass over in silence."""

    kind: ProblemKind
    request_id: str | None
    reason: str
    meant: str


class Journal:
    """Calls, bounded by count and bytes; what is dropped stays counted."""

    __slots__ = ("_bytes", "_kept", "_sizes", "counts", "dropped", "problems")

    def __init__(self, problems: Iterable[Problem] = ()) -> None:
        self._kept: deque[Entry] = deque()
        self._sizes: deque[int] = deque()
        """What each of them takes of the bytes."""
        self._bytes = 0
        self.dropped = 0
        self.counts: dict[tuple[str | None, int | None], int] = {}
        """How many calls to an endpoint were answered with a code, by these two; exact whatever is dropped."""
        self.problems: deque[Problem] = deque(problems, maxlen=PROBLEMS_MAX)

    def __iter__(self) -> Iterator[Entry]:
        """The kept calls, oldest first."""
        return iter(self._kept)

    def __reversed__(self) -> Iterator[Entry]:
        """The kept calls, newest first."""
        return reversed(self._kept)

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def total(self) -> int:
        """All calls since the start, those dropped too."""
        return len(self._kept) + self.dropped

    def add(self, entry: Entry) -> None:
        """Keep a call; the oldest go where there is no room."""
        counts, kept = self.counts, self._kept
        counted = entry.trace.endpoint, entry.trace.code
        counts[counted] = counts.get(counted, 0) + 1
        size = _size(entry)
        kept.append(entry)
        self._sizes.append(size)
        self._bytes += size
        while len(kept) > ENTRIES_MAX or (self._bytes > BYTES_MAX and len(kept) > 1):
            kept.popleft()
            self._bytes -= self._sizes.popleft()
            self.dropped += 1

    def find(self, request_id: str) -> Entry | None:
        """The call with this id, if it is still kept."""
        return next((entry for entry in self if entry.id == request_id), None)

    def times(self, endpoint: str, code: int | None = None) -> int:
        """How many calls an endpoint has had, or how many of them were answered with a code."""
        return sum(n for (name, given), n in self.counts.items() if name == endpoint and code in (None, given))

    def counted(self) -> Mapping[str, Mapping[str, int]]:
        """Calls by endpoint, then by code in digits."""
        counted: dict[str, dict[str, int]] = {}
        for (name, code), n in self.counts.items():
            counted.setdefault(name or NOWHERE, {})[NO_CODE if code is None else str(code)] = n
        return MappingProxyType(counted)

    def note_problem(self, kind: ProblemKind, request_id: str | None, reason: str, meant: str) -> None:
        """Note what should not be passed over in silence."""
        self.problems.append(Problem(kind, request_id, reason, meant))


def _size(entry: Entry) -> int:
    """What a call takes at most of the bytes that are kept."""
    _, _, raw, response, trace = entry
    _, _, target, query, headers, body, _, _, _, _ = raw
    # The target is there as it was sent, as a path and as pairs; what was read out of a body stands beside it.
    letters = 3 * len(target) + len("".join(headers.values()))
    size = ENTRY_BYTES + len(response.body) + PAIR_BYTES * (len(query) + len(headers))
    if body:
        size += len(body) + VALUE_BYTES * _values(body, trace.args)
        letters += len(body)
    steps = len(trace.choices) + len(trace.events) + len(trace.moves) + len(trace.findings)
    return size + LETTER_BYTES * letters + STEP_BYTES * steps


def _values(body: bytes, fields: Mapping[str, Any]) -> int:
    """How many values were read out of a body, or more."""
    if _BRACKET not in body and body.find(_BRACE, 1) < 0:
        return len(fields)
    # With lists and maps inside there are no more than commas and brackets.
    return len(body) - len(body.translate(None, b",{[")) + 1
