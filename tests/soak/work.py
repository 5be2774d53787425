"""The work of a soak: all kinds of calls to a front and its worlds, without a socket and through one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from mockrelay.web import Serving, serve
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.http1 import target_of
from mockrelay.wire.http import RawRequest, Response
from tests.soak.calls import call
from tests.support import bodies
from tests.support.connection import Connection, connected

WORLDS = 60
RESET_EVERY = 20_000
"""After so many calls each world is put back to its start or removed, since what was accepted may stay."""
PER_CONNECTION = 50
HOST = {"host": "localhost"}


class UnexpectedAnswer(Exception):
    """An answer that no call may get."""


def direct_calls(front: Dispatcher, count: int, step: int) -> Iterator[int]:
    """Make so many calls; yields how many were made, after every `step`."""
    for number in range(count):
        world = f"/w/world-{number // 7 % WORLDS}" if number % 3 else ""
        raw = _order(number) if number % 11 == 0 else call(number)
        _ask(front, replace(raw, raw_target=world + raw.raw_target))
        if number % 500 == 0:
            _commands(front, number, world)
        if number % RESET_EVERY == RESET_EVERY - 1:
            _reset_worlds(front)
        if number % step == step - 1:
            yield number + 1


def socket_calls(count: int, step: int, server: Serving) -> Iterator[int]:
    """The same over connections that are used a while; each ends in another way."""
    made = 0
    while made < count:
        with connected(server.url) as wire:
            for raw in islice(map(call, range(made, count)), PER_CONNECTION):
                _over(wire, raw)
                made += 1
                if made % step == 0:
                    yield made
            wire.send(
                (b"", b"GET / HTTP/1.1\r\nHost: a\r\n", b"rubbish\r\n\r\n", b"\x16\x03\x01")[made // PER_CONNECTION % 4]
            )


def open_servers(front: Dispatcher, count: int) -> None:
    """Start and stop so many servers, some of them never used."""
    relay = dict(front.relays())[""]
    for number in range(count):
        with serve(relay) as server:
            if number % 2:
                with connected(server.url) as wire:
                    wire.ask("GET", "/api/v2/depth")


def _ask(front: Dispatcher, raw: RawRequest) -> None:
    target = target_of(raw.raw_target)
    answer = front.answer(replace(raw, path=target.path), target)
    if not isinstance(answer, Response) or answer.status >= 500:
        raise UnexpectedAnswer(f"{raw.method} {raw.raw_target}: {answer}")


def _order(number: int) -> RawRequest:
    headers = {**HOST, "content-type": "application/json", "x-api-key": "key-a"}
    body = json.dumps(bodies.W.order(number % RESET_EVERY, amountB=str(10**16 + number % 977))).encode()
    return RawRequest("POST", "/api/v3/order", "/api/v3/order", (), headers, body, "http", "localhost", "127.0.0.1")


def _commands(front: Dispatcher, number: int, world: str) -> None:
    name = f"{number // 500 % 5}"
    for method, path, fields in (
        ("POST", "snapshots", {"name": name}),
        ("POST", "faults", {"on": "get_depth", "code": number, "times": 1}),
        ("GET", "requests?last=3", None),
        ("POST", "clock", {"advance": "70s"}),
        ("POST", f"snapshots/{name}/restore", {}),
        ("POST", "blocks/seal", {}),
        ("DELETE", "faults", {}),
        ("PUT", "choices", {"order.dust": ("keep", "finish")[number // 500 % 2]}),
        ("GET", "findings", None),
        ("GET", "coverage", None),
    ):
        _control(front, method, f"{world}/__mockrelay/{path}", b"" if fields is None else json.dumps(fields).encode())


def _reset_worlds(front: Dispatcher) -> None:
    _control(front, "POST", "/__mockrelay/reset", b"{}")
    for number in range(WORLDS):
        if number % 2:
            _control(front, "DELETE", f"/__mockrelay/worlds/world-{number}", b"")
        else:
            _control(front, "POST", f"/w/world-{number}/__mockrelay/reset", b"{}")


def _control(front: Dispatcher, method: str, target: str, body: bytes) -> None:
    parts = target_of(target)
    _ask(front, RawRequest(method, parts.path, target, parts.query, HOST, body, "http", "localhost", "127.0.0.1"))


def _over(wire: Connection, raw: RawRequest) -> None:
    target = raw.path + ("?" + "&".join(f"{name}={value}" for name, value in raw.query)[:4000] if raw.query else "")
    headers = [f"{name}: {value}" for name, value in raw.headers.items() if name != "host"]
    answer = wire.ask(raw.method, target.replace(" ", "+"), *headers, body=raw.body)
    if answer.status >= 500:
        raise UnexpectedAnswer(f"{raw.method} {target}: {answer}")
