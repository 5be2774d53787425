"""What a relay was made with, how that stands in a record's head, and the worlds that start so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import mockrelay
from mockrelay.clock import ClockWish
from mockrelay.core.context import Decide
from mockrelay.core.world import World, check_choices
from mockrelay.recording.format import Head, RecordError
from mockrelay.relay.commands import clock_wish_json, clock_wish_of
from mockrelay.relay.verifying import Verifier
from mockrelay.scenario import Scenario, load_text, text_of


class Start(NamedTuple):
    """What a relay was made with."""

    scenario: Scenario
    choices: Mapping[str, str]
    limits_on: bool | None
    clock: ClockWish
    verifier: Verifier | None
    decide: Decide | None

    def head(self, frozen_start_ms: int) -> Head:
        """The head of a relay's record; `frozen_start_ms` is where a frozen clock starts that nothing else sets."""
        limits = None if self.limits_on is None else ("spec" if self.limits_on else "off")
        name, text = self.scenario.name, text_of(self.scenario)
        clock = clock_wish_json(self.clock)
        return Head(mockrelay.__version__, text, name, self.choices, limits, clock, frozen_start_ms)

    @classmethod
    def of_head(cls, head: Head, verifier: Verifier | None, decide: Decide | None) -> Self:
        """The start that a record's head tells of. Raises RecordError."""
        limits_on = None if head.limits is None else head.limits == "spec"
        try:
            scenario = load_text(head.scenario, head.name)
            return cls(scenario, check_choices(head.choices), limits_on, clock_wish_of(head.clock), verifier, decide)
        except ValueError as error:
            raise RecordError(1, f"a start that cannot be made ({error})", "a head as it was recorded") from None


class FirstWorlds:
    """Worlds at their start. The last one made is kept, since most resets ask for the same again."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept: tuple[tuple[Any, ...], World] | None = None

    def world(self, scenario: Scenario, start_ms: int, choices: Mapping[str, str], limits_on: bool | None) -> World:
        """A world of its own."""
        wanted = (scenario, start_ms, dict(choices), limits_on)
        if self._kept is None or self._kept[0] != wanted:
            self._kept = (wanted, scenario.world(start_ms, choices, limits_on))
        return self._kept[1].clone()
