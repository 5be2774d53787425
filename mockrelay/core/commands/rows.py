"""The table of all commands on a world."""

from __future__ import annotations

from mockrelay.core.commands import accounts, blocks, layer1, orders, requests, settings
from mockrelay.core.commands.base import CommandRow
from mockrelay.core.commands.settings import CheckFields


def world_commands(check_fields: CheckFields) -> dict[str, CommandRow]:
    """The rows of all commands on a world, by name; `check_fields` checks the `when` of faults."""
    return {
        **orders.ROWS,
        **accounts.ROWS,
        **blocks.ROWS,
        **requests.ROWS,
        **layer1.ROWS,
        **settings.rows(check_fields),
    }
