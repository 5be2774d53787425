"""The relayers of one server: the main one, and worlds, each made when `/w/NAME/` is first requested.

A world is a relay of its own and shares no state with the others. Jobs that share one server take a name each.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

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

    def __init__(self, relay: Relay, delays: DelayQueue, used_s: float = 0, line: Line | None = None) -> None:
        """`line`: where its first calls wait already."""
        self.relay = relay
        self.clock = relay.clock
        self.delays = delays
        """The answers of this relay that wait for its clock."""
        self.line = line or Line()
        self.events = EventFeed(relay, self.line)
        self.requests = 0
        """The number of API requests since it was made; a reset does not change it."""
        self.used_s = used_s
        """When it was asked last, in seconds of a monotonic clock; only kept where worlds can be idle too long."""

    @property
    def is_busy(self) -> bool:
        """Whether it owes an answer to somebody, or a thread is at work on it, or somebody reads its events or holds a WebSocket."""
        is_waiting = self.line.last is not None or self.relay.is_busy or self.delays.is_waiting
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
    """The worlds of one server by name. May be used from several threads. Its lock is held for moments only: while a world
    is made, or a relay waited for, others have theirs.
    """

    def __init__(
        self,
        template: Relay,
        delays: DelayQueue,
        limits: WorldLimits = DEFAULT_LIMITS,
        now_s: Callable[[], float] = monotonic_s,
    ) -> None:
        """Each is spawned by `template`; its delayed answers are a part of `delays`."""
        self._template = template
        self._delays = delays
        self._most, self._is_explicit, self._idle_s = limits
        self._now_s = now_s
        self._lock = threading.Condition()
        """Notified when a world has been made, or could not be."""
        self._worlds: dict[str, HostedRelay] = {}
        self._making: set[str] = set()
        """The names of the worlds that are being made."""
        self._lines: WeakValueDictionary[str, Line] = WeakValueDictionary()
        """Where calls wait for worlds that are still to be made, as long as any does."""
        self._removed = ServerReport()
        self._leaving: list[tuple[str, Relay]] = []
        """The worlds that have been removed and are not in that report yet."""

    def of(self, name: str) -> HostedRelay:
        """The world of a name, made on first use unless worlds are made explicitly. Raises CommandRefused for a wrong
        name, and for one too many. It may take as long as a world takes to make.
        """
        while True:
            world = self._worlds.get(name) or self._first(name)
            if self._idle_s is None:
                return world
            with self._lock:
                # Another thread may have removed it just now, since it was idle.
                if self._worlds.get(name) is world:
                    world.used_s = self._now_s()
                    return world

    def find(self, name: str) -> HostedRelay | None:
        """The world of a name; None: there is none."""
        return self._worlds.get(name)

    def line(self, name: str) -> Line:
        """Where the calls to a world wait for their turn, also before it is made."""
        with self._lock:
            world = self._worlds.get(name)
            return self._lines.setdefault(name, Line()) if world is None else world.line

    def add(self, name: str, relay: Relay) -> None:
        """Add a world that exists already."""
        self._worlds[name] = HostedRelay(relay, self._delays.part(), self._now_s())

    def relays(self) -> list[tuple[str, Relay]]:
        """The relays of the worlds by name."""
        with self._lock:
            return [(name, world.relay) for name, world in self._worlds.items()]

    def reported(self) -> tuple[ServerReport, list[tuple[str, Relay]]]:
        """What is known of the clients of removed worlds, and the relays of all others, at one moment: none is missing, and
        none is in both.
        """
        with self._lock:
            worlds = [(name, world.relay) for name, world in self._worlds.items()]
            return self._removed.copy(), [("", self._template), *worlds, *self._leaving]

    def remove(self, name: str, *, is_reported: bool = True) -> bool:
        """Remove a world and release its delayed answers; False where there is none. `is_reported`: whether its report
        is kept. Raises CommandRefused where the removal cannot be recorded; then the world stays. It waits for other
        threads that are at work on the world.
        """
        world = self._worlds.get(name)
        if world is None:
            return False
        world.relay.end_record()
        with self._lock:
            if self._worlds.get(name) is not world:
                # Another thread has removed it meanwhile.
                return False
            self._take_out(name, is_reported=is_reported)
        self._end(name, world, is_reported=is_reported)
        return True

    def remove_idle(self) -> list[str]:
        """Remove the worlds that nobody has asked for longer than the limit, but for those that owe an answer; their
        names. Their reports are kept.
        """
        if self._idle_s is None:
            return []
        before_s = self._now_s() - self._idle_s
        removed = []
        for name, world in tuple(self._worlds.items()):
            # One whose removal cannot be recorded stays.
            with self._lock, suppress(CommandRefused):
                if self._worlds.get(name) is not world or world.used_s > before_s or world.is_busy:
                    continue
                # This waits for nobody, since no other thread is at work on it.
                world.relay.end_record()
                self._take_out(name, is_reported=True)
                removed.append((name, world))
        for name, world in removed:
            self._end(name, world, is_reported=True)
        return [name for name, _ in removed]

    def make(self, name: str, start: Start) -> dict[str, Any]:
        """Make a world with start options of its own; its view. Raises CommandRefused for a wrong name, for one that is
        there already, and for one too many.
        """
        if not _is_name(name):
            raise CommandRefused(BAD, f"{in_quotes(name)} cannot name a world", "name", _NAME_MEANT)
        with self._lock:
            if self._when_made(name) is not None:
                meant = f"another name, or DELETE {WORLDS_PATH}/{name} before"
                raise CommandRefused(CONFLICT, f"there is a world {in_quotes(name)} already", "name", meant)
            self._begin(name, "name")
        return self._make(name, start).view(name)

    def views(self) -> list[dict[str, Any]]:
        """Name, scenario, time and number of requests of each world."""
        with self._lock:
            worlds = list(self._worlds.items())
        return [world.view(name) for name, world in worlds]

    def _first(self, name: str) -> HostedRelay:
        """The world that a request names first."""
        if not _is_name(name):
            raise CommandRefused(
                MISSING, f"{in_quotes(name)} cannot name a world", "world", f"/w/NAME/ with {_NAME_MEANT}"
            )
        with self._lock:
            world = self._when_made(name)
            if world is not None:
                return world
            if self._is_explicit:
                meant = f"one that GET {WORLDS_PATH} lists; POST {WORLDS_PATH} makes one"
                raise CommandRefused(MISSING, f"there is no world {in_quotes(name)}", "world", meant)
            self._begin(name, "world")
        return self._make(name, None)

    def _when_made(self, name: str) -> HostedRelay | None:
        """The world of a name, once no other thread makes it; None: there is none. Under the lock, which others have
        meanwhile.
        """
        self._lock.wait_for(lambda: name not in self._making)
        return self._worlds.get(name)

    def _begin(self, name: str, field: str) -> None:
        """Note under the lock that a world is being made. Raises CommandRefused for one too many."""
        count = len(self._worlds) + len(self._making)
        if count >= self._most:
            raise CommandRefused(
                CONFLICT,
                f"the world {in_quotes(name)} was not made, since there are {count} already, as many as may be",
                field,
                f"remove one (DELETE {WORLDS_PATH}/NAME), or start the server with a higher --worlds",
            )
        self._making.add(name)

    def _make(self, name: str, start: Start | None) -> HostedRelay:
        """Make a world that `_begin` has noted."""
        try:
            relay = self._template.spawn(name, start)
        except BaseException:
            with self._lock:
                self._end_making(name)
            raise
        with self._lock:
            self._end_making(name)
            line = self._lines.get(name)
            world = self._worlds[name] = HostedRelay(relay, self._delays.part(), self._now_s(), line)
        return world

    def _end_making(self, name: str) -> None:
        """Let those go on who wait for a world, under the lock, which they get behind this."""
        self._making.remove(name)
        self._lock.notify_all()

    def _take_out(self, name: str, *, is_reported: bool) -> None:
        """Make a name free, under the lock."""
        world = self._worlds.pop(name)
        if is_reported:
            self._leaving.append((name, world.relay))

    def _end(self, name: str, world: HostedRelay, *, is_reported: bool) -> None:
        """End a world whose name is free."""
        world.events.is_removed = True
        world.delays.release()
        world.relay.end_sockets()
        if is_reported:
            report = ServerReport.of(name, world.relay)
            with self._lock:
                self._leaving.remove((name, world.relay))
                self._removed.add(report)


def _is_name(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name not in _NOT_SENT
