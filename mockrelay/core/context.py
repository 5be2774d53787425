"""One call's surroundings: the world, the moment, and the two questions that a rule may put to the outside."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mockrelay.core.call import Call
from mockrelay.core.faults import Fault, FaultKind
from mockrelay.core.records import Account
from mockrelay.core.world import Finding, World

Decide = Callable[[str, Mapping[str, Any]], Any]
"""The answer to an open decision: (key, context) -> one of the choice's options; for the order of events that are due
together (`due.order`, context `{"count": n}`), the index of the one to run next."""

Verify = Callable[[Account, Call], str | None]
"""Whether the account signed the call: None where it did, else a sentence that says what is wrong."""


class Context:
    """What a rule gets beside the call itself."""

    __slots__ = ("_decide", "_options", "consulted", "now_ms", "verify", "world")

    def __init__(self, world: World, now_ms: int, decide: Decide | None = None, verify: Verify | None = None) -> None:
        self.world = world
        self.now_ms = now_ms
        self._decide = decide
        """None: the world's choices decide, and events of one moment come in the order in which they were planned."""
        self._options: dict[str, str] = {}
        self.verify = verify
        self.consulted: list[tuple[str, str]] = []
        """Each open decision that was met, with its outcome, in order."""

    @property
    def now_s(self) -> int:
        """The moment in whole seconds, as orders count."""
        return self.now_ms // 1000

    def decide(self, key: str, context: Mapping[str, Any]) -> str:
        """The option of a choice that holds here. One call has one reading of a silence, however often it meets it."""
        known = self._options.get(key)
        if known is not None:
            return known
        option: str = self.world.choices[key] if self._decide is None else self._decide(key, context)
        self._options[key] = option
        self.consulted.append((key, option))
        return option

    def decide_index(self, key: str, count: int) -> int:
        """Which of `count` things comes next."""
        index: int = 0 if self._decide is None else self._decide(key, {"count": count})
        assert 0 <= index < count, f"{key}: {index} is none of 0 to {count - 1}"
        if index:
            self.consulted.append((key, str(index)))
        return index

    def take_fault(self, call: Call, kind: FaultKind) -> Fault | None:
        """The scripted fault of this kind that fires on this call, counted as fired."""
        return self.world.faults.take(call, kind) if self.world.faults else None

    def take_outcome(self, call: Call) -> bool:
        """Whether the request that the call makes is scripted to fail."""
        return self.take_fault(call, FaultKind.OUTCOME) is not None

    def find(self, rule: str, detail: str) -> None:
        """Note something about the client that no rule refuses, whatever becomes of the call."""
        self.world.findings.append(Finding(rule, detail))
