"""What every answer is, whatever was asked: valid JSON in one of the two shapes, and no server error."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mockrelay.control import handle_control
from mockrelay.core.world import digest, digest_all
from mockrelay.relay import Relay
from mockrelay.wire.http import Response
from tests.support.answer import parse_json
from tests.support.client import send

REQUEST_ID = "x-mockrelay-request-id"
ERROR = {"error", "field", "meant"}


def value_of(headers: Mapping[str, str], body: bytes) -> Any:
    """The JSON value of an answer that says it is JSON; NaN, half characters and bytes that are no UTF-8 are failures."""
    assert headers["content-type"].startswith("application/json"), headers
    value = parse_json(body)
    json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


def is_refusal(response: Response) -> bool:
    """Whether an answer of the API, which must have the API's shape, refuses what was asked."""
    headers = {name.lower(): value for name, value in response.headers}
    assert REQUEST_ID in headers
    return is_refused(response.status, headers, response.body)


def is_refused(status: int, headers: Mapping[str, str], body: bytes) -> bool:
    """The same for what came over a socket."""
    assert status < 500, body
    value = value_of(headers, body)
    info = value if status != 200 and "resultInfo" not in value else value.get("resultInfo") if _has_info(value) else {}
    if info:
        assert type(info["code"]) is int, value
        assert isinstance(info["message"], str), value
        assert info["message"], value
    refused = status != 200 or bool(info and info["code"])
    assert not refused or info, value
    assert not refused or info["code"], value
    return refused


def is_misuse(response: Response) -> bool:
    """Whether an answer of the control API, which must have its shape, refuses what was asked."""
    assert response.status < 500, response
    headers = {name.lower(): value for name, value in response.headers}
    if response.status == 200:
        if not headers["content-type"].startswith("application/jsonl"):
            value_of(headers, response.body)
        return False
    value = value_of(headers, response.body)
    assert set(value) >= ERROR, value
    assert isinstance(value["error"], str), value
    return True


def settled(relay: Relay) -> str:
    """The world's digest, once all has happened that is due: that is not what a call changes."""
    with relay.locked_context() as ctx:
        return digest(ctx.world)


def settled_whole(relay: Relay) -> str:
    """The same with limiter, faults and findings."""
    with relay.locked_context() as ctx:
        return digest_all(ctx.world)


def is_healthy(relay: Relay) -> bool:
    """Whether the relayer does what it always does."""
    answer = send(relay, "GET", "/api/v2/exchange/tokens")
    return answer.status == 200 and answer.code == 0 and handle_control(relay, "GET", "state", (), b"").status == 200


def _has_info(value: Any) -> bool:
    return isinstance(value, dict) and "resultInfo" in value
