"""The state of a relay, and the changes that commands make of it. Nothing here takes the lock or writes a record: `Relay`
does both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple

from mockrelay.clock import Clock, ClockConfig, ClockState
from mockrelay.core.context import COMMAND, Context, Decide, Trace
from mockrelay.core.handle import run_due_events
from mockrelay.core.world import World, check_choices
from mockrelay.journal import Journal
from mockrelay.recording.snapshots import RelayState, Snapshot, Snapshots
from mockrelay.relay.start import FirstWorlds, Start, checked_decide
from mockrelay.relay.verifier import Verifier
from mockrelay.report import Report
from mockrelay.scenario import Scenario


class CommandTime(NamedTuple):
    """The times at which a command is carried out, the same ones when its record is read back."""

    now_ms: int
    wall_ms: int
    is_replayed: bool = False
    """Whether they are from a record, so that no clock changes them."""


class LiveState:
    """World, clock, journal, report and snapshots of a relay."""

    world: World
    journal: Journal
    """The calls since the start."""
    scenario: Scenario
    """The scenario that the world started from."""

    def __init__(
        self,
        scenario: Scenario,
        *,
        choices: Mapping[str, str] | None = None,
        limits_on: bool | None = None,
        clock: Clock | ClockConfig | None = None,
        verifier: Verifier | None = None,
        decide: Decide | None = None,
    ) -> None:
        self._decide = None if decide is None else checked_decide(decide)
        if isinstance(clock, Clock):
            self.clock = clock
            wish = ClockConfig(clock.rate, clock.now_ms())
        else:
            self.clock = Clock.real()
            wish = clock or ClockConfig(1)
        self.start = Start(scenario, check_choices(choices or {}), limits_on, wish, verifier, decide)
        # A frozen clock that nothing else sets starts at the same moment after every reset.
        first_ms = None if isinstance(clock, Clock) else scenario.start_ms if wish.start_ms is None else wish.start_ms
        self._frozen_start_ms = self.clock.now_ms() // 1000 * 1000 if first_ms is None else first_ms
        self._first_worlds = FirstWorlds()
        self._command_time: CommandTime | None = None
        """The time of the command that is carried out at present."""
        self._undo_rate: Callable[[], object] = lambda: None
        """Lets the clock run as it did before that command."""
        self.request_count = 0
        """How many requests there have been."""
        self.snapshots = Snapshots()
        self.report = Report()
        """What the client has done since the relay was made; a reset leaves it as it is."""
        self.start_world(scenario, self.start.choices, limits_on, wish)

    def now_ms(self) -> int:
        """The relayer's time."""
        return self.clock.now_ms() if self._command_time is None else self._command_time.now_ms

    def accounts(self) -> list[dict[str, Any]]:
        """The scenario's accounts: name, id, owner and API key."""
        return [
            {"name": account.name, "accountId": account.account_id, "owner": account.owner, "apiKey": account.api_key}
            for account in self.world.accounts.values()
        ]

    @contextmanager
    def context(self, source: str = COMMAND) -> Iterator[Context]:
        """The world at the present moment, once all that is due has happened. `source` is what findings name as their
        cause.
        """
        ctx = Context(self.world, self.now_ms(), self._decide, None, Trace(source))
        try:
            run_due_events(ctx)
            yield ctx
        finally:
            self.report.record_command(ctx.trace)

    def start_world(
        self, scenario: Scenario, choices: Mapping[str, str], limits_on: bool | None, clock: ClockConfig
    ) -> None:
        """Begin again with the world of a scenario, and with an empty journal."""
        start_ms = scenario.start_ms if clock.start_ms is None else clock.start_ms
        if start_ms is None:
            start_ms = self._wall_ms() if clock.rate else self._frozen_start_ms
        world = self._first_worlds.world(scenario, start_ms, choices, limits_on)
        self.restore(Snapshot(world, ClockState(start_ms, clock.rate), scenario))
        self.journal = Journal()

    def restore(self, snapshot: Snapshot) -> None:
        """Go on from a world, which becomes the relay's own, and from a moment."""
        self.world, clock, self.scenario = snapshot
        self.clock.restore(clock)
        if self._command_time is not None:
            self._command_time = self._command_time._replace(now_ms=clock.now_ms)
        self.report.start_world()

    def state(self) -> RelayState:
        """All that this relay is at this moment. The world is the relay's own, not a copy."""
        present = Snapshot(self.world, ClockState(self.now_ms(), self.clock.rate), self.scenario)
        return RelayState(present, self.request_count, self.snapshots.by_name())

    def restore_state(self, state: RelayState) -> None:
        """Go on from all that a relay was at a moment."""
        self.request_count = state.requests
        self.snapshots = Snapshots(state.snapshots)
        self.restore(state.present)

    def set_rate(self, rate: float) -> None:
        """Let the clock run at another rate; the present command is carried out at that moment. ValueError for a rate that
        no clock has.
        """
        self._undo_rate = self.clock.set_rate(rate)
        if self._command_time is not None and not self._command_time.is_replayed:
            self._command_time = self._command_time._replace(now_ms=self.clock.now_ms())

    def advance_to(self, at_ms: int) -> None:
        """Move the clock ahead, as a part of a command; what falls due by then happens."""
        self.clock.set(max(at_ms, self.clock.now_ms()))
        assert self._command_time is not None
        self._command_time = self._command_time._replace(now_ms=at_ms)
        with self.context():
            pass

    def forget_requests(self) -> None:
        """Empty the journal, but for its problems; requests are numbered on."""
        self.journal = Journal(self.journal.problems)

    def _wall_ms(self) -> int:
        return Clock.real().now_ms() if self._command_time is None else self._command_time.wall_ms
