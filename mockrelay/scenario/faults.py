"""The section `faults`: scripted trouble."""

from __future__ import annotations

from mockrelay.core.errors import InvalidInput
from mockrelay.core.fault_json import FAULT_FIELDS, parse_fault
from mockrelay.core.faults import Fault
from mockrelay.scenario.nodes import Node, plain_of
from mockrelay.scenario.reading import Fields
from mockrelay.wire.registry import request_fields


def read_fault(node: Node) -> Fault:
    """One fault, not yet armed."""
    Fields(node, FAULT_FIELDS)
    try:
        return parse_fault(plain_of(node), request_fields)
    except InvalidInput as invalid:
        blamed = node
        for step in invalid.path:
            # What is missing is blamed on the map that it is missing from.
            if not isinstance(blamed.value, dict) or step not in blamed.value:
                break
            blamed = blamed.value[str(step)]
        error = blamed.key_error if invalid.at_key else blamed.error
        raise error(invalid.found, invalid.expected) from None
