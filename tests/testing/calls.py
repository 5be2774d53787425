"""Calls to a handle's relay, without a socket."""

from __future__ import annotations

import json
from typing import Any, Literal, overload

from mockrelay.testing import RelayerHandle
from mockrelay.wire.http import RawRequest, Response


def ask(relayer: RelayerHandle, path: str, body: dict[str, Any] | None = None, **query: str) -> Response:
    """A call as alice: a GET, or a POST where there is a body."""
    headers = {"content-type": "application/json", "x-api-key": relayer.account("alice").api_key}
    headers["x-api-sig"] = "0x" + "1" * 130
    raw = b"" if body is None else json.dumps(body).encode()
    method = "GET" if body is None else "POST"
    request = RawRequest(method, path, path, tuple(query.items()), headers, raw, "http", "localhost", "127.0.0.1")
    return relayer.relay.handle(request, relayer.relay.now_ms())


@overload
def sell(relayer: RelayerHandle) -> str: ...
@overload
def sell(relayer: RelayerHandle, *, answer: Literal[True]) -> Response: ...
def sell(relayer: RelayerHandle, *, answer: bool = False) -> str | Response:
    """Alice sells 100 LRC for 0.05 ETH: the hash of the order, or the whole answer."""
    now_s = relayer.clock.now_s
    body = {"exchangeId": 2, "accountId": 10001, "orderId": 0, "tokenSId": 1, "tokenBId": 0, "buy": "false"}
    body |= {"amountS": str(100 * 10**18), "amountB": str(5 * 10**16), "maxFeeBips": 63, "label": 211}
    body |= {"validSince": now_s, "validUntil": now_s + 60 * 86_400}
    body |= {"signatureRx": "1", "signatureRy": "2", "signatureS": "3"}
    response = ask(relayer, "/api/v3/order", body)
    return response if answer else str(json_of(response)["data"]["orderHash"])


def json_of(response: Response) -> Any:
    """The answer's JSON value."""
    return json.loads(response.body)


def code_of(response: Response) -> int:
    """The answer's code."""
    code: int = json_of(response)["resultInfo"]["code"]
    return code
