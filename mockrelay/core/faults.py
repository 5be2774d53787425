"""Scripted faults: what a scenario or the control API makes happen to chosen calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Annotated, Any, NamedTuple

from mockrelay.core.call import Call, json_equal
from mockrelay.core.state import KeyedBy, State, saved_field
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.fault_effects import CODE, EFFECTS, FaultEffect, Point


class Match(NamedTuple):
    """The calls that a fault is for."""

    on: str
    """The endpoint's name."""
    when: Mapping[str, Any] = MappingProxyType({})
    """Decoded fields that the call must have; an inner map names the fields of it that count."""
    nth: int = 1
    """The first matching call that it fires on, counted from 1."""
    times: int = 1
    """How many matching calls it fires on, from that one on."""

    def matches(self, call: Call) -> bool:
        """Whether the call is one of them, however many came before it."""
        return self.on == call.endpoint.name and has_fields(call.args, self.when)


def has_fields(fields: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Whether decoded fields have the values that are wanted; an inner map names the fields of it that count."""
    return all(name in fields and _is_wanted(fields[name], value) for name, value in wanted.items())


def _is_wanted(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping) and isinstance(found, Mapping):
        return has_fields(found, wanted)
    return json_equal(wanted, found)


class ScriptedEffect(NamedTuple):
    """What a fault does."""

    kind: str
    """The name of its row in `spec.fault_effects`."""
    value: Any
    """As its row says; durations in milliseconds."""
    beside: Mapping[str, Any] = MappingProxyType({})
    """The further fields that were given."""

    @property
    def row(self) -> FaultEffect:
        """What there is to know of effects of this kind."""
        return EFFECTS[self.kind]

    @property
    def code(self) -> int | None:
        """The code that it answers; None where it answers none."""
        return self.value if self.kind == CODE.name else None


class Fault(NamedTuple):
    """A fault as it was asked for, and how often it has met its call."""

    id: str
    name: str
    match: Match
    effect: ScriptedEffect
    at: Point | None
    """None: inside the endpoint's action."""
    from_scenario: bool = False
    """Whether the scenario set it, at the start or by its timeline, and nobody by hand."""
    met: int = 0
    fired: int = 0

    @property
    def remaining(self) -> int:
        """How many times it can still fire."""
        return self.match.times - self.fired

    @property
    def label(self) -> str:
        """What people call it: its name, else its id."""
        return self.name or self.id

    @property
    def is_listed(self) -> bool | None:
        """Whether the spec lists its code for its endpoint; None where it answers no code."""
        code = self.effect.code
        return None if code is None else code in BY_NAME[self.match.on].listed_codes


class ScriptedAnswer(Exception):
    """A fault answers in the endpoint's place. Its code may be one that the spec does not have."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault)
        self.fault = fault


class Faults(State):
    """The faults of a world, in the order in which they were set; the first that matches fires."""

    _by_id: Annotated[dict[str, Fault], KeyedBy("id")] = saved_field(factory=dict)
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

    def fire(self, call: Call, effect: FaultEffect, at: Point | None) -> Fault | None:
        """The first fault of this effect and point that fires on the call; all that match are counted as met."""
        fired: Fault | None = None
        for fault in self._by_id.values():
            if (
                fault.at is not at
                or fault.effect.kind != effect.name
                or not fault.remaining
                or not fault.match.matches(call)
            ):
                continue
            met = fault._replace(met=fault.met + 1)
            if fired is None and met.met >= fault.match.nth:
                fired = met = met._replace(fired=fault.fired + 1)
            self._by_id[fault.id] = met
        return fired
