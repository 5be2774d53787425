"""Scripted faults: effects that a scenario or the control API arms for matching calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from mockrelay.core.call import Call, json_equal
from mockrelay.core.state import KeyedBy, State, saved_field
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.fault_effects import CODE, EFFECTS, FaultEffect, Point


class Match(NamedTuple):
    """Which calls a fault fires on."""

    on: str
    """The name of an endpoint, or of an event of WebSockets."""
    when: Mapping[str, Any] = MappingProxyType({})
    """Values that decoded fields of the call must have; an inner map compares only the fields that it lists."""
    nth: int = 1
    """The first matching call that the fault fires on, counted from 1."""
    times: int = 1
    """How many matching calls in a row it fires on."""

    def matches(self, on: str, fields: Mapping[str, Any]) -> bool:
        """Whether endpoint and fields match; `nth` and `times` are not considered."""
        return self.on == on and has_fields(fields, self.when)


def has_fields(fields: Mapping[str, Any], expected: Mapping[str, Any]) -> bool:
    """Whether the fields have the expected values; an inner map compares only the fields that it lists."""
    return all(name in fields and _has_value(fields[name], value) for name, value in expected.items())


def _has_value(value: Any, expected: Any) -> bool:
    if isinstance(expected, Mapping) and isinstance(value, Mapping):
        return has_fields(value, expected)
    return json_equal(expected, value)


class ScriptedEffect(NamedTuple):
    """What a fault does."""

    kind: str
    """The name of its row in `spec.fault_effects`."""
    value: Any
    """Parsed by the row's schema; durations in milliseconds."""
    beside: Mapping[str, Any] = MappingProxyType({})
    """Further fields of the effect, parsed."""

    @property
    def row(self) -> FaultEffect:
        """The row of this kind of effect."""
        return EFFECTS[self.kind]

    @property
    def code(self) -> int | None:
        """The code that it answers; None if it answers no code."""
        return self.value if self.kind == CODE.name else None


class Fault(NamedTuple):
    """An armed fault and its counters."""

    id: str
    name: str
    match: Match
    effect: ScriptedEffect
    at: Point | None
    """The point of the call at which it acts; None: inside the endpoint's action."""
    from_scenario: bool = False
    """Whether the scenario armed it, at the start or by its timeline."""
    met: int = 0
    """How many calls have matched."""
    fired: int = 0

    @property
    def remaining(self) -> int:
        """How many times it can still fire."""
        return self.match.times - self.fired

    @property
    def label(self) -> str:
        """Its name, or its id if it has none."""
        return self.name or self.id

    @property
    def is_listed(self) -> bool | None:
        """Whether the spec lists its code for its endpoint; None if it answers no code."""
        code = self.effect.code
        return None if code is None else code in BY_NAME[self.match.on].listed_codes


class ScriptedAnswer(Exception):
    """Raised when a fault answers in the endpoint's place. Its code need not be one of the spec."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault


class Faults(State):
    """The faults of a world, in the order in which they were armed; the first that matches fires."""

    by_id: Annotated[dict[str, Fault], KeyedBy("id")] = saved_field(factory=dict)
    """Each call looks here whether there are any."""
    _next_number: int = saved_field(factory=lambda: 1)

    def __iter__(self) -> Iterator[Fault]:
        return iter(self.by_id.values())

    def __len__(self) -> int:
        return len(self.by_id)

    def add(self, fault: Fault) -> Fault:
        """Arm the fault under a new id; returns it with the id."""
        armed = fault._replace(id=f"f{self._next_number}")
        self._next_number += 1
        self.by_id[armed.id] = armed
        return armed

    def remove(self, fault_id: str) -> bool:
        """Disarm it; False if there is no fault with this id."""
        return self.by_id.pop(fault_id, None) is not None

    def clear(self) -> None:
        """Disarm all."""
        self.by_id.clear()

    def fire(self, call: Call, effect: FaultEffect, at: Point | None) -> Fault | None:
        """The first fault of this effect and point that fires on the call; all matching faults count the call as met."""
        return self.fire_on(call.endpoint.name, call.args, effect, at)

    def fire_on(self, on: str, fields: Mapping[str, Any], effect: FaultEffect, at: Point | None) -> Fault | None:
        """As `fire`, for what comes to `on` with these fields."""
        fired: Fault | None = None
        for fault in self.by_id.values():
            if (
                fault.at is not at
                or fault.effect.kind != effect.name
                or not fault.remaining
                or not fault.match.matches(on, fields)
            ):
                continue
            met = fault._replace(met=fault.met + 1)
            if fired is None and met.met >= fault.match.nth:
                fired = met = met._replace(fired=fault.fired + 1)
            self.by_id[fault.id] = met
        return fired
