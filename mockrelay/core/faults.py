"""Scripted trouble: what a scenario or the control API makes happen to chosen calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from mockrelay.core.call import Call
from mockrelay.core.state import By, State, saved_field
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.spec.request_kinds import KIND_OF_ENDPOINT
from mockrelay.spec.vocab import HeldAs, NodeState


class At(StrEnum):
    """When a fault that replaces an answer acts."""

    BEFORE = "before"
    """Ahead of the limiter; nothing is counted."""
    INSTEAD = "instead"
    """After limiter, key, signature header and shape, in place of the endpoint's own checks and action."""
    AFTER = "after"
    """The call is applied, then its answer suffers."""


class FaultKind(StrEnum):
    """What a fault does."""

    CODE = "code"
    STATUS = "status"
    BODY = "body"
    DELAY = "delay"
    DROP = "drop"
    HOLD = "hold"
    OUTCOME = "outcome"
    LAYER1 = "layer1"


class SpoiltBody(StrEnum):
    """What becomes of an answer's body."""

    MALFORMED = "malformed"
    TRUNCATED = "truncated"
    HTML = "html"
    EMPTY = "empty"


class KindRule(NamedTuple):
    """Where a kind of fault may act."""

    points: tuple[At, ...]
    """The points that `at` may name, the default first; none: it acts inside the action."""
    on: tuple[str, ...] = ()
    """The endpoints that it is for; none: any."""


KIND_RULES: Mapping[FaultKind, KindRule] = MappingProxyType(
    {
        FaultKind.CODE: KindRule((At.INSTEAD, At.BEFORE, At.AFTER)),
        FaultKind.STATUS: KindRule((At.AFTER, At.BEFORE, At.INSTEAD)),
        FaultKind.BODY: KindRule((At.AFTER, At.BEFORE, At.INSTEAD)),
        FaultKind.DROP: KindRule((At.AFTER, At.BEFORE, At.INSTEAD)),
        FaultKind.DELAY: KindRule((At.AFTER, At.BEFORE, At.INSTEAD)),
        FaultKind.HOLD: KindRule((), ("submit_order",)),
        FaultKind.OUTCOME: KindRule((), tuple(row.name for row in ENDPOINTS if row.name in KIND_OF_ENDPOINT)),
        FaultKind.LAYER1: KindRule(
            (), ("send_eth_tx", "get_token_balances", "get_allowances", "get_eth_balance", "get_gas_price")
        ),
    }
)


class Fault(NamedTuple):
    """A fault as it was asked for, and how often it has met its call."""

    id: str
    name: str
    on: str
    """The endpoint's name."""
    kind: FaultKind
    when: Mapping[str, Any]
    """Decoded fields that the call must have."""
    nth: int
    """The first matching call that it fires on, counted from 1."""
    times: int
    """How many matching calls it fires on, from that one on."""
    at: At = At.INSTEAD
    code: int = 0
    message: str | None = None
    hold: HeldAs | None = None
    layer1: NodeState | None = None
    status: int = 0
    """The HTTP status of the answer."""
    body: SpoiltBody | None = None
    delay_ms: int = 0
    """How much later the answer comes, on the relayer's clock."""
    of_scenario: bool = False
    """Whether the scenario set it, at the start or by its timeline, and nobody by hand."""
    met: int = 0
    fired: int = 0

    @property
    def left(self) -> int:
        """How many times it can still fire."""
        return self.times - self.fired

    def matches(self, call: Call) -> bool:
        """Whether the fault is meant for this call."""
        return self.on == call.endpoint.name and all(
            field in call.args and call.args[field] == value for field, value in self.when.items()
        )


class ScriptedAnswer(Exception):
    """A fault answers in the endpoint's place. Its code may be one that the spec does not have."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault


class Faults(State):
    """The faults of a world, in the order in which they were set; the first that matches fires."""

    _by_id: Annotated[dict[str, Fault], By("id")] = saved_field(factory=dict)
    _next_number: int = saved_field(factory=lambda: 1)

    def __bool__(self) -> bool:
        return bool(self._by_id)

    def __iter__(self) -> Iterator[Fault]:
        return iter(self._by_id.values())

    def __len__(self) -> int:
        return len(self._by_id)

    def add(self, fault: Fault) -> Fault:
        """Arm the fault under an id of its own."""
        armed = fault._replace(id=f"f{self._next_number}")
        self._next_number += 1
        self._by_id[armed.id] = armed
        return armed

    def remove(self, fault_id: str) -> bool:
        """Disarm it; False where there is none with this id."""
        return self._by_id.pop(fault_id, None) is not None

    def clear(self) -> None:
        """Disarm all."""
        self._by_id.clear()

    def take(self, call: Call, kind: FaultKind, at: At = At.INSTEAD) -> Fault | None:
        """The first fault of this kind and point that fires on the call; all that match are counted as met."""
        taken: Fault | None = None
        for fault in self._by_id.values():
            if fault.kind is not kind or fault.at is not at or not fault.left or not fault.matches(call):
                continue
            met = fault._replace(met=fault.met + 1)
            if taken is None and met.met >= fault.nth:
                taken = met = met._replace(fired=fault.fired + 1)
            self._by_id[fault.id] = met
        return taken
