"""Shrinks a record that differs: the fewest calls and commands that lead to the same difference.

The recorded answer to the differing call is kept, since the program that gave it cannot be run again. The difference is
the same as long as replaying gives that call the same new answer (but for the request's number) as after the whole
record; where mockrelay fails, as long as it fails on the same line with the same kind of error. Earlier calls that are
kept lose their recorded answer if leaving out other lines changes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from mockrelay.recording.format import ANSWER, CALL, END, STATE, WS_OUT, Head, Step, head_of
from mockrelay.relay.relay import REQUEST_ID_HEADER
from mockrelay.replay.diff import NUMBER, WEBSOCKET, changed_parts
from mockrelay.replay.load import replay_step
from mockrelay.replay.replay import Difference

if TYPE_CHECKING:
    from mockrelay.relay.relay import Relay
    from mockrelay.wire.http import Response

T = TypeVar("T")

MakeRelay = Callable[[Head], "Relay"]


class CannotShrinkError(ValueError):
    """A difference that a shorter record cannot show, and why."""


class Operation(NamedTuple):
    """A line that is replayed: a call (with its recorded answer, None if absent), a command or a loaded state."""

    step: Step
    answer: Step | None


class Reproduction(NamedTuple):
    """The lines of a world up to a difference."""

    head: Step
    state_lines: Sequence[Step]
    """The lines behind the head that hold the world's state at the start."""
    operations: Sequence[Operation]
    """Those before the last one; only these can be left out."""
    last: Operation
    """The one whose answer differs, or on which mockrelay fails."""
    outcome: object
    """The last one's new answer (status, headers, body, drop), or the type of the exception that it raises."""


def reproduction_of(steps: Sequence[Step], difference: Difference) -> Reproduction:
    """The lines of the world of a difference, up to it. Raises CannotShrinkError."""
    if difference.parts and difference.parts[0].where == WEBSOCKET:
        raise CannotShrinkError("the difference is in what was sent on a WebSocket, and only answers can be looked for")
    if difference.parts and all(_is_number(part.where) for part in difference.parts):
        raise CannotShrinkError("the answer differs in its number alone, which is another in every shorter record")
    state_lines = list(takewhile(lambda step: step.kind == STATE, steps[1:]))
    operations: list[Operation] = []
    for step in steps[1 + len(state_lines) :]:
        if step.line > difference.call.line:
            break
        if step.kind == ANSWER:
            operations[-1] = operations[-1]._replace(answer=step)
        elif step.kind not in (END, WS_OUT):
            operations.append(Operation(step, None))
    outcome = type(difference.failure) if difference.response is None else _without_number(difference.response)
    return Reproduction(steps[0], state_lines, operations[:-1], Operation(difference.call, difference.answer), outcome)


def shrink(
    reproduction: Reproduction, make: MakeRelay, on_attempt: Callable[[], object] = lambda: None
) -> Iterator[Sequence[Operation]]:
    """Ever shorter selections of a reproduction's operations that lead to the same difference; the last is minimal.
    `on_attempt` is called for each attempt. Raises CannotShrinkError where not even all of them lead to it.
    """

    def holds(operations: Sequence[Operation]) -> bool:
        on_attempt()
        return _outcome(reproduction, operations, make) == reproduction.outcome

    if not holds(reproduction.operations):
        raise CannotShrinkError("the difference did not come again, so it follows from more than the record")
    yield reproduction.operations
    yield from minimize(reproduction.operations, holds)


def minimize(items: Sequence[T], holds: Callable[[Sequence[T]], bool]) -> Iterator[Sequence[T]]:
    """Ever shorter selections of the items, in order, for which `holds` is true, as it is for all items. No item can be
    left out of the last selection. Removes pieces from the end first, of half the length in each round.
    """
    rest = list(items)
    size = len(rest)
    while rest:
        before = len(rest)
        for end in range(before, 0, -size):
            shorter = rest[: max(end - size, 0)] + rest[end:]
            if holds(shorter):
                rest = shorter
                yield list(rest)
        if size > 1:
            size = min((size + 1) // 2, len(rest))
        elif len(rest) == before:
            return


def record_of(reproduction: Reproduction, operations: Sequence[Operation], make: MakeRelay) -> bytes:
    """The record of a reproduction with some of its operations, as one of the main world. Requests are numbered anew;
    earlier answers that now differ are left out.
    """
    relay = make(head_of([reproduction.head]))
    for step in reproduction.state_lines:
        replay_step(relay, step)
    lines = [reproduction.head, *reproduction.state_lines]
    for step, answer in (*operations, reproduction.last):
        seq = relay.request_count + (step.kind == CALL)
        lines.append(_numbered(step, seq))
        if step is reproduction.last.step:
            lines += [] if answer is None else [_numbered(answer, seq)]
            break
        replayed = replay_step(relay, step).answer
        if answer is not None and replayed is not None:
            renumbered = _numbered(answer, seq)
            lines += [] if any(changed_parts(renumbered, *replayed)) else [renumbered]
    return b"".join(map(_line, lines))


def _outcome(reproduction: Reproduction, operations: Sequence[Operation], make: MakeRelay) -> object:
    """The outcome of the last operation after these; None where one of these fails."""
    relay = make(head_of([reproduction.head]))
    try:
        for step in reproduction.state_lines:
            replay_step(relay, step)
        for operation in operations:
            replay_step(relay, operation.step)
    except Exception:  # noqa: BLE001 - whatever it is, it is not what is looked for
        return None
    try:
        answer = replay_step(relay, reproduction.last.step).answer
    except Exception as error:  # noqa: BLE001 - any failure can be the outcome looked for
        return type(error)
    return None if answer is None else _without_number(answer[1])


def _without_number(response: Response) -> object:
    headers = [header for header in response.headers if header[0] != REQUEST_ID_HEADER]
    return response.status, headers, response.body, response.drop


def _is_number(where: str) -> bool:
    return where in (NUMBER, f"header {REQUEST_ID_HEADER}")


def _numbered(step: Step, seq: int) -> Step:
    """A call or an answer with another number; any other line unchanged."""
    if "seq" not in step.value:
        return step
    old = f"r{step.value['seq']}"
    value: dict[str, Any] = {**step.value, "seq": seq}
    if isinstance(headers := value.get("headers"), list):
        value["headers"] = [[REQUEST_ID_HEADER, f"r{seq}"] if h == [REQUEST_ID_HEADER, old] else h for h in headers]
    return step._replace(value=value)


def _line(step: Step) -> bytes:
    value: Mapping[str, Any] = {name: field for name, field in step.value.items() if name != "of"}
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
