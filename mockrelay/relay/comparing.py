"""A record run again beside what it says, and how an answer differs from the recorded one: field by field, byte by byte."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockrelay.relay.records import ANSWER, CALL, MAIN, Head, Record, RecordError, Step, body_of, head_of
from mockrelay.relay.replaying import again

if TYPE_CHECKING:
    from mockrelay.relay.relay import Relay
    from mockrelay.wire.messages import Response

DEPTH_MAX = 50
"""How deep two bodies are compared field by field; what lies deeper is compared as a whole."""
STATUS, NUMBER, DROP, BODY = "status", "number", "connection", "body"


class Nothing:
    """Stands where one of the two has no such field."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING: Final = Nothing()


class Part(NamedTuple):
    """One part in which two answers differ."""

    where: str
    """`status`, `number`, `connection`, `header NAME`, `body` or a field of the body: `body.data.orders[0].status`."""
    was: Any
    """As it was recorded."""
    now: Any
    """As it is answered now."""


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


def parts_of(answer: Step, seq: int, response: Response) -> Iterator[Part]:
    """In which parts an answer is not the recorded one. Raises RecordError for a line that cannot be read."""
    value = answer.value
    if value.get("status") != response.status:
        yield Part(STATUS, value.get("status"), response.status)
    if value.get("seq") != seq:
        yield Part(NUMBER, value.get("seq"), seq)
    if value.get("drop", False) != response.drop:
        was, now = (
            "closed without an answer" if dropped else "answered" for dropped in (value.get("drop"), response.drop)
        )
        yield Part(DROP, was, now)
    was_headers, now_headers = value.get("headers"), [list(header) for header in response.headers]
    if was_headers != now_headers:
        yield from _header_parts(was_headers, now_headers)
    was_body = body_of(answer)
    if was_body != response.body:
        yield from body_parts(was_body, response.body)


def body_parts(was: bytes, now: bytes) -> Iterator[Part]:
    """In which fields two bodies differ; where they are no JSON, or the same JSON written otherwise, the bodies."""
    was_json, now_json = _json(was), _json(now)
    found = [] if NOTHING in (was_json, now_json) else list(_fields(was_json, now_json, BODY, 0))
    yield from found or [Part(BODY, was, now)]


def first_byte(was: bytes, now: bytes) -> int | None:
    """Where two bodies part, from 0; None where they do not."""
    if was == now:
        return None
    shorter = min(len(was), len(now))
    return next((at for at in range(shorter) if was[at] != now[at]), shorter)


def _difference(world: str, call: Step, answer: Step, seq: int, response: Response) -> Difference | None:
    parts = tuple(parts_of(answer, seq, response))
    if not parts:
        return None
    return Difference(world, call, answer, response, parts, first_byte(body_of(answer), response.body))


def _header_parts(was: Any, now: list[list[str]]) -> Iterator[Part]:
    try:
        recorded = dict(was)
    except (TypeError, ValueError):
        yield Part("headers", was, now)
        return
    answered = {header[0]: header[1] for header in now}
    unlike = [
        Part(f"header {name}", recorded.get(name, NOTHING), answered.get(name, NOTHING))
        for name in dict.fromkeys((*recorded, *answered))
        if recorded.get(name, NOTHING) != answered.get(name, NOTHING)
    ]
    # The same headers in another order, or one of them twice.
    yield from unlike or [Part("headers", was, now)]


def _json(body: bytes) -> Any:
    try:
        return json.loads(body, parse_float=Decimal)
    except (ValueError, RecursionError):
        return NOTHING


def _fields(was: Any, now: Any, where: str, depth: int) -> Iterator[Part]:
    if type(was) is type(now) and depth < DEPTH_MAX:
        if isinstance(was, dict):
            for name in dict.fromkeys((*was, *now)):
                yield from _fields(was.get(name, NOTHING), now.get(name, NOTHING), f"{where}.{name}", depth + 1)
            return
        if isinstance(was, list):
            for index in range(max(len(was), len(now))):
                yield from _fields(_at(was, index), _at(now, index), f"{where}[{index}]", depth + 1)
            return
    if type(was) is not type(now) or was != now:
        yield Part(where, was, now)


def _at(values: list[Any], index: int) -> Any:
    return values[index] if index < len(values) else NOTHING
