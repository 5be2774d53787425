"""The record of a relayer: JSON lines from which its world can be rebuilt, byte for byte.

The first line is the head: the scenario and the options that the relayer was started with. The second is a `state`:
the whole state of the relayer at that moment, snapshots included. Then each call and each command has a line, written
before its answer, and each answer has one. What happens on a WebSocket has a line (`ws_in`), and so has everything that is
sent on one (`ws_out`). Where a record was loaded there is another `state`. A server's worlds are
written into the same record, each with a head; the field `of` names a line's world. Any relayer of the same version
can read a record; it holds secrets unmasked.
"""

from __future__ import annotations

import base64
import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from mockrelay._version import __version__
from mockrelay.clock import MOMENT_MAX_MS
from mockrelay.spec.profiles import PROFILES
from mockrelay.suggest import any_of, in_quotes
from mockrelay.wire.http import RawRequest
from mockrelay.wire.json_text import JsonReader, NoJsonError, free

FORMAT = 2
HEAD, STATE, CALL, CONTROL, ANSWER, END = "head", "state", "call", "control", "answer", "end"
WS_IN, WS_OUT = "ws_in", "ws_out"
KINDS = (HEAD, STATE, CALL, CONTROL, ANSWER, END, WS_IN, WS_OUT)
_SURROGATES = re.compile(rb"\\u[dD](?:[89abAB]..\\u[dD][c-fC-F]..|([89a-fA-F]))")
"""A surrogate pair, or half of one as the group."""
_LIMITS = (None, "spec", "off")
MAIN = ""
"""The name of the main world."""


class RecordError(ValueError):
    """A record that cannot be read, or whose replay differs: the line, what was found and what was meant."""

    def __init__(self, line: int, found: str, meant: str) -> None:
        super().__init__(f"line {line}: found {found}; meant {meant}")
        self.line = line
        self.found = found
        self.meant = meant


class Head(NamedTuple):
    """The options that a relayer was started with."""

    version: str
    """The version of mockrelay; the answers of another may differ."""
    scenario: str
    """The scenario's text, with all that it extends."""
    name: str
    choices: Mapping[str, str]
    """Those that override the scenario's."""
    limits: str | None
    """`spec`, `off`, or None: as the scenario says."""
    clock: Mapping[str, Any]
    """The clock's settings: `{"rate", "start"?}`."""
    frozen_start_ms: int
    """The start of a frozen clock for which neither an option nor the scenario sets one."""
    profile: str | None = None
    """A profile in place of the scenario's; None: the scenario's."""


class Step(NamedTuple):
    """A line of a record, the head included."""

    line: int
    """Its number in the record, from 1."""
    kind: str
    value: Mapping[str, Any]


class Record(NamedTuple):
    """The lines of a record by world."""

    steps: Mapping[str, Sequence[Step]]
    torn: int | None
    """The number of a last line that was incomplete and has been left out."""
    ended: Sequence[tuple[str, Sequence[Step]]] = ()
    """The worlds that were removed before its end; empty unless asked for."""
    large: Sequence[Any] = ()
    """What `free` takes where the record is refused."""

    @property
    def worlds(self) -> tuple[str, ...]:
        """The names of the worlds, but for the main one, that existed at its end."""
        return tuple(name for name in self.steps if name != MAIN)


def read_record(text: bytes, *, with_ended: bool = False) -> Record:
    """The lines of a record; `with_ended`: also those of worlds that were removed. Raises RecordError."""
    reader = JsonReader()
    try:
        return _read(text, reader, with_ended=with_ended)
    except RecordError:
        free(reader.large)
        raise


