"""What the control API needs of whatever it controls."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol

from mockrelay.clock import Clock, ClockWish
from mockrelay.core.context import Context
from mockrelay.journal import Journal, Trouble
from mockrelay.report import Report


class Loaded(Protocol):
    """What a record led to."""

    @property
    def calls(self) -> int:
        """How many calls it held."""


class Steered(Protocol):
    """A relay, as the control API sees it; each method is atomic."""

    clock: Clock
    journal: Journal
    report: Report

    @property
    def scenario_name(self) -> str:
        """The name of the scenario that the world started from."""

    def now_ms(self) -> int:
        """The relayer's time."""

    def steering(self) -> AbstractContextManager[Context]:
        """The world at the present moment, for something done by hand; nothing else touches it meanwhile."""

    def reset(
        self,
        *,
        scenario: str | Path | None = None,
        scenario_text: str | None = None,
        choices: Mapping[str, str] | None = None,
        clock: ClockWish | None = None,
        limits_on: bool | None = None,
    ) -> None:
        """Everything back to the start."""

    def advance(self, ms: int) -> None:
        """Move the clock ahead."""

    def set_clock(self, at_ms: int) -> None:
        """Move the clock ahead to a moment; ValueError for one that has passed."""

    def set_rate(self, rate: float) -> None:
        """Let the clock run at another rate; ValueError for a negative one."""

    def set_choices(self, choices: Mapping[str, str]) -> None:
        """Change the readings that hold from now on."""

    def save_snapshot(self, name: str) -> None:
        """Keep everything as it is now; CommandRefused where it cannot be kept."""

    def restore_snapshot(self, name: str) -> None:
        """Everything as it was; CommandRefused for an unknown name."""

    def delete_snapshot(self, name: str) -> None:
        """Forget a snapshot; CommandRefused for an unknown name."""

    def snapshots(self) -> list[dict[str, Any]]:
        """Name, time and scenario of each."""

    def forget_requests(self) -> None:
        """Empty the journal."""

    def troubles(self) -> list[Trouble]:
        """What a test should not pass over in silence."""

    def dump(self) -> bytes:
        """Where the relayer stands, as a record."""
