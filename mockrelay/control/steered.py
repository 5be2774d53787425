"""What the control API needs of whatever it controls."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from mockrelay.clock import Clock, ClockWish
from mockrelay.core.context import Context


class Steered(Protocol):
    """A relay, as the control API sees it; each method is atomic."""

    clock: Clock

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
