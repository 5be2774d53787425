"""A small driver for tests: says requests to a `Relay` without a socket and reads its answers.

Time stands still unless a test moves it: `relay_from` gives every relay a frozen clock that starts at `START_MS`, and
`advance` moves it through the control verb `clock`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from mockrelay.clock import Clock
from mockrelay.control import handle_control
from mockrelay.relay import Relay
from mockrelay.replay import load_into
from mockrelay.wire.http import RawRequest, Response

START_MS = 1_767_225_600_000
"""2026-01-01T00:00:00Z, a whole second."""
START_S = START_MS // 1000
DAY_S = 86_400

ALICE = "alice"
"""Stands for alice's key where a call takes a key; None sends no key at all."""


class Answer(NamedTuple):
    """One answer of the API or of the control API."""

    status: int
    headers: Mapping[str, str]
    """By lower-case name."""
    body: bytes
    drop: bool = False
    """The connection is closed without an answer."""
    not_before_ms: int | None = None
    """The relayer's time before which the answer is not sent."""

    @property
    def json(self) -> Any:
        """The body, parsed; NaN, Infinity and bytes that are not UTF-8 are errors of the product."""
        return json.loads(self.body.decode("utf-8"), parse_constant=_no_constant)

    @property
    def code(self) -> int:
        """`resultInfo.code`; 0 for a bare answer that carries none."""
        parsed = self.json
        if isinstance(parsed, dict) and "resultInfo" in parsed:
            code = parsed["resultInfo"]["code"]
            assert type(code) is int, f"code is {code!r}"
            return code
        return 0

    @property
    def message(self) -> str:
        """`resultInfo.message`."""
        message = self.json["resultInfo"]["message"]
        assert isinstance(message, str)
        return message

    @property
    def data(self) -> Any:
        """What stands in `data`, or None."""
        return self.json.get("data")


def _no_constant(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def relay_from(
    scenario: str | Path = "default",
    *,
    choices: Mapping[str, str] | None = None,
    limits: Any = "off",
    start_ms: int = START_MS,
) -> Relay:
    """A relay on a frozen clock, without limits unless told otherwise."""
    return Relay.from_scenario(scenario, choices=dict(choices or {}), limits=limits, clock=Clock.frozen(start_ms))


def account(relay: Relay, name: str) -> Mapping[str, Any]:
    """The scenario's account of that name: name, accountId, owner, apiKey."""
    return next(entry for entry in relay.accounts() if entry["name"] == name)


def _key(relay: Relay, key: str | None) -> str | None:
    names = {entry["name"]: str(entry["apiKey"]) for entry in relay.accounts()}
    return key if key is None else names.get(key, key)


def send(
    relay: Relay,
    method: str,
    path: str,
    *,
    query: Sequence[tuple[str, str]] = (),
    body: bytes = b"",
    key: str | None = ALICE,
    signature: str | None = None,
    headers: Mapping[str, str] | None = None,
    remote: str = "127.0.0.1",
    connection: int = 0,
) -> Answer:
    """One request with every part in the caller's hand. `key` is an account's name, a key as it stands, or None."""
    sent = {"host": "127.0.0.1:4627"}
    known = _key(relay, key)
    if known is not None:
        sent["x-api-key"] = known
    if signature is not None:
        sent["x-api-sig"] = signature
    if method not in ("GET", "HEAD"):
        sent["content-type"] = "application/json"
    sent.update(headers or {})
    pairs = tuple(query)
    target = path + ("?" + urlencode(pairs, errors="surrogatepass") if pairs else "")
    raw = RawRequest(method, path, target, pairs, sent, body, "http", "127.0.0.1:4627", remote, connection)
    return _answer(relay.handle(raw, relay.now_ms()))


def get(relay: Relay, path: str, *, key: str | None = ALICE, remote: str = "127.0.0.1", **query: Any) -> Answer:
    """GET with the query given by name; a value of None leaves the parameter out."""
    pairs = [(name, str(value)) for name, value in query.items() if value is not None]
    return send(relay, "GET", path, query=pairs, key=key, remote=remote)


def post(
    relay: Relay,
    path: str,
    fields: Any,
    *,
    key: str | None = ALICE,
    signature: str | None = None,
    headers: Mapping[str, str] | None = None,
    remote: str = "127.0.0.1",
) -> Answer:
    """POST with a JSON body; bytes go as they stand."""
    body = fields if isinstance(fields, bytes) else json.dumps(fields).encode()
    return send(relay, "POST", path, body=body, key=key, signature=signature, headers=headers, remote=remote)


def control(relay: Relay, method: str, path: str, body: Any = None, **query: str) -> Answer:
    """A verb of the control API; the path is what follows `/__mockrelay/`."""
    raw = b"" if body is None else json.dumps(body).encode()
    return _answer(handle_control(relay, method, path, tuple(query.items()), raw, load_into))


def done(relay: Relay, method: str, path: str, body: Any = None) -> Any:
    """A verb of the control API that must succeed; its parsed answer."""
    answer = control(relay, method, path, body)
    assert answer.status == 200, f"{method} {path} {body}: {answer.status} {answer.body!r}"
    return answer.json


def advance(relay: Relay, span: str) -> None:
    """Move the relay's clock on (`15s`, `900ms`, `60d`)."""
    done(relay, "POST", "clock", {"advance": span})


def digest(relay: Relay) -> str:
    """The world's digest: everything but limiter, faults, journal and request ids."""
    value = done(relay, "GET", "state")["digest"]
    assert isinstance(value, str)
    assert value
    return value


def _answer(response: Response) -> Answer:
    headers = {name.lower(): value for name, value in response.headers}
    return Answer(response.status, headers, response.body, response.drop, response.not_before_ms)
