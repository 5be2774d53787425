"""The section `timeline`: what happens at set moments after the start. Each entry is checked as far as it can be before its
moment has come, so that what is left to go wrong is the state that it then meets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mockrelay.core.commands.base import Command
from mockrelay.core.commands.orders import PlaceOrder
from mockrelay.core.commands.settings import AddFault
from mockrelay.core.config import Market, TimelineEntry
from mockrelay.core.context import Context
from mockrelay.scenario.building import Values, at, duration_of, each
from mockrelay.scenario.resting import build_order
from mockrelay.scenario.validate import check_fault
from mockrelay.wire.commands import WORLD_COMMANDS
from mockrelay.wire.field_values import WorldNames


def build_timeline(
    listed: Sequence[Values], ids: Mapping[str, int], markets: Mapping[str, Market], names: WorldNames
) -> tuple[TimelineEntry, ...]:
    """The entries in the order given, which is theirs where two have one moment; `ids` are those of the accounts by name."""

    def entry(values: Values) -> TimelineEntry:
        ((verb, fields),) = values["do"].items()
        with at("do", verb):
            command = command_of(verb, fields)
        return TimelineEntry(duration_of(values["at"]), command)

    def command_of(verb: str, fields: Values) -> Command[Context]:
        if verb == PlaceOrder.name:
            return PlaceOrder(order=build_order(fields, ids, markets))
        command = WORLD_COMMANDS[verb].build(fields)
        if isinstance(command, AddFault):
            check_fault(command.fault, names)
        return command

    return tuple(each(listed, entry))
