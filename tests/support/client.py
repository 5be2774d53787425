"""One client of a relayer for all tests: API calls and control calls, without a socket or over one.

The first argument of each function is a relayer: a `Relay` in this process, or a `Connection` (tests.support.connection)
to a server or to one of its worlds. What they are asked and what they answer is the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode, urlsplit

from mockrelay.control import handle_control
from mockrelay.relay import Relay
from mockrelay.replay import load_into
from mockrelay.wire.http import RawRequest, Response
from tests.support.answer import Answer
from tests.support.connection import Connection, connected

Relayer = Relay | Connection

HOST = "127.0.0.1:4627"
"""What a call without a socket says it was sent to."""
ALICE = "alice"
"""Stands for alice's key where a call takes a key; None sends no key at all."""


def account(relayer: Relayer, name: str) -> Mapping[str, Any]:
    """The scenario's account of that name: name, accountId, owner, apiKey."""
    return next(entry for entry in _accounts(relayer) if entry["name"] == name)


def send(
    relayer: Relayer,
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
    """One request with every part in the caller's hand. `key` is an account's name, a key as it stands, or None.

    `remote` and `connection` say where a call without a socket comes from.
    """
    base, host = (relayer.base, relayer.host) if isinstance(relayer, Connection) else ("", HOST)
    sent = {"host": host}
    if key is not None:
        sent["x-api-key"] = next((str(one["apiKey"]) for one in _accounts(relayer) if one["name"] == key), key)
    if signature is not None:
        sent["x-api-sig"] = signature
    if method not in ("GET", "HEAD"):
        sent["content-type"] = "application/json"
    sent.update(headers or {})
    pairs = tuple(query)
    target = path + ("?" + urlencode(pairs, errors="surrogatepass") if pairs else "")
    if isinstance(relayer, Connection):
        return relayer.ask(
            method, base + target, *(f"{name}: {value}" for name, value in sent.items()), body=body, host=None
        )
    raw = RawRequest(method, path, target, pairs, sent, body, "http", host, remote, connection)
    return _answer(relayer.handle(raw, relayer.now_ms()))


def get(relayer: Relayer, path: str, *, key: str | None = ALICE, remote: str = "127.0.0.1", **query: Any) -> Answer:
    """GET with the query given by name; a value of None leaves the parameter out."""
    pairs = [(name, str(value)) for name, value in query.items() if value is not None]
    return send(relayer, "GET", path, query=pairs, key=key, remote=remote)


def post(
    relayer: Relayer,
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
    return send(relayer, "POST", path, body=body, key=key, signature=signature, headers=headers, remote=remote)


def control(relayer: Relayer, method: str, path: str, body: Any = None, **query: str) -> Answer:
    """A control call; the path is what follows `/__mockrelay/`."""
    raw = b"" if body is None else json.dumps(body).encode()
    if isinstance(relayer, Connection):
        target = f"{relayer.base}/__mockrelay/{path}" + (f"?{urlencode(query)}" if query else "")
        return relayer.ask(method, target, "Content-Type: application/json", body=raw)
    return _answer(handle_control(relayer, method, path, tuple(query.items()), raw, load_into))


def done(relayer: Relayer, method: str, path: str, body: Any = None) -> Any:
    """A control call that must succeed; its parsed answer."""
    answer = control(relayer, method, path, body)
    assert answer.status == 200, f"{method} {path} {body}: {answer.status} {answer.body!r}"
    return answer.json


def ask(url: str, method: str = "", body: Any = None, headers: Mapping[str, str] | None = None) -> Answer:
    """One request to a URL on a connection of its own; bytes go as they stand, anything else as JSON. A POST unless there is
    no body.
    """
    host = urlsplit(url).netloc
    root, _, target = url.partition(host)
    raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    lines = [f"{name}: {value}" for name, value in (headers or {}).items()]
    with connected(root + host) as wire:
        return wire.ask(method or ("GET" if body is None else "POST"), target or "/", *lines, body=raw, host=host)


def advance(relayer: Relayer, span: str) -> None:
    """Move the relayer's clock on (`15s`, `900ms`, `60d`)."""
    done(relayer, "POST", "clock", {"advance": span})


def base_url(relayer: Relayer) -> str:
    """The URL that a client of the relayer is given."""
    return f"http://{relayer.host}{relayer.base}" if isinstance(relayer, Connection) else f"http://{HOST}"


def state(relayer: Relayer) -> Any:
    """The whole world, as `GET state` shows it."""
    return done(relayer, "GET", "state")


def digest(relayer: Relayer) -> str:
    """The world's digest: everything but limiter, faults, journal and request ids."""
    value = state(relayer)["digest"]
    assert isinstance(value, str)
    assert value
    return value


def _accounts(relayer: Relayer) -> Sequence[Mapping[str, Any]]:
    if isinstance(relayer, Relay):
        return relayer.accounts()
    found: Sequence[Mapping[str, Any]] = done(relayer, "GET", "accounts")
    return found


def _answer(response: Response) -> Answer:
    headers = {name.lower(): value for name, value in response.headers}
    return Answer(response.status, headers, response.body, response.drop, response.not_before_ms)
