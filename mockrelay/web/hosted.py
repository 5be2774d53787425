"""The relayers of one server: the main one, and worlds, each made when `/w/NAME/` is first requested.

A world is a relay of its own and shares no state with the others. Jobs that share one server take a name each.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

from mockrelay.clock import monotonic_s
from mockrelay.core.errors import BAD, CONFLICT, MISSING, CommandRefused
from mockrelay.relay import Relay
from mockrelay.relay.start import Start
from mockrelay.suggest import in_quotes
from mockrelay.web.delays import DelayQueue
from mockrelay.web.event_feed import EventFeed
from mockrelay.web.server_report import ServerReport
from mockrelay.web.threads import Line

WORLDS_MAX = 100
"""The default number of worlds that a server may have: each holds a whole relayer in memory."""

WORLDS_PATH = "/__mockrelay/worlds"


class WorldLimits(NamedTuple):
    """Which worlds a server has."""

    most: int = WORLDS_MAX
    is_explicit: bool = False
    """Whether a world has to be made before it is used."""
    idle_s: float | None = None
    """After so many seconds without a request a world is removed; None: never."""


DEFAULT_LIMITS = WorldLimits()
_NAME_MEANT = "1 to 64 letters, digits, '.', '_' and '-'"
_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
# Clients resolve these two as parts of a path before they send a request, so such a world could not be reached.
_NOT_SENT = (".", "..")


class HostedRelay:
    """A relay on a server: the main one or one of those under `/w/`."""

    __slots__ = ("clock", "delays", "events", "line", "relay", "requests", "used_s")

    def __init__(self, relay: Relay, delays: DelayQueue, used_s: float = 0) -> None:
        self.relay = relay
        self.clock = relay.clock
        self.delays = delays
        """The answers of this relay that wait for its clock."""
        self.line = Line(relay)
        self.events = EventFeed(relay, self.line)
        self.requests = 0
        """The number of API requests since it was made; a reset does not change it."""
        self.used_s = used_s
        """When it was asked last, in seconds of a monotonic clock; only kept where worlds can be idle too long."""

    @property
    def is_busy(self) -> bool:
        """Whether it owes an answer to somebody, or somebody reads its events or holds a WebSocket."""
        is_waiting = self.line.last is not None or self.delays.is_waiting
        return is_waiting or self.events.is_read or self.relay.socket_count > 0

    def view(self, name: str) -> dict[str, Any]:
        """Its entry in the list of worlds."""
        return {
            "name": name,
            "scenario": self.relay.scenario_name,
            "now_ms": self.clock.now_ms(),
            "requests": self.requests,
        }


class HostedRelays:
    """The worlds of one server by name. May be used from several threads."""

    def __init__(
        self,
        template: Relay,
        delays: DelayQueue,
        limits: WorldLimits = DEFAULT_LIMITS,
        report: ServerReport | None = None,
        now_s: Callable[[], float] = monotonic_s,
    ) -> None:
        """Each is spawned by `template`; its delayed answers are a part of `delays`. `report` keeps what is known of the
        clients of those that are removed.
        """
        self._report = report or ServerReport()
        self._template = template
        self._delays = delays
        self._most, self._is_explicit, self._idle_s = limits
        self._now_s = now_s
        self._lock = threading.Lock()
        self._worlds: dict[str, HostedRelay] = {}

    def of(self, name: str) -> HostedRelay:
        """The world of a name, made on first use unless worlds are made explicitly. Raises CommandRefused for a wrong
        name, and for one too many.
        """
        world = self._worlds.get(name) or self._first(name)
        if self._idle_s is not None:
            world.used_s = self._now_s()
        return world

    def find(self, name: str) -> HostedRelay | None:
        """The world of a name; None: there is none."""
        return self._worlds.get(name)

    def add(self, name: str, relay: Relay) -> None:
        """Add a world that exists already."""
        self._worlds[name] = HostedRelay(relay, self._delays.part(), self._now_s())

    def relays(self) -> list[tuple[str, Relay]]:
        """The relays of the worlds by name."""
        with self._lock:
            return [(name, world.relay) for name, world in self._worlds.items()]

    def remove(self, name: str, *, is_reported: bool = True) -> bool:
        """Remove a world and release its delayed answers; False where there is none. `is_reported`: whether its report
        is kept. Raises CommandRefused where the removal cannot be recorded; then the world stays.
        """
        with self._lock:
            world = self._worlds.get(name)
            if world is not None:
                world.relay.end_record()
                del self._worlds[name]
        if world is not None:
            world.events.is_removed = True
            world.delays.release()
            world.relay.end_sockets()
            if is_reported:
                self._report.keep(name, world.relay)
        return world is not None

    def make(self, name: str, start: Start) -> dict[str, Any]:
        """Make a world with start options of its own; its view. Raises CommandRefused for a wrong name, for one that is
        there already, and for one too many.
        """
        if not _is_name(name):
            raise CommandRefused(BAD, f"{in_quotes(name)} cannot name a world", "name", _NAME_MEANT)
        with self._lock:
            if name in self._worlds:
                meant = f"another name, or DELETE {WORLDS_PATH}/{name} before"
                raise CommandRefused(CONFLICT, f"there is a world {in_quotes(name)} already", "name", meant)
            return self._add(name, start, "name").view(name)

    def remove_idle(self) -> list[str]:
        """Remove the worlds that nobody has asked for longer than the limit, but for those that owe an answer; their
        names. Their reports are kept.
        """
        if self._idle_s is None:
            return []
        before_s = self._now_s() - self._idle_s
        with self._lock:
            idle = [name for name, world in self._worlds.items() if world.used_s <= before_s and not world.is_busy]
        removed = []
        for name in idle:
            # One whose removal cannot be recorded stays.
            with suppress(CommandRefused):
                self.remove(name)
                removed.append(name)
        return removed

    def _first(self, name: str) -> HostedRelay:
        """The world that a request names first."""
        if not _is_name(name):
            raise CommandRefused(
                MISSING, f"{in_quotes(name)} cannot name a world", "world", f"/w/NAME/ with {_NAME_MEANT}"
            )
        with self._lock:
            world = self._worlds.get(name)
            if world is None and self._is_explicit:
                meant = f"one that GET {WORLDS_PATH} lists; POST {WORLDS_PATH} makes one"
                raise CommandRefused(MISSING, f"there is no world {in_quotes(name)}", "world", meant)
            return world or self._add(name, None, "world")

    def _add(self, name: str, start: Start | None, field: str) -> HostedRelay:
        if len(self._worlds) >= self._most:
            raise CommandRefused(
                CONFLICT,
                f"the world {in_quotes(name)} was not made, since there are {len(self._worlds)} already, as many as may be",
                field,
                f"remove one (DELETE {WORLDS_PATH}/NAME), or start the server with a higher --worlds",
            )
        relay = self._template.spawn(name, start)
        world = self._worlds[name] = HostedRelay(relay, self._delays.part(), self._now_s())
        return world

    def views(self) -> list[dict[str, Any]]:
        """Name, scenario, time and number of requests of each world."""
        with self._lock:
            worlds = list(self._worlds.items())
        return [world.view(name) for name, world in worlds]


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name not in _NOT_SENT
