"""The record of a relayer: JSON lines from which its world can be made again, byte for byte.

The first line is the head: the scenario in full and all that the relayer was started with. The second is a `state`: all that
the relayer was at that moment, saved whole, its snapshots too. Then each call and each act of control has a line, written before its answer, and each
answer one of its own; where a record was loaded there is another `state`. A server's worlds are written into the same record, each with a head of its own; `of` says whose a
line is. What was written can be read back by any relayer of the same version; secrets are in it as they were sent.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mockrelay._version import __version__
from mockrelay.clock import MOMENT_MAX_MS
from mockrelay.wire.http import RawRequest

FORMAT = 2
HEAD, STATE, CALL, CONTROL, ANSWER, END = "head", "state", "call", "control", "answer", "end"
KINDS = (HEAD, STATE, CALL, CONTROL, ANSWER, END)
_SURROGATE = re.compile(rb"\\u[dD][89abcdefABCDEF]")
_HALF_PAIR = re.compile("[\ud800-\udfff]")
_LIMITS = (None, "spec", "off")
MAIN = ""
"""The world that has no name."""


class RecordError(ValueError):
    """A record that cannot be read or does not come out the same: which line, and what was meant."""

    def __init__(self, line: int, found: str, meant: str) -> None:
        super().__init__(f"line {line}: found {found}; meant {meant}")
        self.line = line
        self.found = found
        self.meant = meant


class Head(NamedTuple):
    """What a relayer was started with."""

    version: str
    """mockrelay's own; another may answer otherwise."""
    scenario: str
    """The scenario's text, with all that it extends."""
    name: str
    choices: Mapping[str, str]
    """Those that went over the scenario's."""
    limits: str | None
    """`spec`, `off`, or None: as the scenario says."""
    clock: Mapping[str, Any]
    """How its clock was to run: `{"rate", "start"?}`."""
    frozen_start_ms: int
    """Where a frozen clock starts that nothing else sets."""


class Step(NamedTuple):
    """A line after the head."""

    line: int
    kind: str
    value: Mapping[str, Any]


class Record(NamedTuple):
    """A record, read: its lines by world."""

    steps: Mapping[str, Sequence[Step]]
    torn: int | None
    """The number of a last line that was not whole and has been left out."""
    ended: Sequence[tuple[str, Sequence[Step]]] = ()
    """The worlds that were removed before its end, where they were asked for."""

    @property
    def worlds(self) -> tuple[str, ...]:
        """The names of the worlds beside the main one that were there at its end."""
        return tuple(name for name in self.steps if name != MAIN)


def read_record(text: bytes, *, with_ended: bool = False) -> Record:
    """The lines of a record; `with_ended`: also those of worlds that were removed. Raises RecordError."""
    lines = text.split(b"\n")
    torn = len(lines) if lines[-1].strip() and not _is_json(lines[-1]) else None
    steps: dict[str, list[Step]] = {MAIN: []}
    ended: list[tuple[str, Sequence[Step]]] = []
    for number, line in enumerate(lines if torn is None else lines[:-1], 1):
        if not line.strip():
            continue
        step = _step(number, line)
        of = step.value.get("of", MAIN)
        if not isinstance(of, str):
            raise RecordError(number, f"of = {of!r}", "the name of a world")
        if of != MAIN and step.kind in (HEAD, END):
            # A world that was removed may have been made again.
            gone = steps.pop(of, None)
            if with_ended and gone is not None:
                ended.append((of, gone))
        if step.kind != END:
            steps.setdefault(of, []).append(step)
    # Whoever was stopped while a world was made had not answered anything of it.
    steps = {of: rest for of, rest in steps.items() if of == MAIN or len(rest) > 1}
    return Record(steps, torn, ended)


def other_version(head: Head) -> str | None:
    """A warning where another version wrote the record."""
    if head.version == __version__:
        return None
    return f"the record is of version {head.version}, and this is {__version__}: its answers may differ for that alone"


def head_of(steps: Sequence[Step]) -> Head:
    """The head of a record. Raises RecordError."""
    if not steps or steps[0].kind != HEAD:
        raise RecordError(1, "no head", "a record, whose first line is its head")
    value = steps[0].value
    if value.get("format") != FORMAT:
        raise RecordError(1, f"the format {value.get('format')!r}", f"format {FORMAT}")
    types: Mapping[str, tuple[type, ...]] = {
        "version": (str,),
        "scenario": (str,),
        "name": (str,),
        "choices": (dict,),
        "limits": (str, type(None)),
        "clock": (dict,),
        "frozen_start_ms": (int,),
    }
    for name, allowed in types.items():
        if name not in value or not isinstance(value[name], allowed) or isinstance(value.get(name), bool):
            raise RecordError(1, f"{name} = {value.get(name)!r}", f"{name} as `dump` or `--record` wrote it")
    head = steps[0]
    moment_of(head, "frozen_start_ms")
    if value["limits"] not in _LIMITS:
        raise RecordError(head.line, f"limits = {value['limits']!r:.60}", "spec, off or null")
    return Head(**{name: value[name] for name in Head._fields})


def request_of(step: Step) -> RawRequest:
    """The request of a call's line. Raises RecordError."""
    value = step.value
    try:
        return RawRequest(
            _text(value["method"]),
            _text(value["path"]),
            _text(value["target"]),
            tuple((_text(name), _text(given)) for name, given in value["query"]),
            {_text(name): _text(given) for name, given in value["headers"].items()},
            body_of(step),
            _text(value["scheme"]),
            _text(value["host"]),
            _text(value["remote"]),
        )
    except RecordError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(step.line, f"no request ({error})", "a call as it was recorded") from None


def body_of(step: Step) -> bytes:
    """The bytes that a line carries. Raises RecordError."""
    value = step.value
    try:
        if "body64" in value:
            return base64.b64decode(value["body64"], validate=True)
        return _text(value["body"]).encode()
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(step.line, f"no body ({error})", "body, or body64 for bytes that are no text") from None


def moment_of(step: Step, name: str = "now_ms") -> int:
    """A time of a line, in ms. Raises RecordError."""
    moment = step.value.get(name)
    if type(moment) is not int or not 0 <= moment <= MOMENT_MAX_MS:
        raise RecordError(step.line, f"{name} = {moment!r}", "a time in milliseconds")
    return moment


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def _step(number: int, line: bytes) -> Step:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise RecordError(number, "no JSON", "a line as it was recorded") from None
    if not isinstance(value, dict) or value.get("kind") not in KINDS:
        raise RecordError(number, "an unknown kind of line", f"one of {', '.join(KINDS)}")
    # No world has such a text in it, since not every reader of its answers takes one; a call may have.
    is_odd = value["kind"] in (HEAD, STATE) and _SURROGATE.search(line)
    if is_odd and _HALF_PAIR.search(json.dumps(value, ensure_ascii=False)):
        raise RecordError(number, "half a surrogate pair", "whole characters")
    return Step(number, value["kind"], value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value
