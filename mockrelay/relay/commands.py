"""The commands that need more than a world: those on the start, the clock, the snapshots and the journal of a relay.

Before such a command is recorded it is settled: what it takes from outside (a scenario's file, the present moment)
becomes part of it, so that replaying it has the same effect.
"""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

from mockrelay._version import __version__
from mockrelay.clock import MOMENT_MAX_MS, ClockConfig, ClockState
from mockrelay.core.commands.base import Command, Rows, json_field, rows_of
from mockrelay.core.errors import BAD, MISSING, CommandRefused, InvalidInput
from mockrelay.core.units import duration_ms, duration_text, moment_ms, moment_text, seconds_ms
from mockrelay.core.world import check_choices
from mockrelay.relay.live_state import LiveState
from mockrelay.relay.start import EXAMPLE_MOMENT, Start, clock_json, clock_of_json
from mockrelay.scenario import Scenario, ScenarioError, is_path, load, load_text, text_of
from mockrelay.spec.sockets import Ending
from mockrelay.suggest import cut, in_quotes, shown
from mockrelay.wire.commands import WORLD_COMMANDS

_SECONDS_MAX = 10**11
"""A larger number is not a moment in seconds."""
VALUES_MAX = 150_000
"""Values that a scenario of a command may have, but for one in a record: to free many more of them at once would hold up other
requests.
"""
_ADVANCE_MAX_S = MOMENT_MAX_MS // 1000


class RelayCommand(Command[LiveState]):
    """A command on a whole relay."""

    def prepared(self, *, is_replayed: bool = False) -> Self:
        """The command with all that needs no state of the relay: this may take long, so it comes before others wait.
        CommandRefused where that cannot be read.
        """
        return self

    def settled(self, relay: LiveState) -> Self:
        """The command with all that it takes from outside. CommandRefused where that cannot be read."""
        return self

    @abstractmethod
    def apply(self, relay: LiveState) -> Any:
        """Carry out the settled command at the relay's time; the JSON value of its answer."""


@dataclass(frozen=True, kw_only=True)
class Reset(RelayCommand):
    """Put everything but snapshots back to the start of the same or of another scenario. The options given replace
    those that the relay was created with, for this start only.
    """

    name = "reset"
    scenario: str | None = field(default=None, metadata=json_field("scenario"))
    """The name of a shipped scenario."""
    scenario_text: str | None = field(default=None, metadata=json_field("scenarioText"))
    choices: Mapping[str, str] | None = field(default=None, metadata=json_field("choices", write=dict))
    clock: ClockConfig | None = field(default=None, metadata=json_field("clock", clock_of_json, clock_json))
    limits: str | Mapping[str, int | str] | None = field(default=None, metadata=json_field("limits"))
    """`spec` or `off`, or calls a second by endpoint, laid over those of the scenario."""
    profile: str | None = field(default=None, metadata=json_field("profile"))
    """A profile in place of the scenario's."""
    loaded: Scenario | None = None
    """The scenario to start from; None: the one of the other fields."""
    is_own: bool = True
    """Whether that is the scenario that the relay was created with."""

    def prepared(self, *, is_replayed: bool = False) -> Self:
        """With the scenario that it names or holds."""
        if self.loaded is not None or (self.scenario is None and self.scenario_text is None):
            return self
        # A record has the scenario with all that it extends, or the server's own with other limits.
        return replace(self, loaded=self._load(sys.maxsize if is_replayed else VALUES_MAX))

    def settled(self, relay: LiveState) -> Self:
        """With the scenario, the choices and the clock of the start."""
        start = relay.start
        loaded = self.loaded or start.scenario
        profile = self.profile or start.profile
        clock = self.clock
        if clock is None:
            # A start time in the relay's own options replaces that of its own scenario only.
            clock = start.clock if loaded is start.scenario else start.clock.from_scenario(loaded.start_ms)
        choices = start.choices if self.choices is None else self.choices
        limits, served = self.limits, loaded.with_profile(profile)
        try:
            choices = check_choices(choices, served.config.profile)
            if isinstance(limits, Mapping):
                loaded, limits = served.with_limits(limits), "spec"
        except InvalidInput as wrong:
            raise CommandRefused(BAD, f"{wrong.field}: found {wrong.found}", wrong.field, wrong.expected) from None
        is_own = loaded is start.scenario
        return replace(
            self,
            scenario=None,
            scenario_text=None,
            choices=choices,
            clock=clock,
            limits=limits,
            profile=profile,
            loaded=loaded,
            is_own=is_own,
        )

    def fields(self) -> dict[str, Any]:
        """With the text of a scenario that is not the relay's own."""
        fields = super().fields()
        if self.loaded is not None and not self.is_own:
            fields["scenarioText"] = text_of(self.loaded)
        return fields

    def apply(self, relay: LiveState) -> Any:
        """As `GET health`."""
        assert self.loaded is not None
        assert self.choices is not None
        assert self.clock is not None
        limits_on = relay.start.limits_on if self.limits is None else self.limits == "spec"
        relay.keep_problems([*relay.journal.problems, *relay.unfired_faults()])
        relay.start_world(self.loaded.with_profile(self.profile), self.choices, limits_on, self.clock)
        return health(relay)

    def start(self, relay: LiveState) -> Start:
        """The start options of a new relay that begins as this one would after the command. CommandRefused."""
        settled = self.prepared().settled(relay)
        assert settled.loaded is not None
        assert settled.choices is not None
        assert settled.clock is not None
        return relay.start._replace(
            scenario=settled.loaded,
            choices=settled.choices,
            clock=settled.clock,
            limits_on=relay.start.limits_on if settled.limits is None else settled.limits == "spec",
            profile=settled.profile,
        )

    def _load(self, values_max: int) -> Scenario:
        if self.scenario is not None and is_path(self.scenario):
            # A record holds the texts of scenarios; a path in it would read whatever file it names.
            found, meant = f"the path {in_quotes(self.scenario)}", "the name of a packaged scenario, or scenarioText"
            raise CommandRefused(BAD, found, "scenario", meant)
        try:
            if self.scenario_text is not None:
                return load_text(self.scenario_text, values_max=values_max)
            assert self.scenario is not None
            return load(self.scenario)
        except ScenarioError as error:
            named = "scenario" if self.scenario_text is None else "scenarioText"
            found = f"{cut(error.place)}: found {error.found}"
            raise CommandRefused(BAD, found, named, error.meant) from None


