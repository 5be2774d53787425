"""Which open decisions a run of a test meets: what there is to be drawn for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.testing.relayer import RelayerHandle

_CALLS_MAX = 6
"""Calls of one endpoint that trouble is drawn for."""
_TOGETHER_MAX = 6
"""Times that events are due together for which an order is drawn."""
ASKED_KEYS = frozenset({"signature.scheme", "hash.scheme"})
"""Choices that change what a client must send, and not what it must bear: drawn only where somebody asks for them."""


class Seen:
    """The decisions that were met, in one run or in several. `decide` is what a relay asks."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        """Keys of choices."""
        self.calls: dict[str, int] = {}
        """How often each endpoint was called, in the run with the most calls."""
        self.kinds: set[str] = set()
        """Kinds of requests that were made."""
        self.together: list[int] = []
        """How many events were due together, each time that there were several."""
        self._time = 0

    def copy(self) -> Seen:
        """The same decisions, to which no more are added."""
        copy = Seen()
        copy.keys, copy.calls = set(self.keys), dict(self.calls)
        copy.kinds, copy.together = set(self.kinds), list(self.together)
        return copy

    @property
    def size(self) -> tuple[int, int, int, int]:
        """Grows whenever something new is met."""
        return len(self.keys), sum(self.calls.values()), len(self.kinds), sum(self.together)

    def decide(self, key: str, context: Mapping[str, Any]) -> None:
        """Note that a decision is met, and leave it to the world."""
        if key != "due.order":
            self.keys.add(key)
        elif self._time < _TOGETHER_MAX:
            if self._time == len(self.together):
                self.together.append(0)
            self.together[self._time] = max(self.together[self._time], context["count"])
            self._time += 1

    def begin(self) -> None:
        """A run begins."""
        self._time = 0

    def end(self, relayer: RelayerHandle) -> None:
        """A run is over: note what its relayer was asked."""
        journal = relayer.control("GET", "requests")
        for endpoint, codes in journal["counts"].items():
            count = min(sum(codes.values()), _CALLS_MAX)
            self.calls[endpoint] = max(self.calls.get(endpoint, 0), count)
        for entry in journal["requests"]:
            self.keys.update(entry["choices"])
        self.keys.discard("due.order")
        state = relayer.control("GET", "state")
        self.kinds.update(request["kind"] for request in state["requests"])
        if any(order["status"] in ("cancelling", "cancelled") for order in state["orders"]):
            self.kinds.add("cancel")
