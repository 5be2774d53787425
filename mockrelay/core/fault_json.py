"""Faults as JSON, the same in scenarios, in the control API and in saved worlds: read, held to `spec.fault_effects`, and
written again.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.core.errors import InvalidInput, Path
from mockrelay.core.faults import Fault, Match, ScriptedEffect
from mockrelay.core.units import duration_ms, duration_text
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.fault_effects import DURATION, EFFECTS, FIELDS, FaultEffect, Point, Schema, endpoints_of
from mockrelay.suggest import LISTED_MAX, any_of, nearest, number_meant, shown

EFFECT_NAMES = tuple(EFFECTS)
FAULT_FIELDS = tuple(FIELDS)


class _Kept(NamedTuple):
    """How the value of a schema object is kept."""

    read: Callable[[str], int | None]
    """None where the text is no such value."""
    write: Callable[[int], str]


def _duration_text(ms: int) -> str:
    text = f"{ms}ms"
    # A very long one has more digits in milliseconds than a duration may have.
    return text if duration_ms(text) == ms else duration_text(ms)


_OBJECTS: Mapping[str, _Kept] = MappingProxyType({DURATION: _Kept(duration_ms, _duration_text)})


def parse_fault(given: Mapping[str, Any]) -> Fault:
    """The fault that these fields (some of FAULT_FIELDS) ask for, not yet armed; InvalidInput where there is none. Whether
    requests can have the fields of its `when` is not judged here.
    """
    row = _effect_row(given)
    on = _endpoint(row, given)
    name = _optional("name", given, "")
    match = Match(on, _optional("when", given, {}), _optional("nth", given, 1), _optional("times", given, 1))
    at, beside = _point(row, given), _beside(row, given)
    effect = ScriptedEffect(row.name, read_value(row.value, given[row.name], (row.name,)), beside)
    return Fault("", name, match, effect, at)


def format_effect(effect: ScriptedEffect) -> dict[str, Any]:
    """The fields that ask for it."""
    kept = _OBJECTS.get(effect.row.value.get("$ref", ""))
    return {effect.kind: effect.value if kept is None else kept.write(effect.value), **effect.beside}


def format_fault(fault: Fault) -> dict[str, Any]:
    """The fields that ask for it: `parse_fault` makes the same fault of them, but for its id and its counters."""
    fields = {"on": fault.match.on, **format_effect(fault.effect)}
    if fault.name:
        fields["name"] = fault.name
    if fault.at is not None:
        fields["at"] = fault.at.value
    return {**fields, "when": dict(fault.match.when), "nth": fault.match.nth, "times": fault.match.times}


def read_value(schema: Schema, value: Any, path: Path) -> Any:
    """What a JSON value is kept as; InvalidInput where its schema does not allow it."""
    match schema:
        case {"$ref": name, "x-meant": meant}:
            kept = _OBJECTS[name].read(value) if isinstance(value, str) else None
            if kept is None:
                raise InvalidInput(path, shown(value), meant)
            return kept
        case {"const": True}:
            if value is not True:
                raise InvalidInput(path, shown(value), "true")
        case {"enum": words}:
            return _word(words, value, path)
        case {"type": "integer", "minimum": least, "maximum": most}:
            if type(value) is not int or not least <= value <= most:
                meant = number_meant(value, f"a whole number from {least} to {most}")
                raise InvalidInput(path, shown(value), meant)
        case {"type": "string"}:
            if not isinstance(value, str):
                raise InvalidInput(path, shown(value), "a text, in quotes")
            if len(value) < schema.get("minLength", 0):
                raise InvalidInput(path, "an empty text", "a text")
        case {"type": "object"}:
            if not isinstance(value, dict):
                raise InvalidInput(path, shown(value), "a map")
            for name, inner in value.items() if "additionalProperties" in schema else ():
                read_value(schema["additionalProperties"], inner, (*path, name))
        case _:
            raise AssertionError(f"{path}: a schema that is not understood here")
    return value


def _effect_row(given: Mapping[str, Any]) -> FaultEffect:
    named = [row for row in EFFECTS.values() if row.name in given]
    if not named:
        raise InvalidInput(EFFECT_NAMES[:1], "a fault that does nothing", any_of(EFFECT_NAMES))
    if len(named) > 1:
        first, second = named[:2]
        found = f"{second.name!r} beside {first.name!r}"
        raise InvalidInput((second.name,), found, "one of them: a fault does one thing", at_key=True)
    return named[0]


def _endpoint(row: FaultEffect, given: Mapping[str, Any]) -> str:
    if "on" not in given:
        raise InvalidInput(("on",), "no 'on'", "on, which is required here")
    on, allowed = given["on"], endpoints_of(row)
    if isinstance(on, str) and on in BY_NAME and on not in allowed:
        found = f"{shown(on)}, where {row.name!r} has nothing to act on"
        raise InvalidInput(("on",), found, any_of(allowed) if len(allowed) <= LISTED_MAX else nearest(on, allowed))
    return _word(allowed, on, ("on",))


def _point(row: FaultEffect, given: Mapping[str, Any]) -> Point | None:
    if "at" not in given:
        return row.points[0] if row.points else None
    if not row.points:
        raise InvalidInput(("at",), f"'at' beside {row.name!r}", "no at: it acts inside the action", at_key=True)
    return Point(_word(row.points, given["at"], ("at",)))


def _beside(row: FaultEffect, given: Mapping[str, Any]) -> dict[str, Any]:
    for other in EFFECTS.values():
        for name in other.beside:
            if name in given and name not in row.beside:
                found = f"{name!r} beside {row.name!r}"
                raise InvalidInput((name,), found, f"it beside {other.name!r} only", at_key=True)
    return {name: read_value(schema, given[name], (name,)) for name, schema in row.beside.items() if name in given}


def _optional(field: str, given: Mapping[str, Any], default: Any) -> Any:
    return read_value(FIELDS[field], given[field], (field,)) if field in given else default


def _word(words: Collection[str], value: Any, path: Path) -> str:
    """One of a closed list."""
    if not isinstance(value, str):
        raise InvalidInput(path, shown(value), any_of(words))
    if value not in words:
        # Of a few all are told, since the nearest in spelling need not be the one that was meant.
        is_short = len(words) <= LISTED_MAX and value.upper() not in map(str.upper, words)
        raise InvalidInput(path, shown(value), any_of(words) if is_short else nearest(value, words))
    return value
