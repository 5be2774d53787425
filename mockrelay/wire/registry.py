"""The packaged JSON Schemas: found by their ids, read when first asked for, never changed.

A file is `schemas/GROUP/NAME.json` and its id `mockrelay:GROUP/NAME.json`; what is a table of the spec is filled in when
it is read (`x-table`, see `tables`). Where an option of a choice changes a shape,
the other shape lies beside it as `NAME@KEY=OPTION.json` and takes its place in every `$ref` while that option holds.
So a variant is written once, at the shape that varies, and options combine by themselves.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay._files import data_root
from mockrelay.wire.tables import fill

Schema = Mapping[str, Any]
Option = tuple[str, str]
"""A choice's key and the option that holds."""

SCHEME = "mockrelay:"
GROUPS = ("objects", "requests", "responses")
"""Of the relayer's own API. Files elsewhere have no variants."""


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
    return schema


def file_ids() -> tuple[str, ...]:
    """The id of every schema file of the relayer's own API, variants among them, in order."""
    return tuple(sorted(_all_ids()))


def is_of_api(file_id: str) -> bool:
    """Whether a schema file is one of the relayer's own API."""
    return file_id.removeprefix(SCHEME).partition("/")[0] in GROUPS


def place(schema_id: str) -> Place:
    """The schema at an id, which may carry a pointer: `mockrelay:responses/get_depth.json#/properties/data`."""
    file_id, _, pointer = schema_id.partition("#")
    schema: Any = document(file_id)
    for step in filter(None, pointer.split("/")):
        schema = schema[int(step)] if isinstance(schema, list) else schema[step]
    return Place(schema, file_id)


def chosen(ref: str, within: str, options: Collection[Option]) -> str:
    """The id that a `$ref` in the file `within` stands for while `options` hold: a variant's, or the one written.

    A variant that refers to the very file it stands for gets that file, so that it can extend it.
    """
    file_id, mark, pointer = ref.partition("#")
    if not file_id:
        return f"{within}{ref}"
    variants = _variants().get(file_id, {})
    if within not in variants.values():
        file_id = next((variants[option] for option in options if option in variants), file_id)
    return f"{file_id}{mark}{pointer}"


def follow(ref: str, within: str, options: Collection[Option] = ()) -> Place:
    """What a `$ref` in the file `within` points at while `options` hold."""
    return place(chosen(ref, within, options))


@cache
def choices_of(schema_id: str) -> frozenset[str]:
    """The keys of all choices that change what this schema allows, by itself or by a `$ref`."""
    start = schema_id.partition("#")[0]
    keys: set[str] = set()
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        file_id = waiting.pop()
        if file_id not in seen:
            seen.add(file_id)
            variants = _variants().get(file_id, {})
            keys.update(key for key, _ in variants)
            waiting += [*variants.values(), *files_referred(document(file_id))]
    return frozenset(keys)


def properties_of(here: Place, options: Collection[Option] = ()) -> dict[str, Place]:
    """The properties that an object schema declares, in its order, those of its `$ref` and `allOf` among them."""
    schema, file_id = here
    found: dict[str, Place] = {}
    if "$ref" in schema:
        found |= properties_of(follow(schema["$ref"], file_id, options), options)
    for part in schema.get("allOf", ()):
        found |= properties_of(Place(part, file_id), options)
    return found | {name: Place(value, file_id) for name, value in schema.get("properties", {}).items()}


def request_fields(endpoint: str) -> tuple[str, ...]:
    """The names of the fields, in the body or in the query, that an endpoint's request may have."""
    return tuple(properties_of(place(f"{SCHEME}requests/{endpoint}.json")))


def keyword(here: Place, name: str, options: Collection[Option] = ()) -> Any:
    """A keyword's value in a schema or in what its `$ref` points at; None where it is in neither."""
    schema, file_id = here
    if name in schema or "$ref" not in schema:
        return schema.get(name)
    return keyword(follow(schema["$ref"], file_id, options), name, options)


def type_of(here: Place, options: Collection[Option] = ()) -> str | None:
    """The type that a schema or what its `$ref` points at declares."""
    found: str | None = keyword(here, "type", options)
    return found


def files_referred(value: Any) -> Iterator[str]:
    """The ids of the other files that a schema refers to, as they are written."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if key == "$ref":
                yield from filter(None, (inner.partition("#")[0],))
            else:
                yield from files_referred(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from files_referred(inner)


@cache
def _all_ids() -> frozenset[str]:
    folder = data_root().joinpath("schemas")
    return frozenset(
        f"{SCHEME}{group}/{entry.name}"
        for group in GROUPS
        for entry in folder.joinpath(group).iterdir()
        if entry.name.endswith(".json")
    )


@cache
def _variants() -> Mapping[str, Mapping[Option, str]]:
    """For each file that has variants: the file of each option."""
    found: dict[str, dict[Option, str]] = {}
    for file_id in file_ids():
        stem, at, option = file_id.removesuffix(".json").partition("@")
        if at:
            key, _, value = option.partition("=")
            found.setdefault(f"{stem}.json", {})[key, value] = file_id
    return MappingProxyType(found)
