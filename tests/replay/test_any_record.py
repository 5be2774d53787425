"""Records that are nearly right: each leads to a world that answers, or is refused with its line and changes nothing."""

from __future__ import annotations

import copy
import json
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockrelay.clock import MOMENT_MAX_MS, RATE_MAX
from mockrelay.control import handle_control
from mockrelay.recording.format import MAIN, RecordError, head_of, read_record
from mockrelay.replay import load_into, resume
from tests.conformance.transcript import ROWS
from tests.properties.effort import effort
from tests.relay.changes import script
from tests.support.answer_shapes import is_healthy, is_misuse, settled_whole
from tests.support.calls import call, valid_request
from tests.support.client import done, post
from tests.support.hostile_values import edited
from tests.support.worlds import world

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2**53, 2**64, 10**40, -(10**40), 1.5, 1e308, MOMENT_MAX_MS, MOMENT_MAX_MS + 1),
    *("", "x", "0x", "1", "-1", "\ud800", "\0", "9" * 100, "2026-01-01T00:00:00Z", "bob", "alice", "POST", "load"),
    "reset",
    *("state", "head", "answer", "end", [], {}, [[]], {"a": 1}, [None], [["a", "b"]], {"rate": 1e300}),
)
FRAGMENTS = (b"{", b"}", b"[", b"\n", b'"', b"\\", b"\xff", b"\x00", b"NaN", b"1e999", b"," * 3, b"\xef\xbb\xbf")


@cache
def records() -> tuple[bytes, ...]:
    """What a relayer with something of everything is dumped to, and the record of such a life."""
    relay = world()
    script(relay)
    lines: list[str] = []
    recorded = world()
    recorded.record_to(lines.append)
    script(recorded)
    post(recorded, "/api/v3/order", b"\xff")
    return relay.dump(), "".join(lines).encode()


def ways(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The ways to everything in a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [way, *(found for name, within in inner for found in ways(within, (*way, name)))]


def changed(line: dict[str, Any], way: tuple[Any, ...], value: Any, *, leaves_out: bool) -> dict[str, Any]:
    """A line with something in it replaced or left out."""
    copied = copy.deepcopy(line)
    *outer, name = way
    holder: Any = copied
    for step in outer:
        holder = holder[step]
    if leaves_out:
        del holder[name]
    else:
        holder[name] = value
    return copied


@st.composite
def malformed_records(draw: st.DrawFn) -> bytes:
    lines = [json.loads(line) for line in draw(st.sampled_from(records())).splitlines()]
    lines = lines[: draw(st.integers(2, len(lines)))]
    for _ in range(draw(st.integers(1, 2))):
        number = draw(st.integers(0, min(len(lines) - 1, 2)) | st.integers(0, len(lines) - 1))
        places = [way for way in ways(lines[number]) if way]
        if places:
            way, value = draw(st.sampled_from(places)), draw(st.sampled_from(VALUES))
            lines[number] = changed(lines[number], way, value, leaves_out=draw(st.integers(0, 5)) == 0)
    text = "".join(json.dumps(line) + "\n" for line in lines).encode()
    return draw(edited(text, FRAGMENTS)) if draw(st.integers(0, 4)) == 0 else text


@pytest.mark.slow
@effort(max_examples=40)
@given(record=malformed_records())
def test_any_record_is_taken_whole_or_refused_without_a_trace(record: bytes) -> None:
    relay = world()
    before = settled_whole(relay)
    if is_misuse(handle_control(relay, "POST", "load", (), record, load_into)):
        assert settled_whole(relay) == before
    else:
        for method, path in ("GET", "state"), ("GET", "dump"), ("POST", "reset"), ("GET", "state"):
            assert not is_misuse(handle_control(relay, method, path, (), b""))
        for row in ROWS:
            call(relay, valid_request(row.name))
        is_misuse(handle_control(relay, "POST", "clock", (), b'{"advance":"1d"}'))
    assert is_healthy(relay)


@effort(max_examples=60)
@given(record=st.binary(max_size=60) | malformed_records())
def test_any_bytes_are_a_record_or_refused_with_a_line(record: bytes) -> None:
    try:
        for name in read_record(record).steps:
            resume(record, of=name)
    except RecordError as error:
        refused = error
    else:
        return
    assert refused.line >= 1
    assert refused.meant


def _with(**changes: Any) -> bytes:
    """A dump with other values in its head, or in the line of its state."""
    head, state = (json.loads(line) for line in world().dump().splitlines())
    for name, value in changes.items():
        (head if name in head else state)[name] = value
    return f"{json.dumps(head)}\n{json.dumps(state)}\n".encode()


@pytest.mark.parametrize(
    ("changes", "meant"),
    [
        ({"frozen_start_ms": -1}, "a time in milliseconds"),
        ({"frozen_start_ms": MOMENT_MAX_MS + 1}, "a time in milliseconds"),
        ({"requests": -1}, f"a number from 0 to {2**53 - 1}"),
        ({"requests": 2**53}, f"a number from 0 to {2**53 - 1}"),
        ({"limits": "on"}, "spec, off or null"),
        ({"name": "\ud800"}, "whole characters"),
        ({"rate": 1e308}, f"a number from 0 to {RATE_MAX}"),
        ({"rate": -1}, f"a number from 0 to {RATE_MAX}"),
        ({"rate": float("inf")}, f"a number from 0 to {RATE_MAX}"),
        ({"rate": float("nan")}, f"a number from 0 to {RATE_MAX}"),
    ],
    ids=str,
)
def test_what_no_relayer_has_written_is_refused_before_it_does_harm(changes: dict[str, Any], meant: str) -> None:
    """Taken, it made a clock that could not be read any more, or a reset to a moment without a date."""
    with pytest.raises(RecordError) as raised:
        load_into(world(), _with(**changes))
    assert raised.value.meant == meant


@pytest.mark.parametrize(
    ("name", "is_whole"),
    [
        ("\U0001f600", True),
        ("\\ud83d", True),
        ("\\\\\U0001f600", True),
        ("\ud83d\\\ude00", False),
        ("\ude00\ud83d", False),
        ("\ud83d\U0001f600", False),
        ("\\\ude00", False),
    ],
    ids=ascii,
)
def test_a_head_has_no_half_of_a_surrogate_pair(name: str, is_whole: bool) -> None:
    if is_whole:
        assert head_of(read_record(_with(name=name)).steps[MAIN]).name == name
    else:
        with pytest.raises(RecordError, match="half a surrogate pair"):
            read_record(_with(name=name))


def test_a_fast_clock_that_is_resumed_years_later_stands_at_the_end_of_time() -> None:
    """A year at a million times the wall's speed would be long after the last moment that has a date."""
    relay, _ = resume(_with(rate=RATE_MAX, wall_ms=0))
    assert relay.now_ms() == MOMENT_MAX_MS
    assert done(relay, "GET", "clock")["now"] == "9999-12-31T23:59:59Z"
