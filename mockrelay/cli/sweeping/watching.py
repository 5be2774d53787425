"""What a command meets of the choices, whichever world of its server it calls and whatever is reset meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from mockrelay.core.context import COMMAND, Context
from mockrelay.relay import Relay
from mockrelay.relay.start import Start
from mockrelay.scenario import Scenario
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


class WatchedRelay(Relay):
    """A relay whose work is told to `Met`, as that of its worlds is."""

    def __init__(self, met: Met, scenario: Scenario, **options: Any) -> None:
        """`options` as a relay's own, but for `decide`."""
        self._met = met
        super().__init__(scenario, **{**options, "decide": met.decide})

    def handle(self, raw: RawRequest, now_ms: int, era: int | None = None) -> Response:
        """The relay's answer."""
        self._met.calls += 1
        self._met.of = self
        return super().handle(raw, now_ms, era)

    @contextmanager
    def locked_context(self, source: str = COMMAND) -> Iterator[Context]:
        """The relay's world."""
        self._met.of = self
        with super().locked_context(source) as ctx:
            yield ctx

    def _alike(self, start: Start) -> Relay:
        return WatchedRelay(self._met, **start._asdict())
