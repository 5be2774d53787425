"""The JSON form of faults, the same in scenarios, the control API and saved worlds: parsed and checked by
`spec.fault_effects`, and formatted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.core.errors import InvalidInput, Path
from mockrelay.core.faults import Fault, Match, ScriptedEffect
from mockrelay.core.units import duration_ms, duration_text
from mockrelay.spec.endpoint import LIVE
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.fault_effects import (
    DURATION,
    EFFECTS,
    FIELDS,
    FaultEffect,
    Point,
    Schema,
    endpoints_of,
    shown_endpoints,
)
from mockrelay.spec.profiles import Profile
from mockrelay.spec.sockets import SOCKET_EVENTS
from mockrelay.suggest import LISTED_MAX, any_of, nearest, number_meant, shown

EFFECT_NAMES = tuple(EFFECTS)
FAULT_FIELDS = tuple(FIELDS)


class _ValueForm(NamedTuple):
    """How a value with a schema of its own (`$ref`) is parsed from text and formatted."""

    read: Callable[[str], int | None]
    """None if the text is not such a value."""
    write: Callable[[int], str]


def _duration_text(ms: int) -> str:
    text = f"{ms}ms"
    # A very long duration has more digits in milliseconds than a duration may have.
    return text if duration_ms(text) == ms else duration_text(ms)


_VALUE_FORMS: Mapping[str, _ValueForm] = MappingProxyType({DURATION: _ValueForm(duration_ms, _duration_text)})


def parse_fault(fields: Mapping[str, Any]) -> Fault:
    """The fault of these fields (some of FAULT_FIELDS), not yet armed. InvalidInput for wrong fields; the fields of `when`
    are checked elsewhere.
    """
    row = _effect_row(fields)
    on = _endpoint(row, fields)
    name = _optional("name", fields, "")
    match = Match(on, _optional("when", fields, {}), _optional("nth", fields, 1), _optional("times", fields, 1))
    at, beside = _point(row, fields), _beside(row, fields)
    effect = ScriptedEffect(row.name, read_value(row.value, fields[row.name], (row.name,)), beside)
    return Fault("", name, match, effect, at)


def format_effect(effect: ScriptedEffect) -> dict[str, Any]:
    """The JSON fields of an effect."""
    form = _VALUE_FORMS.get(effect.row.value.get("$ref", ""))
    return {effect.kind: effect.value if form is None else form.write(effect.value), **effect.beside}


def format_fault(fault: Fault) -> dict[str, Any]:
    """The JSON fields of a fault: the inverse of `parse_fault`, without the id and the counters."""
    fields = {"on": fault.match.on, **format_effect(fault.effect)}
    if fault.name:
        fields["name"] = fault.name
    if fault.at is not None:
        fields["at"] = fault.at.value
    return {**fields, "when": dict(fault.match.when), "nth": fault.match.nth, "times": fault.match.times}


def read_value(schema: Schema, value: Any, path: Path) -> Any:
    """The parsed value of a JSON value; InvalidInput if the schema does not allow it."""
    match schema:
        case {"$ref": name, "x-meant": meant}:
            parsed = _VALUE_FORMS[name].read(value) if isinstance(value, str) else None
            if parsed is None:
                raise InvalidInput(path, shown(value), meant)
            return parsed
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
            if len(value) > schema.get("maxLength", len(value)):
                raise InvalidInput(path, shown(value), f"at most {schema['maxLength']} characters")
        case {"type": "object"}:
            if not isinstance(value, dict):
                raise InvalidInput(path, shown(value), "a map")
            for name, inner in value.items() if "additionalProperties" in schema else ():
                read_value(schema["additionalProperties"], inner, (*path, name))
        case _:
            raise AssertionError(f"{path}: unsupported schema {schema}")
    return value


def _effect_row(fields: Mapping[str, Any]) -> FaultEffect:
    effects = [row for row in EFFECTS.values() if row.name in fields]
    if not effects:
        raise InvalidInput(EFFECT_NAMES[:1], "a fault that does nothing", any_of(EFFECT_NAMES))
    if len(effects) > 1:
        first, second = effects[:2]
        found = f"{second.name!r} beside {first.name!r}"
        raise InvalidInput((second.name,), found, "one of them: a fault does one thing", at_key=True)
    return effects[0]


def _endpoint(row: FaultEffect, fields: Mapping[str, Any]) -> str:
    if "on" not in fields:
        raise InvalidInput(("on",), "no 'on'", "on, which is required here")
    on, allowed, meant = fields["on"], endpoints_of(row), shown_endpoints(row)
    if isinstance(on, str) and (on in BY_NAME or on in SOCKET_EVENTS) and on not in allowed:
        found = f"{shown(on)}, where {row.name!r} has nothing to act on"
        raise InvalidInput(("on",), found, any_of(meant) if len(meant) <= LISTED_MAX else nearest(on, meant))
    return _word(allowed, on, ("on",), meant if len(meant) <= LISTED_MAX else allowed)


def _point(row: FaultEffect, fields: Mapping[str, Any]) -> Point | None:
    if "at" not in fields:
        return row.points[0] if row.points else None
    if not row.points:
        raise InvalidInput(("at",), f"'at' beside {row.name!r}", "no at: it acts inside the action", at_key=True)
    return Point(_word(row.points, fields["at"], ("at",)))


def _beside(row: FaultEffect, fields: Mapping[str, Any]) -> dict[str, Any]:
    for other in EFFECTS.values():
        for name in other.beside:
            if name in fields and name not in row.beside:
                found = f"{name!r} beside {row.name!r}"
                raise InvalidInput((name,), found, f"it beside {other.name!r} only", at_key=True)
    return {name: read_value(schema, fields[name], (name,)) for name, schema in row.beside.items() if name in fields}


def _optional(field: str, fields: Mapping[str, Any], default: Any) -> Any:
    return read_value(FIELDS[field], fields[field], (field,)) if field in fields else default


def _word(words: Collection[str], value: Any, path: Path, meant: Collection[str] = ()) -> str:
    """The value, which must be one of `words`; an error names those of `meant`."""
    is_known, words = value in words if isinstance(value, str) else False, meant or words
    if not isinstance(value, str):
        raise InvalidInput(path, shown(value), any_of(words))
    if not is_known:
        # A short list is shown whole, since the nearest in spelling need not be the word that was meant.
        is_short = len(words) <= LISTED_MAX and value.upper() not in map(str.upper, words)
        raise InvalidInput(path, shown(value), any_of(words) if is_short else nearest(value, words))
    return value


def check_served(profile: Profile, endpoint: str, *, at_key: bool = False) -> None:
    """InvalidInput for an endpoint that a relayer in this profile does not serve, so that nothing can happen to it. `at_key`:
    its name is a key of the input.
    """
    if endpoint in SOCKET_EVENTS:
        if not profile.has_sockets:
            found = f"{endpoint}, an event of WebSockets, which the profile {profile.name} does not have"
            raise InvalidInput((), found, f"`profile: {LIVE}`, or an endpoint of {profile.name}", at_key=at_key)
        return
    row = BY_NAME[endpoint]
    if (row.method, row.path) not in profile.routes:
        found = f"{endpoint}, an endpoint of the profile {row.profile} in a scenario of the profile {profile.name}"
        raise InvalidInput((), found, f"`profile: {row.profile}`, or an endpoint of {profile.name}", at_key=at_key)
