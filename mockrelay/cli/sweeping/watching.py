"""What a command meets of the choices, whichever world of its server it calls and whatever is reset meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.clock import Clock
from mockrelay.control import Load
from mockrelay.relay import Relay
from mockrelay.spec.choices import BY_KEY
from mockrelay.wire.messages import RawRequest, Response


class Met:
    """The choices that were consulted, with the options that the world held, and how many calls there were."""

    def __init__(self) -> None:
        self.held: set[tuple[str, str]] = set()
        self.calls = 0
        self.of: Relay | None = None
        """The relay that is at work. A server's relays work one after the other, all in its one thread."""

    @property
    def keys(self) -> frozenset[str]:
        """The choices that were consulted, by calls or by what fell due."""
        return frozenset(key for key, _ in self.held)

    def decide(self, key: str, context: Mapping[str, Any]) -> None:
        """Take note of a decision that is met, and leave it as it is."""
        if self.of is not None and key in BY_KEY:
            self.held.add((key, self.of.world.choices[key]))


class Watched:
    """A relay as a server needs it, whose work is told to `Met`, as that of its worlds is."""

    def __init__(self, relay: Relay, met: Met) -> None:
        self._relay = relay
        self._met = met

    def handle(self, raw: RawRequest, now_ms: int, era: int | None = None) -> Response:
        """The relay's answer."""
        self._met.calls += 1
        self._met.of = self._relay
        return self._relay.handle(raw, now_ms, era)

    def control(
        self, method: str, path: str, query: tuple[tuple[str, str], ...], body: bytes, load: Load | None = None
    ) -> Response:
        """The relay's answer to a control call."""
        self._met.of = self._relay
        return self._relay.control(method, path, query, body, load)

    def sibling(self, name: str) -> Watched:
        """A further relay, watched too."""
        return Watched(self._relay.sibling(name), self._met)

    def end_record(self) -> None:
        """As the relay does."""
        self._relay.end_record()

    @property
    def clock(self) -> Clock:
        """The relay's clock."""
        return self._relay.clock

    @property
    def scenario_name(self) -> str:
        """The name of the relay's scenario."""
        return self._relay.scenario_name
