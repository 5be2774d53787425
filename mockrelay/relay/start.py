"""The options that a relay starts with, their form in a record's head, and the worlds that start from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Self

from mockrelay._version import __version__
from mockrelay.clock import RATE_MAX, ClockConfig
from mockrelay.core.context import Decide
from mockrelay.core.errors import CallbackFailed, InvalidInput
from mockrelay.core.units import moment_ms, moment_text
from mockrelay.core.world import World, check_choices
from mockrelay.recording.format import Head, RecordError
from mockrelay.recording.state_line import plain_rate
from mockrelay.relay.verifier import Verifier
from mockrelay.scenario import Scenario, load_text, text_of
from mockrelay.spec.choices import BY_KEY
from mockrelay.suggest import in_quotes, shown

EXAMPLE_MOMENT = "2026-01-01T00:00:00Z"
_CLOCK = f'real, frozen, a rate up to {RATE_MAX} or {{"rate", "start"}}'


class Start(NamedTuple):
    """The options that a relay was created with."""

    scenario: Scenario
    choices: Mapping[str, str]
    limits_on: bool | None
    clock: ClockConfig
    verifier: Verifier | None
    decide: Decide | None
    profile: str | None = None
    """A profile in place of the scenario's; None: the scenario's."""

    def head(self, frozen_start_ms: int) -> Head:
        """The head of a relay's record; `frozen_start_ms` is the default start of a frozen clock."""
        limits = None if self.limits_on is None else ("spec" if self.limits_on else "off")
        name, text = self.scenario.name, text_of(self.scenario)
        clock = clock_json(self.clock)
        return Head(__version__, text, name, self.choices, limits, clock, frozen_start_ms, self.profile)

    @classmethod
    def of_head(cls, head: Head, verifier: Verifier | None, decide: Decide | None) -> Self:
        """The options in a record's head. Raises RecordError."""
        limits_on = None if head.limits is None else head.limits == "spec"
        try:
            scenario = load_text(head.scenario, head.name)
            choices, clock = check_choices(head.choices), clock_of_json(head.clock)
            return cls(scenario, choices, limits_on, clock, verifier, decide, head.profile)
        except ValueError as error:
            raise RecordError(1, f"a start that cannot be made ({error})", "a head as it was recorded") from None


class FirstWorlds:
    """Makes worlds at their start. The last one is cached, since most resets need the same one."""

    __slots__ = ("_last",)

    def __init__(self) -> None:
        self._last: tuple[tuple[Any, ...], World] | None = None

    def world(self, scenario: Scenario, start_ms: int, choices: Mapping[str, str], limits_on: bool | None) -> World:
        """A new world."""
        key = (scenario, start_ms, dict(choices), limits_on)
        if self._last is None or self._last[0] != key:
            self._last = (key, scenario.world(start_ms, choices, limits_on))
        return self._last[1].clone()


def clock_of_json(value: Any) -> ClockConfig:
    """A clock from JSON: `real`, `frozen`, a rate, or `{"rate", "start"?}`. Raises InvalidInput."""
    if not isinstance(value, dict):
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise InvalidInput((), shown(value), _CLOCK)
        try:
            return ClockConfig.of_text(str(value))
        except ValueError:
            raise InvalidInput((), shown(value), _CLOCK) from None
    for name in value:
        if name not in ("rate", "start"):
            raise InvalidInput((), f"the unknown key {in_quotes(name)}", _CLOCK)
    clock = clock_of_json(value.get("rate", 0))
    start = value.get("start")
    start_ms = moment_ms(start) if isinstance(start, str) else None
    if start is not None and (start_ms is None or start_ms < 0):
        raise InvalidInput(
            (), f"{shown(start)} as a start", f'a date and time from 1970 on with Z, such as "{EXAMPLE_MOMENT}"'
        )
    return clock if start_ms is None else clock.from_scenario(start_ms)


def clock_json(clock: ClockConfig) -> dict[str, Any]:
    """The inverse of `clock_of_json`."""
    start = {} if clock.start_ms is None else {"start": moment_text(clock.start_ms)}
    return {"rate": plain_rate(clock.rate), **start}


def checked_decide(decide: Decide) -> Decide:
    """The same function, with CallbackFailed where it raises or returns neither an option of the choice nor None
    (undecided).
    """

    def checked(key: str, context: Mapping[str, Any]) -> Any:
        try:
            option = decide(key, context)
        except Exception as error:
            raise CallbackFailed("decide", f"{type(error).__name__}: {error}") from error
        choice = BY_KEY.get(key)
        if choice is not None and option is not None and option not in choice.options:
            raise CallbackFailed(
                "decide", f"decide({in_quotes(key)}) gave {in_quotes(option)}; one of {', '.join(choice.options)}"
            )
        return option

    return checked
