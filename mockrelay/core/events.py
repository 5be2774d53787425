"""Events of the future: a queue by (due time, sequence number)."""

from __future__ import annotations

import heapq
from enum import IntEnum
from typing import Annotated, NamedTuple

from mockrelay.core.state import UNORDERED, State, saved_field

EVENT = "event"
"""The source of findings that an event causes, where it has no name of its own."""


class EventKind(IntEnum):
    """What an event does."""

    ORDER_EXPIRES = 1
    ORDER_STARTS = 2
    CANCEL_DONE = 3
    REQUEST_MOVES = 4
    BLOCK_SEALS = 5
    BLOCK_CONFIRMS = 6
    BLOCK_FINALIZES = 7
    TIMELINE = 8


class Event(NamedTuple):
    """One event; sorts by time, then by the order of planning."""

    at_ms: int
    seq: int
    kind: EventKind
    subject: str
    """The hash of the order, the hash and the state of the request, the id of the block, or the index in the timeline."""


class EventQueue(State):
    """The planned events of a world, earliest first."""

    _heap: Annotated[list[Event], UNORDERED] = saved_field(factory=list)
    _next_seq: int = saved_field(factory=int)

    def plan(self, at_ms: int, kind: EventKind, subject: str) -> None:
        """`kind` will happen to `subject` at the first call at or after `at_ms`."""
        heapq.heappush(self._heap, Event(at_ms, self._next_seq, kind, subject))
        self._next_seq += 1

    def is_due(self, now_ms: int) -> bool:
        """Whether anything was planned for this moment or an earlier one."""
        heap = self._heap
        return bool(heap) and heap[0][0] <= now_ms

    def pop_due(self, now_ms: int) -> list[Event]:
        """The earliest events, all of one moment, if that is not after `now_ms`; in the order planned."""
        heap = self._heap
        if not heap or heap[0].at_ms > now_ms:
            return []
        events = [heapq.heappop(heap)]
        while heap and heap[0].at_ms == events[0].at_ms:
            events.append(heapq.heappop(heap))
        return events

    def in_order(self) -> list[Event]:
        """All events in order."""
        return sorted(self._heap)
