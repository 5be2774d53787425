"""A right call as text that can be run or read: a curl command, JSON, Python or JavaScript, each with its answer."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from mockrelay.core.handle import ACTIONS
from mockrelay.openapi.parts import summary_of
from mockrelay.openapi.playing import SCENARIOS
from mockrelay.openapi.right_calls import RightCall
from mockrelay.spec.endpoint import SPEC

_HEADER_NAMES = {"x-api-key": "X-API-KEY", "x-api-sig": "X-API-SIG", "content-type": "Content-Type"}
_WIDTH = 110
"""The greatest length of a line that can be broken, in characters."""


def as_curl(example: RightCall) -> str:
    """A command for a POSIX shell."""
    words = ["curl", "--request", example.call.method]
    for name, value in documented_headers(example).items():
        words += ["--header", f"{name}: {value}"]
    if example.call.payload:
        words += ["--data-raw", example.call.payload.decode()]
    return "\n".join([*_comments("#", _about(example)), shlex.join([*words, example.url]), *_answer("#", example)])


def as_json(example: RightCall) -> str:
    """The request and the answer as one JSON object."""
    call = example.call
    request = {
        "method": call.method,
        "url": example.url,
        "headers": documented_headers(example),
        "body": dict(call.fields) if call.payload else None,
    }
    about = {"endpoint": call.endpoint, **_world(example), "before": list(example.before), "now": example.now}
    return json.dumps(
        {**about, "request": request, "answer": {"status": example.status, "body": example.answer}}, indent=2
    )


def as_python(example: RightCall) -> str:
    """A program that needs the standard library only."""
    call = example.call
    lines = [
        *_comments("#", _about(example)),
        *(["import json"] if call.payload else []),
        "import urllib.request",
        "",
        *([f"body = {pretty(call.fields, python=True)}"] if call.payload else []),
        "request = urllib.request.Request(",
        f"    {json.dumps(example.url)},",
        f"    method={json.dumps(call.method)},",
        f"    headers={pretty(documented_headers(example), 4, python=True)},",
        *(['    data=json.dumps(body, separators=(",", ":")).encode(),'] if call.payload else []),
        ")",
        "with urllib.request.urlopen(request) as answer:",
        "    print(answer.status, answer.read().decode())",
    ]
    return "\n".join([*lines, *_answer("#", example)])


def as_js(example: RightCall) -> str:
    """A module for Node or a browser."""
    call = example.call
    lines = [
        *_comments("//", _about(example)),
        f"const answer = await fetch({json.dumps(example.url)}, {{",
        f"  method: {json.dumps(call.method)},",
        f"  headers: {pretty(documented_headers(example), 2)},",
        *([f"  body: JSON.stringify({pretty(call.fields, 2)}),"] if call.payload else []),
        "});",
        "console.log(answer.status, await answer.json());",
    ]
    return "\n".join([*lines, *_answer("//", example)])


FORMS: Mapping[str, Callable[[RightCall], str]] = MappingProxyType(
    {"curl": as_curl, "json": as_json, "python": as_python, "js": as_js}
)
"""The forms by their names."""


def documented_headers(example: RightCall) -> dict[str, str]:
    """The headers of the call, by the names that documents use."""
    return {_HEADER_NAMES[name]: value for name, value in example.call.headers.items()}


def _world(example: RightCall) -> dict[str, str]:
    """The profile and the scenario that the relayer must have, where that is not the specification's."""
    if example.profile == SPEC:
        return {}
    return {"profile": example.profile, "scenario": SCENARIOS[example.profile]}


def _about(example: RightCall) -> Iterator[str]:
    """Lines on the purpose of the call and on the calls that must come before it."""
    yield f"{example.call.endpoint}: {summary_of(ACTIONS[example.row.id])}."
    if world := _world(example):
        yield f"In the profile {world['profile']}: mockrelay serve --scenario {world['scenario']}."
    if example.before:
        yield f"Before it: {', '.join(example.before)}."


def _answer(mark: str, example: RightCall) -> Iterator[str]:
    """The answer as comment lines."""
    head = f"The answer, with status {example.status}, when the relayer's clock stands at {example.now}:"
    return _comments(mark, [head, *pretty(example.answer).splitlines()])


def _comments(mark: str, lines: Iterable[str]) -> Iterator[str]:
    return (f"{mark} {line}" for line in lines)


def pretty(value: Any, indent: int = 0, *, python: bool = False) -> str:
    """A JSON value as text; whatever fits in one line stays in one. The first line is behind `indent` spaces."""
    line = repr(value) if python and (value is None or isinstance(value, bool)) else json.dumps(value)
    is_plain = not isinstance(value, (Mapping, list))
    if is_plain or not value or (len(line) + indent <= _WIDTH and not (python and _has_words(value))):
        return line
    inner = indent + (4 if python else 2)
    items = value.items() if isinstance(value, Mapping) else enumerate(value)
    lines = [
        (f"{json.dumps(name)}: " if isinstance(value, Mapping) else "") + pretty(item, inner, python=python)
        for name, item in items
    ]
    start, end = "{}" if isinstance(value, Mapping) else "[]"
    body = (",\n" + " " * inner).join(lines)
    return f"{start}\n{' ' * inner}{body}{',' * python}\n{' ' * indent}{end}"


def _has_words(value: Any) -> bool:
    """Whether a value contains null, true or false, which Python writes differently."""
    if isinstance(value, Mapping):
        return any(map(_has_words, value.values()))
    return any(map(_has_words, value)) if isinstance(value, list) else value is None or isinstance(value, bool)