def _advance_ms(value: object) -> int:
    if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= _ADVANCE_MAX_S:
        return seconds_ms(value)
    ms = duration_ms(value) if isinstance(value, str) else None
    if ms is None:
        raise InvalidInput((), shown(value), "a duration such as 15s (units ms, s, m, h, d), or a number of seconds")
    return ms


def _set_ms(value: object) -> int:
    at_ms = moment_ms(value) if isinstance(value, str) else None
    if at_ms is not None:
        return at_ms
    if type(value) is int:
        # Somebody may have meant that number of seconds or of milliseconds.
        meant_ms = value if value > _SECONDS_MAX else value * 1000
        example = moment_text(meant_ms) if 0 < meant_ms <= MOMENT_MAX_MS else EXAMPLE_MOMENT
        found = f"{shown(value)}, which may be in seconds or in milliseconds"
        raise InvalidInput((), found, f'a date and time with Z: "{example}"')
    raise InvalidInput((), shown(value), f'a date and time with Z, such as "{EXAMPLE_MOMENT}"')


@dataclass(frozen=True, kw_only=True)
class MoveClock(RelayCommand):
    """Move the clock ahead, running the events due by then, or change its rate."""

    name = "clock"
    advance_ms: int | None = field(default=None, metadata=json_field("advance", _advance_ms, duration_text))
    set_ms: int | None = field(default=None, metadata=json_field("set", _set_ms, moment_text))
    rate: float | None = field(default=None, metadata=json_field("rate"))

    def settled(self, relay: LiveState) -> Self:
        """With the time that it moves to in place of a duration."""
        if self.rate is not None:
            try:
                # Before the command is recorded, so that a clock that stops has the recorded time.
                relay.set_rate(float(self.rate))
            except ValueError as wrong:
                raise CommandRefused(BAD, str(wrong), "rate", "a number from 0 on") from None
            except OverflowError:
                raise CommandRefused(BAD, "a rate that large is none", "rate", "a number from 0 on") from None
            return self
        named = "advance" if self.set_ms is None else "set"
        now_ms = relay.now_ms()
        at_ms = now_ms + (self.advance_ms or 0) if self.set_ms is None else self.set_ms
        if at_ms > MOMENT_MAX_MS:
            error = "time ends with the year 9999 here, since no date can be written after it"
            raise CommandRefused(BAD, error, named, "a moment before that")
        if at_ms < now_ms:
            error = f"time cannot go backwards: it is {now_ms}, asked to set {at_ms} ({now_ms - at_ms} ms earlier)"
            raise CommandRefused(BAD, error, named, "a later moment")
        return replace(self, advance_ms=None, set_ms=at_ms)

    def apply(self, relay: LiveState) -> Any:
        """As `GET clock`."""
        if self.set_ms is not None:
            relay.advance_to(self.set_ms)
        return clock_view(relay)


