"""Reading an OpenAPI document as a stranger would, without the code that wrote it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator

from mockrelay.relay import Relay
from mockrelay.relay.commands import MoveClock
from tests.support.answer import Answer
from tests.support.client import control, send

Document = Mapping[str, Any]
METHODS = ("get", "post", "put", "delete")
SIGNATURE = "X-API-SIG"
JSON_TYPE = "application/json"


class Operation(NamedTuple):
    """An operation, and where it stands."""

    method: str
    path: str
    raw: Mapping[str, Any]

    @property
    def id(self) -> str:
        return str(self.raw["operationId"])


class Shown(NamedTuple):
    """An example: a request, the answer that is shown for it and how it was come by."""

    name: str
    operation: Operation
    in_path: Mapping[str, str]
    query: Mapping[str, Any]
    headers: Mapping[str, str]
    body: Any
    """None: no body."""
    status: str
    answer: Any
    made: Mapping[str, Any]

    @property
    def id(self) -> str:
        return f"{self.operation.id}-{self.name}"


def operations(document: Document) -> list[Operation]:
    return [
        Operation(method.upper(), path, item[method])
        for path, item in document["paths"].items()
        for method in METHODS
        if method in item
    ]


def shown(document: Document) -> list[Shown]:
    """All examples, in the order in which they were made."""
    found = [example for operation in operations(document) for example in _of_operation(document, operation)]
    return sorted(found, key=lambda example: int(example.made["step"]))


def _of_operation(document: Document, operation: Operation) -> Iterator[Shown]:
    for status, response in operation.raw["responses"].items():
        for content in resolved(document, response)["content"].values():
            for name, example in content.get("examples", {}).items():
                if "step" in example.get("x-mockrelay", {}):
                    request = given(operation, name)
                    yield Shown(name, operation, *request, status, example["value"], example["x-mockrelay"])


def given(operation: Operation, name: str) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any], Any]:
    """The request of an example: what stands in the path, in the query and in headers, and the body."""
    found: dict[str, dict[str, Any]] = {"path": {}, "query": {}, "header": {}}
    for parameter in operation.raw["parameters"]:
        if name in parameter.get("examples", {}):
            found[parameter["in"]][parameter["name"]] = parameter["examples"][name]["value"]
    contents = operation.raw.get("requestBody", {}).get("content", {}).values()
    bodies = [content["examples"][name]["value"] for content in contents if name in content.get("examples", {})]
    return found["path"], found["query"], found["header"], bodies[-1] if bodies else None


def resolved(document: Document, value: Mapping[str, Any]) -> Mapping[str, Any]:
    while "$ref" in value:
        found: Any = document
        for word in value["$ref"].removeprefix("#/").split("/"):
            found = found[word.replace("~1", "/").replace("~0", "~")]
        value = found
    return value


def validator(document: Document, schema: Mapping[str, Any]) -> Draft202012Validator:
    """A schema of the document with what it refers to."""
    return Draft202012Validator(
        {**schema, "components": document["components"]}, format_checker=Draft202012Validator.FORMAT_CHECKER
    )


def errors(document: Document, schema: Mapping[str, Any], value: Any) -> list[str]:
    return [f"{error.json_path}: {error.message}" for error in validator(document, schema).iter_errors(value)]


def answer_errors(document: Document, operation: Operation, status: str, value: Any) -> list[str]:
    content = resolved(document, operation.raw["responses"][status])["content"]
    # Other forms of an answer are texts, of which no example is shown.
    media = content.get(JSON_TYPE) or next(iter(content.values()))
    return errors(document, media["schema"], value)


def request_errors(document: Document, example: Shown) -> list[str]:
    """What is wrong with the example's request by the document's own word; nothing should be."""
    found: list[str] = []
    given = {"path": example.in_path, "query": example.query, "header": example.headers}
    for parameter in example.operation.raw["parameters"]:
        name, values = parameter["name"], given[parameter["in"]]
        if name in values:
            found += errors(document, parameter["schema"], values[name])
        elif parameter["required"]:
            found.append(f"{name} is required")
    body = example.operation.raw.get("requestBody")
    if body is not None and example.body is not None:
        for media in body["content"].values():
            found += errors(document, media["schema"], example.body)
    elif body is not None and body["required"]:
        found.append("a body is required")
    return found


def at_its_moment(relay: Relay, example: Shown) -> None:
    """Move the clock to the example's moment, and do what was done before it."""
    relay.execute(MoveClock(set_ms=round(datetime.fromisoformat(example.made["now"]).timestamp() * 1000)))
    for call in example.made.get("before", ()):
        if "endpoint" in call:
            done = _by_name(relay, call["endpoint"], call["fields"], call["account"])
        else:
            done = control(relay, call["method"], call["path"], call["body"])
        assert done.status == 200, (call, done.body)


def _by_name(relay: Relay, endpoint: str, fields: Mapping[str, Any], account: str | None) -> Answer:
    paths = {"submit_order": "/api/v3/order", "submit_withdrawal": "/api/v3/user/withdrawals"}
    signature = "0x" + "1b" * 65 if endpoint == "submit_withdrawal" else None
    if endpoint == "get_orders":
        query = [(name, str(value)) for name, value in fields.items()]
        return send(relay, "GET", "/api/v2/orders", query=query, key=account)
    return send(relay, "POST", paths[endpoint], body=json.dumps(fields).encode(), key=account, signature=signature)
