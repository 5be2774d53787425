"""What `extends` means: a scenario laid over the one that it extends."""

from __future__ import annotations

from collections.abc import Mapping

from mockrelay.scenario.building import once
from mockrelay.scenario.yaml_nodes import Node

NAMED_BY: Mapping[str, str] = {"accounts": "name", "faults": "name", "tokens": "symbol", "markets": "market"}
"""The lists whose items are laid over each other, and the field that says which item is which."""

ONE_THING = frozenset({"after", "derived"})
"""Fields that say one thing, in one of several forms or as a whole, so that a map of the base's must not mix with a later
one.
"""


def check_named_once(document: Mapping[str, Node]) -> None:
    """RepeatedValue where a list names two of its items alike."""
    for section, field in NAMED_BY.items():
        listed = document[section].value if section in document else []
        names = [_name_of(item, field) for item in listed] if isinstance(listed, list) else []
        once(field, (((section, index, field), name) for index, name in enumerate(names) if name is not None))


def lay_over(base: Mapping[str, Node], over: Mapping[str, Node]) -> dict[str, Node]:
    """`over` on top of `base`: maps merge, the named lists merge item by item, anything else of `over` replaces."""
    merged = _merged_maps(base, over)
    for section, field in NAMED_BY.items():
        if section in base and section in over:
            merged[section] = _merged_lists(base[section], over[section], field)
    return merged


def _merged(base: Node, over: Node) -> Node:
    if isinstance(base.value, dict) and isinstance(over.value, dict):
        return over._replace(value=_merged_maps(base.value, over.value))
    return over


def _merged_maps(base: Mapping[str, Node], over: Mapping[str, Node]) -> dict[str, Node]:
    merges = base.keys() - ONE_THING
    return {**base, **{key: _merged(base[key], node) if key in merges else node for key, node in over.items()}}


def _merged_lists(base: Node, over: Node, field: str) -> Node:
    if not isinstance(base.value, list) or not isinstance(over.value, list):
        return over
    items = list(base.value)
    place = {name: index for index, item in enumerate(items) if (name := _name_of(item, field)) is not None}
    for item in over.value:
        index = place.get(_name_of(item, field) or "")
        if index is None:
            items.append(item)
        else:
            items[index] = _merged(items[index], item)
    return over._replace(value=items)


def _name_of(item: Node, field: str) -> str | None:
    named = item.value.get(field) if isinstance(item.value, dict) else None
    return named.value if named is not None and isinstance(named.value, str) else None
