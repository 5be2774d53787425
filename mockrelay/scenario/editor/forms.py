"""JSON Schemas of single values as they stand in a scenario, and of the maps that they make up."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeAlias

from mockrelay.scenario.lifecycles import NO_RULE
from mockrelay.scenario.reading import ADDRESS, AMOUNT, COORDINATE, COUNT_MAX, HASH, HEADER_TEXT, PRIVATE_KEY
from mockrelay.spec.request_kinds import AfterUnit

Schema: TypeAlias = dict[str, Any]
Said: TypeAlias = tuple[str, Schema]
"""What a key says, and the schema of its value."""


def shared(name: str) -> Schema:
    """A form of SHARED, by its name."""
    return {"$ref": f"#/$defs/{name}"}


def form(pattern: re.Pattern[str] | str, example: str) -> Schema:
    """A text of a given form, the whole of it."""
    written = pattern if isinstance(pattern, str) else pattern.pattern
    return {"type": "string", "pattern": f"^(?:{written})$", "examples": [example]}


def whole(least: int = 0, most: int = COUNT_MAX) -> Schema:
    """A whole number within bounds."""
    return {"type": "integer", "minimum": least, "maximum": most}


def one_of(words: Iterable[str]) -> Schema:
    """A word of a closed list."""
    return {"enum": [str(word) for word in words]}


def either(*schemas: Schema) -> Schema:
    """One or the other."""
    return {"anyOf": list(schemas)}


def listed(item: Schema) -> Schema:
    """A list of such items."""
    return {"type": "array", "items": item}


def by_name(value: Schema) -> Schema:
    """A map whose keys are names that the scenario itself gives."""
    return {"type": "object", "additionalProperties": value}


def fields(keys: Collection[str], said: Mapping[str, Said], required: Iterable[str] = (), **more: Any) -> Schema:
    """A map of the keys that the loader takes there; each of them must be said something about, and no other."""
    assert set(keys) == set(said), set(keys) ^ set(said)
    properties = {str(key): schema | {"description": told} for key in keys for told, schema in (said[key],)}
    schema: Schema = {"type": "object", "properties": properties, "additionalProperties": False, **more}
    return schema | {"required": list(required)} if required else schema


def needing(*keys: str) -> list[Schema]:
    """For `oneOf`, that one of these keys is there and no more, and for `anyOf`, that some are."""
    return [{"required": [key]} for key in keys]


def stay(units: Collection[AfterUnit]) -> Schema:
    """What a state may wait for."""
    return either(*(_STAYS[unit]() for unit in AfterUnit if unit in units))


def or_none(value: Schema) -> Schema:
    """Such a value, or the word that takes away what an extended scenario says."""
    return either(value, {"const": NO_RULE})


def _counted(unit: AfterUnit, told: str) -> Callable[[], Schema]:
    return lambda: fields((unit,), {unit: (told, whole(1))}, required=(unit,))


_STAYS: Mapping[AfterUnit, Callable[[], Schema]] = MappingProxyType(
    {
        AfterUnit.TIME: lambda: shared("duration"),
        AfterUnit.BLOCKS: _counted(AfterUnit.BLOCKS, "So many blocks sealed from then on."),
        AfterUnit.POLLS: _counted(AfterUnit.POLLS, "So many times that the client asks."),
        AfterUnit.HAND: lambda: {"const": AfterUnit.HAND.value},
    }
)

BOOLEAN: Schema = {"type": "boolean"}
TEXT: Schema = {"type": "string", "minLength": 1}
_UNIT = "(?:ms|s|m|h|d)"
_DURATION = f"[0-9]{{1,15}}{_UNIT}"
_MOMENT = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{1,6})?(?:Z|[+-][0-9]{2}:[0-9]{2})"
_ZERO = {"pattern": f"^0+{_UNIT}$"}

SHARED: Mapping[str, Schema] = MappingProxyType(
    {
        "amount": form(AMOUNT, "1000000000000000000") | {"title": "an amount in the smallest unit, in quotes"},
        "some": {"allOf": [shared("amount"), {"not": {"const": "0"}}], "title": "an amount above zero, in quotes"},
        "price": form(r"[0-9]{1,40}(?:\.[0-9]{1,36})?", "0.5") | {"title": "a price in quotes: quote per base"},
        "address": form(ADDRESS, "0x" + "1" * 40) | {"title": "0x and 40 hex digits, in quotes"},
        "hash": form(HASH, "0x" + "a" * 64) | {"title": "0x and 64 hex digits, in quotes"},
        "coordinate": form(COORDINATE, "0x1f") | {"title": "0x and up to 64 hex digits, in quotes"},
        "privateKey": form(PRIVATE_KEY, "0x" + "1" * 64) | {"title": "0x and up to 64 hex digits, in quotes"},
        "apiKey": form(HEADER_TEXT, "secret-1") | {"title": "up to 200 printable characters without a blank"},
        "duration": form(_DURATION, "15s") | {"title": "a duration such as 15s (units ms, s, m, h, d)"},
        "interval": {"allOf": [shared("duration"), {"not": _ZERO}], "title": "a duration above zero"},
        "perSecond": or_none(whole(1)) | {"title": "so many requests a second, or none"},
        "moment": form(_MOMENT, "2026-01-01T00:00:00Z") | {"title": "a moment with its offset from UTC, in quotes"},
    }
)
"""Forms that occur again and again; they stand once in the schema."""
