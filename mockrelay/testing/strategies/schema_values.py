"""Draws values that a packaged schema allows; only the keywords that these schemas use are understood (`wire.compile`)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from hypothesis import strategies as st

from mockrelay.wire.compile import python_pattern
from mockrelay.wire.schemas import Option, Place, follow, properties_of

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
"""Texts that JSON can hold."""
WORD_256 = 2**256 - 1


def _hex(digits: int) -> st.SearchStrategy[str]:
    return st.integers(0, 16**digits - 1).map(f"0x{{:0{digits}x}}".format)


ADDRESSES = _hex(40)
HASHES = _hex(64)
WHOLE = st.integers(0, WORD_256).map(str)
_BY_PATTERN: Mapping[str, st.SearchStrategy[str]] = {
    "^(0|[1-9][0-9]*)$": WHOLE,
    "^[0-9]+$": st.integers(1, WORD_256).map(str),
    "^0x[0-9a-fA-F]{40}$": ADDRESSES,
    "^0x[0-9a-fA-F]{64}$": HASHES,
}
"""Faster than `from_regex`, with the same values."""


def values_of(place: Place, options: Collection[Option] = ()) -> st.SearchStrategy[Any]:
    """Values that a schema allows while options of choices hold."""
    schema, file_id = place
    if "$ref" in schema:
        return values_of(follow(schema["$ref"], file_id, options), options)
    if schema.get("type") == "object":
        fields = {name: values_of(inner, options) for name, inner in properties_of(place, options).items()}
        needed = schema.get("required", ())
        optional = {name: inner for name, inner in fields.items() if name not in needed}
        return st.fixed_dictionaries({name: fields[name] for name in fields if name in needed}, optional=optional)
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "boolean":
            return st.booleans()
        case "integer":
            return st.integers(schema.get("minimum", -(2**53) + 1), schema.get("maximum", 2**53 - 1))
        case "array":
            return st.lists(values_of(Place(schema["items"], file_id), options), max_size=2)
        case _:
            return _texts(schema)


def _texts(schema: Mapping[str, Any]) -> st.SearchStrategy[str]:
    patterns = [part["pattern"] for part in (schema, *schema.get("allOf", ())) if "pattern" in part]
    longest = schema.get("maxLength", WORD_256)
    if not patterns:
        shortest = schema.get("minLength", 0)
        return TEXTS.filter(lambda text: shortest <= len(text) <= longest) if longest else st.just("")
    texts = _BY_PATTERN.get(patterns[-1])
    if texts is None:
        texts = st.from_regex(python_pattern(patterns[-1]), fullmatch=True)
    checks = [python_pattern(pattern) for pattern in patterns]
    return texts.filter(lambda text: len(text) <= longest and all(check.search(text) for check in checks))
