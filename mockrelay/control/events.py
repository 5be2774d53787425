"""The events of a relayer as server-sent events (text/event-stream): what a reader gets first, and batches of events."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from mockrelay.control.answers import json_text
from mockrelay.journal.event_log import EventLog, NumberedEvent
from mockrelay.relay import Relay

BATCH_MAX = 2000
"""How many events are written at once."""
MEDIA_TYPE = "text/event-stream"
RETRY_MS = 1000
"""How long a reader that has lost its connection should wait before it comes again."""
_LAST_ID = re.compile(r"([0-9]{1,20})-([0-9]{1,15})")


class Batch(NamedTuple):
    """Encoded events, and the number of the event behind them."""

    data: bytes
    next_number: int


def begin(relay: Relay, last_id: str) -> Batch:
    """What a reader gets first: how many events it has missed for good, null where that is not known; and where it goes
    on. `last_id` is the id of the last event that it has, empty for none.
    """
    log = relay.keep_events()
    with relay.locked_context() as ctx:
        number, gone = _place(log, last_id)
        first = {"now_ms": ctx.now_ms, "scenario": relay.scenario_name, "gone": gone}
    text = f"retry: {RETRY_MS}\n{_event(log.start, number - 1, 'start', first)}"
    return Batch(text.encode(), number)


def batch_from(relay: Relay, number: int) -> Batch:
    """The events from a number on. What falls due by now happens before."""
    events = relay.events_from(number, BATCH_MAX)
    return Batch(_encoded(relay.keep_events().start, events, number), events[-1].number + 1 if events else number)


def end(relay: Relay, number: int) -> Batch:
    """What a reader of a world gets last when it is removed: what it has not been sent, and that it is removed."""
    rest = batch_from(relay, number)
    start = relay.keep_events().start
    return Batch(rest.data + _event(start, rest.next_number - 1, "removed", {}).encode(), rest.next_number)


def _place(log: EventLog, last_id: str) -> tuple[int, int | None]:
    """The number of the first event that a reader is to get, and how many it has missed for good."""
    if not last_id:
        return log.next_number, 0
    found = _LAST_ID.fullmatch(last_id)
    if found is None or found[1] != log.start or int(found[2]) >= log.next_number:
        return log.first_number, None
    wanted = int(found[2]) + 1
    number = max(wanted, log.first_number)
    return number, number - wanted


def _encoded(start: str, events: Iterable[NumberedEvent], number: int) -> bytes:
    parts = []
    for event in events:
        if event.number != number:
            parts.append(_event(start, event.number - 1, "gone", {"gone": event.number - number}))
        parts.append(_event(start, event.number, event.kind, event.data))
        number = event.number + 1
    return "".join(parts).encode()


def _event(start: str, number: int, kind: str, data: object) -> str:
    return f"id: {start}-{number}\nevent: {kind}\ndata: {json_text(data)}\n\n"
