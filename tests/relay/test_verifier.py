"""A verifier sees the text of each field as the client wrote it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from mockrelay.web import serve
from tests.conformance.transcript import BY_NAME, ROWS
from tests.support.calls import order, ready, valid_request
from tests.support.client import post
from tests.support.connection import connected
from tests.support.worlds import START_MS, W

SIGNED = [row.name for row in ROWS if row.signature or row.name == "submit_order"]


class Shown:
    """A relay and what its verifier has been shown."""

    def __init__(self) -> None:
        self.requests: list[tuple[Any, Any]] = []
        self.relay = Relay.from_scenario(W, limits="off", clock=Clock.frozen(START_MS), verifier=self)

    def __call__(self, account: Any, request: Any) -> str | None:
        self.requests.append((account, request))
        return None


def written(fields: Any, *, spaced: str = "") -> tuple[bytes, dict[str, str]]:
    """A body in a hand of its own: last field first, characters escaped, spaces everywhere; and each field's text."""
    texts = {}
    for name, value in reversed(fields.items()):
        text = json.dumps(value, separators=(f"{spaced},{spaced}", f"{spaced}:{spaced}"))
        if isinstance(value, str) and value:
            text = f'"\\u{ord(value[0]):04x}{value[1:]}"'
        texts[name] = text
    members = f"{spaced},\n".join(f'"{name}"{spaced}:{spaced}{text}' for name, text in texts.items())
    return f"{{{spaced}{members}{spaced}}}".encode(), texts


@pytest.mark.parametrize("spaced", ["", " \t\r\n"], ids=["tight", "spaced"])
@pytest.mark.parametrize("name", SIGNED)
def test_a_verifier_sees_each_field_as_it_was_written(name: str, spaced: str) -> None:
    """At every endpoint that is signed: the text of each field, the whole body and the target, and the decoded values."""
    shown, request = Shown(), valid_request(name)
    ready(shown.relay, name)
    shown.requests.clear()
    body, texts = written(request.fields, spaced=spaced)
    post(shown.relay, BY_NAME[name].path, body, key=request.key, signature=request.signature)
    ((account, found),) = shown.requests
    assert account.name == "alice"
    assert found.endpoint == name
    assert found.raw_fields == texts
    assert found.raw_body == body
    assert (found.method, found.raw_target) == ("POST", BY_NAME[name].path)
    assert dict(found.fields) == {**found.fields, **request.fields}


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("validUntil", "1772409600"),
        ("amountS", '"100000000000000000001"'),
        ("amountS", '"\\u0031000000000000000000000000"'),
        ("label", "211"),
        ("buy", '"f\\u0061lse"'),
        ("clientOrderId", '"\\u00e9\\/\\ud83d\\ude00"'),
        ("memo", '{ "of" : [ 1.50 , -0.0e0 , "x" ] }'),
    ],
)
def test_no_scale_and_no_digit_is_changed_on_the_way(field: str, text: str) -> None:
    """Over a socket: seconds stay seconds, digits stay digits, an escape stays an escape, also in a field of its own."""
    shown = Shown()
    fields = {name: json.dumps(value) for name, value in order().fields.items()} | {field: text}
    body = ("{" + ", ".join(f'"{name}": {value}' for name, value in fields.items()) + "}").encode()
    with serve(shown.relay) as server, connected(server.url) as wire:
        answer = wire.ask(
            "POST", "/api/v3/order?x=%41+b", "X-API-KEY: key-a", "Content-Type: application/json", body=body
        )
    assert answer.status == 200
    ((_, found),) = shown.requests
    assert found.raw_fields == fields
    assert (found.raw_body, found.raw_target) == (body, "/api/v3/order?x=%41+b")


def test_a_verifier_may_refuse_another_scale_by_its_own_word() -> None:
    """A verifier that reads the text of `amountB` refuses what has more digits."""

    def verify(account: Any, request: Any) -> str | None:
        return None if len(request.raw_fields["amountB"]) == len('"50000000000000000"') else "another scale"

    relay = Relay.from_scenario(W, limits="off", clock=Clock.frozen(START_MS), verifier=verify)
    assert post(relay, "/api/v3/order", dict(order(1).fields)).code == 0
    refused = post(relay, "/api/v3/order", dict(order(2, amountB=str(5 * 10**19)).fields))
    assert (refused.code, "another scale" in refused.message) == (104005, True)
