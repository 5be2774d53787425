"""A relayer without a socket: requests in, responses out, one world behind them.

Everything that touches the world goes through one lock, so every call is whole whatever thread it comes from. Time comes
in as an argument of `handle`; the clock that the relay carries is for those who serve it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mockrelay.clock import Clock, ClockConfig
from mockrelay.core.commands.base import Command
from mockrelay.core.context import CALL, COMMAND, Context, Decide, Trace
from mockrelay.core.errors import CommandRefused
from mockrelay.journal import Entry, Problem, ProblemKind
from mockrelay.journal.problems import note_unknown_path, unfired_faults
from mockrelay.recording.format import MAIN, Head
from mockrelay.recording.recorder import OnFailure, Recorder, RecordFailed
from mockrelay.recording.snapshots import RelayState
from mockrelay.relay.commands import MoveClock, RelayCommand
from mockrelay.relay.live_state import CommandTime, LiveState
from mockrelay.relay.pipeline import answer
from mockrelay.relay.start import Start
from mockrelay.relay.verifier import Verifier
from mockrelay.report.coverage import Coverage
from mockrelay.scenario import Scenario, load
from mockrelay.wire.encode import encode_failure
from mockrelay.wire.http import RawRequest, Response

REQUEST_ID_HEADER = "X-Mockrelay-Request-Id"


class Relay(LiveState):
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
    ) -> None:
        super().__init__(scenario, choices=choices, limits_on=limits_on, clock=clock, verifier=verifier, decide=decide)
        self._lock = threading.RLock()
        self._unrecorded = 0
        self._recorder: Recorder | None = None

    @classmethod
    def from_scenario(
        cls,
        scenario: str | Path = "default",
        *,
        choices: Mapping[str, str] | None = None,
        limits: str | None = None,
        clock: Clock | ClockConfig | str | None = None,
        verifier: Verifier | None = None,
        decide: Decide | None = None,
    ) -> Relay:
        """A relay in the state of a shipped scenario (by name) or of a scenario file (by path).

        `choices` go over the scenario's; `limits` is `spec` or `off` (None: as the scenario says); `clock` is one
        of your own, or a word: `real`, `frozen` or a rate. Raises ScenarioError for a scenario that cannot be read,
        ValueError for a wrong option.
        """
        if limits not in (None, "spec", "off"):
            raise ValueError(f"limits: {limits!r} is not known; spec or off")
        return cls(
            load(scenario),
            choices=choices,
            limits_on=None if limits is None else limits == "spec",
            clock=ClockConfig.of_text(clock) if isinstance(clock, str) else clock,
            verifier=verifier,
            decide=decide,
        )

    @classmethod
    def from_head(cls, head: Head, *, verifier: Verifier | None = None, decide: Decide | None = None) -> Relay:
        """A relay that starts as a record's did. Raises RecordError."""
        relay = cls(**Start.of_head(head, verifier, decide)._asdict())
        relay._frozen_start_ms = head.frozen_start_ms
        return relay

    def spawn(self, name: str = MAIN) -> Relay:
        """Another relay, made as this one was and as if nothing had happened. Where this one is recorded, another one with
        a name is recorded under it in the same place. RecordFailed where it cannot be.
        """
        start = self.start
        if not start.clock.rate and start.clock.start_ms is None:
            start_ms = self._frozen_start_ms if start.scenario.start_ms is None else start.scenario.start_ms
            start = start._replace(clock=start.clock.from_scenario(start_ms))
        relay = Relay(**start._asdict())
        if self._recorder is not None and name != MAIN:
            relay.record_to(self._recorder.write, of=name, on_failure=self._recorder.on_failure)
        return relay

    def spawn_from_head(self, head: Head) -> Relay:
        """Another relay, which starts as a record's did and verifies and decides as this one does. Raises RecordError."""
        return Relay.from_head(head, verifier=self.start.verifier, decide=self.start.decide)

    @property
    def scenario_name(self) -> str:
        """The name of the scenario that the world started from."""
        return self.scenario.name

    def end_record(self) -> None:
        """Nothing more is written down, and what was is of a world that is no more. RecordFailed where that cannot be
        written.
        """
        with self._lock:
            if self._recorder is not None:
                self._recorder.end()
                self._recorder = None

    def handle(self, raw: RawRequest, now_ms: int, generation: int | None = None) -> Response:
        """Answer a request at a moment. Any request has an answer; what is raised is a fault of ours.

        `generation` is the generation of the clock that the moment was read in: where another thread has put the relay back since, the
        moment is the one to which it was put. A call that cannot be written into the record is answered 503 and has a
        number of its own kind, `x1`, that no journal has, since nothing of it is done.
        """
        with self._lock:
            if generation is not None and generation != self.clock.generation:
                now_ms = self.clock.now_ms()
            seq = self.request_count + 1
            recorder = self._recorder
            if recorder is not None:
                try:
                    # A look at the world from another thread may have moved it on; that is in no record.
                    recorder.call(seq, max(now_ms, self.world.now_ms), Clock.real().now_ms(), raw)
                except RecordFailed as failed:
                    self._unrecorded += 1
                    refused = encode_failure(failed.status, failed.error)
                    return refused._replace(headers=(*refused.headers, (REQUEST_ID_HEADER, f"x{self._unrecorded}")))
            self.request_count = seq
            request_id = f"r{seq}"
            ctx = Context(self.world, now_ms, self._decide, None, Trace(CALL, request_id))
            try:
                response = answer(ctx, raw, self.start.verifier)
            except Exception as error:
                reason = f"mockrelay itself failed on {raw.method} {raw.raw_target}: {type(error).__name__}: {error}"
                self.journal.note_problem(
                    ProblemKind.INNER_FAILURE, request_id, reason, "a bug report: this is never right"
                )
                raise
            status, headers, body, drop, not_before_ms = response
            response = Response(status, (*headers, (REQUEST_ID_HEADER, request_id)), body, drop, not_before_ms)
            entry = Entry(request_id, ctx.now_ms, raw, response, ctx.trace)
            self.journal.add(entry)
            self.report.record_call(entry, self.clock.rate, ctx.add_finding)
            if ctx.trace.endpoint is None:
                note_unknown_path(self.journal, entry)
            if recorder is not None:
                recorder.answer(seq, response)
        return response

    def execute(self, command: Command[Any]) -> Any:
        """Carry out a command; the JSON value of its answer. The one way to change a relayer by hand, and the one that is
        recorded. CommandRefused, with nothing changed, where the state forbids it.
        """
        with self._lock:
            self._command_time = CommandTime(self.clock.now_ms(), Clock.real().now_ms())
            self._undo_rate = lambda: None
            try:
                return self._carry_out(command)
            finally:
                self._command_time = None

    def replay_command(self, command: Command[Any], now_ms: int, wall_ms: int) -> int:
        """Carry out a command as it was recorded; the relayer's time afterwards."""
        with self._lock:
            self._command_time = CommandTime(now_ms, wall_ms, is_replayed=True)
            try:
                self._carry_out(command)
            except CommandRefused:
                pass  # as it was when it was recorded
            finally:
                now_ms, self._command_time = self._command_time.now_ms, None
        return now_ms

    def _carry_out(self, command: Command[Any]) -> Any:
        if isinstance(command, RelayCommand):
            command = command.settled(self)
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
            return command.apply(self)
        with self.locked_context(f"{COMMAND} {command.name}") as ctx:
            return command.apply(ctx)

    @contextmanager
    def locked_context(self, source: str = COMMAND) -> Iterator[Context]:
        """`context`, which nothing else touches meanwhile."""
        with self._lock, self.context(source) as ctx:
            yield ctx

    def advance(self, ms: int) -> None:
        """Move the clock ahead; all that falls due by then happens. CommandRefused for a negative time."""
        self.execute(MoveClock(advance_ms=ms))

    def snapshot_views(self) -> list[dict[str, Any]]:
        """Name, time and scenario of each snapshot, oldest first."""
        with self._lock:
            return self.snapshots.views()

    def problems(self) -> list[Problem]:
        """What a test should not pass over in silence: unknown paths, failures of ours, faults of its own that met no
        call, a record that has come to an end.
        """
        with self._lock:
            problems = [*self.journal.problems, *unfired_faults(self.world.faults, self.journal)]
            failure = None if self._recorder is None else self._recorder.failure
            if failure is not None:
                problems.append(Problem(ProblemKind.RECORD_FAILED, None, failure.error, failure.meant or ""))
        return problems

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
                self._write_start(recorder, Clock.real().now_ms())
            self._recorder = recorder

    def dump(self) -> bytes:
        """Where the relay stands, in the form of a record: `load` makes it stand there again, also in another process."""
        with self._lock:
            lines: list[str] = []
            self._write_start(Recorder(lines.append))
        return "".join(lines).encode()

    def replace_state(self, state: RelayState) -> None:
        """Be all that another relay was, in place of all that this one is. Requests are numbered on; the journal starts
        anew.
        """
        with self._lock:
            state = state._replace(requests=max(self.request_count, state.requests))
            if self._recorder is not None:
                self._recorder.state(state, self.start.scenario, Clock.real().now_ms())
            self.forget_requests()
            self.restore_state(state)

    def _write_start(self, recorder: Recorder, wall_ms: int | None = None) -> None:
        recorder.head(self.start.head(self._frozen_start_ms))
        recorder.state(self.state(), self.start.scenario, wall_ms)
