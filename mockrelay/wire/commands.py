"""Commands from JSON: of the control API, of a scenario's timeline and of a record alike."""

from __future__ import annotations

from functools import cache
from typing import Any

from mockrelay.core.commands.base import Command, Rows
from mockrelay.core.commands.rows import world_commands
from mockrelay.core.commands.settings import SetChoices
from mockrelay.core.errors import InvalidInput
from mockrelay.core.world import with_option_texts
from mockrelay.suggest import in_quotes, nearest
from mockrelay.wire.field_values import check_in_world
from mockrelay.wire.schemas import Place, Schema, document
from mockrelay.wire.violations import check

_CHOICES = "choices"
"""The field of a command that starts a world."""
WORLD_COMMANDS: Rows = world_commands(check_in_world)
"""The commands on a world, by name."""


def parse(rows: Rows, name: str, fields: Any) -> Command[Any]:
    """The command with this name and these fields, checked against its schema. InvalidInput for an unknown name or wrong
    fields, with a path from the fields on.
    """
    if name not in rows:
        raise InvalidInput((), f"the unknown command {in_quotes(name)}", nearest(name, rows))
    row = rows[name]
    fields = _with_option_texts(name, fields)
    check(row.schema_id if row.judged == frozenset() else _without(row.schema_id, row.judged), fields)
    return row.build(fields)


def _with_option_texts(name: str, fields: Any) -> Any:
    """The fields, with each number that is given for a choice as the option that it means."""
    if not isinstance(fields, dict):
        return fields
    if name == SetChoices.name:
        return with_option_texts(fields)
    return (
        {**fields, _CHOICES: with_option_texts(fields[_CHOICES])} if isinstance(fields.get(_CHOICES), dict) else fields
    )


@cache
def _without(schema_id: str, judged: frozenset[str] | None) -> Place:
    """The schema of a command without the schemas of the fields that it checks by itself. `judged` None: all of them, so
    that only the names of its keys are checked.
    """
    schema = document(schema_id)
    if judged is None:
        properties: Schema = {name: {} for name in schema["properties"]}
        return Place({"type": "object", "properties": properties, "additionalProperties": False}, schema_id)
    properties = {name: {} if name in judged else inner for name, inner in schema["properties"].items()}
    return Place({**schema, "properties": properties}, schema_id)
