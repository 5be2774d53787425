"""Values that fit a schema, and values that almost do: for the tests that compare two checks."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from typing import Any

from hypothesis import strategies as st

from mockrelay.core.call import NumberLiteral
from mockrelay.spec.choices import BY_KEY
from mockrelay.wire.compile import python_pattern
from mockrelay.wire.schemas import Option, Place, choices_of, follow, properties_of

json_values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)

ODD: list[Any] = [
    *(None, True, False, 1.0, -0.0, Decimal(1), NumberLiteral("1.0"), NumberLiteral("1e400"), [], {}, [[]]),
    *(0, 1, -1, 63, 64, 65535, 65536, 2**32 - 1, 2**32, 2**53 - 1, 2**53, -(2**53), 10**80),
    *("", "0", "00", "07", "7", " 7 ", "7\n", "+5", "-1", "1e21", "1_000", "1.0", "1.", "\uff17", "\u00b2", "9" * 79),
    *("0x", "0x" + "0" * 40, "0x" + "0" * 40 + "\n", "0X" + "a" * 40, "0x" + "F" * 64, "0x" + "0" * 63, "\ud800", "\0"),
    *("true", "false", "buy", "SELL", "waiting,", "waiting,failed", "finalized\n", "1hr", "spottrade", "SpotTrade"),
]

QUICK: dict[str, st.SearchStrategy[str]] = {
    "^(0|[1-9][0-9]*)$": st.integers(0, 2**256 - 1).map(str),
    "^[0-9]+$": st.integers(1, 2**256 - 1).map(str),
    "^(0|[1-9][0-9]*)([.][0-9]+)?$": st.decimals(0, 10**12, places=8).map("{:f}".format),
    "^0x[0-9a-fA-F]{40}$": st.integers(0, 2**160 - 1).map("0x{:040x}".format),
    "^0x[0-9a-fA-F]{64}$": st.integers(0, 2**256 - 1).map("0x{:064X}".format),
}
"""For the patterns that stand everywhere: a number is drawn faster than a text."""


def option_sets(schema_id: str) -> list[tuple[Option, ...]]:
    """Every combination of the options that change a schema."""
    keys = sorted(choices_of(schema_id))
    return [tuple(zip(keys, options, strict=True)) for options in product(*(BY_KEY[key].options for key in keys))]


def fitting(place: Place, options: tuple[Option, ...] = ()) -> st.SearchStrategy[Any]:
    """Values that a schema allows."""
    schema, file_id = place
    if "$ref" in schema:
        return fitting(follow(schema["$ref"], file_id, options), options)
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "boolean":
            return st.booleans()
        case "number":
            return st.integers() | st.floats(allow_nan=False, allow_infinity=False)
        case "integer":
            return st.integers(schema.get("minimum"), schema.get("maximum"))
        case "array":
            return _lists(place, options)
        case "object":
            return _objects(place, options)
        case _:
            return _texts(place)


@st.composite
def almost_fitting(draw: st.DrawFn, place: Place, options: tuple[Option, ...] = ()) -> Any:
    """A value that a schema allows, changed in one place, if at all."""
    return _changed(draw, draw(fitting(place, options)))


@st.composite
def changed(draw: st.DrawFn, values: st.SearchStrategy[Any]) -> Any:
    """One of these values, changed in one place, if at all."""
    return _changed(draw, draw(values))


def _texts(place: Place) -> st.SearchStrategy[str]:
    patterns = [part["pattern"] for part in [place.schema, *place.schema.get("allOf", ())] if "pattern" in part]
    shortest, longest = place.schema.get("minLength", 0), place.schema.get("maxLength", 200)
    if not patterns:
        return st.text(min_size=shortest, max_size=min(longest, 20))
    if patterns[-1] in QUICK:
        return QUICK[patterns[-1]]
    texts = st.from_regex(python_pattern(patterns[-1])).map(lambda text: text[:longest])
    return texts.filter(lambda text: all(python_pattern(pattern).search(text) for pattern in patterns))


def _lists(place: Place, options: tuple[Option, ...]) -> st.SearchStrategy[Any]:
    schema, file_id = place
    if "prefixItems" in schema:
        return st.tuples(*(fitting(Place(item, file_id), options) for item in schema["prefixItems"])).map(list)
    return st.lists(fitting(Place(schema["items"], file_id), options), max_size=2)


def _objects(place: Place, options: tuple[Option, ...]) -> st.SearchStrategy[Any]:
    fields = {name: fitting(inner, options) for name, inner in properties_of(place, options).items()}
    required = place.schema.get("required", ())
    return st.fixed_dictionaries(
        {name: fields[name] for name in required},
        optional={name: inner for name, inner in fields.items() if name not in required},
    )


def _changed(draw: st.DrawFn, value: Any) -> Any:
    where = draw(st.sampled_from(["here", "inside", "inside", "inside"]))
    if where == "inside" and isinstance(value, dict) and value:
        name = draw(st.sampled_from(sorted(value)))
        if draw(st.integers(0, 3)) == 0:
            return {other: inner for other, inner in value.items() if other != name}
        return value | {name: _changed(draw, value[name])}
    if where == "inside" and isinstance(value, list) and value:
        at = draw(st.integers(0, len(value) - 1))
        return [*value[:at], _changed(draw, value[at]), *value[at + 1 :]]
    near: list[Any] = [value, *ODD]
    if isinstance(value, str):
        near += [value + "\n", "0" + value, value + "0", value.upper(), value[1:]]
    if isinstance(value, dict):
        near += [value | {"more": 1}, list(value)]
    if isinstance(value, list):
        near += [value[1:], value + value, [*value, None]]
    # By its place: a strategy that has a large value in it takes long to be named.
    return near[draw(st.integers(0, len(near) - 1))]
