"""When the frozen clocks of a test start."""

from __future__ import annotations

import pytest

from mockrelay.clock import Clock


class ClockStart:
    """The moment at which the frozen clocks of the present test start: that of `--mockrelay-start`, or the second in which the
    test first asks for it.
    """

    def __init__(self, fixed_ms: int | None) -> None:
        self.fixed_ms = fixed_ms
        """The same for all tests; None: each has its own."""
        self._own_ms: int | None = None

    def begin_test(self) -> None:
        """Start a test, which gets a moment of its own."""
        self._own_ms = None

    @property
    def ms(self) -> int:
        """The moment."""
        if self.fixed_ms is not None:
            return self.fixed_ms
        if self._own_ms is None:
            self._own_ms = Clock.real().now_ms() // 1000 * 1000
        return self._own_ms


START = pytest.StashKey[ClockStart]()
