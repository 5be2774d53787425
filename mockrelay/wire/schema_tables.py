"""The tables that `x-table` in a schema stands for: facts of the spec, filled in when the schema is read.

| table | what it adds |
|---|---|
| `armed_fault` | a fault as a timeline arms it |
| `choices` | a property a choice, with its options |
| `commands` | a property for `order` and for each command on a world |
| `decision_keys` | the keys of all choices, and `due.order` |
| `decision_values` | for each of these keys, what `value` may then be |
| `duration` | the pattern of a duration |
| `duration_or_hand`, `duration_or_none` | the pattern of a duration or that word |
| `endpoints` | the names of all endpoints |
| `fault` | a fault as the control API takes it |
| `fault_part` | a fault, or a part of one that is laid over another of its name |
| `fee_kinds` | the kinds of fees: names, numbers of request types, and these numbers as texts |
| `fees` | a property a fee: amounts by token, or an error that says where it belongs |
| `lifecycles` | a property a kind of request, with its states and what each may wait for |
| `request_kinds` | the kinds of requests |
| `packaged_scenarios` | a packaged scenario's name, or a path |
| `shown_fault` | a fault as it is shown |
| `whole_fault` | what a fault must have that is not laid over another |

What the schema says itself overrides what its table adds. A `$ref` to `#/$defs/…` is one of `scenario.json`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mockrelay._files import packaged_scenarios
from mockrelay.core.commands.rows import world_commands
from mockrelay.core.units import DURATION_PATTERN
from mockrelay.spec.choices import ALL_CHOICES, DUE_ORDER
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.profiles import PROFILES
from mockrelay.spec.request_kinds import FEE_KINDS, KINDS, FeeKind, RequestKind
from mockrelay.spec.sockets import SOCKET_EVENTS
from mockrelay.suggest import any_of
from mockrelay.wire.fault_schema import fault_combinations, fault_schema, shown_fault_schema, whole_fault

TABLE = "x-table"


def fill(schema: Any) -> Any:
    """A schema, or a part of one, with its tables filled in. KeyError for a table that does not exist."""
    if isinstance(schema, list):
        return [fill(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    own = {key: fill(inner) for key, inner in schema.items() if key != TABLE}
    return _merge(_TABLES[schema[TABLE]](), own) if TABLE in schema else own


def _merge(table: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    merged = table | own
    both = [key for key in own if isinstance(own[key], dict) and isinstance(table.get(key), dict)]
    return merged | {key: _merge(table[key], own[key]) for key in both}


def _choices() -> dict[str, Any]:
    return {
        "properties": {
            choice.key: {
                "description": choice.spec_says,
                "type": "string",
                "enum": list(choice.options),
                "default": choice.default,
            }
            for choice in ALL_CHOICES
        },
        "additionalProperties": False,
    }


def _commands() -> dict[str, Any]:
    order = {"$ref": "#/$defs/order", "description": "Let an order come in, which trades at once what it can."}
    refs = {name: {"$ref": row.schema_id} for name, row in world_commands(lambda *_: None).items()}
    # The command checks its fault by itself.
    return {"properties": {"order": order, **refs, "fault": {"$ref": "#/$defs/armed_fault"}}}


def _decision_values() -> dict[str, Any]:
    values = {choice.key: {"$ref": f"#/$defs/choices/properties/{choice.key}"} for choice in ALL_CHOICES}
    return {
        "allOf": [
            {"if": {"properties": {"key": {"const": key}}}, "then": {"properties": {"value": value}}}
            for key, value in (values | {DUE_ORDER: {"$ref": "#/$defs/number"}}).items()
        ]
    }


def _fees() -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for kind in FeeKind:
        if kind.exchange_field is None:
            description = f"What {kind.value} costs, by symbol."
            properties[kind.value] = {"$ref": "#/$defs/fees_by_token", "description": description}
        else:
            found, meant = "{} among the fees", f"this fee at exchange.{kind.exchange_field}"
            properties[kind.value] = {"not": {}, "x-found": {"not": found}, "x-meant": meant}
    return {"properties": properties}


def _fee_kinds() -> dict[str, Any]:
    numbers = [int(kind) for kind in FEE_KINDS if kind.isdigit()]
    words = [{"type": "string", "enum": list(FEE_KINDS)}, {"type": "integer", "enum": numbers}]
    return {"anyOf": words, "x-meant": any_of(FEE_KINDS)}


def _object(name: str) -> dict[str, Any]:
    return {"$ref": f"mockrelay:control/objects/{name}.json"}


def _lifecycles() -> dict[str, Any]:
    properties: dict[str, Any] = {}
    for kind, row in KINDS.items():
        stage = {"$ref": f"#/$defs/stage_{'_'.join(row.units)}"}
        properties[kind.value] = {
            "description": f"Requests of the kind {kind.value}.",
            "type": "object",
            "properties": {
                state.value: {**stage, "description": f"How long it is {state.value}."} for state in row.durations
            },
            "additionalProperties": False,
            "x-found": {"additionalProperties": "the unknown name {}"},
        }
    return {"properties": properties}


def _packaged_scenarios() -> dict[str, Any]:
    names = packaged_scenarios()
    return {"pattern": rf"^({'|'.join(names)})$|[.]ya?ml$|[/\\]", "examples": list(names)}


_TABLES: Mapping[str, Callable[[], dict[str, Any]]] = MappingProxyType(
    {
        "choices": _choices,
        "commands": _commands,
        "decision_keys": lambda: {"enum": [*(choice.key for choice in ALL_CHOICES), DUE_ORDER]},
        "decision_values": _decision_values,
        "duration": lambda: {"pattern": f"^{DURATION_PATTERN}$"},
        "duration_or_hand": lambda: {"pattern": f"^(hand|{DURATION_PATTERN})$"},
        "duration_or_none": lambda: {"pattern": f"^(none|{DURATION_PATTERN})$"},
        "endpoints": lambda: {"enum": list(BY_NAME)},
        "fault_targets": lambda: {"enum": [*BY_NAME, *SOCKET_EVENTS]},
        "armed_fault": lambda: fault_schema(_object) | fault_combinations() | whole_fault(),
        "fault": lambda: fault_schema(_object) | whole_fault("oneOf"),
        "fault_part": lambda: fault_schema(_object) | fault_combinations(),
        "fee_kinds": _fee_kinds,
        "fees": _fees,
        "lifecycles": _lifecycles,
        "packaged_scenarios": _packaged_scenarios,
        "whole_fault": whole_fault,
        "shown_fault": lambda: shown_fault_schema(_object),
        "profiles": lambda: {"enum": list(PROFILES)},
        "request_kinds": lambda: {"enum": [kind.value for kind in RequestKind]},
    }
)
