"""The OpenAPI document of the control API."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any

from mockrelay.openapi.calls import OTHER_FORMS, ControlCall, control_calls, is_needed, media_type
from mockrelay.openapi.control_script import control_examples
from mockrelay.openapi.parts import SERVERS, head, response, unique
from mockrelay.openapi.playing import SCENARIOS, START, ControlExample
from mockrelay.openapi.schemas import CONTROL, Components
from mockrelay.spec.endpoint import SPEC
from mockrelay.wire.schemas import SCHEME, document

_TOKEN = "token"  # noqa: S105 - the name of a security scheme
_DESCRIPTION = f"""\
A test's commands to a relayer and views of it: the clock, faults, the choices about the specification, and all that the
other side of an exchange does. Rate limits and faults do not apply to these calls, and the journal leaves them out.

A missing body counts as an empty object, and a null field as left out. Amounts are strings in the smallest unit.
A call that cannot be carried out changes nothing and answers `error`, `field` and `meant`. That has the status 503
where the server cannot write its record any more.

The server refuses a foreign `Host` or `Origin` with 403. Where it was started with a token it asks for that in their
place, with 401.

The examples are answers that mockrelay gave to the scenario `{SCENARIOS[SPEC]}` when this document was made, with the clock
standing still at `{START}` and moved to `now` of each `x-mockrelay`. Played in the order of `step` to a fresh relay,
after the calls of `before`, they are the same again.
"""
_GUARDED = {
    HTTPStatus.BAD_REQUEST: ("Wrong", "A field or the body is wrong."),
    HTTPStatus.UNAUTHORIZED: ("NoToken", "The server was started with a token, and this is not it."),
    HTTPStatus.FORBIDDEN: ("Foreign", "The `Host` or the `Origin` is a foreign one."),
    HTTPStatus.NOT_FOUND: ("NotFound", "What the path names does not exist, or no call has this path."),
    HTTPStatus.METHOD_NOT_ALLOWED: ("MethodNotAllowed", "The path takes another method."),
    HTTPStatus.CONFLICT: ("Conflict", "It cannot be done as things are."),
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ("TooLong", "The body is too long."),
}
_ALWAYS = (HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_OF_THINGS = (HTTPStatus.NOT_FOUND, HTTPStatus.CONFLICT)


def control_document() -> dict[str, Any]:
    """The document, built anew; the same every time."""
    components = Components()
    paths: dict[str, Any] = {}
    for call in control_calls():
        examples = [example for example in control_examples() if example.operation_id == call.operation_id]
        paths.setdefault(call.template, {})[call.method.lower()] = _operation(call, examples, components)
    error = components.ref(f"{SCHEME}{CONTROL}objects/Error.json")
    return {
        **head("mockrelay: control API", _DESCRIPTION),
        "security": [{}, {_TOKEN: []}],
        "paths": paths,
        "x-elsewhere": {
            str(status.value): {"$ref": f"#/components/responses/{_GUARDED[status][0]}"}
            for status in (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
        },
        "components": {
            "schemas": components.schemas(),
            "responses": {name: response(text, error) for name, text in _GUARDED.values()},
            "securitySchemes": {
                _TOKEN: {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token of `mockrelay serve --token`, where it was started with one.",
                }
            },
        },
    }


def _operation(call: ControlCall, examples: Iterable[ControlExample], components: Components) -> dict[str, Any]:
    named: dict[str, ControlExample] = {}
    for example in examples:
        done = example.status == HTTPStatus.OK
        named[unique("done" if done else f"refused_{example.status}", named)] = example
    operation: dict[str, Any] = {
        "operationId": call.operation_id,
        "summary": call.summary,
        "tags": [call.path.split("/")[0]],
        "parameters": [*_in_path(call, named), *(_in_query(call, named, components) if call.method == "GET" else ())],
    }
    for name, text in call.headers.items():
        header = {"name": name, "in": "header", "description": text, "schema": {"type": "string"}}
        operation["parameters"].append(header)
    if call.takes_body:
        operation["requestBody"] = _body(call, named, components)
    operation["responses"] = _responses(call, named, components)
    if not call.in_worlds:
        operation["servers"] = [dict(SERVERS[0])]
    return operation


def _in_path(call: ControlCall, named: Mapping[str, ControlExample]) -> Iterable[dict[str, Any]]:
    for index, name in enumerate(call.parameters):
        examples = {key: {"value": example.words[index]} for key, example in named.items()}
        schema = {"type": "string", "minLength": 1}
        yield {"name": name, "in": "path", "required": True, "schema": schema, "examples": examples}


def _in_query(
    call: ControlCall, named: Mapping[str, ControlExample], components: Components
) -> Iterable[dict[str, Any]]:
    schema = call.request
    for name, inner in schema.get("properties", {}).items():
        examples = {key: {"value": one.body[name]} for key, one in named.items() if one.body and name in one.body}
        parameter = {
            "name": name,
            "in": "query",
            "required": name in schema.get("required", ()),
            "schema": components.inline(inner),
        }
        yield parameter | ({"examples": examples} if examples else {})


def _body(call: ControlCall, named: Mapping[str, ControlExample], components: Components) -> dict[str, Any]:
    schema = call.request
    content: dict[str, Any] = {"schema": components.named(call.request_name, schema)}
    examples = {name: {"value": example.body} for name, example in named.items() if example.body is not None}
    if examples:
        content["examples"] = examples
    return {"required": is_needed(schema), "content": {media_type(schema): content}}


def _responses(call: ControlCall, named: Mapping[str, ControlExample], components: Components) -> dict[str, Any]:
    found: dict[str, Any] = {}
    statuses = [HTTPStatus.OK, *_ALWAYS]
    if call.parameters or call.takes_body or (call.route is None and call.method != "GET"):
        statuses += _OF_THINGS
    if call.takes_body:
        statuses.append(HTTPStatus.REQUEST_ENTITY_TOO_LARGE)
    for status in sorted(statuses):
        examples = {
            name: {"value": example.answer, "x-mockrelay": example.origin()}
            for name, example in named.items()
            if example.status == status
        }
        file_id = call.answer_id(status)
        text = "Done." if status == HTTPStatus.OK else _GUARDED[status][1]
        schema = document(file_id)
        entry = response(text, components.ref(file_id), examples=examples, media_type=media_type(schema))
        for media in schema.get(OTHER_FORMS, ()):
            entry["content"][media] = {"schema": {"type": "string"}}
        found[str(status.value)] = entry
    return found
