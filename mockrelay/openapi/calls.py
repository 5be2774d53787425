"""The control calls as a document needs them: the relay's verbs, and those of the server around it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from jsonschema import Draft202012Validator

from mockrelay.control import ROUTES
from mockrelay.control.inspect import load_record
from mockrelay.control.routes import Route
from mockrelay.openapi.parts import JSON_TYPE, summary_of
from mockrelay.openapi.schemas import CONTROL, Schema, control_ids
from mockrelay.relay.commands import COMMANDS
from mockrelay.wire.schemas import SCHEME, document

ROOT = "/__mockrelay/"
OTHER_FORMS = "x-media-types"
"""In the schema of an answer: the media types of the other forms that a call can be asked to answer in, all texts."""
_NO_FIELDS: Schema = {"type": "object", "properties": {}, "additionalProperties": False}
_IN_BRACES = re.compile(r"\{(\w+)\}")
_ACCOUNT, _ID = "{account}", "{id}"


class ControlCall(NamedTuple):
    """A control call: how it is reached, what it may be given and what it does."""

    method: str
    path: str
    """After the root, with `{name}` for what varies."""
    fields: tuple[str, ...] | None
    """None: its body is no JSON object."""
    summary: str
    in_worlds: bool = True
    """False: the server has it once, its worlds have not."""
    route: Route | None = None
    """Where a relayer has it."""

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of what varies in the path, in order."""
        return tuple(_IN_BRACES.findall(self.path))

    @property
    def operation_id(self) -> str:
        """Method and path as one name, which its schema files have too: `POST orders/{hash}/fill` is
        `post_orders_hash_fill`.
        """
        return "_".join([self.method.lower(), *_IN_BRACES.sub(r"\1", self.path).split("/")])

    @property
    def template(self) -> str:
        """The path as a document writes it."""
        return ROOT + self.path

    @property
    def request(self) -> Schema:
        """The schema of its request: of the fields of its body or, for a GET, of its query."""
        if self.route is not None and isinstance(self.route.does, str):
            return self.route.body_schema
        return document(self.schema_id) if self.fields != () else _NO_FIELDS

    @property
    def schema_id(self) -> str:
        """The id of the file that the schema of its request is in, or made of. A call without fields needs none."""
        if self.route is not None and isinstance(self.route.does, str):
            return COMMANDS[self.route.does].schema_id
        return f"{SCHEME}{CONTROL}requests/{self.operation_id}.json"

    @property
    def request_name(self) -> str:
        """What a document calls the schema of its request."""
        return f"{self.operation_id}_request"

    def answer_id(self, status: int = 200) -> str:
        """The id of the schema of its answers with a status."""
        own = f"{SCHEME}{CONTROL}responses/{self.operation_id}.json"
        if status == 200:
            answer = self.route.answer if self.route is not None else ""
            return f"{SCHEME}{answer}.json" if answer else own
        special = own.replace(".json", f".{status}.json")
        return special if special in control_ids() else f"{SCHEME}{CONTROL}objects/Error.json"

    @property
    def takes_body(self) -> bool:
        """Whether there is anything that a body could say."""
        return self.method != "GET" and self.fields != ()


_OF_THE_SERVER = (
    ControlCall("GET", "worlds", (), "All worlds that there are under `/w/`", in_worlds=False),
    ControlCall("DELETE", "worlds/{name}", ("report",), "Forget a world; its next use makes it anew", in_worlds=False),
)


@cache
def control_calls() -> tuple[ControlCall, ...]:
    """All control calls, in the order of the table of routes."""
    return (*map(_of_route, ROUTES), *_OF_THE_SERVER)


def _of_route(route: Route) -> ControlCall:
    if isinstance(route.does, str):
        title = str(route.body_schema["title"])
        summary = title[0].upper() + title[1:]
    else:
        summary = summary_of(route.does or load_record)
    # In a path, an account is most often named by its id.
    path = route.template.replace(_ACCOUNT, _ID)
    return ControlCall(route.method, path, route.fields, summary, route=route)


def call_of(method: str, path: str) -> tuple[ControlCall, tuple[str, ...]]:
    """The control call that a path (after the root) reaches, and the words that vary in it."""
    for call in control_calls():
        words = re.fullmatch(_IN_BRACES.sub("([^/]+)", call.path), path)
        if call.method == method and words:
            return call, words.groups()
    raise KeyError(f"{method} {path}")


def media_type(schema: Schema) -> str:
    """The media type of what a schema describes."""
    return str(schema.get("contentMediaType", JSON_TYPE))


def is_needed(schema: Schema) -> bool:
    """Whether an empty object will not do, so that a body is required."""
    if schema.get("type") == "string":
        return True
    return not Draft202012Validator(_own_rules(schema)).is_valid({})


def _own_rules(schema: Schema) -> dict[str, Any]:
    """What a schema says of the object itself; nothing that would have to be looked up."""
    return {key: value for key, value in schema.items() if key not in ("$ref", "properties", "$schema", "$id")}


def fields_of(schema: Schema) -> Iterator[str]:
    """The fields that a schema names, by itself or where it refers to."""
    yield from schema.get("properties", {})
    if "$ref" in schema:
        yield from fields_of(document(schema["$ref"]))
