"""The relayers of one server: the main one, and worlds, each made when `/w/NAME/` is first requested.

A world is a relay of its own and shares no state with the others. Jobs that share one server take a name each.
"""

from __future__ import annotations

import re
import threading
from typing import Any

from mockrelay.core.errors import CONFLICT, MISSING, CommandRefused
from mockrelay.relay import Relay
from mockrelay.suggest import in_quotes
from mockrelay.web.delays import DelayQueue
from mockrelay.web.event_feed import EventFeed
from mockrelay.web.server_report import ServerReport

WORLDS_MAX = 100
"""The default number of worlds that a server may have: each holds a whole relayer in memory."""

_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
# Clients resolve these two as parts of a path before they send a request, so such a world could not be reached.
_NOT_SENT = (".", "..")


class HostedRelay:
    """A relay on a server: the main one or one of those under `/w/`."""

    __slots__ = ("clock", "delays", "events", "relay", "requests")

    def __init__(self, relay: Relay, delays: DelayQueue) -> None:
        self.relay = relay
        self.clock = relay.clock
        self.delays = delays
        """The answers of this relay that wait for its clock."""
        self.events = EventFeed(relay)
        self.requests = 0
        """The number of API requests since it was made; a reset does not change it."""


class HostedRelays:
    """The worlds of one server by name. May be used from several threads, but for `remove`."""

    def __init__(
        self, template: Relay, delays: DelayQueue, most: int = WORLDS_MAX, report: ServerReport | None = None
    ) -> None:
        """Each is spawned by `template`; its delayed answers are a part of `delays`; there are at most `most`. `report`
        keeps what is known of the clients of those that are removed.
        """
        self._report = report or ServerReport()
        self._template = template
        self._delays = delays
        self._most = most
        self._lock = threading.Lock()
        self._worlds: dict[str, HostedRelay] = {}

    def of(self, name: str) -> HostedRelay:
        """The world of a name, made on first use. Raises CommandRefused for a wrong name, and for one too many."""
        world = self._worlds.get(name)
        return self._made(name) if world is None else world

    def add(self, name: str, relay: Relay) -> None:
        """Add a world that exists already."""
        self._worlds[name] = HostedRelay(relay, self._delays.part())

    def relays(self) -> list[tuple[str, Relay]]:
        """The relays of the worlds by name."""
        with self._lock:
            return [(name, world.relay) for name, world in self._worlds.items()]

    def remove(self, name: str, *, is_reported: bool = True) -> bool:
        """Remove a world and release its delayed answers; False where there is none. `is_reported`: whether its report
        is kept. Raises CommandRefused where the removal cannot be recorded; then the world stays. To be
        called in the server's loop.
        """
        with self._lock:
            world = self._worlds.get(name)
            if world is not None:
                world.relay.end_record()
                del self._worlds[name]
        if world is not None:
            world.delays.release()
            if is_reported:
                self._report.keep(name, world.relay)
        return world is not None

    def _made(self, name: str) -> HostedRelay:
        if not _NAME.fullmatch(name) or name in _NOT_SENT:
            meant = "/w/NAME/ with 1 to 64 letters, digits, '.', '_' and '-'"
            raise CommandRefused(MISSING, f"{in_quotes(name)} cannot name a world", "world", meant)
        with self._lock:
            world = self._worlds.get(name)
            if world is None:
                if len(self._worlds) >= self._most:
                    raise CommandRefused(
                        CONFLICT,
                        f"the world {in_quotes(name)} was not made, since there are {len(self._worlds)} already, as many as may be",
                        "world",
                        "remove one (DELETE /__mockrelay/worlds/NAME), or start the server with a higher --worlds",
                    )
                world = self._worlds[name] = HostedRelay(self._template.spawn(name), self._delays.part())
        return world

    def views(self) -> list[dict[str, Any]]:
        """Name, scenario, time and number of requests of each world."""
        with self._lock:
            worlds = list(self._worlds.items())
        return [
            {
                "name": name,
                "scenario": world.relay.scenario_name,
                "now_ms": world.clock.now_ms(),
                "requests": world.requests,
            }
            for name, world in worlds
        ]
