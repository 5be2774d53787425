"""Examples that the relayer really gives: a script of calls is played to a relay whose clock stands still.

The same script always gives the same examples, and each of them says how to come by it: the moment, who calls, what was
done before. Whoever plays all of them to a fresh relay, in the order of their steps, meets the same answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import urlencode

from mockrelay.clock import Clock
from mockrelay.control import handle_control
from mockrelay.core.units import moment_ms, moment_text
from mockrelay.openapi.parts import JSON_TYPE
from mockrelay.relay import Relay
from mockrelay.replay import load_into
from mockrelay.spec.endpoints import BY_NAME, SignatureHeader
from mockrelay.wire.messages import RawRequest, Response

START = "2026-01-01T00:00:00Z"
SCENARIO = "default"
HOST = "127.0.0.1:4627"
SIGNATURES = {SignatureHeader.ECDSA: "0x" + "1b" * 65, SignatureHeader.EDDSA: "0x" + "1b" * 96}
"""Signatures that are right in form, which is what `signature.scheme: presence` asks for."""

Json = Any


class Control(NamedTuple):
    """A control call: method, path after `/__mockrelay/`, body (None: none)."""

    method: str
    path: str
    body: Json = None


class ApiCall(NamedTuple):
    """A call to an endpoint: its fields, and whose API key is sent (None: none)."""

    endpoint: str
    fields: Mapping[str, Json]
    account: str | None


class Told(NamedTuple):
    """A control call and the answer that it got."""

    step: int
    now_ms: int
    operation_id: str
    words: tuple[str, ...]
    """What stands for the `*` of its path."""
    body: Json
    """The fields of its body or query; text for a body that is no JSON; None: none."""
    before: tuple[ApiCall | Control, ...]
    status: int
    answer: Json

    def made(self) -> dict[str, Any]:
        """How the example was come by, for the document."""
        return _made(self.step, self.now_ms, self.before)


class Example(NamedTuple):
    """A call to an endpoint and the answer that it got."""

    step: int
    """Its place in the script, from 1 on."""
    now_ms: int
    endpoint: str
    fields: Mapping[str, Json]
    """The query's fields or the body's."""
    account: str | None
    """Whose API key was sent; None: no key."""
    signature: str | None
    before: tuple[Control, ...]
    """What was done by hand right before."""
    times: int
    """How often it was sent; the answer is the last one's."""
    status: int
    answer: Json

    @property
    def code(self) -> int:
        """`resultInfo.code`, 0 for a success."""
        outcome = self.answer.get("resultInfo") if isinstance(self.answer, dict) else None
        return outcome["code"] if outcome else 0

    def made(self) -> dict[str, Any]:
        """How the example was come by, for the document."""
        how = _made(self.step, self.now_ms, self.before) | {"account": self.account}
        return how | ({"times": self.times} if self.times > 1 else {})


def _made(step: int, now_ms: int, before: Sequence[ApiCall | Control]) -> dict[str, Any]:
    how: dict[str, Any] = {"step": step, "now": moment_text(now_ms)}
    return how | ({"before": [call._asdict() for call in before]} if before else {})


def fresh_relay() -> Relay:
    """The relay that a script starts with."""
    start_ms = moment_ms(START)
    assert start_ms is not None
    return Relay.from_scenario(SCENARIO, clock=Clock.frozen(start_ms), limits="spec")


def send(relay: Relay, call: ApiCall) -> Response:
    """A call to an endpoint, in the name of an account, with a signature where one is due."""
    endpoint, fields, account = call
    row = BY_NAME[endpoint]
    signature = signature_of(endpoint)
    headers = {"host": HOST}
    query: tuple[tuple[str, str], ...] = ()
    body = b""
    if account is not None:
        headers["x-api-key"] = key_of(relay, account)
    if signature is not None:
        headers["x-api-sig"] = signature
    if row.method == "GET":
        query = tuple((name, str(value)) for name, value in fields.items())
    else:
        headers["content-type"] = "application/json"
        body = json.dumps(fields).encode()
    return raw_send(relay, row.method, row.path, query, headers, body)


def raw_send(
    relay: Relay,
    method: str,
    path: str,
    query: Sequence[tuple[str, str]] = (),
    headers: Mapping[str, str] | None = None,
    body: bytes = b"",
) -> Response:
    """Any request, also one that reaches no endpoint."""
    target = path + ("?" + urlencode(query) if query else "")
    raw = RawRequest(method, path, target, tuple(query), headers or {}, body, "http", HOST, "127.0.0.1")
    return relay.handle(raw, relay.now_ms())


def steer(relay: Relay, call: Control) -> Response:
    """A control call; for a GET the fields go into the query."""
    method, path, value = call
    if method == "GET":
        return handle_control(
            relay, method, path, tuple((name, str(given)) for name, given in (value or {}).items()), b""
        )
    body = value.encode() if isinstance(value, str) else b"" if value is None else json.dumps(value).encode()
    return handle_control(relay, method, path, (), body, load_into)


def prepare(relay: Relay, call: ApiCall | Control) -> Json:
    """Do what comes before an example; its answer. What is refused here is our own fault."""
    done = steer(relay, call) if isinstance(call, Control) else send(relay, call)
    assert done.status == 200, (call, done.body)
    return value_of(done)


def signature_of(endpoint: str) -> str | None:
    """What X-API-SIG says on a call to an endpoint."""
    kind = BY_NAME[endpoint].signature
    return SIGNATURES[kind] if kind else None


def value_of(response: Response) -> Json:
    """A body as an example shows it: the JSON value, or the text of any other."""
    media_type = dict(response.headers)["Content-Type"].partition(";")[0]
    return json.loads(response.body) if media_type == JSON_TYPE else response.body.decode()


def key_of(relay: Relay, account: str) -> str:
    """The API key of a scenario's account."""
    return next(str(entry["apiKey"]) for entry in relay.accounts() if entry["name"] == account)
