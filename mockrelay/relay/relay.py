"""A relayer without a socket: requests in, responses out, one world behind them.

Every access to the world takes one lock, so that calls from several threads do not mix. `handle` takes the time as an
argument; the relay's clock serves its callers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mockrelay.clock import Clock, ClockConfig
from mockrelay.core.commands.base import Command
from mockrelay.core.context import CALL, COMMAND, DRAWN_CALL, Context, Decide, Trace
from mockrelay.core.errors import CommandRefused
from mockrelay.journal import Entry, Problem, ProblemKind
from mockrelay.journal.client_answer import answer_text
from mockrelay.journal.event_log import EventLog, NumberedEvent
from mockrelay.journal.problems import note_failure, note_unknown_path
from mockrelay.journal.secrets import Secrets, known_secrets, secrets_of_world
from mockrelay.recording.format import MAIN, Head
from mockrelay.recording.recorder import OnFailure, Recorder, RecordFailed
from mockrelay.recording.snapshots import RelayState
from mockrelay.relay.commands import MoveClock, RelayCommand
from mockrelay.relay.live_state import CommandTime
from mockrelay.relay.pipeline import answer
from mockrelay.relay.sessions import SocketEvent
from mockrelay.relay.socket_state import SocketState
from mockrelay.relay.start import Start
from mockrelay.relay.verifier import Verifier
from mockrelay.report import Report
from mockrelay.report.coverage import Coverage
from mockrelay.scenario import Scenario, checked_limits, load_with_limits
from mockrelay.spec.profiles import PROFILES
from mockrelay.suggest import any_of
from mockrelay.wire.encode import encode_failure
from mockrelay.wire.http import DRAWN_HEADER, SWITCHES, RawRequest, Response

LOAD = "load"
"""The name of the event of a whole state that was taken on."""
REQUEST_ID_HEADER = "X-Mockrelay-Request-Id"


class Relay(SocketState):
    """A relayer. `handle` answers requests, `execute` carries out commands; use `from_scenario` to make one."""

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
        super().__init__(
            scenario,
            choices=choices,
            limits_on=limits_on,
            clock=clock,
            verifier=verifier,
            decide=decide,
            profile=profile,
        )
        self._unrecorded = 0

    @classmethod
    def from_scenario(
        cls,
        scenario: str | Path | Mapping[str, Any] = "default",
        *,
        choices: Mapping[str, str] | None = None,
        limits: str | Mapping[str, int | str | None] | None = None,
        clock: Clock | ClockConfig | str | None = None,
        verifier: Verifier | None = None,
        decide: Decide | None = None,
        profile: str | None = None,
    ) -> Relay:
        """A relay in the state of a shipped scenario (by name), of a scenario file (by path) or of a dict with what a file
        has.

        `choices` override the scenario's; `limits` is `spec` or `off` (None: as the scenario says), or calls a second by
        endpoint, laid over those of the scenario; `clock` is a clock or a text: `real`, `frozen` or a rate; `profile` is
        `spec` or `live` (None: as the scenario says). Raises ScenarioError for a scenario that cannot be read, ValueError
        for a wrong option.
        """
        by_endpoint = checked_limits(limits) if isinstance(limits, Mapping) else None
        if by_endpoint is None and limits not in (None, "spec", "off"):
            raise ValueError(f"limits: {limits!r} is not known; spec, off, or a map of endpoint names to numbers")
        if profile not in (None, *PROFILES):
            raise ValueError(f"profile: {profile!r} is not known; {any_of(PROFILES)}")
        return cls(
            load_with_limits(scenario, by_endpoint, Path(), profile),
            choices=choices,
            limits_on=None if limits is None else limits != "off",
            clock=ClockConfig.of_text(clock) if isinstance(clock, str) else clock,
            verifier=verifier,
            decide=decide,
            profile=profile,
        )

    @classmethod
    def from_head(cls, head: Head, *, verifier: Verifier | None = None, decide: Decide | None = None) -> Relay:
        """A relay that starts with the options in a record's head. Raises RecordError."""
        relay = cls(**Start.of_head(head, verifier, decide)._asdict())
        relay._frozen_start_ms = head.frozen_start_ms
        return relay

    def spawn(self, name: str = MAIN, start: Start | None = None) -> Relay:
        """A new relay with the same start options, or with others. If this one is recorded and `name` is given, the new one is recorded
        into the same place under that name; RecordFailed where that fails.
        """
        start = start or self.start
        if not start.clock.rate and start.clock.start_ms is None:
            start_ms = self._frozen_start_ms if start.scenario.start_ms is None else start.scenario.start_ms
            start = start._replace(clock=start.clock.from_scenario(start_ms))
        relay = self.from_start(start)
        if self._recorder is not None and name != MAIN:
            relay.record_to(self._recorder.write, of=name, on_failure=self._recorder.on_failure)
        return relay

    def from_start(self, start: Start) -> Relay:
        """A new relay with these start options; a subclass returns one of its own class."""
        return Relay(**start._asdict())

    def spawn_from_head(self, head: Head) -> Relay:
        """A new relay with a record's start options and this one's verifier and `decide`. Raises RecordError."""
        return Relay.from_head(head, verifier=self.start.verifier, decide=self.start.decide)

    @property
    def scenario_name(self) -> str:
        """The name of the scenario that the world started from."""
        return self.scenario.name

    def end_record(self) -> None:
        """Stop recording, and record that the world was removed. RecordFailed where that cannot be written."""
        with self._lock:
            if self._recorder is not None:
                self._recorder.end()
                self._recorder = None

    def handle(self, raw: RawRequest, now_ms: int, generation: int | None = None) -> Response:
        """Answer a request at a moment. Any request gets an answer; any exception is a bug of mockrelay.

        `generation` is the clock's generation when `now_ms` was read: if another thread has restored the clock since
        then, its present time replaces `now_ms`. A call that cannot be recorded is answered 503, is not carried out, is
        not in the journal, and has an id of its own series: `x1`, `x2`, ...
        """
        with self._lock:
            if generation is not None and generation != self.clock.generation:
                now_ms = self.clock.now_ms()
            seq = self.request_count + 1
            recorder = self._recorder
            if recorder is not None:
                try:
                    # A view from another thread, which is not recorded, may have moved the world on past now_ms.
                    recorder.call(seq, max(now_ms, self.world.now_ms), Clock.real().now_ms(), raw)
                except RecordFailed as wrong:
                    self._unrecorded += 1
                    refused = encode_failure(wrong.status, wrong.error)
                    return refused.with_headers((REQUEST_ID_HEADER, f"x{self._unrecorded}"))
            self.request_count = seq
            request_id, source = f"r{seq}", DRAWN_CALL if DRAWN_HEADER in raw.headers else CALL
            ctx = Context(self.world, now_ms, self._decide, None, Trace(source, request_id))
            if self.sessions.opened:
                self._push_moments(ctx)
            try:
                response = answer(ctx, raw, self.start.verifier)
            except Exception as error:
                failed = Entry(request_id, ctx.now_ms, raw, encode_failure(500, str(error)), ctx.trace)
                note_failure(self.journal, failed, error)
                if self.events is not None:
                    self.events.add_call(failed, ctx.world)
                raise
            response.headers += ((REQUEST_ID_HEADER, request_id),)
            entry = Entry(request_id, ctx.now_ms, raw, response, ctx.trace)
            self.journal.add(entry)
            self.report.record_call(entry, self.clock.rate, ctx.add_finding)
            if self.events is not None:
                self.events.add_call(entry, ctx.world)
            if ctx.trace.endpoint is None and source is CALL:
                note_unknown_path(self.journal, entry, self.world.config.profile.methods)
            if recorder is not None:
                recorder.answer(seq, response)
            if response.status == SWITCHES and not response.drop:
                if recorder is not None:
                    self._recorded_sockets.add(request_id)
                self.sessions.open(request_id, raw.path, ctx.now_ms)
            if self.sessions.opened:
                self._push(ctx, ctx.now_ms)
        return response

    def execute(self, command: Command[Any]) -> Any:
        """Carry out a command and record it; the JSON value of its answer. Every change but a call goes this way.
        CommandRefused, with nothing changed, where the state forbids it.
        """
        prepared = _prepared(command)
        with self._lock:
            self._command_time = CommandTime(self.clock.now_ms(), Clock.real().now_ms())
            self._undo_rate = lambda: None
            try:
                return self._carry_out(self._settled(prepared))
            finally:
                self._command_time = None

    def replay_command(self, command: Command[Any], now_ms: int, wall_ms: int) -> int:
        """Carry out a recorded command at its recorded times; the relay's time afterwards. CommandRefused for one that no
        relay has recorded, since it is refused before that.
        """
        with self._lock:
            self._command_time = CommandTime(now_ms, wall_ms, is_replayed=True)
            try:
                settled = self._settled(_prepared(command, is_replayed=True))
                with suppress(CommandRefused):  # it was refused when it was recorded, too
                    self._carry_out(settled)
            finally:
                now_ms, self._command_time = self._command_time.now_ms, None
        return now_ms

    def _settled(self, command: Command[Any]) -> Command[Any]:
        return command.settled(self) if isinstance(command, RelayCommand) else command

    def _carry_out(self, command: Command[Any]) -> Any:
        if self._recorder is not None:
            assert self._command_time is not None
            try:
                self._recorder.control(
                    self._command_time.now_ms, self._command_time.wall_ms, command.name, command.fields()
                )
            except RecordFailed:
                self._undo_rate()
                raise
        if isinstance(command, RelayCommand):
            value = command.apply(self)
        else:
            with self.locked_context(f"{COMMAND} {command.name}") as ctx:
                value = command.apply(ctx)
        if self.events is not None:
            self.events.add_command(self.now_ms(), command.name, command.fields(), self.world)
        return value

    @contextmanager
    def locked_context(self, source: str = COMMAND) -> Iterator[Context]:
        """`context` under the lock."""
        with self._lock, self.context(source) as ctx:
            yield ctx

    def advance(self, ms: int) -> None:
        """Move the clock ahead and run the events due by then. CommandRefused for a negative time."""
        self.execute(MoveClock(advance_ms=ms))

    def keep_events(self) -> EventLog:
        """The list of what happens from the first call of this on."""
        with self._lock:
            if self.events is None:
                self.events = EventLog(str(Clock.real().now_ms()))
        return self.events

    def note_load(self) -> None:
        """Add the event that another state was taken on."""
        with self._lock:
            if self.events is not None:
                self.events.add_command(self.now_ms(), LOAD, {}, self.world)

    def events_from(self, number: int, most: int) -> list[NumberedEvent]:
        """The events from a number on, at most so many. What falls due by now happens before."""
        with self._lock:
            with self.context():
                pass
            return [] if self.events is None else list(self.events.since(number, most))

    def snapshot_views(self) -> list[dict[str, Any]]:
        """Name, time and scenario of each snapshot, oldest first."""
        with self._lock:
            return self.snapshots.views()

    def request_id(self, raw: RawRequest) -> str | None:
        """The id of a call by its request; None where that is not in the journal."""
        with self._lock:
            return next((entry.id for entry in reversed(self.journal) if entry.raw is raw), None)

    def describe_call(self, request_id: str) -> str:
        """A call of the journal and what its client has met so far, in a line."""
        with self._lock:
            entry = self.journal.find(request_id)
            met = (
                "no longer in the journal" if entry is None else f"{entry.asked} -> {answer_text(entry, self.now_ms())}"
            )
            return f"{request_id} {self.secrets().mask_text(met)}"

    def problems(self) -> list[Problem]:
        """Unknown paths, bugs of mockrelay, faults of a test that never fired, and a record that failed."""
        with self._lock:
            problems = [*self.journal.problems, *self.unfired_faults()]
            failure = None if self._recorder is None else self._recorder.failure
            if failure is not None:
                problems.append(Problem(ProblemKind.RECORD_FAILED, None, failure.error, failure.meant or ""))
        return problems

    def account_secrets(self) -> Secrets:
        """The keys and seeds of the accounts."""
        with self._lock:
            return secrets_of_world(self.world)

    def secrets(self) -> Secrets:
        """Those, and all that the calls in the journal were sent with."""
        with self._lock:
            return known_secrets(self.world, self.journal)

    def coverage(self) -> Coverage:
        """A copy of the coverage so far."""
        with self._lock:
            coverage = Coverage()
            coverage.merge(self.report_now().coverage)
        return coverage

    def whole_report(self) -> Report:
        """A copy of the report, with the problems of the present start. Secrets that the relay knows are masked."""
        report, secrets = self.report_and_secrets()
        report.mask(secrets.mask_text)
        return report

    def report_and_secrets(self) -> tuple[Report, Secrets]:
        """That before it is masked, and the secrets."""
        with self._lock:
            report = Report()
            report.merge(self.report_now())
            report.problems.add(self.problems())
            return report, self.secrets()

    def report_now(self) -> Report:
        """The report, with all delayed answers that have been sent by now."""
        with self._lock:
            self.report.send_delayed(self.now_ms())
            return self.report

    def leave(self, request_id: str) -> None:
        """Note that a call's connection was closed before its delayed answer was sent: its client has none."""
        with self._lock:
            if self.journal.leave(request_id):
                self.report.leave(request_id)
            if self.sessions.find(request_id) is not None:
                self.socket_event(request_id, SocketEvent.CLOSED)

    def record_to(
        self,
        write: Callable[[str], object],
        *,
        of: str = MAIN,
        is_continued: bool = False,
        on_failure: OnFailure = OnFailure.REFUSE,
    ) -> None:
        """Record from now on, passing each line to `write`: the relay's state (unless `is_continued`: the lines written
        earlier lead to it), then every call and command, before it is carried out, and every answer. `of` is the name
        of the relay's world. The first error of `write` ends the record: from then on calls and commands are refused
        with 503 and not carried out or, under `on_failure` CONTINUE, carried out unrecorded.
        """
        with self._lock:
            recorder = Recorder(write, of, on_failure)
            if not is_continued:
                self._write_start(recorder, Clock.real().now_ms())
            self._recorder = recorder
            self._recorded_sockets.clear()

    def dump(self) -> bytes:
        """The relay's whole state in the form of a record, which `load` restores, also in another process."""
        with self._lock:
            lines: list[str] = []
            self._write_start(Recorder(lines.append))
        return "".join(lines).encode()

    def replace_state(self, state: RelayState) -> None:
        """Take on the whole state of another relay. The numbers of requests go on; the journal is emptied."""
        with self._lock:
            state = state._replace(requests=max(self.request_count, state.requests))
            if self._recorder is not None:
                self._recorder.state(state, self.start.scenario, Clock.real().now_ms())
            self.keep_problems(self.unfired_faults(state.present.world.faults))
            self.forget_requests()
            self.restore_state(state)
            self.note_load()

    def _write_start(self, recorder: Recorder, wall_ms: int | None = None) -> None:
        recorder.head(self.start.head(self._frozen_start_ms))
        recorder.state(self.state(), self.start.scenario, wall_ms)


def _prepared(command: Command[Any], *, is_replayed: bool = False) -> Command[Any]:
    return command.prepared(is_replayed=is_replayed) if isinstance(command, RelayCommand) else command
