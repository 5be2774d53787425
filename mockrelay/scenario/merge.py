"""The meaning of `extends`: a scenario is merged onto the one that it extends."""

from __future__ import annotations

from collections.abc import Mapping

from mockrelay.scenario.section import check_unique
from mockrelay.scenario.yaml import Node

NAME_FIELDS: Mapping[str, str] = {
    "accounts": "name",
    "faults": "name",
    "tokens": "symbol",
    "markets": "market",
    "pools": "market",
}
"""The lists that merge item by item, each with the field by which items are matched."""

REPLACED_WHOLE = frozenset({"after", "derived"})
"""Fields that replace that of the base as a whole, although both may be maps: their entries belong together."""


def check_unique_names(document: Mapping[str, Node]) -> None:
    """RepeatedValue where two items of such a list have the same name."""
    for section, field in NAME_FIELDS.items():
        listed = document[section].value if section in document else []
        names = [_name_of(item, field) for item in listed] if isinstance(listed, list) else []
        check_unique(field, (((section, index, field), name) for index, name in enumerate(names) if name is not None))


def merge_documents(base: Mapping[str, Node], over: Mapping[str, Node]) -> dict[str, Node]:
    """`over` merged onto `base`: maps and the lists of `NAME_FIELDS` merge, anything else of `over` replaces."""
    merged = _merged_maps(base, over)
    for section, field in NAME_FIELDS.items():
        if section in base and section in over:
            merged[section] = _merged_lists(base[section], over[section], field)
    return merged


def _merged(base: Node, over: Node) -> Node:
    if isinstance(base.value, dict) and isinstance(over.value, dict):
        return over._replace(value=_merged_maps(base.value, over.value))
    return over


def _merged_maps(base: Mapping[str, Node], over: Mapping[str, Node]) -> dict[str, Node]:
    merges = base.keys() - REPLACED_WHOLE
    return {**base, **{key: _merged(base[key], node) if key in merges else node for key, node in over.items()}}


def _merged_lists(base: Node, over: Node, field: str) -> Node:
    if not isinstance(base.value, list) or not isinstance(over.value, list):
        return over
    items = list(base.value)
    indexes = {name: index for index, item in enumerate(items) if (name := _name_of(item, field)) is not None}
    for item in over.value:
        name = _name_of(item, field)
        index = None if name is None else indexes.get(name)
        if index is None:
            items.append(item)
        else:
            items[index] = _merged(items[index], item)
    return over._replace(value=items)


def _name_of(item: Node, field: str) -> str | None:
    name = item.value.get(field) if isinstance(item.value, dict) else None
    return name.value if name is not None and isinstance(name.value, str) else None
