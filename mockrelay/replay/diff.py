"""The differences between an answer and the recorded one: field by field, byte by byte."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from mockrelay.recording.format import Step, body_of

if TYPE_CHECKING:
    from mockrelay.wire.http import Response

DEPTH_MAX = 50
"""The depth to which two bodies are compared field by field; what lies deeper is compared as a whole."""
STATUS, NUMBER, DROP, BODY, WEBSOCKET = "status", "number", "connection", "body", "sent on a WebSocket"


class Nothing:
    """The value of a field that one of the two does not have."""

    def __repr__(self) -> str:
        return "nothing"


NOTHING: Final = Nothing()


class ChangedPart(NamedTuple):
    """One part in which two answers differ."""

    where: str
    """`status`, `number`, `connection`, `header NAME`, `body` or a field of the body: `body.data.orders[0].status`."""
    was: Any
    """The recorded value."""
    now: Any
    """The value in the new answer."""


def changed_parts(answer: Step, seq: int, response: Response) -> Iterator[ChangedPart]:
    """The parts in which a response, to request number `seq`, differs from a recorded answer. Raises RecordError for a
    line that cannot be read.
    """
    value = answer.value
    if value.get("status") != response.status:
        yield ChangedPart(STATUS, value.get("status"), response.status)
    if value.get("seq") != seq:
        yield ChangedPart(NUMBER, value.get("seq"), seq)
    if value.get("drop", False) != response.drop:
        was, now = (
            "closed without an answer" if dropped else "answered" for dropped in (value.get("drop"), response.drop)
        )
        yield ChangedPart(DROP, was, now)
    was_headers, now_headers = value.get("headers"), [list(header) for header in response.headers]
    if was_headers != now_headers:
        yield from _header_parts(was_headers, now_headers)
    was_body = body_of(answer)
    if was_body != response.body:
        yield from changed_body_parts(was_body, response.body)


def changed_body_parts(was: bytes, now: bytes) -> Iterator[ChangedPart]:
    """The fields in which two bodies differ; the whole bodies where one is not JSON or only the spelling differs."""
    was_json, now_json = _json(was), _json(now)
    found = [] if NOTHING in (was_json, now_json) else list(_fields(was_json, now_json, BODY, 0))
    yield from found or [ChangedPart(BODY, was, now)]


def first_byte(was: bytes, now: bytes) -> int | None:
    """The index of the first byte in which two bodies differ; None where they are the same."""
    if was == now:
        return None
    shorter = min(len(was), len(now))
    return next((at for at in range(shorter) if was[at] != now[at]), shorter)


def _header_parts(was: Any, now: list[list[str]]) -> Iterator[ChangedPart]:
    try:
        recorded = dict(was)
    except (TypeError, ValueError):
        yield ChangedPart("headers", was, now)
        return
    answered = {header[0]: header[1] for header in now}
    parts = [
        ChangedPart(f"header {name}", recorded.get(name, NOTHING), answered.get(name, NOTHING))
        for name in dict.fromkeys((*recorded, *answered))
        if recorded.get(name, NOTHING) != answered.get(name, NOTHING)
    ]
    # The same headers in another order, or one of them twice.
    yield from parts or [ChangedPart("headers", was, now)]


def _json(body: bytes) -> Any:
    try:
        return json.loads(body, parse_float=Decimal)
    except (ValueError, RecursionError):
        return NOTHING


def _fields(was: Any, now: Any, where: str, depth: int) -> Iterator[ChangedPart]:
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
        yield ChangedPart(where, was, now)


def _at(values: list[Any], index: int) -> Any:
    return values[index] if index < len(values) else NOTHING
