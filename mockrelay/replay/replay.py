"""Compares a replayed record with its recorded answers: each call whose answer differs, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mockrelay.recording.format import ANSWER, CALL, WS_OUT, Head, RecordError, Step, body_of, head_of
from mockrelay.relay.relay import Relay
from mockrelay.relay.sessions import Out
from mockrelay.replay.diff import NOTHING, WEBSOCKET, ChangedPart, changed_parts, first_byte
from mockrelay.replay.load import check_state, replay_step, shown_out
from mockrelay.wire.http import Response


class Difference(NamedTuple):
    """A call whose answer differs from the recorded one, or on which mockrelay itself fails."""

    world: str
    """The name of its world; empty: the main one."""
    call: Step
    """The call or, where mockrelay fails, the command."""
    answer: Step | None
    """The line of the recorded answer; None where mockrelay fails."""
    response: Response | None
    """The new answer; None where mockrelay fails, and where the difference is in what was sent on a WebSocket."""
    parts: Sequence[ChangedPart]
    byte: int | None
    """The index of the first byte of the body that differs; None: the bodies are the same."""
    failure: Exception | None = None
    """The exception that mockrelay raised."""


def differences_of(
    world_lines: tuple[str, Sequence[Step]],
    make: Callable[[Head], Relay],
    on_step: Callable[[Step], object] = lambda _: None,
) -> Iterator[Difference]:
    """Replay the lines of a world; each call whose answer differs, in order.

    `on_step` is called with each line once it is replayed. Raises RecordError for a line that cannot be read.
    """
    world, steps = world_lines
    relay = make(head_of(steps))
    check_state(steps)
    call: Step | None = None
    answer: tuple[int, Response] | None = None
    cause, outs = steps[0], deque[Out]()
    for step in steps[1:]:
        if step.kind == WS_OUT:
            out = outs.popleft() if outs else None
            if out is None or out._asdict() != {name: step.value.get(name) for name in Out._fields}:
                now = NOTHING if out is None else shown_out(out)
                yield Difference(world, cause, step, None, (ChangedPart(WEBSOCKET, shown_out(step.value), now),), None)
            continue
        if step.kind == ANSWER:
            if call is None:
                raise RecordError(step.line, "an answer without its call", "each answer behind its call")
            # A call on which mockrelay fails now may have a recorded answer all the same.
            if answer is not None and (difference := _difference(world, call, step, *answer)) is not None:
                yield difference
            call = None
            continue
        for out in outs:
            part = ChangedPart(WEBSOCKET, NOTHING, shown_out(out))
            yield Difference(world, cause, None, None, (part,), None)
        outs.clear()
        call, answer, cause = (step if step.kind == CALL else None), None, step
        try:
            result = replay_step(relay, step)
            answer = result.answer
            outs.extend(result.outs)
        except RecordError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a bug of mockrelay
            yield Difference(world, step, None, None, (), None, error)
        on_step(step)


def _difference(world: str, call: Step, answer: Step, seq: int, response: Response) -> Difference | None:
    parts = tuple(changed_parts(answer, seq, response))
    if not parts:
        return None
    return Difference(world, call, answer, response, parts, first_byte(body_of(answer), response.body))
