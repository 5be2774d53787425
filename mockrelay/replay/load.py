"""Restores a relay from a record, by replaying it line by line. An answer that differs from the recorded one is an error."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from mockrelay.clock import MOMENT_MAX_MS, Clock, ClockState
from mockrelay.core.commands.base import Command
from mockrelay.core.context import Decide
from mockrelay.core.errors import CommandRefused, InvalidInput
from mockrelay.recording.format import (
    ANSWER,
    CALL,
    CONTROL,
    HEAD,
    MAIN,
    STATE,
    WS_IN,
    WS_OUT,
    Head,
    Record,
    RecordError,
    Step,
    head_of,
    moment_of,
    read_record,
    request_of,
)
from mockrelay.recording.snapshots import Snapshot
from mockrelay.recording.state_line import read_state
from mockrelay.relay.commands import COMMANDS
from mockrelay.relay.relay import Relay
from mockrelay.relay.sessions import Out, SocketEvent
from mockrelay.relay.verifier import Verifier
from mockrelay.replay.diff import changed_parts
from mockrelay.report import Report
from mockrelay.suggest import cut, in_quotes
from mockrelay.wire.commands import parse
from mockrelay.wire.http import Response
from mockrelay.wire.json_text import free


class LoadResult(NamedTuple):
    """How much of a record was replayed, and the times at its end."""

    calls: int
    torn: int | None
    """The number of a last line that was not whole and has been left out."""
    now_ms: int
    """The relayer's time at its end."""
    wall_ms: int | None
    """The machine's time at its last line; None where no line has one."""


class StepResult(NamedTuple):
    """The result of replaying a line of a record."""

    now_ms: int
    """The relayer's time afterwards."""
    wall_ms: int | None
    """The machine's time at the line; None where it has none."""
    answer: tuple[int, Response] | None = None
    """Number and response of a call."""
    outs: Sequence[Out] = ()
    """What was sent on WebSockets."""


def load_into(relay: Relay, record: bytes) -> LoadResult:
    """Replace the whole state of a relay, snapshots included, by the state at the end of a record (`dump` or
    `record_to`). The clock goes on from there. RecordError, with nothing changed, where a line cannot be replayed
    or a call is answered otherwise than recorded.
    """
    lines = read_record(record)
    try:
        loaded = _load(relay, lines)
    except ValueError:
        free(lines.large)
        raise
    # Copies, since the relay may have kept something of the record.
    members = [[*(large.values() if isinstance(large, dict) else large)] for large in lines.large]
    del lines
    free(members)
    return loaded


def _load(relay: Relay, lines: Record) -> LoadResult:
    if lines.torn is not None:
        raise RecordError(lines.torn, "a line that is cut off", "a record that is whole to its end")
    if lines.worlds:
        names = ", ".join(lines.worlds)
        raise RecordError(1, f"a record of further worlds, {names:.200}", "one of a single world, as `dump` writes it")
    loaded, other = replay(lines, relay.spawn_from_head)
    end = other.state()
    clock = ClockState(loaded.now_ms, other.clock.rate)
    relay.replace_state(end._replace(present=end.present._replace(clock=clock)))
    return loaded


def resume(
    record: bytes | Record, *, of: str = MAIN, verifier: Verifier | None = None, decide: Decide | None = None
) -> tuple[Relay, LoadResult]:
    """The relay that wrote a record, as it was at the record's end, its clock moved on by the time since then.
    `of` is the name of one of the record's worlds. Raises RecordError.
    """
    loaded, relay = replay(record, lambda head: Relay.from_head(head, verifier=verifier, decide=decide), of)
    rate = relay.clock.rate
    passed_ms = 0 if loaded.wall_ms is None else max(Clock.real().now_ms() - loaded.wall_ms, 0)
    now_ms = min(loaded.now_ms + int(passed_ms * rate), MOMENT_MAX_MS)
    relay.restore(Snapshot(relay.world, ClockState(now_ms, rate), relay.scenario))
    # The calls in the record are in the report of the run that received them.
    relay.report = Report()
    return relay, loaded


