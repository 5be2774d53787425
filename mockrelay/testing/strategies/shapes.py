"""Calls whose form is wrong in one place: every keyword of the request's schema, broken once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mockrelay.client.call import ApiCall
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.near import NO_JSON, Broken, NearValid, fields_with, wrong
from mockrelay.testing.strategies.parts import SIGNATURE_PARTS
from mockrelay.testing.strategies.schemas import request_place, resolved
from mockrelay.wire.compile import NOT_BLANK_OR_ZERO, python_pattern
from mockrelay.wire.schemas import Option, Place, Schema, properties_of

_NO_TEXT = "?"
"""What no pattern of ours allows."""


class _Miss(NamedTuple):
    """A value that a schema does not allow, the keyword that says so, and the codes of the keyword's place."""

    value: Any
    keyword: str
    codes: tuple[Any, ...]


def shape_rules(here: Known, call: ApiCall) -> Broken:
    """The call with each field left out, and with values that its schema does not allow."""
    options = here.options(call.endpoint)
    usual = wrong(here, call)
    if call.method == "POST":
        yield NearValid(call._replace(body=NO_JSON), usual, "no JSON")
        yield NearValid(call._replace(body=b"[]"), usual, "a list for a body")
    for path, miss in _misses_of(request_place(call.endpoint, options), call.fields, options, call.method == "GET"):
        if path[0] in SIGNATURE_PARTS and here.option("signature.scheme") == "off":
            continue
        if miss.keyword == "required":
            fields, rule = _without(call.fields, path), f"no {'.'.join(path)}"
        else:
            fields, rule = (
                fields_with(call.fields, path, miss.value),
                f"{'.'.join(path)} {miss.value!r} ({miss.keyword})",
            )
        code = _own_code(miss)
        # Without a code of its own, a violation is judged before all rules.
        found = NearValid(call._replace(fields=fields), usual if code is None else code, rule)
        yield found._replace(is_early=code is None)


def _own_code(miss: _Miss) -> int | None:
    for told in miss.codes:
        code = told.get(miss.keyword) if isinstance(told, dict) else told
        if code is not None:
            return int(code)
    return None


def _misses_of(
    here: Place, fields: Mapping[str, Any], options: tuple[Option, ...], in_query: bool
) -> Iterator[tuple[tuple[str, ...], _Miss]]:
    needed = here.schema.get("required", ())
    for name, outer in properties_of(here, options).items():
        inner = resolved(outer, options)
        codes = tuple(place.schema["x-code"] for place in (inner, outer) if "x-code" in place.schema)
        if name in needed:
            yield (name,), _Miss(None, "required", codes)
        for miss in _misses(inner.schema, codes, in_query):
            yield (name,), miss
        if isinstance(fields.get(name), dict):
            for path, miss in _misses_of(inner, fields[name], options, in_query):
                yield (name, *path), miss


def _misses(schema: Schema, codes: tuple[Any, ...], in_query: bool) -> Iterator[_Miss]:
    kind = schema.get("type", "object")
    if kind == "integer" or not in_query:
        # A list is no number, no text and no object, whatever is read leniently.
        yield _Miss(_NO_TEXT if in_query else [], "type", codes)
    if "const" in schema:
        yield _Miss(schema["const"] + 1, "const", codes)
    if "enum" in schema:
        yield _Miss(_NO_TEXT if kind == "string" else max(schema["enum"]) + 1, "enum", codes)
    if "minimum" in schema:
        yield _Miss(schema["minimum"] - 1, "minimum", codes)
    if "maximum" in schema:
        yield _Miss(schema["maximum"] + 1, "maximum", codes)
    if schema.get("minLength", 0):
        yield _Miss("", "minLength", codes)
    if "maxLength" in schema and _takes_long(schema):
        yield _Miss("1" * (schema["maxLength"] + 1), "maxLength", codes)
    for part in (schema, *schema.get("allOf", ())):
        if "pattern" in part:
            own = (part["x-code"],) if part is not schema and "x-code" in part else ()
            blank = part["pattern"] == NOT_BLANK_OR_ZERO
            yield _Miss("0" if blank else _NO_TEXT, "pattern", (*own, *codes))


def _takes_long(schema: Schema) -> bool:
    """Whether a text of ones that is too long has nothing else wrong with it."""
    text = "1" * (schema["maxLength"] + 1)
    parts = (schema, *schema.get("allOf", ()))
    return all(python_pattern(part["pattern"]).search(text) for part in parts if "pattern" in part)


def _without(fields: Mapping[str, Any], path: tuple[str, ...]) -> dict[str, Any]:
    name, *rest = path
    if not rest:
        return {other: value for other, value in fields.items() if other != name}
    return {**fields, name: _without(fields[name], tuple(rest))}
