"""The sections that answer open decisions: `choices` once and for all, `decisions` for a single time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.core.choosing import check_choices
from mockrelay.core.errors import InvalidInput
from mockrelay.core.setting import Decisions
from mockrelay.core.wording import any_of, nearest
from mockrelay.scenario.nodes import Node
from mockrelay.scenario.plain import as_written
from mockrelay.scenario.reading import Fields, entries, items, once, text, whole
from mockrelay.spec.choices import BY_KEY

DUE_ORDER = "due.order"
"""The one decision that is no choice: which of the events that are due at one moment, counted from 0 in the order in which
they were planned, happens next."""
DECISION_KEYS = ("key", "nth", "value")


def read_choices(node: Node) -> Mapping[str, str]:
    """Readings by key."""
    return {key: _option(key, option) for key, option in entries(node).items()}


def read_decisions(node: Node) -> Decisions:
    """Outcomes by the decision's key and by the number of times that it has been met with that."""
    decisions: dict[str, dict[int, Any]] = {}
    nodes = items(node)
    read = [_decision(item) for item in nodes]
    once(
        ((entries(item)["nth"], f"{nth} of {key}") for item, (key, nth, _) in zip(nodes, read, strict=True)),
        "nth",
    )
    for key, nth, value in read:
        decisions.setdefault(key, {})[nth] = value
    return decisions


def _decision(node: Node) -> tuple[str, int, Any]:
    fields = Fields(node, DECISION_KEYS)
    key_node = fields.node_of("key")
    key = text(key_node)
    if key != DUE_ORDER and key not in BY_KEY:
        raise key_node.error(f"the unknown key {key!r}", nearest(key, [*BY_KEY, DUE_ORDER]))
    nth, value = fields.need("nth", whole(1)), fields.node_of("value")
    return key, nth, whole()(value) if key == DUE_ORDER else _option(key, value)


def _option(key: str, node: Node) -> str:
    try:
        return check_choices({key: node.value})[key]
    except InvalidInput as error:
        if not error.at_key:
            raise node.error(node.shown, any_of([as_written(option) for option in BY_KEY[key].options])) from None
        raise node.key_error(f"the unknown key {key!r}", error.expected) from None
