"""Snapshots: named copies of a relayer's state, which can be restored any number of times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mockrelay.clock import ClockState
from mockrelay.core.errors import BAD, CONFLICT, MISSING, CommandRefused
from mockrelay.core.world import World
from mockrelay.scenario import Scenario
from mockrelay.suggest import in_quotes, nearest

SNAPSHOTS_MAX = 100
NAME_MAX = 200


class Snapshot(NamedTuple):
    """World, clock and scenario at a moment; never changed afterwards."""

    world: World
    clock: ClockState
    scenario: Scenario


class RelayState(NamedTuple):
    """The whole state of a relayer at a moment."""

    present: Snapshot
    requests: int
    """The number of requests so far."""
    snapshots: Mapping[str, Snapshot]
    """By name, oldest first."""


class Snapshots:
    """Snapshots by name. A reset keeps them."""

    __slots__ = ("_by_name",)

    def __init__(self, by_name: Mapping[str, Snapshot] | None = None) -> None:
        """CommandRefused for a name that is not allowed, or where there are too many."""
        self._by_name: dict[str, Snapshot] = {}
        for name, snapshot in (by_name or {}).items():
            self._put(name, snapshot)

    def save(self, name: str, world: World, clock: ClockState, scenario: Scenario) -> None:
        """Store a copy, in place of one with the same name. CommandRefused as above."""
        self._put(name, Snapshot(world.clone(), clock, scenario))

    def by_name(self) -> dict[str, Snapshot]:
        """All of them, oldest first."""
        return dict(self._by_name)

    def find(self, name: str) -> Snapshot:
        """The snapshot with this name; CommandRefused where there is none."""
        found = self._by_name.get(name)
        if found is None:
            meant = nearest(name, self._by_name) if self._by_name else "a snapshot that was taken; there is none"
            raise CommandRefused(MISSING, f"there is no snapshot {in_quotes(name, 60)}", "name", meant)
        return found

    def delete(self, name: str) -> None:
        """Delete it; CommandRefused where there is none."""
        self.find(name)
        del self._by_name[name]

    def views(self) -> list[dict[str, Any]]:
        """As the control API lists them, oldest first."""
        return [
            {"name": name, "now_ms": snapshot.clock.now_ms, "scenario": snapshot.scenario.name}
            for name, snapshot in self._by_name.items()
        ]

    def _put(self, name: str, snapshot: Snapshot) -> None:
        if not name or "/" in name or len(name) > NAME_MAX:
            raise CommandRefused(
                BAD, f"{in_quotes(name, 60)} is not a valid name", "name", f"1 to {NAME_MAX} characters without a slash"
            )
        if name not in self._by_name and len(self._by_name) >= SNAPSHOTS_MAX:
            raise CommandRefused(CONFLICT, f"there are {SNAPSHOTS_MAX} snapshots", "name", "to delete one first")
        # The newest comes last, also where it replaces one.
        self._by_name.pop(name, None)
        self._by_name[name] = snapshot
