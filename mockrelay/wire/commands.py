"""Commands from JSON: the one way to make one, whether the JSON came over HTTP, from a timeline or out of a record."""

from __future__ import annotations

from functools import cache
from typing import Any

from mockrelay.core.commands.base import Command, Rows
from mockrelay.core.commands.rows import world_commands
from mockrelay.core.errors import InvalidInput
from mockrelay.suggest import nearest
from mockrelay.wire.field_values import check_in_world
from mockrelay.wire.schemas import Place, Schema, document
from mockrelay.wire.violations import check

WORLD_COMMANDS: Rows = world_commands(check_in_world)
"""The commands on a world, by name."""


def parse(rows: Rows, name: str, fields: Any) -> Command[Any]:
    """The command of a name and of its fields, which are checked against its schema. InvalidInput, with a path from the
    fields on, where there is none.
    """
    if name not in rows:
        raise InvalidInput((), f"the unknown command {name!r}", nearest(name, rows))
    row = rows[name]
    check(row.schema_id if row.judged == frozenset() else _without(row.schema_id, row.judged), fields)
    return row.build(fields)


@cache
def _without(schema_id: str, judged: frozenset[str] | None) -> Place:
    """The schema of a command, but for the fields that it judges by itself; None: no more than the keys that it has."""
    schema = document(schema_id)
    if judged is None:
        properties: Schema = {name: {} for name in schema["properties"]}
        return Place({"type": "object", "properties": properties, "additionalProperties": False}, schema_id)
    properties = {name: {} if name in judged else inner for name, inner in schema["properties"].items()}
    return Place({**schema, "properties": properties}, schema_id)