def _read(text: bytes, reader: JsonReader, *, with_ended: bool) -> Record:
    steps: dict[str, list[Step]] = {}
    ended: list[tuple[str, Sequence[Step]]] = []
    reader.large.append(steps)
    torn: int | None = None
    # One by one: to split a text of line ends alone would hold up other threads.
    for number, line in enumerate(io.BytesIO(text), 1):
        if line.isspace():
            continue
        try:
            value = _value(number, line, reader)
        except RecordError:
            if line.endswith(b"\n"):
                raise
            torn = number
            break
        step = _step(number, line, value)
        of = value.get("of", MAIN)
        if not isinstance(of, str):
            raise RecordError(number, f"of = {in_quotes(of)}", "the name of a world")
        if of != MAIN and step.kind in (HEAD, END):
            # A removed world may have been created again under the same name.
            gone = steps.pop(of, None)
            if with_ended and gone is not None:
                ended.append((of, gone))
        if step.kind != END:
            if of not in steps:
                steps[of] = []
                reader.large.append(steps[of])
            steps[of].append(step)
    # A world with a head alone was being created when the relayer stopped: no call to it had been answered.
    rest = {of: own for of, own in steps.items() if of != MAIN and len(own) > 1}
    return Record({MAIN: steps.get(MAIN, []), **rest}, torn, ended, reader.large)


def lines_by_world(record: Record) -> list[tuple[str, Sequence[Step]]]:
    """The names of a record's worlds with their lines, the main one first; removed ones too, where they were read."""
    rest = [*record.ended, *((name, steps) for name, steps in record.steps.items() if name != MAIN)]
    rest.sort(key=lambda world_lines: world_lines[1][0].line)
    return [(MAIN, record.steps[MAIN]), *rest]


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
        raise RecordError(1, f"the format {in_quotes(value.get('format'))}", f"format {FORMAT}")
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
            raise RecordError(1, f"{name} = {in_quotes(value.get(name))}", f"{name} as `dump` or `--record` wrote it")
    head = steps[0]
    moment_of(head, "frozen_start_ms")
    if value["limits"] not in _LIMITS:
        raise RecordError(head.line, f"limits = {in_quotes(value['limits'], 60)}", "spec, off or null")
    if value.get("profile") not in (None, *PROFILES):
        raise RecordError(head.line, f"profile = {in_quotes(value['profile'], 60)}", any_of((*PROFILES, "null")))
    return Head(**{name: value[name] for name in types}, profile=value.get("profile"))


def request_of(step: Step) -> RawRequest:
    """The request of a call's line. Raises RecordError."""
    value = step.value
    try:
        return RawRequest(
            _text(value["method"]),
            _text(value["path"]),
            _text(value["target"]),
            tuple((_text(name), _text(text)) for name, text in value["query"]),
            {_text(name): _text(text) for name, text in value["headers"].items()},
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
    """The body of a call or of an answer. Raises RecordError."""
    value = step.value
    try:
        if "body64" in value:
            return base64.b64decode(value["body64"], validate=True)
        return _text(value["body"]).encode()
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(step.line, f"no body ({error})", "body, or body64 for bytes that are not text") from None


def moment_of(step: Step, name: str = "now_ms") -> int:
    """A time in a line, in ms. Raises RecordError."""
    moment = step.value.get(name)
    if type(moment) is not int or not 0 <= moment <= MOMENT_MAX_MS:
        raise RecordError(step.line, f"{name} = {in_quotes(moment)}", "a time in milliseconds")
    return moment


def _value(number: int, line: bytes, reader: JsonReader) -> Any:
    try:
        return reader.value(line.decode())
    except NoJsonError as error:
        found = f"no JSON at column {error.column}"
    except UnicodeDecodeError as error:
        found = f"no UTF-8 at byte {error.start + 1}"
    except RecursionError:
        found = "too many lists or objects in one another"
    raise RecordError(number, found, "a line as it was recorded")


def _step(number: int, line: bytes, value: Any) -> Step:
    if not isinstance(value, dict) or value.get("kind") not in KINDS:
        raise RecordError(number, "an unknown kind of line", f"one of {', '.join(KINDS)}")
    # No scenario or world holds half a surrogate pair, since many JSON readers refuse one; a call may hold one.
    is_odd = value["kind"] in (HEAD, STATE) and b"\\u" in line
    if is_odd and any(found[1] for found in _SURROGATES.finditer(line.replace(rb"\\", b"-"))):
        raise RecordError(number, "half a surrogate pair", "whole characters")
    return Step(number, value["kind"], value)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{in_quotes(value)} is not text")
    return value
