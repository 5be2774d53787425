"""A world as plain JSON, and a world of plain JSON again (design: Records).

What is saved is what cannot be made anew: records, counters, queues. Views that are kept, indexes, books and candles follow
from those. The config is not saved: it is made from the scenario's text, and given.
"""

from __future__ import annotations

from typing import Any

from mockrelay.core.config import Config
from mockrelay.core.saving import checks, orders
from mockrelay.core.saving.codec import InvalidSavedState, fields_of
from mockrelay.core.saving.fields import read_fields, write_fields
from mockrelay.core.saving.money import check_money
from mockrelay.core.saving.rebuild import rebuild_world
from mockrelay.core.world import World
from mockrelay.suggest import shown

__all__ = ["FORMAT", "InvalidSavedState", "restore_world", "save_world"]

FORMAT = 2


def save_world(world: World) -> dict[str, Any]:
    """All of a world but its config, as JSON: maps, lists, texts, booleans, null, and whole numbers that fit a double.

    The same world gives the same JSON. Texts are kept as they are, also where half a surrogate pair stands in one, which
    JSON must then escape (as `json.dumps` does).
    """
    return {"format": FORMAT, "scenario": world.config.name, "world": write_fields(world)}


def restore_world(state: Any, config: Config) -> World:
    """The world that was saved, which shares nothing with `state`; InvalidSavedState where it cannot be one of the config.

    Besides its form, all is checked that the rest of the core takes for granted: what is named exists, and money adds up.
    """
    saved = fields_of(state, ("format", "scenario", "world"))
    if saved["format"] != FORMAT or type(saved["format"]) is not int:
        raise InvalidSavedState(".format", shown(saved["format"]), f"{FORMAT}, the only format that this version reads")
    if saved["scenario"] != config.name:
        raise InvalidSavedState(".scenario", shown(saved["scenario"]), f"{config.name!r}, the scenario that is given")
    try:
        world = rebuild_world(read_fields(World, saved["world"]), config)
        checks.check_names(world)
        orders.check_orders(world)
        checks.check_requests(world)
        checks.check_blocks(world)
        checks.check_events(world)
        check_money(world)
    except InvalidSavedState as error:
        raise error.under(".world") from None
    orders.fill_books(world)
    return world
