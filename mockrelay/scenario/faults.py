"""The section `faults`: scripted trouble."""

from __future__ import annotations

from typing import Any

from mockrelay.core.fault_forms import FAULT_FIELDS, WrongFaultError, fault_of
from mockrelay.core.faults import Fault
from mockrelay.scenario.nodes import Node, Value
from mockrelay.scenario.reading import Fields, entries


def read_fault(node: Node) -> Fault:
    """One fault, not yet armed."""
    fields = Fields(node, FAULT_FIELDS)
    try:
        return fault_of({key: _plain(given.value) for key, given in entries(node).items()})
    except WrongFaultError as wrong:
        if wrong.field not in fields:
            raise node.error(wrong.found, wrong.meant) from None
        blamed = fields.node_of(wrong.field)
        error = blamed.key_error if wrong.blames_name else blamed.error
        raise error(wrong.found, wrong.meant) from None


def _plain(value: Value) -> Any:
    """The value as a decoded request would have it."""
    if isinstance(value, dict):
        return {key: _plain(inner.value) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner.value) for inner in value]
    return value
