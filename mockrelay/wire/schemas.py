"""The packaged JSON Schemas, by their ids: read at their first use, never changed.

A file is `schemas/GROUP/NAME.json` and its id `mockrelay:GROUP/NAME.json`; what is a table of the spec is filled in when
it is read (`x-table`, see `schema_tables`). Where an option of a choice changes a shape, the file has the other shape too:

    "x-variants": {"tx_type.case=lower": {...}}                 # a whole schema
    "x-all-required-when": "nft.optional_fields=strict"         # the same one, with all of its properties required

While that option holds, the variant takes the file's place in every `$ref`. So it is written once, at the shape that
varies, and options combine by themselves.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from mockrelay._files import data_root
from mockrelay.wire.schema_tables import fill

Schema = Mapping[str, Any]
Option = tuple[str, str]
"""A choice's key and the option that holds."""

SCHEME = "mockrelay:"
GROUPS = ("objects", "requests", "responses")
"""Of the relayer's own API. Files elsewhere have no variants."""
VARIANTS = "x-variants"
ALL_REQUIRED = "x-all-required-when"


class Place(NamedTuple):
    """A schema and the file that it stands in, where its `$ref`s are read from."""

    schema: Schema
    file_id: str


@cache
def document(file_id: str) -> Schema:
    """The schema file with this id. KeyError where there is none."""
    file = data_root().joinpath("schemas", *file_id.removeprefix(SCHEME).split("/"))
    if not file_id.startswith(SCHEME) or not file.is_file():
        raise KeyError(f"there is no schema {file_id}")
    schema: Schema = fill(json.loads(file.read_text(encoding="utf-8")))
    option = schema.get(ALL_REQUIRED)
    if option is None:
        return schema
    variant = {key: value for key, value in schema.items() if key not in ("$schema", "$id", ALL_REQUIRED)}
    return {**schema, VARIANTS: {option: {**variant, "required": list(schema["properties"])}}}


@cache
def file_ids() -> tuple[str, ...]:
    """The id of every schema file of the relayer's own API, in order."""
    folder = data_root().joinpath("schemas")
    return tuple(
        sorted(
            f"{SCHEME}{group}/{entry.name}"
            for group in GROUPS
            for entry in folder.joinpath(group).iterdir()
            if entry.name.endswith(".json")
        )
    )


def is_of_api(file_id: str) -> bool:
    """Whether a schema file is of the relayer's own API."""
    return file_id.removeprefix(SCHEME).partition("/")[0] in GROUPS


def place_of(schema_id: str) -> Place:
    """The schema at an id, which may carry a pointer: `mockrelay:responses/get_depth.json#/properties/data`."""
    file_id, _, pointer = schema_id.partition("#")
    schema: Any = document(file_id)
    for step in filter(None, pointer.split("/")):
        schema = schema[int(step)] if isinstance(schema, list) else schema[step]
    return Place(schema, file_id)


def variants_of(file_id: str) -> Mapping[Option, str]:
    """For each option that changes the shape of a file: the id of its variant."""
    return {
        (key, option): f"{file_id}#/{VARIANTS}/{key}={option}"
        for key, _, option in (name.partition("=") for name in document(file_id).get(VARIANTS, ()))
    }


def resolve_ref(ref: str, within: str, options: Collection[Option]) -> str:
    """The id that a `$ref` in the file `within` stands for while `options` hold: that of a variant, or the `$ref` itself."""
    file_id, _, pointer = ref.partition("#")
    if not file_id:
        return f"{within}{ref}"
    variants = variants_of(file_id) if options else {}
    return next((f"{variants[option]}{pointer}" for option in options if option in variants), ref)


def follow(ref: str, within: str, options: Collection[Option] = ()) -> Place:
    """The schema that a `$ref` in the file `within` refers to while `options` hold."""
    return place_of(resolve_ref(ref, within, options))


def choices_of(schema_id: str) -> frozenset[str]:
    """The keys of all choices that change what this schema or one that it refers to allows."""
    return frozenset(key for key, _ in options_of(schema_id))


@cache
def options_of(schema_id: str) -> frozenset[Option]:
    """All options that change what this schema or one that it refers to allows."""
    start = schema_id.partition("#")[0]
    options: set[Option] = set()
    visited: set[str] = set()
    waiting = [start]
    while waiting:
        file_id = waiting.pop()
        if file_id not in visited:
            visited.add(file_id)
            options.update(variants_of(file_id))
            waiting += referenced_files(document(file_id))
    return frozenset(options)


def properties_of(place: Place, options: Collection[Option] = ()) -> dict[str, Place]:
    """The properties of an object schema, in its order, those of its `$ref` and `allOf` among them."""
    schema, file_id = place
    found: dict[str, Place] = {}
    if "$ref" in schema:
        found |= properties_of(follow(schema["$ref"], file_id, options), options)
    for part in schema.get("allOf", ()):
        found |= properties_of(Place(part, file_id), options)
    return found | {name: Place(value, file_id) for name, value in schema.get("properties", {}).items()}


def request_fields(endpoint: str) -> tuple[str, ...]:
    """The names of the fields, in the body or in the query, that an endpoint's request may have."""
    return tuple(properties_of(place_of(f"{SCHEME}requests/{endpoint}.json")))


def keyword(place: Place, name: str, options: Collection[Option] = ()) -> Any:
    """A keyword's value in a schema or, if it is not there, in the one that its `$ref` refers to; None where both lack it."""
    schema, file_id = place
    if name in schema or "$ref" not in schema:
        return schema.get(name)
    return keyword(follow(schema["$ref"], file_id, options), name, options)


def type_of(place: Place, options: Collection[Option] = ()) -> str | None:
    """The type of a schema, its own or by its `$ref`."""
    found: str | None = keyword(place, "type", options)
    return found


def referenced_files(value: Any) -> Iterator[str]:
    """The ids of the other files that a schema and its variants refer to."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref":
                yield from filter(None, (inner.partition("#")[0],))
            else:
                yield from referenced_files(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from referenced_files(inner)
