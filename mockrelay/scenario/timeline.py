"""The sections `timeline` and `decisions`: commands at set moments after the start, and single outcomes of choices.

All of an entry of the timeline is checked but what depends on the state of the world at its moment.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mockrelay.core.commands.base import Command
from mockrelay.core.commands.orders import PlaceOrder
from mockrelay.core.commands.settings import AddFault
from mockrelay.core.config import Decisions, Market, TimelineEntry
from mockrelay.core.context import Context
from mockrelay.scenario.resting_orders import build_order
from mockrelay.scenario.section import Values, at, check_unique, duration_in_ms, each
from mockrelay.scenario.validate import check_fault
from mockrelay.spec.profiles import Profile
from mockrelay.wire.commands import WORLD_COMMANDS
from mockrelay.wire.field_values import WorldNames


def build_timeline(
    listed: Sequence[Values],
    ids: Mapping[str, int],
    markets: Mapping[str, Market],
    names: WorldNames,
    profile: Profile,
) -> tuple[TimelineEntry, ...]:
    """The entries in the order given, which also decides between two of one moment. `ids`: account ids by name."""

    def entry(values: Values) -> TimelineEntry:
        ((verb, fields),) = values["do"].items()
        with at("do", verb):
            command = command_of(verb, fields)
        return TimelineEntry(duration_in_ms(values["at"]), command)

    def command_of(verb: str, fields: Values) -> Command[Context]:
        if verb == PlaceOrder.name:
            return PlaceOrder(order=build_order(fields, ids, markets))
        command = WORLD_COMMANDS[verb].build(fields)
        if isinstance(command, AddFault):
            check_fault(command.fault, names, profile)
        return command

    return tuple(each(listed, entry))


def build_decisions(listed: Sequence[Values]) -> Decisions:
    """Outcomes by the key of the decision and by the number of the time that it is taken, from 1."""
    times = (((index, "nth"), f"{values['nth']} of {values['key']}") for index, values in enumerate(listed))
    check_unique("nth", times)
    decisions: dict[str, dict[int, Any]] = {}
    for values in listed:
        decisions.setdefault(values["key"], {})[values["nth"]] = values["value"]
    return decisions
