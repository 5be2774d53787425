"""The bodies of control calls: reads them as JSON objects, and derives the schema of a command's body."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from typing import Any

from mockrelay.control.fields import short
from mockrelay.core.errors import BAD, CommandRefused
from mockrelay.wire.json_body import (
    MAX_DEPTH,
    VALUES_MAX,
    RefusedJsonError,
    finite_number,
    has_half_pair,
    has_too_many_values,
    is_deep,
    no_constant,
    unique_fields,
    why_not_json,
)
from mockrelay.wire.schemas import Schema

ESCAPES_MAX = 1_000_000
"""Backslashes in a body: to read more of them would hold up other requests."""
_REPLACED = frozenset({"required", "properties", "examples", "allOf", "if", "then"})
"""The keywords of a command's schema that are left out of its body's schema or made anew for it."""


def object_of(body: bytes) -> dict[str, Any]:
    """The JSON object in a body; an empty one for an empty body. Raises CommandRefused."""
    if not body.strip():
        return {}
    if body.count(b"\\") > ESCAPES_MAX:
        raise CommandRefused(
            BAD, "the body has too many escapes", "body", f"at most {ESCAPES_MAX:,}, and UTF-8 as it is"
        )
    if has_too_many_values(body):
        raise CommandRefused(BAD, "the body has too many values", "body", f"a JSON object with at most {VALUES_MAX}")
    try:
        value = json.loads(
            body,
            parse_constant=no_constant,
            parse_float=finite_number,
            parse_int=_whole_number,
            object_pairs_hook=unique_fields,
        )
    except (ValueError, RecursionError) as error:
        other = str(error) if isinstance(error, RefusedJsonError) else "an integer has too many digits"
        why = why_not_json(body) or other
        raise CommandRefused(BAD, f"the body cannot be read: {why}", "body", "a JSON object") from None
    # A value that can just be read may be too deep to be written, in an error for instance.
    if body.count(b"{") + body.count(b"[") > MAX_DEPTH and is_deep(value):
        raise CommandRefused(BAD, f"the body is nested deeper than {MAX_DEPTH} levels", "body", "a JSON object")
    # Half a surrogate pair can only come as an escape; many JSON readers refuse it.
    if b"\\" in body and has_half_pair(json.dumps(value, ensure_ascii=False)):
        raise CommandRefused(BAD, "a text has half a surrogate pair in it", "body", "whole characters")
    if not isinstance(value, dict):
        raise CommandRefused(BAD, f"the body is {short(value)}", "body", "a JSON object")
    return value


def _whole_number(text: str) -> int:
    """A whole number. A function of Python: between two long ones other threads may run."""
    return int(text)


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
