"""A record carried out: the same scenario, the same calls at the same moments; and a relay put where that leads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from mockrelay.clock import MOMENT_MAX_MS, Clock, ClockState
from mockrelay.core.commands.base import Command
from mockrelay.core.context import Decide
from mockrelay.core.errors import InvalidInput
from mockrelay.recording.format import (
    ANSWER,
    CALL,
    CONTROL,
    HEAD,
    MAIN,
    STATE,
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
from mockrelay.relay.verifier import Verifier
from mockrelay.replay.diff import parts_of
from mockrelay.report import Report
from mockrelay.wire.commands import parse
from mockrelay.wire.http import Response


class Loaded(NamedTuple):
    """What a record led to."""

    calls: int
    torn: int | None
    """The number of a last line that was not whole and has been left out."""
    now_ms: int
    """The relayer's time at its end."""
    wall_ms: int | None
    """The machine's time at its last line; None where no line has one."""


class Again(NamedTuple):
    """What a line of a record did when it was done again."""

    now_ms: int
    """The relayer's time afterwards."""
    wall_ms: int | None
    """The machine's time at the line; None where it has none."""
    told: tuple[int, Response] | None = None
    """Number and answer of a call."""


def load_into(relay: Relay, record: bytes) -> Loaded:
    """Give a relay all that a record leads to, from `dump` or from `record_to`, in place of all that it was: its snapshots
    too. The clock goes on from where the record ends. Nothing is changed where any of the record cannot be read or carried
    out, or where a call is answered otherwise than recorded (RecordError).
    """
    lines = read_record(record)
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
) -> tuple[Relay, Loaded]:
    """The relay that wrote a record, as it was at the record's end; the time since then has passed for it as well.
    `of`: which of the record's worlds. Raises RecordError.
    """
    loaded, relay = replay(record, lambda head: Relay.from_head(head, verifier=verifier, decide=decide), of)
    rate = relay.clock.rate
    passed_ms = 0 if loaded.wall_ms is None else max(Clock.real().now_ms() - loaded.wall_ms, 0)
    now_ms = min(loaded.now_ms + int(passed_ms * rate), MOMENT_MAX_MS)
    relay.restore(Snapshot(relay.world, ClockState(now_ms, rate), relay.scenario))
    # What was called before is in the report of the run that was called.
    relay.report = Report()
    return relay, loaded


def replay(record: bytes | Record, make: Callable[[Head], Relay], of: str = MAIN) -> tuple[Loaded, Relay]:
    """Make the relay of a record's head and do again all that the record tells of it.

    Raises RecordError where a line cannot be read, or where an answer differs from the one recorded.
    """
    record = read_record(record) if isinstance(record, bytes) else record
    steps = record.steps.get(of, ())
    relay = make(head_of(steps))
    done, calls = Again(relay.now_ms(), None), 0
    # An answer follows its call; the last call may have none.
    told: tuple[int, Response] | None = None
    for step in steps[1:]:
        if step.kind == ANSWER:
            _compare(step, told)
            continue
        try:
            done = again(relay, step)
        except RecordError:
            raise
        except Exception as error:
            if step.kind != CALL:
                raise
            found = f"a call on which mockrelay itself fails ({error!r})"
            raise RecordError(step.line, found, "a call with an answer") from error
        told = done.told
        calls += step.kind == CALL
    check_state(steps)
    return Loaded(calls, record.torn, done.now_ms, done.wall_ms), relay


def check_state(steps: Sequence[Step]) -> None:
    """RecordError where a record does not say where its relay stood at the start."""
    if all(step.kind != STATE for step in steps):
        raise RecordError(steps[0].line, "a head without a state behind it", "a record with both")


def again(relay: Relay, step: Step) -> Again:
    """Do again what a line tells that is neither a head nor an answer. Raises RecordError for a line that cannot be
    read; anything else that is raised is a failure of our own.
    """
    if step.kind == HEAD:
        raise RecordError(step.line, "a second head", "one record")
    if step.kind == STATE:
        wall_ms = moment_of(step, "wall_ms") if "wall_ms" in step.value else None
        state = read_state(step, relay.start.scenario)
        relay.restore_state(state)
        return Again(state.present.clock.now_ms, wall_ms)
    now_ms, wall_ms = moment_of(step), moment_of(step, "wall_ms")
    if step.kind == CALL:
        request = request_of(step)
        return Again(now_ms, wall_ms, (relay.request_count + 1, relay.handle(request, now_ms)))
    if step.kind == CONTROL:
        now_ms = relay.replay_command(_command_of(step), now_ms, wall_ms)
    return Again(now_ms, wall_ms)


def _command_of(step: Step) -> Command[Any]:
    name = step.value.get("command")
    if not isinstance(name, str):
        raise RecordError(step.line, f"command = {name!r:.60}", "the name of a command")
    try:
        return parse(COMMANDS, name, step.value.get("fields"))
    except InvalidInput as wrong:
        raise RecordError(
            step.line, f"a command {name} with {wrong.field or 'fields'}: {wrong.found}", wrong.expected
        ) from None


def _compare(step: Step, told: tuple[int, Response] | None) -> None:
    if told is None:
        raise RecordError(step.line, "an answer without its call", "each answer behind its call")
    unlike = [f"{part.where} {part.now!r:.300} in place of {part.was!r:.300}" for part in parts_of(step, *told)]
    if unlike:
        raise RecordError(step.line, f"another answer: {'; '.join(unlike)}", "the recorded one")
