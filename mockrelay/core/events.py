"""What will happen by itself: a queue of events by (due time, sequence), and the moment at which they are run."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import TYPE_CHECKING, Annotated, NamedTuple

from mockrelay.core.state import ANY_ORDER, State, saved_field
from mockrelay.spec.choices import DUE_ORDER

if TYPE_CHECKING:
    from mockrelay.core.context import Context

EVENT = "event"
"""The source of what an event brings about that has no other name."""


class DueKind(IntEnum):
    """What falls due."""

    ORDER_EXPIRES = 1
    ORDER_STARTS = 2
    CANCEL_DONE = 3
    REQUEST_MOVES = 4
    BLOCK_SEALS = 5
    BLOCK_CONFIRMS = 6
    BLOCK_FINALIZES = 7
    TIMELINE = 8


class Due(NamedTuple):
    """One event; sorts by time, then by the order in which events were planned."""

    at_ms: int
    seq: int
    kind: DueKind
    subject: str
    """The hash of the order, the hash and the state of the request, the id of the block, or the index in the timeline."""


class Agenda(State):
    """The planned events of a world, earliest first."""

    _heap: Annotated[list[Due], ANY_ORDER] = saved_field(factory=list)
    _next_seq: int = saved_field(factory=int)

    def plan(self, at_ms: int, kind: DueKind, subject: str) -> None:
        """`kind` will happen to `subject` at the first call at or after `at_ms`."""
        heapq.heappush(self._heap, Due(at_ms, self._next_seq, kind, subject))
        self._next_seq += 1

    def is_due(self, now_ms: int) -> bool:
        """Whether anything was planned for this moment or an earlier one."""
        heap = self._heap
        return bool(heap) and heap[0][0] <= now_ms

    def pop_due(self, now_ms: int) -> list[Due]:
        """The earliest events, all of one moment, if that is not after `now_ms`; in the order planned."""
        heap = self._heap
        if not heap or heap[0].at_ms > now_ms:
            return []
        events = [heapq.heappop(heap)]
        while heap and heap[0].at_ms == events[0].at_ms:
            events.append(heapq.heappop(heap))
        return events

    def events(self) -> list[Due]:
        """All events in order."""
        return sorted(self._heap)


Happening = Callable[["Context", str, int], None]
"""What an event does: (context, subject, the moment it was due)."""


def run_due(ctx: Context, happenings: Mapping[DueKind, Happening]) -> None:
    """Let everything happen that is due by the call's moment, each event at its own due time."""
    agenda = ctx.world.agenda
    happened: list[Due] = []
    ctx.trace.events = happened
    ctx.event = EVENT
    while events := agenda.pop_due(ctx.now_ms):
        events.reverse()
        while events:
            chosen = 0
            if len(events) > 1:
                # Nothing says which of several events of one moment comes first, so a test may draw it.
                chosen = ctx.decide_index(DUE_ORDER, len(events))
            event = events.pop(len(events) - 1 - chosen)
            happened.append(event)
            happenings[event.kind](ctx, event.subject, event.at_ms)
    ctx.event = None
