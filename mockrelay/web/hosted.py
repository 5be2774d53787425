"""The relayers of one server: the main one, and worlds, each made when `/w/NAME/` is first requested.

A world is a relay of its own and shares no state with the others. Jobs that share one server take a name each.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

from mockrelay.control.answers import METHOD_WRONG, answer, refusal
from mockrelay.control.bodies import object_of
from mockrelay.control.fields import check_names, short
from mockrelay.core.errors import BAD, CONFLICT, MISSING, CommandRefused
from mockrelay.relay import Relay
from mockrelay.suggest import cut, in_quotes
from mockrelay.web.delays import DelayQueue
from mockrelay.wire.http import RawRequest, Response

WORLDS_MAX = 100
"""The default number of worlds that a server may have: each holds a whole relayer in memory."""
VERB = "worlds"
"""The control verb that lists and removes them; what stands before it in the path is the control API's root."""

_NAME = re.compile(r"[A-Za-z0-9._-]{1,64}")
# Clients resolve these two as parts of a path before they send a request, so such a world could not be reached.
_NOT_SENT = (".", "..")


class HostedRelay:
    """A relay on a server: the main one or one of those under `/w/`."""

    __slots__ = ("clock", "delays", "relay", "requests")

    def __init__(self, relay: Relay, delays: DelayQueue) -> None:
        self.relay = relay
        self.clock = relay.clock
        self.delays = delays
        """The answers of this relay that wait for its clock."""
        self.requests = 0
        """The number of API requests since it was made; a reset does not change it."""


Removed = Callable[[str, Relay], None]
"""Called with name and relay of a world that is removed, unless its removal asks to keep it out of reports."""


class HostedRelays:
    """The worlds of one server by name. May be used from several threads, but for `remove`."""

    def __init__(
        self, template: Relay, delays: DelayQueue, most: int = WORLDS_MAX, when_removed: Removed | None = None
    ) -> None:
        """Each is spawned by `template`; its delayed answers are a part of `delays`; there are at most `most`."""
        self._when_removed = when_removed
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
        """Remove a world and release its delayed answers; False where there is none. `is_reported`: whether
        `when_removed` is called. Raises CommandRefused where the removal cannot be recorded; then the world stays. To be
        called in the server's loop.
        """
        with self._lock:
            world = self._worlds.get(name)
            if world is not None:
                world.relay.end_record()
                del self._worlds[name]
        if world is not None:
            world.delays.release()
            if is_reported and self._when_removed is not None:
                self._when_removed(name, world.relay)
        return world is not None

    def control(self, raw: RawRequest, words: tuple[str, ...]) -> Response:
        """Carry out a control call of the verb `worlds`; `words` are what follows it in the path."""
        try:
            return answer(200, self._carried_out(raw, words))
        except CommandRefused as refused:
            return refusal(refused)

    def _carried_out(self, raw: RawRequest, words: tuple[str, ...]) -> Any:
        path = "/".join((VERB, *words))
        if len(words) > 1:
            raise CommandRefused(
                MISSING, f"there is no control verb {in_quotes(path)}", "path", f"{VERB} or {VERB}/NAME"
            )
        allowed = "DELETE" if words else "GET"
        if raw.method != allowed:
            raise CommandRefused(METHOD_WRONG, f"{cut(raw.method)} is not for {cut(path)}", "method", allowed)
        if raw.query:
            raise CommandRefused(BAD, "this call takes no query", raw.query[0][0], "nothing but the path")
        if not words:
            if raw.body.strip() not in (b"", b"{}"):
                raise CommandRefused(BAD, "this call takes no body", "body", "nothing, or {}")
            return self._listed()
        if not self.remove(words[0], is_reported=_is_reported(raw.body)):
            raise CommandRefused(
                MISSING, f"there is no world {in_quotes(words[0])}", "name", f"one that GET {VERB} lists"
            )
        return {"name": words[0]}

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

    def _listed(self) -> list[dict[str, Any]]:
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


def _is_reported(body: bytes) -> bool:
    """The field `report` of a removal's body: whether the world counts in reports. Raises CommandRefused."""
    fields = object_of(body)
    check_names(fields, ("report",))
    is_reported = fields.get("report", True)
    if not isinstance(is_reported, bool):
        raise CommandRefused(BAD, f"{short(is_reported)} is not a boolean", "report", "true or false")
    return is_reported