def replay(record: bytes | Record, make: Callable[[Head], Relay], of: str = MAIN) -> tuple[LoadResult, Relay]:
    """Make the relay of a record's head and replay the lines of its world `of`.

    Raises RecordError where a line cannot be read, or where an answer differs from the one recorded.
    """
    record = read_record(record) if isinstance(record, bytes) else record
    steps = record.steps.get(of, ())
    relay = make(head_of(steps))
    result, calls = StepResult(relay.now_ms(), None), 0
    outs: deque[Out] = deque()
    for step in steps[1:]:
        if step.kind == ANSWER:
            # It follows its call; the last call may have none.
            _compare(step, result.answer)
            continue
        if step.kind == WS_OUT:
            _compare_out(step, outs.popleft() if outs else None)
            continue
        if outs:
            raise RecordError(step.line, "no line for what is sent on a WebSocket now", shown_out(outs[0]))
        try:
            result = replay_step(relay, step)
        except RecordError:
            raise
        except Exception as error:
            if step.kind != CALL:
                raise
            found = f"a call on which mockrelay itself fails ({in_quotes(error)})"
            raise RecordError(step.line, found, "a call with an answer") from error
        calls += step.kind == CALL
        outs.extend(result.outs)
    check_state(steps)
    return LoadResult(calls, record.torn, result.now_ms, result.wall_ms), relay


def check_state(steps: Sequence[Step]) -> None:
    """RecordError where a record has no line with the state that its relay had at the start."""
    if all(step.kind != STATE for step in steps):
        raise RecordError(steps[0].line, "a head without a state behind it", "a record with both")


def replay_step(relay: Relay, step: Step) -> StepResult:
    """Replay a line that is neither a head nor an answer. Raises RecordError for a line that cannot be read; any other
    exception is a bug of mockrelay.
    """
    if step.kind == HEAD:
        raise RecordError(step.line, "a second head", "one record")
    outs: list[Out] = []
    relay.on_out = outs.append
    return _replayed(relay, step)._replace(outs=outs)


def shown_out(out: Mapping[str, Any] | Out) -> str:
    """What is sent on a WebSocket, in words."""
    fields = out._asdict() if isinstance(out, Out) else out
    what = fields.get("text") if fields.get("ending") is None else f"the end, {fields['ending']}"
    return f"{fields.get('session')}: {cut(str(what))}"


def _replayed(relay: Relay, step: Step) -> StepResult:
    if step.kind == STATE:
        wall_ms = moment_of(step, "wall_ms") if "wall_ms" in step.value else None
        state = read_state(step, relay.start.scenario)
        relay.restore_state(state)
        return StepResult(state.present.clock.now_ms, wall_ms)
    now_ms, wall_ms = moment_of(step), moment_of(step, "wall_ms")
    if step.kind == CALL:
        request = request_of(step)
        return StepResult(now_ms, wall_ms, (relay.request_count + 1, relay.handle(request, now_ms)))
    if step.kind == WS_IN:
        session, event, text = _socket_event_of(step)
        relay.socket_event(session, event, now_ms, text, wall_ms=wall_ms)
    if step.kind == CONTROL:
        command = _command_of(step)
        try:
            now_ms = relay.replay_command(command, now_ms, wall_ms)
        except CommandRefused as refused:
            found = f"a command {command.name} that is refused: {refused.error}"
            raise RecordError(step.line, found, refused.meant or "a command that a relayer has recorded") from None
    return StepResult(now_ms, wall_ms)


def _socket_event_of(step: Step) -> tuple[str, SocketEvent, str]:
    session, event, text = (step.value.get(name) for name in ("session", "event", "text"))
    if not isinstance(session, str) or event not in tuple(SocketEvent) or not isinstance(text, str):
        found = f"session = {in_quotes(session, 60)}, event = {in_quotes(event, 60)}"
        raise RecordError(step.line, found, "an event of a WebSocket as it was recorded")
    return session, SocketEvent(event), text


def _compare_out(step: Step, out: Out | None) -> None:
    recorded = {name: step.value.get(name) for name in Out._fields}
    if out is None:
        raise RecordError(step.line, "what is not sent now", shown_out(recorded))
    if recorded != out._asdict():
        raise RecordError(step.line, f"something else on a WebSocket: {shown_out(out)}", shown_out(recorded))


def _command_of(step: Step) -> Command[Any]:
    name = step.value.get("command")
    if not isinstance(name, str):
        raise RecordError(step.line, f"command = {in_quotes(name, 60)}", "the name of a command")
    try:
        return parse(COMMANDS, name, step.value.get("fields"))
    except InvalidInput as wrong:
        raise RecordError(
            step.line, f"a command {name} with {wrong.field or 'fields'}: {wrong.found}", wrong.expected
        ) from None


def _compare(step: Step, answer: tuple[int, Response] | None) -> None:
    if answer is None:
        raise RecordError(step.line, "an answer without its call", "each answer behind its call")
    changes = [
        f"{part.where} {in_quotes(part.now, 300)} in place of {in_quotes(part.was, 300)}"
        for part in changed_parts(step, *answer)
    ]
    if changes:
        raise RecordError(step.line, f"another answer: {'; '.join(changes)}", "the recorded one")
