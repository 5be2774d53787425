"""Readers of a relayer's events: each event is encoded once, and sent to all of them in batches."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import NamedTuple

from mockrelay.clock import monotonic_s
from mockrelay.control import events
from mockrelay.relay import Relay
from mockrelay.web.delays import DelayQueue
from mockrelay.web.threads import Line

BATCH_S = 0.1
"""How often events are sent."""
PULSE_S = 15.0
"""After how long without an event a reader is sent an empty line, which shows that the server is there."""
UNREAD_BYTES_MAX = 1 << 20
"""A reader with more unread bytes than this gets no more until it has read."""
EVENT_HEADERS = (("Content-Type", events.MEDIA_TYPE), ("Cache-Control", "no-store"))
_PULSE = b":\n\n"


class EventReader:
    """A connection that events are sent to."""

    __slots__ = ("next_number", "sent_s", "transport")

    def __init__(self, transport: asyncio.WriteTransport, next_number: int) -> None:
        self.transport = transport
        self.next_number = next_number
        """The number of the first event that it has not been sent."""
        self.sent_s = monotonic_s()
        """When it was last sent anything."""

    @property
    def is_behind(self) -> bool:
        """Whether it has so much to read that it gets no more for now."""
        return self.transport.get_write_buffer_size() > UNREAD_BYTES_MAX

    def send(self, data: bytes, next_number: int) -> None:
        """Send events."""
        self.transport.write(data)
        self.next_number = next_number
        self.sent_s = monotonic_s()


class EventFeed:
    """Sends the events of one relay to its readers. Belongs to the server's loop. Without a reader it does nothing."""

    __slots__ = ("_line", "_readers", "_relay", "_timer", "is_removed")

    def __init__(self, relay: Relay, line: Line) -> None:
        self._relay = relay
        self._line = line
        self._readers: set[EventReader] = set()
        self._timer: asyncio.TimerHandle | None = None
        self.is_removed = False
        """Whether its world is being removed: then its readers are told so, since the next call would make it anew."""

    @property
    def is_read(self) -> bool:
        """Whether it has a reader."""
        return bool(self._readers)

    async def serve(self, transport: asyncio.WriteTransport, head: bytes, last_id: str, released: DelayQueue) -> None:
        """Send a head and events to a connection until it ends, which cancels this, or until the queue is released."""
        first = await self._line.call(self._relay, partial(events.begin, self._relay, last_id))
        reader = EventReader(transport, first.next_number)
        reader.send(head + first.data, first.next_number)
        self._readers.add(reader)
        self._plan()
        try:
            await released.until_released()
            if self.is_removed:
                await self._line.call(self._relay, partial(self._end, reader))
        finally:
            self._readers.discard(reader)
            if not self._readers and self._timer is not None:
                self._timer.cancel()
                self._timer = None

    def _end(self, reader: EventReader) -> None:
        """Send a reader what it has not been sent, and that the world is removed."""
        reader.send(*events.end(self._relay, reader.next_number))

    def _plan(self) -> None:
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(BATCH_S, self._take_turn)

    def _take_turn(self) -> None:
        self._timer = None
        self._line.call(self._relay, self._send)

    def _send(self) -> None:
        """Send every reader what it has not been sent. Those that are equally far, as nearly all are, get the same bytes."""
        batches: dict[int, events.Batch] = {}
        pulse_before_s = monotonic_s() - PULSE_S
        for reader in self._readers:
            if reader.transport.is_closing() or reader.is_behind:
                continue
            number = reader.next_number
            if number not in batches:
                batches[number] = events.batch_from(self._relay, number)
            batch = batches[number]
            if batch.data:
                reader.send(*batch)
            elif reader.sent_s < pulse_before_s:
                reader.send(_PULSE, number)
        if self._readers:
            self._plan()


class EventStream(NamedTuple):
    """An answer without an end: the events of a relay."""

    feed: EventFeed
    last_id: str
    released: DelayQueue
    headers: tuple[tuple[str, str], ...]
