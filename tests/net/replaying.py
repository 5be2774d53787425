"""Stored traffic once more: the same requests to a server as it is now, and what differs in the answers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tests.net.traffic import Case, Session, Step
from tests.net.wire import served

CHANGES = Path(__file__).with_name("changes.json")
_SHOWN = 300


class Difference(NamedTuple):
    """A value that is another one than it was."""

    step: int
    request: str
    at: str
    """Where in the answer: `status`, `headers.NAME`, `body.data[0].hash`."""
    was: str
    now: str

    def __str__(self) -> str:
        return f"step {self.step}: {self.request}\n    {self.at}\n    was {self.was}\n    now {self.now}"


def replay(case: Case) -> list[dict[str, Any]]:
    """The answers to a case's steps by a server as it is now."""
    with served(*case.options) as port:
        session = Session(port)
        try:
            return [session.take(step) for step in case.steps]
        finally:
            session.client.close()


def differences(case: Case, answers: list[dict[str, Any]]) -> list[Difference]:
    """What differs and is not listed in `changes.json`."""
    table = json.loads(CHANGES.read_text())
    listed = [(re.compile(change["request"]), re.compile(change["at"])) for change in table["changes"]]
    texts = [(re.compile(text["now"]), text["was"]) for text in table["texts"]]
    found = []
    for number, (step, was, now) in enumerate(zip(case.steps, case.answers, answers, strict=True)):
        if was == now and json.dumps(was) == json.dumps(now):
            continue
        origin = case.steps[step.read] if step.read is not None else step
        request = f"{origin.method} {origin.path}"
        for at, old, new in _unlike(was, _in_old_words(now, texts), ""):
            if not any(path.search(request) and place.search(at) for path, place in listed):
                found.append(Difference(number, _asked(origin, request), at, old, new))
    return found


def _in_old_words(answer: dict[str, Any], texts: list[tuple[re.Pattern[str], str]]) -> dict[str, Any]:
    """An answer with the texts that it would have had."""
    written = json.dumps(answer)
    for now, was in texts:
        written = now.sub(was, written)
    found: dict[str, Any] = json.loads(written)
    return found


def _asked(step: Step, request: str) -> str:
    return f"{request} {step.body[:_SHOWN]}" if step.body else request


def _unlike(was: Any, now: Any, at: str) -> Iterator[tuple[str, str, str]]:
    """Where two JSON values differ; true is not 1, and 1 is not 1.0."""
    if isinstance(was, dict) and isinstance(now, dict):
        for name in [*was, *(name for name in now if name not in was)]:
            here = f"{at}.{name}" if at else name
            if name not in was or name not in now:
                yield here, _shown(was, name), _shown(now, name)
            else:
                yield from _unlike(was[name], now[name], here)
    elif isinstance(was, list) and isinstance(now, list):
        for index in range(min(len(was), len(now))):
            yield from _unlike(was[index], now[index], f"{at}[{index}]")
        if len(was) != len(now):
            longer, which = (was, "was") if len(was) > len(now) else (now, "now")
            rest = json.dumps(longer[min(len(was), len(now)) :])[:_SHOWN]
            yield f"{at}.length", str(len(was)), f"{len(now)}; {which} also {rest}"
    elif type(was) is not type(now) or was != now:
        yield at, json.dumps(was)[:_SHOWN], json.dumps(now)[:_SHOWN]


def _shown(values: dict[str, Any], name: str) -> str:
    return json.dumps(values[name])[:_SHOWN] if name in values else "absent"
