"""A relayer without a socket: requests in, responses out, one world behind them.

Everything that touches the world goes through one lock, so every call is whole whatever thread it comes from. Time comes
in as an argument of `handle`; the clock that the relay carries is for those who serve it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from mockrelay.clock import Clock, ClockState, ClockWish
from mockrelay.core.commands.base import Command
from mockrelay.core.context import CALL, COMMAND, Context, Decide, Trace
from mockrelay.core.errors import CommandRefused
from mockrelay.core.handle import run_due_events
from mockrelay.core.world import World, check_choices
from mockrelay.journal import Entry, Journal, Trouble, TroubleKind
from mockrelay.recording.format import MAIN, Head
from mockrelay.recording.recorder import OnFailure, Recorder, RecordFailed
from mockrelay.recording.snapshots import Snapshot, Snapshots, Standing
from mockrelay.relay.answering import answer
from mockrelay.relay.commands import MoveClock, RelayCommand
from mockrelay.relay.deciding import held_to_options
from mockrelay.relay.noting import note_missed, unfired
from mockrelay.relay.start import FirstWorlds, Start
from mockrelay.relay.verifying import Verifier
from mockrelay.report import Report
from mockrelay.report.coverage import Coverage
from mockrelay.scenario import Scenario, load
from mockrelay.wire.encode import encode_failure
from mockrelay.wire.http import RawRequest, Response

REQUEST_ID_HEADER = "X-Mockrelay-Request-Id"


class _Moment(NamedTuple):
    """The times at which a command is carried out, the same ones when its record is read back."""

    now_ms: int
    wall_ms: int
    is_replayed: bool = False
    """Whether they stand in a record, so that no clock has a say in them."""


class Relay:
    """A relayer: its world, its clock and its journal. Use `from_scenario` to make one."""

    journal: Journal
    """The calls since the start."""

    def __init__(
        self,
        scenario: Scenario,
        *,
        choices: Mapping[str, str] | None = None,
        limits_on: bool | None = None,
        clock: Clock | ClockWish | None = None,
        verifier: Verifier | None = None,
        decide: Decide | None = None,
    ) -> None:
        self._lock = threading.RLock()
        self._decide = None if decide is None else held_to_options(decide)
        if isinstance(clock, Clock):
            self.clock = clock
            wish = ClockWish(clock.rate, clock.now_ms())
        else:
            self.clock = Clock.real()
            wish = clock or ClockWish(1)
        self.start = Start(scenario, check_choices(choices or {}), limits_on, wish, verifier, decide)
        # A frozen clock that nothing else sets starts at the same moment after every reset.
        first_ms = None if isinstance(clock, Clock) else scenario.start_ms if wish.start_ms is None else wish.start_ms
        self._frozen_start_ms = self.clock.now_ms() // 1000 * 1000 if first_ms is None else first_ms
        self._requests = 0
        self._unrecorded = 0
        self._first_worlds = FirstWorlds()
        self._moment: _Moment | None = None
        self._unbend: Callable[[], object] = lambda: None
        """Lets the clock run as it did before the present command."""
        self._recorder: Recorder | None = None
        self.snapshots = Snapshots()
        self.report = Report()
        """What is known of the client since the relay was made; a reset leaves it as it is."""
        self.begin(scenario, self.start.choices, limits_on, wish)

    @classmethod
    def from_scenario(
        cls,
        scenario: str | Path = "default",
        *,
        choices: Mapping[str, str] | None = None,
        limits: str | None = None,
        clock: Clock | ClockWish | str | None = None,
        verifier: Verifier | None = None,
        decide: Decide | None = None,
    ) -> Relay:
        """A relay in the state of a shipped scenario (by name) or of a scenario file (by path).

        `choices` go over the scenario's; `limits` is `spec` or `off` (None: as the scenario says); `clock` is one
        of your own, or a word: `real`, `frozen` or a rate. Raises ScenarioError for a scenario that cannot be read, ValueError for a wrong option.
        """
        if limits not in (None, "spec", "off"):
            raise ValueError(f"limits: {limits!r} is not known; spec or off")
        return cls(
            load(scenario),
            choices=choices,
            limits_on=None if limits is None else limits == "spec",
            clock=ClockWish.of_text(clock) if isinstance(clock, str) else clock,
            verifier=verifier,
            decide=decide,
        )

    @property
    def scenario_name(self) -> str:
        """The name of the scenario that the world started from."""
        return self._scenario.name

    def now_ms(self) -> int:
        """The relayer's time."""
        return self.clock.now_ms() if self._moment is None else self._moment.now_ms

    def sibling(self, name: str = MAIN) -> Relay:
        """Another relay, made as this one was and as if nothing had happened. Where this one is recorded, a sibling with
        a name is recorded under it in the same place. RecordFailed where it cannot be.
        """
        start = self.start
        if not start.clock.rate and start.clock.start_ms is None:
            start_ms = self._frozen_start_ms if start.scenario.start_ms is None else start.scenario.start_ms
            start = start._replace(clock=start.clock.from_scenario(start_ms))
        relay = self._alike(start)
        if self._recorder is not None and name != MAIN:
            relay.record_to(self._recorder.write, of=name, on_failure=self._recorder.on_failure)
        return relay

    def _alike(self, start: Start) -> Relay:
        return Relay(**start._asdict())

    def end_record(self) -> None:
        """Nothing more is written down, and what was is of a world that is no more. RecordFailed where that cannot be
        written.
        """
        with self._lock:
            if self._recorder is not None:
                self._recorder.end()
                self._recorder = None

    def accounts(self) -> list[dict[str, Any]]:
        """The scenario's accounts: name, id, owner and API key."""
        return [
            {"name": account.name, "accountId": account.account_id, "owner": account.owner, "apiKey": account.api_key}
            for account in self.world.accounts.values()
        ]

    def handle(self, raw: RawRequest, now_ms: int, era: int | None = None) -> Response:
        """Answer a request at a moment. Any request has an answer; what is raised is a fault of ours.

        `era` is the era of the clock that the moment was read in: where another thread has put the relay back since, the
        moment is the one to which it was put. A call that cannot be written into the record is answered 503 and has a
        number of its own kind, `x1`, that no journal has, since nothing of it is done.
        """
        with self._lock:
            if era is not None and era != self.clock.era:
                now_ms = self.clock.now_ms()
            seq = self._requests + 1
            recorder = self._recorder
            if recorder is not None:
                try:
                    # A look at the world from another thread may have moved it on; that is in no record.
                    recorder.call(seq, max(now_ms, self.world.now_ms), Clock.real().now_ms(), raw)
                except RecordFailed as failed:
                    self._unrecorded += 1
                    refused = encode_failure(failed.status, failed.error)
                    return refused._replace(headers=(*refused.headers, (REQUEST_ID_HEADER, f"x{self._unrecorded}")))
            self._requests = seq
            request_id = f"r{seq}"
            ctx = self._context(now_ms, Trace(CALL, request_id))
            try:
                response = answer(ctx, raw, self.start.verifier)
            except Exception as error:
                reason = f"mockrelay itself failed on {raw.method} {raw.raw_target}: {type(error).__name__}: {error}"
                self.journal.trouble(TroubleKind.INNER_FAILURE, request_id, reason, "a bug report: this is never right")
                raise
            status, headers, body, drop, not_before_ms = response
            response = Response(status, (*headers, (REQUEST_ID_HEADER, request_id)), body, drop, not_before_ms)
            entry = Entry(request_id, ctx.now_ms, raw, response, ctx.trace)
            self.journal.add(entry)
            self.report.see(entry, self.clock.rate, ctx.find)
            if ctx.trace.endpoint is None:
                note_missed(self.journal, entry)
            if recorder is not None:
                recorder.answer(seq, response)
        return response

    def execute(self, command: Command[Any]) -> Any:
        """Carry out a command; the JSON value of its answer. The one way to change a relayer by hand, and the one that is
        recorded. CommandRefused, with nothing changed, where the state forbids it.
        """
        with self._lock:
            self._moment = _Moment(self.clock.now_ms(), Clock.real().now_ms())
            self._unbend = lambda: None
            try:
                return self._carry_out(command)
            finally:
                self._moment = None

    def replay_command(self, command: Command[Any], now_ms: int, wall_ms: int) -> int:
        """Carry out a command as it was recorded; the relayer's time afterwards."""
        with self._lock:
            self._moment = _Moment(now_ms, wall_ms, is_replayed=True)
            try:
                self._carry_out(command)
            except CommandRefused:
                pass  # as it was when it was recorded
            finally:
                now_ms, self._moment = self._moment.now_ms, None
        return now_ms

    def _carry_out(self, command: Command[Any]) -> Any:
        if isinstance(command, RelayCommand):
            command = command.settled(self)
        if self._recorder is not None:
            assert self._moment is not None
            try:
                self._recorder.control(self._moment.now_ms, self._moment.wall_ms, command.name, command.fields())
            except RecordFailed:
                self._unbend()
                raise
        if isinstance(command, RelayCommand):
            return command.apply(self)
        with self.locked_context(f"{COMMAND} {command.name}") as ctx:
            return command.apply(ctx)

    @contextmanager
    def locked_context(self, source: str = COMMAND) -> Iterator[Context]:
        """The world at the present moment, to be looked at; nothing else touches it meanwhile. `source` is what findings
        say that brought them about.
        """
        with self._lock:
            ctx = self._context(self.now_ms(), Trace(source))
            try:
                run_due_events(ctx)
                yield ctx
            finally:
                self.report.see_command(ctx.trace)

    def advance(self, ms: int) -> None:
        """Move the clock ahead; all that falls due by then happens. CommandRefused for a negative time."""
        self.execute(MoveClock(advance_ms=ms))

    def forget_requests(self) -> None:
        """Empty the journal, but for what should not be passed over in silence; requests are numbered on."""
        self.journal = Journal(self.journal.troubles)

    def snapshot_views(self) -> list[dict[str, Any]]:
        """Name, time and scenario of each snapshot, oldest first."""
        with self._lock:
            return self.snapshots.views()

    def troubles(self) -> list[Trouble]:
        """What a test should not pass over in silence: unknown paths, failures of ours, faults of its own that met no
        call, a record that has come to an end.
        """
        with self._lock:
            told = [*self.journal.troubles, *unfired(self.world.faults, self.journal)]
            failure = None if self._recorder is None else self._recorder.failure
            if failure is not None:
                told.append(Trouble(TroubleKind.RECORD_FAILED, None, failure.error, failure.meant or ""))
        return told

    def coverage(self) -> Coverage:
        """What of the spec the client has met so far; a copy, for whoever adds it up."""
        with self._lock:
            met = Coverage()
            met.merge(self.report.coverage)
        return met

    def record_to(
        self,
        write: Callable[[str], object],
        *,
        of: str = MAIN,
        goes_on: bool = False,
        on_failure: OnFailure = OnFailure.REFUSE,
    ) -> None:
        """Write down all that happens from now on, each line through `write`: where the relay stands (unless the lines
        before say that already: `goes_on`), then every call and every act of control before its answer, and the answer.
        `of` is the name of the world that the relay is. The first error of `write` is the end of the record: from then
        on calls and commands are refused with 503, before anything of them is done, or, under `on_failure` CONTINUE, done
        unrecorded.
        """
        with self._lock:
            recorder = Recorder(write, of, on_failure)
            if not goes_on:
                self._write_standing(recorder, Clock.real().now_ms())
            self._recorder = recorder

    def dump(self) -> bytes:
        """Where the relay stands, in the form of a record: `load` makes it stand there again, also in another process."""
        with self._lock:
            lines: list[str] = []
            self._write_standing(Recorder(lines.append))
        return "".join(lines).encode()

    def spawn(self, head: Head) -> Relay:
        """Another relay, which starts as a record's did and judges as this one does. Raises RecordError."""
        return Relay.of_head(head, verifier=self.start.verifier, decide=self.start.decide)

    def take_over(self, standing: Standing) -> None:
        """Be all that another relay was, in place of all that this one is. Requests are numbered on; the journal starts
        anew.
        """
        with self._lock:
            standing = standing._replace(requests=max(self._requests, standing.requests))
            if self._recorder is not None:
                self._recorder.state(standing, self.start.scenario, Clock.real().now_ms())
            self.journal = Journal(self.journal.troubles)
            self.stand(standing)

    def standing(self) -> Standing:
        """All that this relay is at this moment; it is the world itself, and no copy."""
        present = Snapshot(self.world, ClockState(self.now_ms(), self.clock.rate), self._scenario)
        return Standing(present, self._requests, self.snapshots.by_name())

    def stand(self, standing: Standing) -> None:
        """Go on from what a relay was at a moment."""
        with self._lock:
            self._requests = standing.requests
            self.snapshots = Snapshots(standing.snapshots)
            world, clock, scenario = standing.present
            self.stand_at(scenario, world, *clock)

    @property
    def request_count(self) -> int:
        """How many requests there have been."""
        return self._requests

    @property
    def scenario(self) -> Scenario:
        """The scenario that the world started from."""
        return self._scenario

    def stand_at(self, scenario: Scenario, world: World, now_ms: int, rate: float) -> None:
        """Go on from a world of a scenario, and from a moment."""
        with self._lock:
            self._scenario = scenario
            self.world = world
            self._stand_clock(now_ms, rate)
            self.report.world_begins()

    def bend_clock(self, rate: float) -> None:
        """Let the clock run at another rate. The command of which this is a part is carried out at that moment."""
        self._unbend = self.clock.bend(rate)
        if self._moment is not None and not self._moment.is_replayed:
            self._moment = self._moment._replace(now_ms=self.clock.now_ms())

    def move_to(self, at_ms: int) -> None:
        """Move the clock ahead, as a part of a command; what falls due by then happens."""
        self.clock.set(max(at_ms, self.clock.now_ms()))
        assert self._moment is not None
        self._moment = self._moment._replace(now_ms=at_ms)
        with self.locked_context():
            pass

    def _stand_clock(self, now_ms: int, rate: float) -> None:
        self.clock.restore(ClockState(now_ms, rate))
        if self._moment is not None:
            self._moment = self._moment._replace(now_ms=now_ms)

    def begin(self, scenario: Scenario, choices: Mapping[str, str], limits_on: bool | None, clock: ClockWish) -> None:
        """Start anew, from a scenario."""
        start_ms = scenario.start_ms if clock.start_ms is None else clock.start_ms
        if start_ms is None:
            start_ms = self._wall_ms() if clock.rate else self._frozen_start_ms
        self._scenario = scenario
        self._stand_clock(start_ms, clock.rate)
        self.world = self._first_worlds.world(scenario, start_ms, choices, limits_on)
        self.journal = Journal()
        self.report.world_begins()

    def _wall_ms(self) -> int:
        return Clock.real().now_ms() if self._moment is None else self._moment.wall_ms

    def _context(self, now_ms: int, trace: Trace) -> Context:
        return Context(self.world, now_ms, self._decide, None, trace)

    def _write_standing(self, recorder: Recorder, wall_ms: int | None = None) -> None:
        recorder.head(self.start.head(self._frozen_start_ms))
        recorder.state(self.standing(), self.start.scenario, wall_ms)

    @classmethod
    def of_head(cls, head: Head, *, verifier: Verifier | None = None, decide: Decide | None = None) -> Relay:
        """A relay that starts as a record's did. Raises RecordError."""
        relay = cls(**Start.of_head(head, verifier, decide)._asdict())
        relay._frozen_start_ms = head.frozen_start_ms
        return relay
