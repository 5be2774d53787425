"""The section `faults`: scripted trouble."""

from __future__ import annotations

from mockrelay.core.fault_forms import FAULT_FIELDS, WrongFaultError, fault_of
from mockrelay.core.faults import Fault
from mockrelay.scenario.nodes import Node, plain_of
from mockrelay.scenario.reading import Fields, entries
from mockrelay.wire.registry import request_fields


def read_fault(node: Node) -> Fault:
    """One fault, not yet armed."""
    fields = Fields(node, FAULT_FIELDS)
    try:
        return fault_of(plain_of(node), request_fields)
    except WrongFaultError as wrong:
        if wrong.field not in fields:
            raise node.error(wrong.found, wrong.meant) from None
        blamed = fields.node_of(wrong.field)
        if wrong.inner is not None:
            blamed = entries(blamed)[wrong.inner]
        error = blamed.key_error if wrong.blames_name else blamed.error
        raise error(wrong.found, wrong.meant) from None
