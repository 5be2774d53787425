"""Everything that can be done to a world by hand."""

from __future__ import annotations

from mockrelay.core.commands import accounts, blocks, layer1, orders, requests, settings
from mockrelay.core.commands.base import Command, CommandRow, Reference, Rows, Target
from mockrelay.core.commands.settings import FieldsOf

__all__ = ["Command", "CommandRow", "FieldsOf", "Reference", "Rows", "Target", "world_commands"]


def world_commands(fields_of: FieldsOf) -> dict[str, CommandRow]:
    """The rows of all commands on a world, by name; `fields_of` says which fields the requests of an endpoint have."""
    return {
        **orders.ROWS,
        **accounts.ROWS,
        **blocks.ROWS,
        **requests.ROWS,
        **layer1.ROWS,
        **settings.rows(fields_of),
    }
