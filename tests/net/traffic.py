"""Recorded traffic: what was sent to a served relayer, step by step, and what came back.

This is the one test whose expectation is the program's own output. A case is a scenario; its steps are the literal requests,
drawn once by a seeded random: calls and commands, right and wrong, in the main relayer and in a world, with and without
limits and signatures, then all reports. The answers are replaced only in a commit of its own (`python -m tests.net renew`),
never beside a change of the program; a change that is wanted is listed in `changes.json` until then.
"""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path
from typing import Any, NamedTuple

from tests.net.wire import Client, Reply

FILE = Path(__file__).with_name("traffic.json.xz")
CONTROL = "/__mockrelay/"
ASKED_MAX = 20_000
"""How often the journal is asked for a call that was only sent, before it counts as lost."""
_MASKED_KEYS = ("digest", "digest_all")


class Step(NamedTuple):
    """A request, or (`read`) the reading of an answer that was not waited for."""

    method: str
    path: str
    """With query, and with /w/NAME for a world."""
    headers: dict[str, str]
    body: str
    """Bytes that are not UTF-8 as lone surrogates."""
    load: int | None = None
    """The body is what the step of this number, a dump, gave in the same run."""
    held: bool = False
    """The answer is not waited for; a later step reads it."""
    read: int | None = None
    """No request: read the answer to the step of this number."""

    def payload(self) -> bytes:
        """The body's bytes."""
        return self.body.encode("utf-8", "surrogateescape")


class Case(NamedTuple):
    """A scenario's traffic: the options of `serve`, the steps and the answers to them."""

    options: tuple[str, ...]
    steps: list[Step]
    answers: list[dict[str, Any]]


class Session:
    """A client that carries out steps and gives their answers as they are stored."""

    def __init__(self, port: int) -> None:
        self.client = Client(port)
        self._dumps: dict[int, bytes] = {}
        self._count = 0
        self._sent: dict[int, Step] = {}
        health = json.loads(self.client.send("GET", f"{CONTROL}health", {}, b"").body)
        self._version = re.compile(rf"(?<![\d.]){re.escape(health['version'])}(?![\d.])")

    def take(self, step: Step) -> dict[str, Any]:
        """Carry out the next step: the answer as it is stored."""
        number, self._count = self._count, self._count + 1
        if step.read is not None:
            return self._stored(self._sent[step.read], self.client.read(step.read))
        if step.held:
            return self._take_held(number, step)
        body = step.payload() if step.load is None else self._dumps[step.load]
        reply = self.client.send(step.method, step.path, step.headers, body)
        if step.path.endswith(f"{CONTROL}dump"):
            self._dumps[number] = reply.body
            return {"status": reply.status}
        return self._stored(step, reply)

    def _take_held(self, number: int, step: Step) -> dict[str, Any]:
        """Send it, and go on once the relayer has it in its journal: the server works on one request at a time, so an
        answer that is not held has then been sent.
        """
        self._sent[number] = step
        world = step.path.partition("/api/")[0]
        before = self._calls(world)
        self.client.send_only(number, step.method, step.path, step.headers, step.payload())
        for _ in range(ASKED_MAX):
            if self._calls(world) != before:
                break
        # A connection that is closed in place of an answer is closed a moment later.
        self._calls(world)
        self._calls(world)
        return {"held": self.client.is_held(number)}

    def _calls(self, world: str) -> int:
        reply = self.client.send("GET", f"{world}{CONTROL}requests?last=1", {}, b"")
        total: int = json.loads(reply.body)["total"]
        return total

    def _stored(self, step: Step, reply: Reply) -> dict[str, Any]:
        headers = dict(sorted(reply.headers.items()))
        text = reply.body.decode("utf-8", "backslashreplace")
        if CONTROL in step.path:
            headers.pop("content-length", None)
            text = self._version.sub("VERSION", text)
        body: Any = text
        if "json" in headers.get("content-type", ""):
            try:
                body = json.loads(text)
            except ValueError:
                body = text
        if CONTROL in step.path:
            body = _masked(body)
        return {"status": reply.status, "headers": headers, "body": body}


def _masked(value: Any) -> Any:
    """Without what says nothing by itself: digests."""
    if isinstance(value, dict):
        return {name: _masked(part) for name, part in value.items() if name not in _MASKED_KEYS}
    if isinstance(value, list):
        return [_masked(part) for part in value]
    return value.split("\n") if isinstance(value, str) and "\n" in value else value


def write(cases: dict[str, Case], file: Path = FILE) -> None:
    """Write the file: the cases, a line each."""
    lines = [json.dumps([name, case], ensure_ascii=True, separators=(",", ":")) for name, case in cases.items()]
    file.write_bytes(lzma.compress("\n".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME))


def lines(file: Path = FILE) -> dict[str, str]:
    """The line of each case by its name; to read them all takes a second."""
    return {line.split('"', 2)[1]: line for line in lzma.decompress(file.read_bytes()).decode().splitlines()}


def case_of(line: str) -> Case:
    """The case that a line of the file describes."""
    _, (options, steps, answers) = json.loads(line)
    return Case(tuple(options), [Step(*step) for step in steps], answers)


def load(file: Path = FILE) -> dict[str, Case]:
    """All cases by name."""
    return {name: case_of(line) for name, line in lines(file).items()}
