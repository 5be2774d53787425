"""What a schema's `x-table` stands for: a table of facts of the spec, filled in when the schema is read.

`choices`: an object with a property a choice. `endpoints`: the names of all endpoints. `request_kinds`: the kinds of requests.
`fee_kinds`: what a fee may be asked for, by name, by the number of a request type, or by that number as a text. `fault`: a
fault as it is asked for. `shown_fault`: a fault as it is shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from mockrelay.core.wording import any_of
from mockrelay.spec.choices import CHOICES
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.spec.request_kinds import FEE_KINDS, RequestKind
from mockrelay.wire.fault_schema import fault_schema, shown_fault_schema, whole_fault

TABLE = "x-table"


def fill(schema: Any) -> Any:
    """A schema, or a part of one, with its tables filled in. KeyError for a table that does not exist."""
    if isinstance(schema, list):
        return [fill(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    filled = {key: fill(inner) for key, inner in schema.items() if key != TABLE}
    return filled | _TABLES[schema[TABLE]]() if TABLE in schema else filled


def _choices() -> dict[str, Any]:
    return {
        "properties": {
            choice.key: {
                "type": "string",
                "enum": list(choice.options),
                "default": choice.default,
                "description": choice.spec_says,
            }
            for choice in CHOICES
        },
        "additionalProperties": False,
    }


def _endpoints() -> dict[str, Any]:
    return {"enum": [row.name for row in ENDPOINTS]}


def _request_kinds() -> dict[str, Any]:
    return {"enum": [kind.value for kind in RequestKind]}


def _fee_kinds() -> dict[str, Any]:
    numbers = [int(kind) for kind in FEE_KINDS if kind.isdigit()]
    words = [{"type": "string", "enum": list(FEE_KINDS)}, {"type": "integer", "enum": numbers}]
    return {"anyOf": words, "x-meant": any_of(FEE_KINDS)}


def _object(name: str) -> dict[str, Any]:
    return {"$ref": f"mockrelay:control/objects/{name}.json"}


_TABLES: Mapping[str, Callable[[], dict[str, Any]]] = MappingProxyType(
    {
        "choices": _choices,
        "endpoints": _endpoints,
        "request_kinds": _request_kinds,
        "fee_kinds": _fee_kinds,
        "fault": lambda: fault_schema(_object) | whole_fault("oneOf"),
        "shown_fault": lambda: shown_fault_schema(_object),
    }
)
