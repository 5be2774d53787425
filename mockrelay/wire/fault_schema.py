"""The JSON Schemas of faults, derived from the rows of `spec.fault_effects`, for scenarios, editors and API documents.

    fault_schema(named) | fault_combinations() | whole_fault()    # a fault; without the last, one laid over another

No schema has the fields of each endpoint: `core.fault_json` checks them. It also checks, by the same rows, the faults of the
control API and of saved worlds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from mockrelay.spec.fault_effects import COUNT_MAX, EFFECTS, FIELDS, FaultEffect, Schema, shown_endpoints

Named = Callable[[str], Schema]
"""A schema object by its name (`Duration`, `FaultTarget`): a `$ref` to it, or the schema itself."""


def fault_schema(named: Named) -> dict[str, Any]:
    """The fields of a fault, whole or laid over another one of its name."""
    return {"type": "object", "properties": _fields(named), "additionalProperties": False}


def fault_combinations() -> dict[str, Any]:
    """Which fields go together, in a whole fault and in one that is laid over another."""
    return {
        "allOf": [{"if": {"required": [row.name]}, "then": {"properties": _beside(row)}} for row in EFFECTS.values()]
    }


def whole_fault(union: str = "anyOf") -> dict[str, Any]:
    """What a fault must have that is not laid over another. `oneOf` demands a single effect, for where `fault_combinations`
    does not.
    """
    effects = [{"required": [name]} for name in EFFECTS]
    return {"required": ["on"], union: effects, "x-found": {union: "a fault that does nothing"}}


def shown_fault_schema(named: Named) -> dict[str, Any]:
    """A fault as the control API shows it: its fields, and how often it has fired."""
    shown = _fields(named) | {"name": {"type": "string"}}
    # A field that may stand beside an effect is shown as null where it was left out.
    for row in EFFECTS.values():
        shown |= {name: {"type": [schema["type"], "null"]} for name, schema in row.beside.items()}
    added = {
        "id": named("FaultId"),
        "fired": {"type": "integer", "minimum": 0, "maximum": COUNT_MAX},
        "listed": {
            "description": "Whether the spec lists the code for the endpoint; null for a fault that gives no code.",
            "type": ["boolean", "null"],
        },
    }
    always = ("id", "name", "on", "when", "nth", "times", "fired", "listed")
    return {"type": "object", "properties": shown | added, "required": list(always), "additionalProperties": False}


def _fields(named: Named) -> dict[str, Any]:
    return {name: _with_objects(schema, named) for name, schema in FIELDS.items()}


def _with_objects(schema: Schema, named: Named) -> dict[str, Any]:
    others = {key: value for key, value in schema.items() if key != "$ref"}
    return {**(named(schema["$ref"]) if "$ref" in schema else {}), **others}


def _beside(row: FaultEffect) -> dict[str, Any]:
    """The schemas of the fields beside an effect that it excludes or restricts."""
    beside: dict[str, Any] = {}
    for other in EFFECTS.values():
        if other is not row:
            beside[other.name] = _never("one of them: a fault does one thing")
            beside |= {
                name: _never(f"it beside {other.name!r} only") for name in other.beside if name not in row.beside
            }
    beside["at"] = _word(row.points) if row.points else _never("no at: it acts inside the action")
    if row.endpoints:
        found = {"enum": f"{{}}, where {row.name!r} has nothing to act on"}
        beside["on"] = _word(row.endpoints) | {"x-found": found, "x-shown": list(shown_endpoints(row))}
    return beside


def _never(meant: str) -> dict[str, Any]:
    return {"not": {}, "x-meant": meant}


def _word(words: Iterable[str]) -> dict[str, Any]:
    return {"type": "string", "enum": [str(word) for word in words]}
