"""What is planned, and the order in which it happens."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class Due(NamedTuple):
    """Something planned."""

    at_ms: int
    number: int
    happen: Callable[[int], None]


class Agenda:
    """Things to come, by moment; those of one moment in the order in which they were planned, or the other way round."""

    def __init__(self, *, latest_first: bool) -> None:
        self.latest_first = latest_first
        self.ahead: list[Due] = []
        self.planned = 0

    def plan(self, at_ms: int, happen: Callable[[int], None]) -> None:
        """Something happens at that moment, or at the next call where the moment is now."""
        self.ahead.append(Due(at_ms, self.planned, happen))
        self.planned += 1

    def run(self, now_ms: int) -> None:
        """Let everything happen that is due."""
        while due := [one for one in self.ahead if one.at_ms <= now_ms]:
            first_ms = min(one.at_ms for one in due)
            together = sorted(one for one in due if one.at_ms == first_ms)
            self.ahead = [one for one in self.ahead if one.at_ms != first_ms]
            for one in reversed(together) if self.latest_first else together:
                one.happen(first_ms)
