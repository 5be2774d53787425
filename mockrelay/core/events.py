"""Planned events: a queue ordered by (due time, sequence number)."""

from __future__ import annotations

import heapq
from enum import IntEnum
from typing import Annotated, NamedTuple

from mockrelay.core.state import UNORDERED, State, saved_field

EVENT = "event"
"""Source of the findings of an event that has no name of its own."""


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
    """A planned event; sorts by due time, then by the order in which events were planned."""

    at_ms: int
    seq: int
    kind: EventKind
    subject: str
    """By kind: an order's hash; a request's hash, a blank and its state; a block id, `interval` or `full`; a timeline index."""


class EventQueue(State):
    """The planned events of a world, earliest first."""

    _heap: Annotated[list[Event], UNORDERED] = saved_field(factory=list)
    _next_seq: int = saved_field(factory=int)

    def plan(self, at_ms: int, kind: EventKind, subject: str) -> None:
        """Add an event, which runs before the first call at or after `at_ms`."""
        heapq.heappush(self._heap, Event(at_ms, self._next_seq, kind, subject))
        self._next_seq += 1

    def is_due(self, now_ms: int) -> bool:
        """Whether an event is due at this time or before."""
        heap = self._heap
        return bool(heap) and heap[0][0] <= now_ms

    def next_ms(self) -> int | None:
        """When the next event is due; None without events."""
        return self._heap[0].at_ms if self._heap else None

    def pop_due(self, now_ms: int) -> list[Event]:
        """Remove and return the earliest events, all of one due time, in the order planned; none if they are due later."""
        heap = self._heap
        if not heap or heap[0].at_ms > now_ms:
            return []
        events = [heapq.heappop(heap)]
        while heap and heap[0].at_ms == events[0].at_ms:
            events.append(heapq.heappop(heap))
        return events

    def in_order(self) -> list[Event]:
        """All events, earliest first."""
        return sorted(self._heap)