@dataclass(frozen=True, kw_only=True)
class SaveSnapshot(RelayCommand):
    """Save the present state under a name: world (with limiter, faults, choices), clock, scenario."""

    name = "save_snapshot"
    snapshot: str = field(metadata=json_field("name"))

    def apply(self, relay: LiveState) -> Any:
        """Its name; 409 where there are too many."""
        with relay.context() as ctx:
            relay.snapshots.save(self.snapshot, ctx.world, ClockState(ctx.now_ms, relay.clock.rate), relay.scenario)
        return {"name": self.snapshot}


@dataclass(frozen=True, kw_only=True)
class RestoreSnapshot(RelayCommand):
    """Restore the state of a snapshot, its findings too. The journal and the report are kept."""

    name = "restore_snapshot"
    snapshot: str = field(metadata=json_field("name"))

    def apply(self, relay: LiveState) -> Any:
        """Its name and its time; 404 where there is no snapshot with this name."""
        found = relay.snapshots.find(self.snapshot)
        relay.keep_problems(relay.unfired_faults(found.world.faults))
        relay.restore(found._replace(world=found.world.clone()))
        return {"name": self.snapshot, "now_ms": relay.now_ms()}


@dataclass(frozen=True, kw_only=True)
class DeleteSnapshot(RelayCommand):
    """Delete a snapshot."""

    name = "delete_snapshot"
    snapshot: str = field(metadata=json_field("name"))

    def apply(self, relay: LiveState) -> Any:
        """Its name; 404 where there is no snapshot with this name."""
        relay.snapshots.delete(self.snapshot)
        return {"name": self.snapshot}


@dataclass(frozen=True, kw_only=True)
class ForgetRequests(RelayCommand):
    """Empty the journal, but for its problems. The numbers of requests go on."""

    name = "forget_requests"

    def apply(self, relay: LiveState) -> Any:
        """An empty list: the requests that are left."""
        relay.forget_requests()
        return []


@dataclass(frozen=True, kw_only=True)
class DropSockets(RelayCommand):
    """End WebSockets."""

    name = "drop_ws"
    how: str = field(default=Ending.CLEAN.value, metadata=json_field("how"))
    session: str | None = field(default=None, metadata=json_field("session"))
    """None: all of them."""

    def apply(self, relay: LiveState) -> Any:
        """The ids of those that ended; 404 where there is no open session with this id."""
        with relay.context():
            if self.session is not None and relay.sessions.find(self.session) is None:
                meant = "an open session of GET ws"
                raise CommandRefused(
                    MISSING, f"there is no open session {in_quotes(self.session, 60)}", "session", meant
                )
            return {"dropped": relay.sessions.drop(Ending(self.how), self.session)}


@dataclass(frozen=True, kw_only=True)
class HoldSockets(RelayCommand):
    """Hold all pushes, on open WebSockets and on those to come, until they are released."""

    name = "hold_ws"

    def apply(self, relay: LiveState) -> Any:
        """That they are held."""
        with relay.context():
            relay.sessions.hold()
        return {"holding": True}


@dataclass(frozen=True, kw_only=True)
class ReleaseSockets(RelayCommand):
    """Send all pushes that are held, and hold none any more."""

    name = "release_ws"

    def apply(self, relay: LiveState) -> Any:
        """How many were sent."""
        with relay.context() as ctx:
            return {"released": relay.sessions.release(ctx.now_ms)}


_ROWS = rows_of(
    *(Reset, MoveClock, SaveSnapshot, RestoreSnapshot, DeleteSnapshot, ForgetRequests),
    *(DropSockets, HoldSockets, ReleaseSockets),
)
COMMANDS: Rows = {
    **WORLD_COMMANDS,
    **_ROWS,
    Reset.name: _ROWS[Reset.name]._replace(judged=frozenset({"clock"})),
    MoveClock.name: _ROWS[MoveClock.name]._replace(judged=frozenset({"advance", "set"})),
}
"""All commands that a relay carries out, by name."""


def health(relay: LiveState) -> dict[str, Any]:
    """The answer of `GET health`: status, version, scenario and time."""
    now_ms = relay.now_ms()
    return {"status": "ok", "version": __version__, "scenario": relay.scenario.name, "now_ms": now_ms}


def clock_view(relay: LiveState) -> dict[str, Any]:
    """The answer of `GET clock`: the relayer's time and the rate of its clock."""
    now_ms = relay.now_ms()
    return {"now_ms": now_ms, "now": moment_text(now_ms), "rate": relay.clock.rate}
