"""Named copies of all that a relayer is, to come back to any number of times."""

from __future__ import annotations

from typing import Any, NamedTuple

from mockrelay.clock import ClockState
from mockrelay.core.errors import BAD, CONFLICT, MISSING, CommandRefused
from mockrelay.core.wording import nearest
from mockrelay.core.world import World
from mockrelay.scenario import Scenario

SNAPSHOTS_MAX = 100
NAME_MAX = 200


class Snapshot(NamedTuple):
    """Everything as it was at a moment; never changed afterwards."""

    world: World
    clock: ClockState
    scenario: Scenario


class Snapshots:
    """Snapshots by name. They outlive resets."""

    __slots__ = ("_by_name",)

    def __init__(self) -> None:
        self._by_name: dict[str, Snapshot] = {}

    def save(self, name: str, world: World, clock: ClockState, scenario: Scenario) -> None:
        """Keep a copy; one of the same name is replaced. CommandRefused where the name cannot be one or there are too many."""
        if not name or "/" in name or len(name) > NAME_MAX:
            raise CommandRefused(
                BAD, f"{name[:60]!r} is no name", "name", f"1 to {NAME_MAX} characters without a slash"
            )
        if name not in self._by_name and len(self._by_name) >= SNAPSHOTS_MAX:
            raise CommandRefused(CONFLICT, f"there are {SNAPSHOTS_MAX} snapshots", "name", "to delete one first")
        # The newest last, also where it replaces one.
        self._by_name.pop(name, None)
        self._by_name[name] = Snapshot(world.clone(), clock, scenario)

    def find(self, name: str) -> Snapshot:
        """The snapshot of this name; CommandRefused where there is none."""
        found = self._by_name.get(name)
        if found is None:
            meant = nearest(name, self._by_name) if self._by_name else "a snapshot that was taken; there is none"
            raise CommandRefused(MISSING, f"there is no snapshot {name[:60]!r}", "name", meant)
        return found

    def delete(self, name: str) -> None:
        """Forget it; CommandRefused where there is none."""
        self.find(name)
        del self._by_name[name]

    def views(self) -> list[dict[str, Any]]:
        """As the control API lists them, oldest first."""
        return [
            {"name": name, "now_ms": snapshot.clock.now_ms, "scenario": snapshot.scenario.name}
            for name, snapshot in self._by_name.items()
        ]
