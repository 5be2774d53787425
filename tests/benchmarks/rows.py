"""What is measured, and how far each figure is to reach: the one list of rows.

All are measured side by side with what they are compared to, in one run, the product as shipped: checks, limiter,
journal and response check on. "Bare" is an aiohttp handler that parses the same body and answers fixed JSON of the
same size.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Sense(StrEnum):
    """Which way is better."""

    AT_LEAST = "≥"
    AT_MOST = "≤"


class Verdict(StrEnum):
    """How far a figure got."""

    MISSED = "no"
    REACHED = "yes"
    STRETCHED = "stretch"


class Row(NamedTuple):
    """A figure, what it is to reach, and what would be better still."""

    name: str
    what: str
    sense: Sense
    reach: float
    stretch: float
    unit: str = "x"
    """`x` is a ratio; else a unit."""

    def gain(self, value: float) -> float:
        """How many times better than what is to be reached: 1 is just there, less is missed."""
        return value / self.reach if self.sense is Sense.AT_LEAST else self.reach / value

    def verdict(self, value: float) -> Verdict:
        """How far a value got."""
        if self.gain(value) < 1:
            return Verdict.MISSED
        return Verdict.STRETCHED if self.gain(value) >= self.gain(self.stretch) else Verdict.REACHED


def _least(name: str, what: str, reach: float, stretch: float) -> Row:
    return Row(name, what, Sense.AT_LEAST, reach, stretch)


def _most(name: str, what: str, reach: float, stretch: float, unit: str = "x") -> Row:
    return Row(name, what, Sense.AT_MOST, reach, stretch, unit)


_BARE = "/ bare GET of the same size"

ROWS: tuple[Row, ...] = (
    _least("post-rests", "POST order that rests / bare POST", 0.55, 0.70),
    _least("post-matches", "POST order, every other one matches / bare POST", 0.55, 0.70),
    _least("get-depth", f"GET depth of 50 levels, unchanged book {_BARE}", 0.80, 0.95),
    _least("get-ticker", f"GET ticker {_BARE}", 0.75, 0.90),
    _least("get-candlestick", f"GET candlestick {_BARE}", 0.75, 0.90),
    _least("get-account", f"GET account {_BARE}", 0.75, 0.90),
    _least("get-order-id", f"GET orderId {_BARE}", 0.75, 0.90),
    _least("get-orders", f"GET orders, a page of 50 {_BARE}", 0.75, 0.90),
    _least("get-tokens", f"GET tokens {_BARE}", 0.75, 0.90),
    _most("handle-cpu", "CPU of `Relay.handle`, POST order / CPU of a bare POST", 0.9, 0.5),
    _most("serve-start", "`serve` to the first answer / bare aiohttp server", 1.8, 1.4),
    _most("help", "`mockrelay --help` / `python -c pass`", 6, 4),
    _most("plugin-unused", "pytest run that never uses the fixture: added by the plugin", 15, 5, "ms"),
    _most("fixture-reset", "fixture: a test's relayer, over a fixture that does nothing", 0.3, 0.12, "ms"),
    _most("fixture-call", "fixture and one call / pytest-httpserver and one call", 0.85, 0.40),
    _most("growth-submit", "submit at {large} orders / at {small}", 3, 2),
    _most("growth-cancel", "cancel at {large} orders / at {small}", 3, 2),
    _most("growth-match", "match at {large} orders / at {small}", 3, 2),
    _most("growth-depth", "depth of 50 levels at {large} orders / at {small}", 4, 2),
    _most("growth-orders", "page of orders at {large} orders / at {small}", 4, 2),
    _most("growth-ticker", "ticker at {large} orders / at {small}", 4, 2),
    _most("p99", "POST order, slowest of a hundred, at {crowded} orders / at {small} (`serve`)", 2, 1.3),
    _most("memory", "memory of a resting order, everything included", 1.0, 0.6, "KiB"),
    _most("snapshot", "snapshot and restore, default world", 0.5, 0.1, "ms"),
    _most("scenario-small", "scenario of 50 KB, checked, lines known / plain CSafeLoader", 1.5, 0.5),
    _most("scenario-large", "scenario of 5 MB, checked, lines known / plain CSafeLoader", 0.5, 0.25),
    _most("hypothesis", "Hypothesis machine over the pure relay / Hypothesis alone", 1.5, 1.25),
    _most("signature-verify", "signature of layer 2: verify", 5, 2, "ms"),
    _most("signature-hash", "signature of layer 2: hash of an order", 4, 1.2, "ms"),
)
BY_NAME = {row.name: row for row in ROWS}
