"""The bodies of control calls: reads them as JSON objects, and derives the schema of a command's body."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterator
from typing import Any, NoReturn

from mockrelay.control.fields import short
from mockrelay.core.errors import BAD, CommandRefused
from mockrelay.suggest import in_quotes
from mockrelay.wire.json_body import MAX_DEPTH, VALUES_MAX, has_too_many_values, is_deep, why_not_json
from mockrelay.wire.schemas import Schema

_REPLACED = frozenset({"required", "properties", "examples", "allOf", "if", "then"})
"""The keywords of a command's schema that are left out of its body's schema or made anew for it."""
_HALF_PAIR = re.compile("[\ud800-\udfff]")


class _RefusedJsonError(ValueError):
    """JSON that Python's reader accepts and this one does not."""


def object_of(body: bytes) -> dict[str, Any]:
    """The JSON object in a body; an empty one for an empty body. Raises CommandRefused."""
    if not body.strip():
        return {}
    if has_too_many_values(body):
        raise CommandRefused(BAD, "the body has too many values", "body", f"a JSON object with at most {VALUES_MAX}")
    try:
        value = json.loads(body, parse_constant=_no_number, parse_float=_number, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        other = str(error) if isinstance(error, _RefusedJsonError) else "an integer has too many digits"
        why = why_not_json(body) or other
        raise CommandRefused(BAD, f"the body cannot be read: {why}", "body", "a JSON object") from None
    # A value that can just be read may be too deep to be written, in an error for instance.
    if body.count(b"{") + body.count(b"[") > MAX_DEPTH and is_deep(value):
        raise CommandRefused(BAD, f"the body is nested deeper than {MAX_DEPTH} levels", "body", "a JSON object")
    # Half a surrogate pair can only come as an escape; many JSON readers refuse it.
    if b"\\" in body and _HALF_PAIR.search(json.dumps(value, ensure_ascii=False)):
        raise CommandRefused(BAD, "a text has half a surrogate pair in it", "body", "whole characters")
    if not isinstance(value, dict):
        raise CommandRefused(BAD, f"the body is {short(value)}", "body", "a JSON object")
    return value


def body_schema(schema: Schema, words: Collection[str]) -> Schema:
    """The schema of a command's body where the fields `words` are in the path: without these and without the fields
    that cannot be combined with them.
    """
    if not words:
        return schema
    left_out = {*words, *_excluded(schema, words)}
    properties = {name: inner for name, inner in schema.get("properties", {}).items() if name not in left_out}
    rest = {key: value for key, value in schema.items() if key not in _REPLACED}
    for keyword in ("anyOf", "oneOf"):
        if any(set(words).intersection(branch["required"]) for branch in schema.get(keyword, ())):
            del rest[keyword]
    required = [name for name in schema.get("required", ()) if name not in words]
    own = [{name: value for name, value in whole.items() if name in properties} for whole in schema.get("examples", ())]
    others = {"required": required, "examples": own}
    return {**rest, "properties": properties, **{key: value for key, value in others.items() if value}}


def _excluded(schema: Schema, words: Collection[str]) -> Iterator[str]:
    """The fields that cannot be combined with `words`."""
    for branch in schema.get("oneOf", ()):
        if any(set(words).intersection(other["required"]) for other in schema["oneOf"]):
            yield from branch["required"]
    for part in (schema, *schema.get("allOf", ())):
        if set(words).intersection(part.get("if", {}).get("required", ())):
            yield from (name for name, inner in part["then"].get("properties", {}).items() if inner.get("not") == {})


def _number(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _no_number(text)


def _no_number(text: str) -> NoReturn:
    raise _RefusedJsonError(f"{text[:20]} is no number of JSON")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(name for name, _ in pairs if sum(name == other for other, _ in pairs) > 1)
        raise _RefusedJsonError(f"the field {in_quotes(twice)} is given twice")
    return found
