"""Values that fit a schema, and values that almost do, for the tests that compare two checks.

`pick` gives a number from 0 to below its argument: `Random.randrange`, or what Hypothesis draws.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from mockrelay.core.call import NumberLiteral
from mockrelay.spec.choices import BY_KEY
from mockrelay.wire.compile import python_pattern
from mockrelay.wire.schemas import Option, Place, choices_of, follow, properties_of

Pick = Callable[[int], int]

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)

ODD: list[Any] = [
    *(None, True, False, 1.0, -0.0, Decimal(1), NumberLiteral("1.0"), NumberLiteral("1e400"), [], {}, [[]]),
    *([1, "a", None], [{}], {"": 0}, {"a": {"b": [1.5]}}, 1e300, -0.5),
    *(0, 1, -1, 63, 64, 65535, 65536, 2**32 - 1, 2**32, 2**53 - 1, 2**53, -(2**53), 10**80),
    *("", "0", "00", "07", "7", " 7 ", "7\n", "+5", "-1", "1e21", "1_000", "1.0", "1.", "\uff17", "\u00b2", "9" * 79),
    *("0x", "0x" + "0" * 40, "0x" + "0" * 40 + "\n", "0X" + "a" * 40, "0x" + "F" * 64, "0x" + "0" * 63, "\ud800", "\0"),
    *("true", "false", "buy", "SELL", "waiting,", "waiting,failed", "finalized\n", "1hr", "spottrade", "SpotTrade"),
    *("\u00e9" * 60, "\u00e9" * 61),
]
TEXTS = (
    *("0", "7", "10", "007", str(2**256 - 1), "12.5", "0.0000000000000001", "a", "A text", "\u6f22\U0001f600", ""),
    *("0x", "0xab", "ABCDEF", "0x" + "aB" * 20, "0x" + "0" * 40, "0x" + "cD" * 32, "0x" + "f" * 64),
    *("finalized", "confirmed", "waiting", "expired,failed", "cancelled,cancelling", "1" * 78),
)
"""Texts of which at least one fits each pattern of a schema."""


def option_sets(schema_id: str) -> list[tuple[Option, ...]]:
    """The options that change a schema: all defaults, each other option by itself, and no default anywhere."""
    keys = sorted(choices_of(schema_id))
    defaults = {key: BY_KEY[key].default for key in keys}
    singles = [defaults | {key: option} for key in keys for option in BY_KEY[key].options]
    last = {key: BY_KEY[key].options[-1] for key in keys}
    return list(dict.fromkeys(tuple(options.items()) for options in (defaults, *singles, last)))


def fitting(pick: Pick, place: Place, options: tuple[Option, ...] = ()) -> Any:
    """A value that a schema allows."""
    schema, file_id = place
    if "$ref" in schema:
        return fitting(pick, follow(schema["$ref"], file_id, options), options)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][pick(len(schema["enum"]))]
    match schema["type"]:
        case "boolean":
            return pick(2) == 1
        case "number":
            return (0, -3, 0.5, 1e300)[pick(4)]
        case "integer":
            least, most = schema.get("minimum", -(10**30)), schema.get("maximum", 10**30)
            return (least, most, max(least, min(most, 7)))[pick(3)]
        case "array" if "prefixItems" in schema:
            return [fitting(pick, Place(item, file_id), options) for item in schema["prefixItems"]]
        case "array":
            count = schema.get("minItems", 0) + pick(3)
            return [fitting(pick, Place(schema["items"], file_id), options) for _ in range(count)]
        case "object":
            required = schema.get("required", ())
            fields = properties_of(place, options).items()
            return {name: fitting(pick, inner, options) for name, inner in fields if name in required or pick(2) == 1}
        case _:
            return _text(pick, schema)


def _text(pick: Pick, schema: Any) -> str:
    patterns = [part["pattern"] for part in [schema, *schema.get("allOf", ())] if "pattern" in part]
    least, most = schema.get("minLength", 0), schema.get("maxLength", 200)
    texts = [
        text
        for text in TEXTS
        if least <= len(text) <= most and all(python_pattern(pattern).search(text) for pattern in patterns)
    ]
    assert texts, f"no text here fits {schema}"
    return texts[pick(len(texts))]


def changed(pick: Pick, value: Any) -> Any:
    """The value, changed in one place, if at all."""
    is_inside = pick(4) > 0
    if is_inside and isinstance(value, dict) and value:
        name = sorted(value)[pick(len(value))]
        if pick(4) == 0:
            return {other: inner for other, inner in value.items() if other != name}
        return value | {name: changed(pick, value[name])}
    if is_inside and isinstance(value, list) and value:
        at = pick(len(value))
        return [*value[:at], changed(pick, value[at]), *value[at + 1 :]]
    near: list[Any] = [value, *ODD]
    if isinstance(value, str):
        near += [value + "\n", "0" + value, value + "0", value.upper(), value[1:]]
    if isinstance(value, dict):
        near += [value | {"more": 1}, list(value)]
    if isinstance(value, list):
        near += [value[1:], value + value, [*value, None]]
    return near[pick(len(near))]


@st.composite
def changed_values(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> Any:
    """One of these values, changed in one place, if at all."""
    return changed(lambda below: draw(st.integers(0, below - 1)), draw(values))
