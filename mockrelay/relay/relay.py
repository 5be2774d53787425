"""A relayer without a socket: requests in, responses out, one world behind them.

Everything that touches the world goes through one lock, so every call is whole whatever thread it comes from. Time comes
in as an argument of `handle`; the clock that the relay carries is for those who serve it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import mockrelay
from mockrelay.clock import Clock, ClockState, ClockWish
from mockrelay.control import Load, clock_wish_of, handle_control, refusal_answer
from mockrelay.core import verbs
from mockrelay.core.apply import pass_time
from mockrelay.core.choosing import check_choices
from mockrelay.core.context import CALL, COMMAND, Context, Decide, Trace
from mockrelay.core.units import moment_text
from mockrelay.core.world import World
from mockrelay.journal import Entry, Journal, Trouble, TroubleKind
from mockrelay.recording.format import MAIN, Head, RecordError
from mockrelay.recording.recorder import OnFailure, Recorder, RecordFailed
from mockrelay.recording.snapshots import Snapshot, Snapshots, Standing
from mockrelay.recording.standing import plain_rate
from mockrelay.relay.answering import answer
from mockrelay.relay.deciding import held_to_options
from mockrelay.relay.noting import note_missed, unfired
from mockrelay.relay.verifying import Verifier
from mockrelay.report import Report
from mockrelay.report.coverage import Coverage
from mockrelay.scenario import Scenario, load, load_text, text_of
from mockrelay.wire.encode import encode_failure
from mockrelay.wire.messages import RawRequest, Response

_ONLY_LOOK = (("POST", "verify"), ("POST", "sign"))
"""Acts of control that change nothing, and so have no place in a record."""
_WRITE_THEIR_OWN = (("POST", "reset"), ("POST", "clock"), ("POST", "load"))
"""Acts of control whose line in a record is another than what was asked for: a reset has the whole text of a scenario that
was named, and a clock that is bent stands where it was when that was done."""
REQUEST_ID_HEADER = "X-Mockrelay-Request-Id"


class _Moment(NamedTuple):
    """The times at which an act of control is done, the same ones when its record is read back."""

    now_ms: int
    wall_ms: int


class _Start(NamedTuple):
    """What a relay was made with."""

    scenario: Scenario
    choices: Mapping[str, str]
    limits_on: bool | None
    clock: ClockWish
    verifier: Verifier | None
    decide: Decide | None


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
        self._made = _Start(scenario, check_choices(choices or {}), limits_on, wish, verifier, decide)
        # A frozen clock that nothing else sets starts at the same moment after every reset.
        first_ms = None if isinstance(clock, Clock) else scenario.start_ms if wish.start_ms is None else wish.start_ms
        self._frozen_start_ms = self.clock.now_ms() // 1000 * 1000 if first_ms is None else first_ms
        self._requests = 0
        self._unrecorded = 0
        self._pristine_of: tuple[tuple[Any, ...], World] | None = None
        self._moment: _Moment | None = None
        self._recorder: Recorder | None = None
        self._snapshots = Snapshots()
        self.report = Report()
        """What is known of the client since the relay was made; a reset leaves it as it is."""
        self._begin(scenario, self._made.choices, limits_on, wish)

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
        scenario, choices, limits_on, clock, verifier, decide = self._made
        if not clock.rate and clock.start_ms is None:
            clock = clock.from_scenario(self._frozen_start_ms if scenario.start_ms is None else scenario.start_ms)
        relay = Relay(scenario, choices=choices, limits_on=limits_on, clock=clock, verifier=verifier, decide=decide)
        if self._recorder is not None and name != MAIN:
            relay.record_to(self._recorder.write, of=name, on_failure=self._recorder.on_failure)
        return relay

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
                response = answer(ctx, raw, self._made.verifier)
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

    def control(
        self, method: str, path: str, query: tuple[tuple[str, str], ...], body: bytes, load: Load | None = None
    ) -> Response:
        """Carry out a control call; `path` is what follows `/__mockrelay/`, `load` puts a relay where a record leads."""
        # What comes with a query and does more than look is refused; a line has no query, so it would be done when read back.
        if method == "GET" or query or (method, path.strip("/")) in (*_WRITE_THEIR_OWN, *_ONLY_LOOK):
            return handle_control(self, method, path, query, body, load)
        try:
            with self.acting(method, path, body):
                return handle_control(self, method, path, query, body, load)
        except RecordFailed as failed:
            return refusal_answer(failed)

    @contextmanager
    def steering(self) -> Iterator[Context]:
        """The world at the present moment, for something done by hand; nothing else touches it meanwhile.

        What is done so is in no record: `control` is the way that is.
        """
        with self._lock:
            ctx = self._context(self.now_ms(), Trace(COMMAND))
            try:
                pass_time(ctx)
                yield ctx
            finally:
                self.report.see_command(ctx.trace)

    def reset(
        self,
        *,
        scenario: str | Path | None = None,
        scenario_text: str | None = None,
        choices: Mapping[str, str] | None = None,
        clock: ClockWish | None = None,
        limits_on: bool | None = None,
    ) -> None:
        """Everything but snapshots back to the start; what is given replaces what the relay was made with, for this
        start only.
        """
        made = self._made
        if scenario_text is not None:
            loaded = load_text(scenario_text)
        else:
            loaded = made.scenario if scenario is None else load(scenario)
        if clock is None:
            # Another scenario's start is part of it; only the first one can have been given another.
            clock = made.clock if loaded is made.scenario else made.clock.from_scenario(loaded.start_ms)
        checked = made.choices if choices is None else check_choices(choices)

        def told() -> dict[str, Any]:
            body: dict[str, Any] = {"choices": dict(checked), "clock": _clock_body(clock)}
            if loaded is not made.scenario:
                body["scenarioText"] = text_of(loaded)
            return body if limits_on is None else body | {"limits": "spec" if limits_on else "off"}

        with self.acting("POST", "reset", told):
            self._begin(loaded, checked, made.limits_on if limits_on is None else limits_on, clock)

    def advance(self, ms: int) -> None:
        """Move the clock ahead; all that falls due by then happens. ValueError for a negative time."""
        with self.acting("POST", "clock", lambda: {"advance": f"{ms}ms"}) as moment:
            if ms < 0:
                raise ValueError(f"time cannot go backwards: asked to advance by {ms} ms")
            self._move_to(moment.now_ms + ms)

    def set_clock(self, at_ms: int) -> None:
        """Move the clock ahead to a moment; ValueError for one that has passed."""
        with self.acting("POST", "clock", lambda: {"set": moment_text(at_ms)}) as moment:
            if at_ms < moment.now_ms:
                earlier_ms = moment.now_ms - at_ms
                raise ValueError(
                    f"time cannot go backwards: it is {moment.now_ms}, asked to set {at_ms} ({earlier_ms} ms earlier)"
                )
            self._move_to(at_ms)

    def set_rate(self, rate: float) -> None:
        """Let the clock run at another rate from now on."""
        with self._lock:
            # Before its line is written, so that a clock that stops stands at the line's moment.
            unbend = self.clock.bend(rate)
            try:
                with self.acting("POST", "clock", lambda: {"rate": rate}):
                    pass
            except RecordFailed:
                unbend()
                raise

    def set_choices(self, choices: Mapping[str, str]) -> None:
        """Change the readings that hold from now on; InvalidInput, and nothing changed, where one does not exist."""
        checked = check_choices(choices)
        with self.acting("PUT", "choices", lambda: checked), self.steering() as ctx:
            verbs.set_choices(ctx, checked)

    def save_snapshot(self, name: str) -> None:
        """Keep everything as it is now under a name: world, clock, limiter, faults, choices. CommandRefused where there are
        too many.
        """
        with self.acting("POST", "snapshots", lambda: {"name": name}), self.steering() as ctx:
            self._snapshots.save(name, ctx.world, ClockState(ctx.now_ms, self.clock.rate), self._scenario)

    def restore_snapshot(self, name: str) -> None:
        """Everything as it was when the snapshot was taken, any number of times; the journal goes on. CommandRefused for
        an unknown name.
        """
        with self.acting("POST", f"snapshots/{name}/restore", dict):
            snapshot = self._snapshots.find(name)
            self.stand_at(snapshot.scenario, snapshot.world.clone(), *snapshot.clock)

    def delete_snapshot(self, name: str) -> None:
        """Forget a snapshot. CommandRefused for an unknown name."""
        with self.acting("DELETE", f"snapshots/{name}", dict):
            self._snapshots.delete(name)

    def snapshots(self) -> list[dict[str, Any]]:
        """Name, time and scenario of each snapshot, oldest first."""
        with self._lock:
            return self._snapshots.views()

    def forget_requests(self) -> None:
        """Empty the journal, but for what should not be passed over in silence; requests are numbered on."""
        with self._lock:
            self.journal = Journal(self.journal.troubles)

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
        return Relay.of_head(head, verifier=self._made.verifier, decide=self._made.decide)

    def take_over(self, standing: Standing) -> None:
        """Be all that another relay was, in place of all that this one is. Requests are numbered on; the journal starts
        anew.
        """
        with self._lock:
            standing = standing._replace(requests=max(self._requests, standing.requests))
            if self._recorder is not None:
                self._recorder.state(standing, self._made.scenario, Clock.real().now_ms())
            self.journal = Journal(self.journal.troubles)
            self.stand(standing)

    def standing(self) -> Standing:
        """All that this relay is at this moment; it is the world itself, and no copy."""
        present = Snapshot(self.world, ClockState(self.now_ms(), self.clock.rate), self._scenario)
        return Standing(present, self._requests, self._snapshots.by_name())

    def stand(self, standing: Standing) -> None:
        """Go on from what a relay was at a moment."""
        with self._lock:
            self._requests = standing.requests
            self._snapshots = Snapshots(standing.snapshots)
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

    @property
    def start_scenario(self) -> Scenario:
        """The scenario that the relay was made with, and that a reset leads back to."""
        return self._made.scenario

    def stand_at(self, scenario: Scenario, world: World, now_ms: int, rate: float) -> None:
        """Go on from a world of a scenario, and from a moment."""
        with self._lock:
            self._scenario = scenario
            self.world = world
            self._stand_clock(now_ms, rate)
            self.report.world_begins()

    def act_again(self, now_ms: int, wall_ms: int, method: str, path: str, body: bytes) -> int:
        """Do an act of control as it was recorded; the relayer's time afterwards."""
        with self._lock:
            self._moment = _Moment(now_ms, wall_ms)
            try:
                handle_control(self, method, path, (), body)
                return self._moment.now_ms
            finally:
                self._moment = None

    @contextmanager
    def acting(self, method: str, path: str, body: bytes | Callable[[], Any]) -> Iterator[_Moment]:
        """Something done by hand, at one moment, with a line in the record; a part of another act has none."""
        with self._lock:
            if self._moment is not None:
                yield self._moment
                return
            moment = self._moment = _Moment(self.clock.now_ms(), Clock.real().now_ms())
            try:
                if self._recorder is not None:
                    told = body if isinstance(body, bytes) else _body_bytes(body())
                    self._recorder.control(*moment, method, path, told)
                yield moment
            finally:
                self._moment = None

    def _move_to(self, at_ms: int) -> None:
        self.clock.set(max(at_ms, self.clock.now_ms()))
        assert self._moment is not None
        self._moment = self._moment._replace(now_ms=at_ms)
        with self.steering():
            pass

    def _stand_clock(self, now_ms: int, rate: float) -> None:
        self.clock.restore(ClockState(now_ms, rate))
        if self._moment is not None:
            self._moment = self._moment._replace(now_ms=now_ms)

    def _begin(self, scenario: Scenario, choices: Mapping[str, str], limits_on: bool | None, clock: ClockWish) -> None:
        start_ms = scenario.start_ms if clock.start_ms is None else clock.start_ms
        if start_ms is None:
            start_ms = self._wall_ms() if clock.rate else self._frozen_start_ms
        self._scenario = scenario
        self._stand_clock(start_ms, clock.rate)
        self.world = self._pristine(scenario, start_ms, choices, limits_on).clone()
        self.journal = Journal()
        self.report.world_begins()

    def _wall_ms(self) -> int:
        return Clock.real().now_ms() if self._moment is None else self._moment.wall_ms

    def _pristine(self, scenario: Scenario, start_ms: int, choices: Mapping[str, str], limits_on: bool | None) -> World:
        """The world at its start. The last one made is kept, since most resets ask for the same again."""
        wanted = (scenario, start_ms, dict(choices), limits_on)
        if self._pristine_of is None or self._pristine_of[0] != wanted:
            self._pristine_of = (wanted, scenario.world(start_ms, choices, limits_on))
        return self._pristine_of[1]

    def _context(self, now_ms: int, trace: Trace) -> Context:
        return Context(self.world, now_ms, self._decide, None, trace)

    def _write_standing(self, recorder: Recorder, wall_ms: int | None = None) -> None:
        made = self._made
        limits = None if made.limits_on is None else ("spec" if made.limits_on else "off")
        recorder.head(
            Head(
                mockrelay.__version__,
                text_of(made.scenario),
                made.scenario.name,
                made.choices,
                limits,
                _clock_body(made.clock),
                self._frozen_start_ms,
            )
        )
        recorder.state(self.standing(), made.scenario, wall_ms)

    @classmethod
    def of_head(cls, head: Head, *, verifier: Verifier | None = None, decide: Decide | None = None) -> Relay:
        """A relay that starts as a record's did. Raises RecordError."""
        try:
            scenario = load_text(head.scenario, head.name)
            limits_on = None if head.limits is None else head.limits == "spec"
            wish = clock_wish_of(head.clock)
            relay = cls(
                scenario,
                choices=head.choices,
                limits_on=limits_on,
                clock=wish,
                verifier=verifier,
                decide=decide,
            )
        except ValueError as error:
            raise RecordError(1, f"a start that cannot be made ({error})", "a head as it was recorded") from None
        relay._frozen_start_ms = head.frozen_start_ms
        return relay


def _clock_body(clock: ClockWish) -> dict[str, Any]:
    body: dict[str, Any] = {"rate": plain_rate(clock.rate)}
    if clock.start_ms is not None:
        body["start"] = moment_text(clock.start_ms)
    return body


def _body_bytes(body: Any) -> bytes:
    return body if isinstance(body, bytes) else json.dumps(body).encode()
