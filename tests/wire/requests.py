"""Right requests, as plain values, for tests that change one thing in them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from mockrelay.core.call import Call, Violation
from mockrelay.spec.choices import BY_KEY
from mockrelay.wire.decode import NoRoute, decode
from mockrelay.wire.http import RawRequest
from tests.support.bodies import W

ORDER: Mapping[str, Any] = {**W.order(5), "allOrNone": "false"}
UPDATE: Mapping[str, Any] = W.update()


def default(key: str, _: Mapping[str, Any]) -> str:
    """Every choice at its default."""
    return BY_KEY[key].default


def request(
    method: str,
    path: str,
    query: tuple[tuple[str, str], ...] = (),
    body: bytes = b"",
    headers: Mapping[str, str] | None = None,
) -> RawRequest:
    """A raw request with a JSON content type, unless headers are given."""
    found = {"content-type": "application/json"} if headers is None else headers
    return RawRequest(method, path, path, query, found, body, "http", "127.0.0.1:4627", "127.0.0.1")


def get(path: str, **query: str) -> Decoded:
    """A decoded GET."""
    return reached(decode(request("GET", path, tuple(query.items())), default))


def post(path: str, body: Any) -> Decoded:
    """A decoded POST of a value or of bytes."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return reached(decode(request("POST", path, body=raw), default))


def order(**changes: Any) -> Call:
    """The call of an order in which some fields differ; `...` leaves a field out."""
    fields = {name: value for name, value in {**ORDER, **changes}.items() if value is not ...}
    return post("/api/v3/order", fields).call


class Decoded(NamedTuple):
    """A call with the violations that always count, and the violations that a choice makes count, each with its choice."""

    call: Call
    soft: tuple[tuple[str, Violation], ...]


def reached(outcome: Call | NoRoute) -> Decoded:
    """What was decoded, which must have reached an endpoint."""
    assert isinstance(outcome, Call), outcome
    strict = tuple(violation for violation in outcome.violations if violation.choice is None)
    soft = tuple((violation.choice, violation) for violation in outcome.violations if violation.choice is not None)
    assert outcome.violations == (*strict, *(violation for _, violation in soft))
    return Decoded(replace(outcome, violations=strict), soft)
