"""The state of a relay, and the changes that commands make to it. `Relay` adds the lock and the record."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any, NamedTuple

from mockrelay.clock import Clock, ClockConfig, ClockState
from mockrelay.core.context import CALL, COMMAND, Context, Decide, Trace
from mockrelay.core.faults import Fault
from mockrelay.core.handle import run_due_events
from mockrelay.core.world import World, check_choices
from mockrelay.journal import Journal, Problem
from mockrelay.journal.event_log import EventLog
from mockrelay.journal.problems import unfired_faults
from mockrelay.journal.secrets import known_secrets
from mockrelay.recording.snapshots import RelayState, Snapshot, Snapshots
from mockrelay.relay.sessions import Sessions
from mockrelay.relay.start import FirstWorlds, Start, checked_decide
from mockrelay.relay.verifier import Verifier
from mockrelay.report import Report
from mockrelay.report.problems import Problems
from mockrelay.scenario import Scenario
from mockrelay.spec.lint_rules import Rule


class CommandTime(NamedTuple):
    """The times at which a command is carried out; a replay uses the recorded ones."""

    now_ms: int
    wall_ms: int
    is_replayed: bool = False
    """Whether they come from a record, so that no clock changes them."""


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
        profile: str | None = None,
    ) -> None:
        self._decide = None if decide is None else checked_decide(decide)
        if isinstance(clock, Clock):
            self.clock = clock
            config = ClockConfig(clock.rate, clock.now_ms())
        else:
            self.clock = Clock.real()
            config = clock or ClockConfig(1)
        served = scenario.with_profile(profile)
        choices = check_choices(choices or {}, served.config.profile)
        self.start = Start(scenario, choices, limits_on, config, verifier, decide, profile)
        # A frozen clock without a configured start begins at the same time after every reset.
        start_ms = scenario.start_ms if config.start_ms is None else config.start_ms
        first_ms = None if isinstance(clock, Clock) else start_ms
        self._frozen_start_ms = self.clock.now_ms() // 1000 * 1000 if first_ms is None else first_ms
        self._first_worlds = FirstWorlds()
        self._command_time: CommandTime | None = None
        """The time of the command being carried out."""
        self._undo_rate: Callable[[], object] = lambda: None
        """Restores the clock's rate from before that command."""
        self.request_count = 0
        """The number of requests so far."""
        self.snapshots = Snapshots()
        self.events: EventLog | None = None
        """What has happened since somebody first asked for it; None: nobody has."""
        # Weak, so that a relay is freed, with all that its calls have left, as soon as nobody holds it.
        self.sessions = Sessions(partial(LiveState._add_socket_finding, weakref.proxy(self)))
        """The open WebSockets. A restart of the world, whatever brings it, ends them."""
        self.report = Report()
        """Findings and coverage since the relay was created; a reset keeps them."""
        self.start_world(served, choices, limits_on, config)

    def now_ms(self) -> int:
        """The relay's time; during a command, the command's."""
        return self.clock.now_ms() if self._command_time is None else self._command_time.now_ms

    def accounts(self) -> list[dict[str, Any]]:
        """The scenario's accounts: name, id, owner and API key."""
        return [
            {"name": account.name, "accountId": account.account_id, "owner": account.owner, "apiKey": account.api_key}
            for account in self.world.accounts.values()
        ]

    @contextmanager
    def context(self, source: str = COMMAND) -> Iterator[Context]:
        """The world at the present time, after all due events. `source` is what findings name as their cause."""
        ctx = Context(self.world, self.now_ms(), self._decide, None, Trace(source))
        if self.sessions.opened:
            self._push_moments(ctx)
        try:
            run_due_events(ctx)
            yield ctx
        finally:
            if self.sessions.opened:
                self._push(ctx, ctx.now_ms)
            self.report.record_command(ctx.trace)
            if self.events is not None:
                self.events.add_trace(ctx.now_ms, ctx.trace, ctx.world)

    def _push_moments(self, ctx: Context) -> None:
        """Have what due events change pushed, moment by moment."""
        ctx.moment_done = partial(self._push, ctx)

    def _push(self, ctx: Context, at_ms: int) -> None:
        """Push what has changed up to a moment."""
        self.sessions.flush(ctx.world, at_ms, ctx.trace, is_frozen=not self.clock.rate)

    def _add_socket_finding(self, session_id: str, rule: Rule, detail: str) -> None:
        """Add a finding to the call that opened a session."""
        ctx = Context(self.world, self.world.now_ms, trace=Trace(CALL, session_id))
        ctx.add_finding(rule, detail)
        self.report.record_command(ctx.trace)
        entry = self.journal.find(session_id)
        if entry is not None:
            entry.trace.findings += ctx.trace.findings

    def start_world(
        self, scenario: Scenario, choices: Mapping[str, str], limits_on: bool | None, clock: ClockConfig
    ) -> None:
        """Start with the world of a scenario and an empty journal."""
        start_ms = scenario.start_ms if clock.start_ms is None else clock.start_ms
        if start_ms is None:
            start_ms = self._wall_ms() if clock.rate else self._frozen_start_ms
        world = self._first_worlds.world(scenario, start_ms, choices, limits_on)
        self.journal = Journal()
        self.restore(Snapshot(world, ClockState(start_ms, clock.rate), scenario))

    def restore(self, snapshot: Snapshot) -> None:
        """Take on the world, the clock and the scenario of a snapshot; the world is not copied. Delayed answers are sent."""
        self.world, clock, self.scenario = snapshot
        self.clock.restore(clock)
        if self._command_time is not None:
            self._command_time = self._command_time._replace(now_ms=clock.now_ms)
        self.report.start_world()
        self.journal.release(clock.now_ms)
        self.sessions.restart()

    def keep_problems(self, problems: Iterable[Problem]) -> None:
        """Add problems to the report before the start, or the faults, that they are about are given up."""
        found = Problems()
        found.add(problems)
        if found.total:
            self.report.problems.merge(found.masked(known_secrets(self.world, self.journal).mask_text))

    def unfired_faults(self, faults_after: Iterable[Fault] = ()) -> Iterator[Problem]:
        """A problem for each fault that should have fired and will not be among `faults_after`."""
        after = {fault.id: fault.match for fault in faults_after}
        given_up = (fault for fault in self.world.faults if after.get(fault.id) != fault.match)
        return unfired_faults(given_up, self.journal)

    def state(self) -> RelayState:
        """The relay's whole state. The world is not copied."""
        present = Snapshot(self.world, ClockState(self.now_ms(), self.clock.rate), self.scenario)
        return RelayState(present, self.request_count, self.snapshots.by_name())

    def restore_state(self, state: RelayState) -> None:
        """Take on the whole state of a relay; the world is not copied."""
        self.request_count = state.requests
        self.snapshots = Snapshots(state.snapshots)
        self.restore(state.present)

    def set_rate(self, rate: float) -> None:
        """Change the clock's rate; the present command takes the time of the change. ValueError for a rate that no
        clock can have.
        """
        self._undo_rate = self.clock.set_rate(rate)
        if self._command_time is not None and not self._command_time.is_replayed:
            self._command_time = self._command_time._replace(now_ms=self.clock.now_ms())

    def advance_to(self, at_ms: int) -> None:
        """Move the clock ahead during a command, and run the events due by then."""
        self.clock.set(max(at_ms, self.clock.now_ms()))
        assert self._command_time is not None
        self._command_time = self._command_time._replace(now_ms=at_ms)
        with self.context():
            pass

    def forget_requests(self) -> None:
        """Empty the journal, but for its problems; the numbers of requests go on."""
        self.journal = Journal(self.journal.problems)

    def _wall_ms(self) -> int:
        return Clock.real().now_ms() if self._command_time is None else self._command_time.wall_ms
