"""Requests whose form is wrong in one place: a field left out, or of another type or value than its schema allows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mockrelay.wire.schemas import SCHEME, Place, Schema, follow, place_of, properties_of

NO_TEXT = "?"
"""What no pattern of ours allows."""
ABSENT = object()
"""Stands for a field that is left out."""
_SIGNATURES = ("signatureRx", "signatureRy", "signatureS")


class Miss(NamedTuple):
    """A field and what is wrong with it."""

    path: str
    """Its name; inside an object with dots."""
    value: Any
    """What stands there; ABSENT: nothing."""
    code: int | None
    """The code that the schema gives this violation; None: that of the endpoint's malformed requests."""

    @property
    def told(self) -> str:
        """The violation, for people."""
        return f"no {self.path}" if self.value is ABSENT else f"{self.path} {self.value!r}"


def misses(endpoint: str, fields: Mapping[str, Any], in_query: bool) -> Iterator[Miss]:
    """What can be wrong with a call's fields, one thing at a time. Signatures are left to the checks of signatures."""
    for miss in _misses(place_of(f"{SCHEME}requests/{endpoint}.json"), fields, "", in_query):
        if miss.path not in _SIGNATURES:
            yield miss


def changed(fields: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Fields with another value at a path, or without what is there."""
    name, _, rest = path.partition(".")
    if rest:
        return {**fields, name: changed(fields[name], rest, value)}
    if value is ABSENT:
        return {other: kept for other, kept in fields.items() if other != name}
    return {**fields, name: value}


def _misses(place: Place, fields: Mapping[str, Any], outside: str, in_query: bool) -> Iterator[Miss]:
    needed = place.schema.get("required", ())
    for name, outer in properties_of(place).items():
        inner = _resolved(outer)
        codes = [schema["x-code"] for schema in (inner.schema, outer.schema) if "x-code" in schema]
        path = f"{outside}{name}"
        if name in needed and name in fields:
            yield Miss(path, ABSENT, _code(codes, "required"))
        for value, keyword in _wrong_values(inner.schema, in_query):
            yield Miss(path, value, _code(codes, keyword))
        if isinstance(fields.get(name), dict):
            yield from _misses(inner, fields[name], f"{path}.", in_query)


def _wrong_values(schema: Schema, in_query: bool) -> Iterator[tuple[Any, str]]:
    kind = schema.get("type", "object")
    if kind == "integer" or not in_query:
        # A list is no number, no text and no object, however leniently it is read.
        yield (NO_TEXT if in_query else []), "type"
    if kind == "string" and "enum" in schema:
        yield NO_TEXT, "enum"
    if kind == "integer" and "enum" in schema:
        yield max(schema["enum"]) + 1, "enum"
    if "minimum" in schema:
        yield schema["minimum"] - 1, "minimum"
    if "maximum" in schema:
        yield schema["maximum"] + 1, "maximum"
    if schema.get("minLength"):
        yield "", "minLength"
    if "pattern" in schema:
        yield NO_TEXT, "pattern"


def _code(codes: list[Any], keyword: str) -> int | None:
    for told in codes:
        code = told.get(keyword) if isinstance(told, Mapping) else told
        if code is not None:
            return int(code)
    return None


def _resolved(place: Place) -> Place:
    """The schema that a field's `$ref` leads to, with what is said beside the `$ref`."""
    schema, file_id = place
    if "$ref" not in schema:
        return place
    inner = _resolved(follow(schema["$ref"], file_id))
    kept = {name: value for name, value in schema.items() if name not in ("$ref", "x-code", "default")}
    return Place({**inner.schema, **kept}, inner.file_id)
