"""A record carried out: the same scenario, the same calls at the same moments; and a relay put where that leads."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mockrelay.clock import MOMENT_MAX_MS, RATE_MAX, Clock
from mockrelay.core.context import Decide
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
    body_of,
    head_of,
    moment_of,
    read_record,
    request_of,
)
from mockrelay.relay.relay import Relay
from mockrelay.relay.verifying import Verifier
from mockrelay.replay.diff import parts_of
from mockrelay.report import Report
from mockrelay.scenario import load_text
from mockrelay.wire.messages import Response


class Loaded(NamedTuple):
    """What a record led to."""

    calls: int
    torn: bool
    """The last line was not whole and has been left out."""
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
    """Give a relay the state that a record leads to, from `dump` or from `record_to`; nothing is changed where it cannot
    be read or where a call is answered otherwise than recorded (RecordError). Snapshots stay, and the clock goes on from
    where the record ends.
    """
    with relay.acting("POST", "load", lambda: record):
        loaded, other = replay(record, relay.spawn)
        relay.take_over(other, loaded.now_ms)
    return loaded


def resume(
    record: bytes | Record, *, of: str = MAIN, verifier: Verifier | None = None, decide: Decide | None = None
) -> tuple[Relay, Loaded]:
    """The relay that wrote a record, as it was at the record's end; the time since then has passed for it as well.
    `of`: which of the record's worlds. Raises RecordError.
    """
    loaded, relay = replay(record, lambda head: Relay.of_head(head, verifier=verifier, decide=decide), of)
    rate = relay.clock.rate
    passed_ms = 0 if loaded.wall_ms is None else max(Clock.real().now_ms() - loaded.wall_ms, 0)
    now_ms = min(loaded.now_ms + int(passed_ms * rate), MOMENT_MAX_MS)
    relay.stand_at(relay.scenario, relay.world, now_ms, rate)
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
    return Loaded(calls, record.torn, done.now_ms, done.wall_ms), relay


def again(relay: Relay, step: Step) -> Again:
    """Do again what a line tells that is neither a head nor an answer. Raises RecordError for a line that cannot be
    read; anything else that is raised is a failure of our own.
    """
    if step.kind == HEAD:
        raise RecordError(step.line, "a second head", "one record")
    if step.kind == STATE:
        wall_ms = moment_of(step, "wall_ms") if "wall_ms" in step.value else None
        return Again(_stand(relay, step), wall_ms)
    now_ms, wall_ms = moment_of(step), moment_of(step, "wall_ms")
    if step.kind == CALL:
        request = request_of(step)
        return Again(now_ms, wall_ms, (relay.request_count + 1, relay.handle(request, now_ms)))
    if step.kind == CONTROL:
        method, path = step.value.get("method"), step.value.get("path")
        if not isinstance(method, str) or not isinstance(path, str):
            raise RecordError(step.line, "no act of control", "method and path")
        now_ms = relay.act_again(now_ms, wall_ms, method, path, body_of(step), load_into)
    return Again(now_ms, wall_ms)


def _stand(relay: Relay, step: Step) -> int:
    from mockrelay.core.saving import restored  # noqa: PLC0415  # few ever restore

    now_ms = moment_of(step)
    rate = step.value.get("rate")
    if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not 0 <= rate <= RATE_MAX:
        raise RecordError(step.line, f"rate = {rate!r:.60}", f"a number from 0 to {RATE_MAX}")
    text, name = step.value.get("scenario"), step.value.get("name")
    try:
        scenario = load_text(text, name) if isinstance(text, str) and isinstance(name, str) else relay.scenario
        relay.stand_at(scenario, restored(step.value.get("world"), scenario.setting), now_ms, rate)
    except ValueError as error:
        raise RecordError(step.line, f"a world that cannot be read ({error})", "one as `dump` wrote it") from None
    return now_ms


def _compare(step: Step, told: tuple[int, Response] | None) -> None:
    if told is None:
        raise RecordError(step.line, "an answer without its call", "each answer behind its call")
    unlike = [f"{part.where} {part.now!r:.300} in place of {part.was!r:.300}" for part in parts_of(step, *told)]
    if unlike:
        raise RecordError(step.line, f"another answer: {'; '.join(unlike)}", "the recorded one")
