"""Everything that can be done to a world by hand."""

from __future__ import annotations

from mockrelay.core.commands import accounts, blocks, layer1, orders, requests, settings
from mockrelay.core.commands.base import Command, CommandRow, Reference, Rows, Target
from mockrelay.core.commands.settings import CheckFields

__all__ = ["CheckFields", "Command", "CommandRow", "Reference", "Rows", "Target", "world_commands"]


def world_commands(check_fields: CheckFields) -> dict[str, CommandRow]:
    """The rows of all commands on a world, by name; `check_fields` judges the `when` of faults."""
    return {
        **orders.ROWS,
        **accounts.ROWS,
        **blocks.ROWS,
        **requests.ROWS,
        **layer1.ROWS,
        **settings.rows(check_fields),
    }
