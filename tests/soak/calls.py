"""Calls without end, no two alike where they can differ: every endpoint, keys, peers, targets and bodies of all kinds.

None of them leaves anything in the world that may stay: they look, they are refused, or they do what was done before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache

from mockrelay.wire.http import RawRequest
from tests.conformance.transcript import BY_NAME, ROWS
from tests.support.calls import valid_request

KINDS = 12
WIDE = 40
"""Every so many rounds comes a call that is large."""
ROUND = len(ROWS) * KINDS


def calls(start: int = 0) -> Iterator[RawRequest]:
    """A call of each endpoint and kind in turn, from the number `start` on."""
    number = start
    while True:
        yield call(number)
        number += 1


@cache
def _good(name: str) -> tuple[str, tuple[tuple[str, str], ...], str]:
    fields = valid_request(name).fields
    pairs = tuple((field, str(value)) for field, value in fields.items()) if BY_NAME[name].method == "GET" else ()
    return name, pairs, json.dumps(fields)


def call(number: int) -> RawRequest:
    """The call of a number."""
    row = ROWS[number % len(ROWS)]
    kind = number // len(ROWS) % KINDS
    method, path, (_, query, text) = row.method, row.path, _good(row.name)
    body = text.encode() if method == "POST" else b""
    headers = {"host": "localhost", "content-type": "application/json", "x-api-key": f"key-{number}"}
    remote = f"10.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"
    if kind == 0:
        path = f"/api/v{number}"
    elif kind == 1:
        method = "DELETE" if number % 2 else "PATCH"
    elif kind == 2:
        query = (*query, (f"surplus{number}", "x"))
        body = body[:-1] + b',"surplus%d":1}' % number if body else b""
    elif kind == 3:
        query, body = query[: number % 3], body[: number % 97]
    elif kind == 4:
        query = tuple((name, f"{value}{number}") for name, value in query)
        body = body.replace(b'"2', b'"%d' % number)
    elif kind == 5:
        headers["content-type"] = f"text/x-{number}"
        headers["x-api-key"] = "key-a"
        query = tuple((name, f"{number}") for name, _ in query)
        body = body[:-1] + b',"accountId":%d}' % number if body else b""
    elif kind == 6:
        headers |= {f"x-{number}-{n}": "y" * 50 for n in range(5)}
    elif kind == 7 and number // ROUND % WIDE == 0:
        body = b'{"a%d":[%s]}' % (number, b",".join([b'{"":0}'] * 5000)) if body else b""
        query = (*query, *((f"{number}-{n}", "") for n in range(300)))
    elif kind == 8:
        query, headers["x-api-key"] = _queries(number), "key-a"
        method, path, body = "GET", ("/api/v2/orders", "/api/v2/candlestick", "/api/v2/depth")[number % 3], b""
    elif kind == 9:
        headers["x-api-sig"] = f"0x{number:0130x}"
    target = path + ("?" + "&".join(f"{name}={value}" for name, value in query) if query else "")
    return RawRequest(method, path, target, query, headers, body, "http", "localhost", remote)


def _queries(number: int) -> tuple[tuple[str, str], ...]:
    """Queries of orders, candles and the book that differ by their number."""
    return (
        (("accountId", "10001"), ("offset", str(number)), ("limit", str(number % 70))),
        (("market", "LRC-ETH"), ("interval", "1min"), ("start", str(number)), ("limit", str(number % 50 + 1))),
        (("market", "LRC-ETH"), ("level", "0"), ("limit", str(number % 5000 + 1))),
    )[number % 3]
