"""Readings that show in a world before anything is asked of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mockrelay.core.saving import saved

if TYPE_CHECKING:
    from mockrelay.cli.sweeping.readings import Reading
    from mockrelay.scenario import Scenario

_START_MS = 1_000_000_000_000
"""Any moment: worlds are compared that start at the same one."""


def change_the_start(scenario: Scenario, settings: Mapping[str, str], singles: Iterable[Reading]) -> frozenset[Reading]:
    """Those under which a scenario's world starts otherwise, for instance with other hashes; those too under which it
    cannot start, which its run then tells.
    """
    start = _start(scenario, settings)
    return frozenset(single for single in singles if _start(scenario, {**settings, **dict(single)}) != start)


def _start(scenario: Scenario, choices: Mapping[str, str]) -> Any:
    try:
        world = saved(scenario.world(scenario.start_ms or _START_MS, choices))["world"]
    except ValueError:
        return None
    return {name: value for name, value in world.items() if name != "choices"}
