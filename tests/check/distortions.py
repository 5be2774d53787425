"""A relayer that changes exactly one thing in the answers of one endpoint, and is right in all others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from mockrelay.relay import Relay
from mockrelay.spec.endpoint import SPEC, Endpoint
from mockrelay.spec.profiles import PROFILES
from mockrelay.wire.http import RawRequest, Response

Place = tuple[Any, Any, Any]
"""A value in a JSON document: the container, the key or index, the value."""


class Distorted:
    """A `Handle` that distorts the answers of one endpoint, and counts how often it has."""

    def __init__(self, endpoint: str, kind: Kind) -> None:
        self.endpoint = endpoint
        self.kind = kind
        self.times = 0

    def __call__(self, relay: Relay, raw: RawRequest) -> Response:
        response = relay.handle(raw, relay.now_ms())
        row = PROFILES[SPEC].routes.get((raw.method, raw.path))
        if row is None or row.name != self.endpoint:
            return response
        value = json.loads(response.body)
        is_refusal = isinstance(value, dict) and value.get("resultInfo", {"code": 0})["code"] != 0
        if is_refusal != self.kind.of_refusals or response.status == 429:
            return response
        changed = self.kind.change(row, json.loads(response.body))
        if changed == value:
            return response
        self.times += 1
        return replace(response, body=json.dumps(changed).encode())


class Kind(NamedTuple):
    """A kind of distortion."""

    name: str
    change: Callable[[Endpoint, Any], Any]
    """(the endpoint, a value that may be changed) -> what is answered in its place."""
    of_refusals: bool = False


def _payload(row: Endpoint, value: Any) -> Any:
    return value.get("data") if row.enveloped else value


def _leaves(container: Any) -> Iterator[Place]:
    pairs = list(container.items()) if isinstance(container, dict) else list(enumerate(container))
    for key, inner in pairs:
        if isinstance(inner, dict | list):
            yield from _leaves(inner)
        else:
            yield container, key, inner


def _payload_leaves(row: Endpoint, value: Any) -> Iterator[Place]:
    if row.enveloped and not isinstance(value["data"], dict | list):
        yield value, "data", value["data"]
    else:
        yield from _leaves(_payload(row, value))


def _type_changed(row: Endpoint, value: Any) -> Any:
    """The first value of the payload is of another type; where there is none, the message of the outcome."""
    for container, key, inner in [*_payload_leaves(row, value), *_leaves(value)]:
        container[key] = {"was": inner} if isinstance(inner, str) else str(inner).lower()
        return value
    return {"nothing": value}


_REQUIRED = {"get_pending_requests": "txType"}


def _field_dropped(row: Endpoint, value: Any) -> Any:
    """A field that is required is left out of the first object of the payload that holds no other one; where the payload
    has no object, out of the outcome.
    """
    objects = [
        one for one in _objects(_payload(row, value)) if not any(isinstance(v, dict | list) for v in one.values())
    ]
    if row.name in _REQUIRED:
        objects = [one for one in _objects(value) if _REQUIRED[row.name] in one]
    target = next((one for one in objects if one), None)
    if target is None:
        target = value.get("resultInfo") if isinstance(value, dict) and row.enveloped else None
    if target is None:
        target = value if isinstance(value, dict) else {}
    target.pop(_REQUIRED.get(row.name, next(iter(target), "")), None)
    return value


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(inner)


def _digits_to_number(row: Endpoint, value: Any) -> Any:
    for container, key, inner in _payload_leaves(row, value):
        if isinstance(inner, str) and inner.isdigit():
            container[key] = int(inner)
            return value
    return value


def _off_by_one(row: Endpoint, value: Any) -> Any:
    """The last number of the payload is one more."""
    for container, key, inner in reversed(list(_payload_leaves(row, value))):
        if type(inner) is int:
            container[key] = inner + 1
            return value
        if isinstance(inner, str) and inner.isdigit():
            container[key] = str(int(inner) + 1)
            return value
    return value


def _reversed(row: Endpoint, value: Any) -> Any:
    """The first list of the payload with two different values is turned round."""
    for found in _lists(_payload(row, value)):
        if found != found[::-1]:
            found.reverse()
            return value
    return value


def _lists(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _lists(inner)


def _envelope_lost(row: Endpoint, value: Any) -> Any:
    """The payload alone where it should be wrapped, and wrapped where it should be alone."""
    return value.get("data") if row.enveloped else {"resultInfo": {"code": 0, "message": "SUCCESS"}, "data": value}


def _other_code(row: Endpoint, value: Any) -> Any:
    """Another code of the same endpoint's, with its right meaning."""
    outcome = value["resultInfo"]
    others = [judged.code for judged in row.codes if judged.code != outcome["code"]]
    outcome["code"] = int(others[-1])
    outcome["message"] = others[-1].meaning
    return value


KINDS = (
    Kind("type changed", _type_changed),
    Kind("field dropped", _field_dropped),
    Kind("digits to number", _digits_to_number),
    Kind("off by one", _off_by_one),
    Kind("list reversed", _reversed),
    Kind("envelope lost", _envelope_lost),
    Kind("other code", _other_code, of_refusals=True),
)
