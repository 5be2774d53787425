"""A mockrelay as the check meets it, without a socket: worlds, control calls, API calls."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import parse_qsl

import pytest

from mockrelay.check import Options, Outcome, check_relayer
from mockrelay.check.checking import CASES
from mockrelay.check.run import CheckCase
from mockrelay.check.throttle import MARGIN_MS, Throttle
from mockrelay.client.http import HttpRequest, HttpResponse
from mockrelay.clock import Clock
from mockrelay.control import handle_control
from mockrelay.relay import Relay
from mockrelay.wire.http import RawRequest, Response
from tests.support.worlds import START_MS, relay_from

BASE = "http://127.0.0.1:4627"
HOST = "127.0.0.1:4627"
JSON = {"content-type": "application/json"}
Handle = Callable[[Relay, RawRequest], Response]


def honest(relay: Relay, raw: RawRequest) -> Response:
    """What the relay answers."""
    return relay.handle(raw, relay.now_ms())


class InProcess:
    """The exchange with a server that has this relay, whose API answers as `handle` says."""

    def __init__(self, relay: Relay, handle: Handle = honest) -> None:
        self.relay = relay
        self.handle = handle
        self.worlds: dict[str, Relay] = {}
        self.at_ms: list[tuple[str, int]] = []
        """Path and relayer's time of each API call."""

    def __call__(self, sent: HttpRequest) -> HttpResponse:
        path, _, query = sent.target.partition("?")
        relay = self.relay
        if path.startswith("/w/"):
            name, _, rest = path.removeprefix("/w/").partition("/")
            if name not in self.worlds:
                self.worlds[name] = self.relay.spawn(name)
            relay = self.worlds[name]
            path = f"/{rest}"
        pairs = tuple(parse_qsl(query, keep_blank_values=True))
        if path.startswith("/__mockrelay/"):
            return self._controlled(relay, sent, path.removeprefix("/__mockrelay/"), pairs)
        headers = {name.lower(): value for name, value in sent.headers.items()} | {"host": HOST}
        raw = RawRequest(sent.method, path, sent.target, pairs, headers, sent.body, "http", HOST, "127.0.0.1")
        self.at_ms.append((path, relay.now_ms()))
        return _got(self.handle(relay, raw))

    def _controlled(
        self, relay: Relay, sent: HttpRequest, verb: str, pairs: tuple[tuple[str, str], ...]
    ) -> HttpResponse:
        if verb == "worlds":
            return HttpResponse(200, JSON, json.dumps([{"name": name} for name in self.worlds]).encode())
        if verb.startswith("worlds/") and sent.method == "POST":
            self.worlds[verb.removeprefix("worlds/")] = self.relay.spawn(verb.removeprefix("worlds/"))
            return HttpResponse(200, JSON, b"{}")
        if verb.startswith("worlds/"):
            del self.worlds[verb.removeprefix("worlds/")]
            return HttpResponse(200, JSON, b"{}")
        return _got(handle_control(relay, sent.method, verb, pairs, sent.body))


def _got(response: Response) -> HttpResponse:
    return HttpResponse(response.status, {name.lower(): value for name, value in response.headers}, response.body)


def quiet(act: str, done: int, total: int, calls: int) -> None:
    """No progress is shown."""


def found_in(
    choices: Mapping[str, str] | None = None,
    *,
    handle: Handle = honest,
    only: str | None = None,
    cases: tuple[CheckCase, ...] = CASES,
    scenario: Any = "default",
) -> Outcome:
    """What the check finds in a relay with these choices."""
    relay = relay_from(scenario, choices=choices, limits="spec")
    return check_relayer(InProcess(relay, handle), BASE, Options(only=only), quiet, cases)


def without_waiting(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Have the check of other relayers wait on a clock that moves when it is waited for; how long it has waited, in ms."""
    clock, waited = Clock.frozen(START_MS), []

    def wait(ms: int) -> None:
        waited.append(ms)
        clock.advance(ms)

    monkeypatch.setattr(Throttle, "in_real_time", lambda: Throttle(clock.now_ms, wait, MARGIN_MS))
    return waited
