"""A record run again beside what it says: each call that is answered otherwise now, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from mockrelay.recording.format import ANSWER, CALL, MAIN, Head, Record, RecordError, Step, body_of, head_of
from mockrelay.relay.relay import Relay
from mockrelay.replay.diff import Part, first_byte, parts_of
from mockrelay.replay.load import again, check_state
from mockrelay.wire.http import Response


class Difference(NamedTuple):
    """A call that is answered otherwise than its record says, or on which mockrelay itself fails."""

    world: str
    """The name of its world; empty: the main one."""
    call: Step
    """The call or, where we fail, the act of control."""
    answer: Step | None
    """The answer's line; None where we fail."""
    response: Response | None
    """What is answered now; None where we fail."""
    parts: Sequence[Part]
    byte: int | None
    """Where the first byte of the body that is another one stands, from 0; None: the bodies are the same."""
    failure: Exception | None = None
    """What mockrelay raised."""


def chapters_of(record: Record) -> list[tuple[str, Sequence[Step]]]:
    """The worlds of a record with their lines, the main one first; those that were removed too, where they were read."""
    rest = [*record.ended, *((name, steps) for name, steps in record.steps.items() if name != MAIN)]
    rest.sort(key=lambda chapter: chapter[1][0].line)
    return [(MAIN, record.steps[MAIN]), *rest]


def differences_of(
    chapter: tuple[str, Sequence[Step]],
    make: Callable[[Head], Relay],
    done: Callable[[Step], object] = lambda _: None,
) -> Iterator[Difference]:
    """Do again what the lines of a world tell, and give each call that is answered otherwise, in order.

    `done` is told of each line that has been done. Raises RecordError for a line that cannot be read.
    """
    world, steps = chapter
    relay = make(head_of(steps))
    check_state(steps)
    call: Step | None = None
    told: tuple[int, Response] | None = None
    for step in steps[1:]:
        if step.kind == ANSWER:
            if call is None:
                raise RecordError(step.line, "an answer without its call", "each answer behind its call")
            # A call on which we fail has an answer in its record all the same.
            if told is not None and (difference := _difference(world, call, step, *told)) is not None:
                yield difference
            call = None
            continue
        call, told = (step if step.kind == CALL else None), None
        try:
            told = again(relay, step).told
        except RecordError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it is a failure of ours
            yield Difference(world, step, None, None, (), None, error)
        done(step)


def _difference(world: str, call: Step, answer: Step, seq: int, response: Response) -> Difference | None:
    parts = tuple(parts_of(answer, seq, response))
    if not parts:
        return None
    return Difference(world, call, answer, response, parts, first_byte(body_of(answer), response.body))
