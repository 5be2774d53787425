"""How much work a run takes on itself."""

from __future__ import annotations

from typing import NamedTuple


class Effort(NamedTuple):
    """How often and how much."""

    rounds: int
    """How often what is compared takes turns."""
    batch: int
    """Requests a turn."""
    starts: int
    """Processes that are started, of each kind."""
    tests: int
    """Tests in a run of pytest."""
    small: int
    crowded: int
    large: int
    """Orders in a book that is nearly empty, full, and fuller than any."""
    rows_of_large: int
    """Orders in the large scenario; 50,000 are 5 MB."""
    examples: int
    """Of a property."""

    def text(self, what: str) -> str:
        """A row's text with the sizes of books that it was measured at."""
        return what.format(small=f"{self.small:,}", crowded=f"{self.crowded:,}", large=f"{self.large:,}")


FULL = Effort(
    rounds=7,
    batch=3_200,
    starts=15,
    tests=500,
    small=1_000,
    crowded=100_000,
    large=1_000_000,
    rows_of_large=50_000,
    examples=60,
)
QUICK = Effort(
    rounds=3,
    batch=800,
    starts=3,
    tests=100,
    small=500,
    crowded=5_000,
    large=10_000,
    rows_of_large=5_000,
    examples=10,
)
