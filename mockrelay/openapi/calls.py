"""The control calls in the form that the document needs: the relay's, and those of the server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator

from mockrelay.control import ROUTES
from mockrelay.control.inspect import load_record
from mockrelay.control.routes import Route
from mockrelay.control.server_calls import SERVER_CALLS
from mockrelay.openapi.parts import JSON_TYPE, summary_of
from mockrelay.openapi.schemas import CONTROL, Schema, control_ids
from mockrelay.relay.commands import COMMANDS
from mockrelay.wire.schemas import SCHEME, document

ROOT = "/__mockrelay/"
OTHER_FORMS = "x-media-types"
"""The keyword, in the schema of an answer, for the media types of its other formats, which are all text."""
_NO_FIELDS: Schema = {"type": "object", "properties": {}, "additionalProperties": False}
_IN_BRACES = re.compile(r"\{(\w+)\}")
_ACCOUNT, _ID = "{account}", "{id}"


class ControlCall(NamedTuple):
    """A control call: its method, path, fields and summary."""

    method: str
    path: str
    """The path after the root, with `{name}` for a parameter."""
    fields: tuple[str, ...] | None
    """None: its body is not a JSON object."""
    summary: str
    in_worlds: bool = True
    """False: a call to the server, not to one of its worlds."""
    route: Route | None = None
    """The relayer's route; None: the server answers."""
    headers: Mapping[str, str] = MappingProxyType({})
    """Request headers that it reads, each with what it is."""
    command: str = ""
    """Of a call to the server, the name of a command whose fields it has too."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the path's parameters, in order."""
        return tuple(_IN_BRACES.findall(self.path))

    @property
    def operation_id(self) -> str:
        """Method and path as one name, also that of its schema files: `post_orders_hash_fill`."""
        return "_".join([self.method.lower(), *_IN_BRACES.sub(r"\1", self.path).split("/")])

    @property
    def template(self) -> str:
        """The path in the document."""
        return ROOT + self.path

    @property
    def request(self) -> Schema:
        """The schema of the fields in its body or, for a GET, in its query."""
        if self.route is not None and isinstance(self.route.action, str):
            return self.route.body_schema
        own = document(self.schema_id) if self.fields != () else _NO_FIELDS
        if not self.command:
            return own
        whole = document(COMMANDS[self.command].schema_id)
        return {**whole, **own, "properties": {**own["properties"], **whole["properties"]}}

    @property
    def schema_id(self) -> str:
        """The id of the schema file of its request. A call without fields needs none."""
        if self.route is not None and isinstance(self.route.action, str):
            return COMMANDS[self.route.action].schema_id
        return f"{SCHEME}{CONTROL}requests/{self.operation_id}.json"

    @property
    def request_name(self) -> str:
        """The name of its request's schema in the document."""
        return f"{self.operation_id}_request"

    def answer_id(self, status: int = 200) -> str:
        """The id of the schema file of its answers with a status."""
        own = f"{SCHEME}{CONTROL}responses/{self.operation_id}.json"
        if status == 200:
            answer = self.route.answer if self.route is not None else ""
            return f"{SCHEME}{answer}.json" if answer else own
        special = own.replace(".json", f".{status}.json")
        return special if special in control_ids() else f"{SCHEME}{CONTROL}objects/Error.json"

    @property
    def takes_body(self) -> bool:
        """Whether it can have a body."""
        return self.method != "GET" and self.fields != ()


_EVENTS = ControlCall(
    "GET",
    "events",
    (),
    "What happens, as server-sent events",
    headers={"Last-Event-ID": "The id of the last event that the reader has; without it, it gets those from now on."},
)
_OF_THE_SERVER = tuple(
    ControlCall(call.method, call.path, call.all_fields, call.summary, in_worlds=False, command=call.command)
    for call in SERVER_CALLS
)


@cache
def control_calls() -> tuple[ControlCall, ...]:
    """All control calls, in the order of the table of routes."""
    return (*map(_of_route, ROUTES), _EVENTS, *_OF_THE_SERVER)


def _of_route(route: Route) -> ControlCall:
    if isinstance(route.action, str):
        title = str(route.body_schema["title"])
        summary = title[0].upper() + title[1:]
    else:
        summary = summary_of(route.action or load_record)
    # The parameter of a path with an account is called id in the document, since that is its most usual form.
    path = route.template.replace(_ACCOUNT, _ID)
    return ControlCall(route.method, path, route.fields, summary, route=route)


def call_of(method: str, path: str) -> tuple[ControlCall, tuple[str, ...]]:
    """The control call at a path behind the root, and the values of the path's parameters. KeyError for other paths."""
    for call in control_calls():
        words = re.fullmatch(_IN_BRACES.sub("([^/]+)", call.path), path)
        if call.method == method and words:
            return call, words.groups()
    raise KeyError(f"{method} {path}")


def media_type(schema: Schema) -> str:
    """The media type of a body with this schema."""
    return str(schema.get("contentMediaType", JSON_TYPE))


def is_needed(schema: Schema) -> bool:
    """Whether a body is required: the schema does not allow an empty object."""
    if schema.get("type") == "string":
        return True
    return not Draft202012Validator(_own_rules(schema)).is_valid({})


def _own_rules(schema: Schema) -> dict[str, Any]:
    """The keywords of a schema but those on its properties and its references."""
    return {key: value for key, value in schema.items() if key not in ("$ref", "properties", "$schema", "$id")}


def fields_of(schema: Schema) -> Iterator[str]:
    """The names of a schema's properties, those behind its `$ref` included."""
    yield from schema.get("properties", {})
    if "$ref" in schema:
        yield from fields_of(document(schema["$ref"]))
