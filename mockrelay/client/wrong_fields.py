"""Requests that are wrong in form: every keyword of a request's schema violated once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from mockrelay.wire.compile import NOT_BLANK_OR_ZERO, python_pattern
from mockrelay.wire.schemas import SCHEME, Option, Place, Schema, follow, properties_of

ABSENT = object()
"""Stands for a field that is left out."""
NOT_JSON = b'{"'
"""A body that is not JSON."""
Fields = Mapping[str, Any]


class WrongField(NamedTuple):
    """A field and a value that its schema does not allow."""

    path: str
    """Its name; inside an object with dots."""
    value: Any
    """The value; ABSENT: the field is left out."""
    keyword: str
    """The keyword of the schema that does not allow it."""
    code: int | None
    """The code that the schema gives the violation; None: that of the endpoint's malformed requests."""
    is_optional: bool = False
    """Whether the field may be left out."""

    @property
    def what(self) -> str:
        """What is wrong, in words."""
        if self.value is ABSENT:
            return f"no {self.path}"
        shown = repr(self.value)
        return f"{self.path} {shown if len(shown) <= 100 else f'{shown[:100]}...'}"


def wrong_fields(
    endpoint: str, fields: Fields, *, in_query: bool, options: Collection[Option] = ()
) -> Iterator[WrongField]:
    """Everything that can be wrong with the form of a right call's fields, one thing at a time, while options of choices
    hold.
    """
    return _wrong_fields(request_place(endpoint, options), fields, "", in_query, options)


def with_field(fields: Fields, path: str, value: Any) -> dict[str, Any]:
    """The fields with another value at a path, or without the field there. The objects on the way must be there."""
    name, _, rest = path.partition(".")
    if rest:
        return {**fields, name: with_field(fields[name], rest, value)}
    if value is ABSENT:
        return {each: own for each, own in fields.items() if each != name}
    return {**fields, name: value}


def request_place(endpoint: str, options: Collection[Option] = ()) -> Place:
    """The schema of an endpoint's request while options of choices hold."""
    return _resolved(follow(f"{SCHEME}requests/{endpoint}.json", "", options), options)


def _wrong_fields(
    place: Place, fields: Fields, outside: str, in_query: bool, options: Collection[Option]
) -> Iterator[WrongField]:
    needed = place.schema.get("required", ())
    for name, outer in properties_of(place, options).items():
        inner = _resolved(outer, options)
        codes = tuple(each.schema["x-code"] for each in (inner, outer) if "x-code" in each.schema)
        path = f"{outside}{name}"
        if name in needed and name in fields:
            yield WrongField(path, ABSENT, "required", _code(codes, "required"))
        for value, keyword, own_codes in _wrong_values(inner.schema, in_query):
            yield WrongField(path, value, keyword, _code((*own_codes, *codes), keyword), name not in needed)
        if isinstance(fields.get(name), dict):
            yield from _wrong_fields(inner, fields[name], f"{path}.", in_query, options)


def _wrong_values(schema: Schema, in_query: bool) -> Iterator[tuple[Any, str, tuple[Any, ...]]]:
    """Values that a schema does not allow, each with the keyword that forbids it and the codes beside that keyword."""
    kind = schema.get("type", "object")
    no_text = "?"
    if kind == "integer" or not in_query:
        # A list is not a number, text or object, however leniently it is read.
        yield (no_text if in_query else []), "type", ()
    if "const" in schema:
        yield schema["const"] + 1, "const", ()
    if "enum" in schema:
        yield (no_text if kind == "string" else max(schema["enum"]) + 1), "enum", ()
    if "minimum" in schema:
        yield schema["minimum"] - 1, "minimum", ()
    if "maximum" in schema:
        yield schema["maximum"] + 1, "maximum", ()
    if schema.get("minLength"):
        yield "", "minLength", ()
    parts = [part for part in (schema, *schema.get("allOf", ())) if "pattern" in part]
    if "maxLength" in schema:
        text = "1" * (schema["maxLength"] + 1)
        if all(python_pattern(part["pattern"]).search(text) for part in parts):
            yield text, "maxLength", ()
    for part in parts:
        own = (part["x-code"],) if part is not schema and "x-code" in part else ()
        pattern = python_pattern(part["pattern"])
        texts = ("0",) if part["pattern"] == NOT_BLANK_OR_ZERO else (no_text, ",", " ")
        yield next(text for text in texts if not pattern.search(text)), "pattern", own


def _code(codes: Collection[Any], keyword: str) -> int | None:
    for code in codes:
        own = code.get(keyword) if isinstance(code, Mapping) else code
        if own is not None:
            return int(own)
    return None


def _resolved(place: Place, options: Collection[Option]) -> Place:
    """The schema that a field's `$ref` leads to, with the keywords beside the `$ref`."""
    schema, file_id = place
    if "$ref" not in schema:
        return place
    inner = _resolved(follow(schema["$ref"], file_id, options), options)
    beside = {name: value for name, value in schema.items() if name not in ("$ref", "x-code", "default")}
    return Place({**inner.schema, **beside}, inner.file_id)
