"""Playing a document's example to a relay, from what the document says alone."""

from __future__ import annotations

import json
from collections.abc import Mapping

from mockrelay.control import handle_control
from mockrelay.relay import Relay
from mockrelay.replay import load_into
from tests.openapi.reading import SIGNATURE, Shown
from tests.support.answer import Answer
from tests.support.client import control, send

CONTROL = "/__mockrelay/"


def play(relay: Relay, example: Shown) -> Answer:
    """Send the example's request, in the name of its account."""
    return _control(relay, example) if example.operation.path.startswith(CONTROL) else _api(relay, example)


def _api(relay: Relay, example: Shown) -> Answer:
    return send(
        relay,
        example.operation.method,
        example.operation.path,
        query=[(name, str(value)) for name, value in example.query.items()],
        body=b"" if example.body is None else json.dumps(example.body).encode(),
        key=example.made["account"],
        signature=example.headers.get(SIGNATURE),
    )


def _control(relay: Relay, example: Shown) -> Answer:
    path = example.operation.path.removeprefix(CONTROL)
    for name, value in example.in_path.items():
        path = path.replace(f"{{{name}}}", value)
    query = tuple((name, str(value)) for name, value in example.query.items())
    if not isinstance(example.body, str):
        return control(relay, example.operation.method, path, example.body, **dict(query))
    response = handle_control(relay, example.operation.method, path, query, example.body.encode(), load_into)
    headers: Mapping[str, str] = {name.lower(): value for name, value in response.headers}
    return Answer(response.status, headers, response.body)
