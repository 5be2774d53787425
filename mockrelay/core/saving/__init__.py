"""Saving a world as plain JSON, and restoring it.

Records, counters and queues are saved. Cached payloads, indexes, books and candles are computed from them. The config is not
saved: it is built from the scenario's text and passed by the caller.
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

FORMAT = 5


def save_world(world: World) -> dict[str, Any]:
    """A world without its config as JSON: maps, lists, texts, booleans, null, and integers that fit a double.

    Equal worlds give equal JSON. Texts may contain a lone surrogate, which JSON must escape (as `json.dumps` does).
    """
    return {"format": FORMAT, "scenario": world.config.name, "world": write_fields(world)}


def restore_world(state: Any, config: Config) -> World:
    """The saved world, which shares nothing with `state`. InvalidSavedState if it cannot be a world of this config.

    Besides the form, all invariants are checked that the core relies on: references exist, and balances add up.
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
