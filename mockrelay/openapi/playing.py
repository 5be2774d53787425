"""Examples from a real relayer: a script of calls is sent to a relay with a frozen clock.

The same script always gives the same examples, and each records its origin: the time, the account, the calls before it.
Sent to a fresh relay in the order of their steps, they get the same answers.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.client.call import ApiCall
from mockrelay.client.control import encode_body
from mockrelay.client.facts import SIGNATURES, Facts
from mockrelay.clock import Clock
from mockrelay.control import handle_control
from mockrelay.core.units import moment_ms, moment_text
from mockrelay.openapi.parts import JSON_TYPE
from mockrelay.relay import Relay
from mockrelay.replay import load_into
from mockrelay.spec.endpoint import LIVE, SPEC
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.wire.http import Response

START = "2026-01-01T00:00:00Z"
SCENARIOS: Mapping[str, str] = MappingProxyType({SPEC: "default", LIVE: "live_v3"})
"""The scenarios of the examples, by profile."""

Json = Any


class Control(NamedTuple):
    """A control call: method, path after `/__mockrelay/`, body (None: none)."""

    method: str
    path: str
    body: Json = None


class ScriptCall(NamedTuple):
    """A call to an endpoint in a script: its fields, and the account whose API key is sent (None: none)."""

    endpoint: str
    fields: Mapping[str, Json]
    account: str | None


class ControlExample(NamedTuple):
    """A control call with its answer."""

    step: int
    now_ms: int
    operation_id: str
    words: tuple[str, ...]
    """The values of its path's parameters."""
    body: Json
    """The fields of its body or query; text for a body that is not JSON; None: none."""
    before: tuple[ScriptCall | Control, ...]
    status: int
    answer: Json

    def origin(self) -> dict[str, Any]:
        """The origin of the example, for the document."""
        return _origin(self.step, self.now_ms, self.before)


class Example(NamedTuple):
    """A call to an endpoint with its answer."""

    step: int
    """Its place in the script, from 1 on."""
    now_ms: int
    endpoint: str
    fields: Mapping[str, Json]
    """The query's fields or the body's."""
    account: str | None
    """The name of the account whose API key was sent; None: no key."""
    signature: str | None
    before: tuple[Control, ...]
    """The control calls right before it."""
    times: int
    """The number of times that it was sent; the answer is the last one."""
    status: int
    answer: Json

    @property
    def code(self) -> int:
        """`resultInfo.code`, 0 for a success."""
        outcome = self.answer.get("resultInfo") if isinstance(self.answer, dict) else None
        return outcome["code"] if outcome else 0

    def origin(self) -> dict[str, Any]:
        """The origin of the example, for the document."""
        how = _origin(self.step, self.now_ms, self.before) | {"account": self.account}
        return how | ({"times": self.times} if self.times > 1 else {})


def _origin(step: int, now_ms: int, before: Sequence[ScriptCall | Control]) -> dict[str, Any]:
    how: dict[str, Any] = {"step": step, "now": moment_text(now_ms)}
    return how | ({"before": [call._asdict() for call in before]} if before else {})


def fresh_relay(profile: str = SPEC) -> Relay:
    """The relay that a script starts with, in the scenario of the profile's examples."""
    start_ms = moment_ms(START)
    assert start_ms is not None
    return Relay.from_scenario(SCENARIOS[profile], clock=Clock.frozen(start_ms), limits="spec")


def facts_of(relay: Relay) -> Facts:
    """The values that the script's calls use, from a relay that has just started."""
    facts = Facts.of_state(prepare(relay, Control("GET", "state")), relay.now_ms, last_id=-1)
    facts.nonce_of = lambda who: int(prepare(relay, Control("GET", f"accounts/{who.account_id}"))["accountNonce"])
    return facts


def send(relay: Relay, call: ScriptCall) -> Response:
    """Send a call to an endpoint, with an account's key and a signature where the endpoint has one."""
    key = None if call.account is None else key_of(relay, call.account)
    api_call = ApiCall(call.endpoint, call.fields, key, signature_of(call.endpoint))
    return relay.handle(api_call.raw_request(), relay.now_ms())


def send_control(relay: Relay, call: Control) -> Response:
    """Send a control call; for a GET the fields go into the query."""
    method, path, value = call
    query = tuple((name, str(field)) for name, field in (value or {}).items()) if method == "GET" else ()
    body = b"" if method == "GET" else encode_body(value)
    return handle_control(relay, method, path, query, body, load_into)


def prepare(relay: Relay, call: ScriptCall | Control) -> Json:
    """Make a call before an example; its answer. A refusal is a bug of the script."""
    response = send_control(relay, call) if isinstance(call, Control) else send(relay, call)
    assert response.status == 200, (call, response.body)
    return value_of(response)


def signature_of(endpoint: str) -> str | None:
    """The value of X-API-SIG on a call to an endpoint; None: it has none."""
    kind = BY_NAME[endpoint].signature
    return SIGNATURES[kind] if kind else None


def value_of(response: Response) -> Json:
    """The body in an example: the JSON value, or the text of a body that is not JSON."""
    media_type = dict(response.headers)["Content-Type"].partition(";")[0]
    return json.loads(response.body) if media_type == JSON_TYPE else response.body.decode()


def key_of(relay: Relay, account: str) -> str:
    """The API key of a scenario's account."""
    return next(str(entry["apiKey"]) for entry in relay.accounts() if entry["name"] == account)
