"""The decisions that runs of a test meet, which are those worth drawing for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.testing.relayer import RelayerHandle
from mockrelay.testing.requests import Requests

_CALLS_MAX = 6
"""Calls of one endpoint that faults are drawn for."""
_OCCASIONS_MAX = 6
"""Occasions with several events at one moment for which an order is drawn."""
CLIENT_CHOICES = frozenset({"signature.scheme", "hash.scheme"})
"""Choices that change what a client must send, not what it must cope with: drawn only where `vary` names them."""


class DecisionsMet:
    """Decisions that were met, in one run or several. `decide` is given to a relay."""

    def __init__(self) -> None:
        self.keys: set[str] = set()
        """Keys of the choices that were met."""
        self.calls: dict[str, int] = {}
        """The number of calls by endpoint, in the run with the most of them."""
        self.kinds: set[str] = set()
        """Kinds of requests that were submitted; `cancel` where an order was cancelled."""
        self.event_counts: list[int] = []
        """The number of events at one moment, for each occasion with several."""
        self._occasion = 0

    def copy(self) -> DecisionsMet:
        """The decisions so far."""
        copy = DecisionsMet()
        copy.keys, copy.calls = set(self.keys), dict(self.calls)
        copy.kinds, copy.event_counts = set(self.kinds), list(self.event_counts)
        return copy

    @property
    def size(self) -> tuple[int, int, int, int]:
        """Grows whenever a new decision is met."""
        return len(self.keys), sum(self.calls.values()), len(self.kinds), sum(self.event_counts)

    def decide(self, key: str, context: Mapping[str, Any]) -> None:
        """Note a decision and leave it to the world."""
        if key != "due.order":
            self.keys.add(key)
        elif self._occasion < _OCCASIONS_MAX:
            if self._occasion == len(self.event_counts):
                self.event_counts.append(0)
            self.event_counts[self._occasion] = max(self.event_counts[self._occasion], context["count"])
            self._occasion += 1

    def begin(self) -> None:
        """Start a run."""
        self._occasion = 0

    def end(self, relayer: RelayerHandle, requests: Requests) -> None:
        """End a run: note what its journal and state show."""
        for endpoint, codes in requests.counts.items():
            count = min(sum(codes.values()), _CALLS_MAX)
            self.calls[endpoint] = max(self.calls.get(endpoint, 0), count)
        for entry in requests:
            self.keys.update(entry["choices"])
        self.keys.discard("due.order")
        state = relayer.control("GET", "state")
        self.kinds.update(request["kind"] for request in state["requests"])
        if any(order["status"] in ("cancelling", "cancelled") for order in state["orders"]):
            self.kinds.add("cancel")
