"""The ways in which one run of a test differs from the default: another option of a choice, another lifecycle, another order
of events, a fault.

Each deviation has a phrase for people and writes itself into a scenario, so that a failing run can be repeated.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mockrelay.spec.choices import BY_KEY

_NTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def nth_word(number: int) -> str:
    """`first` for 1."""
    return _NTH[number - 1] if number <= len(_NTH) else f"{number}th"


class OptionDeviation(NamedTuple):
    """Another option of a choice."""

    key: str
    option: str

    @property
    def phrase(self) -> str:
        """For people."""
        return f"`{self.key}` is {self.option}"

    def add_to(self, document: dict[str, Any]) -> None:
        """Write it into the sections of a scenario."""
        document.setdefault("choices", {})[self.key] = self.option


class LifecycleDeviation(NamedTuple):
    """Another lifecycle for a kind of request, or for cancelled orders."""

    kind: str
    phrase: str
    """For people."""
    stages: Mapping[str, Mapping[str, Any]]
    """By state, as in a scenario's `lifecycles`."""

    def add_to(self, document: dict[str, Any]) -> None:
        """Write it into the sections of a scenario."""
        document.setdefault("lifecycles", {})[self.kind] = {state: dict(stage) for state, stage in self.stages.items()}


class EventOrderDeviation(NamedTuple):
    """Of several events that are due at one moment, one that was planned later comes first."""

    nth: int
    """Which occasion, from 1, counting those at which several events are due at one moment."""
    event_index: int
    """The index of the event that comes first, in the order planned."""

    @property
    def phrase(self) -> str:
        """For people."""
        return f"the {nth_word(self.nth)} time that events are due together, the {nth_word(self.event_index + 1)} comes first"

    def add_to(self, document: dict[str, Any]) -> None:
        """Write it into the sections of a scenario."""
        document.setdefault("decisions", []).append({"key": "due.order", "nth": self.nth, "value": self.event_index})


class FaultDeviation(NamedTuple):
    """A fault on one call."""

    endpoint: str
    nth: int
    """Which call of the endpoint, from 1."""
    phrase_of_call: str
    """For people, with `{}` where the call is named."""
    effect: tuple[tuple[str, Any], ...]
    """The fields of the fault that say what it does."""

    @property
    def phrase(self) -> str:
        """For people."""
        return self.phrase_of_call.format(f"the {nth_word(self.nth)} `{self.endpoint}`")

    def add_to(self, document: dict[str, Any]) -> None:
        """Write it into the sections of a scenario."""
        faults = document.setdefault("faults", [])
        nth = {} if self.nth == 1 else {"nth": self.nth}
        faults.append({"name": f"explored {len(faults) + 1}", "on": self.endpoint, **nth, **dict(self.effect)})


Deviation = OptionDeviation | LifecycleDeviation | EventOrderDeviation | FaultDeviation


class Plan(NamedTuple):
    """The deviations of one run."""

    deviations: tuple[Deviation, ...] = ()

    @property
    def phrase(self) -> str:
        """For people; empty where nothing deviates. Different plans have different phrases."""
        return listed([deviation.phrase for deviation in self.deviations])

    @property
    def sections(self) -> dict[str, Any]:
        """The sections of a scenario with these deviations."""
        document: dict[str, Any] = {}
        for deviation in self.deviations:
            deviation.add_to(document)
        return document

    def replaced(self, index: int, *others: Deviation) -> Plan:
        """The plan with others in the place of one of its deviations."""
        return Plan((*self.deviations[:index], *others, *self.deviations[index + 1 :]))

    def __repr__(self) -> str:
        return f"<{self.phrase or 'no deviation'}>"


def options_of(key: str, base: str, *, deviations: bool) -> tuple[str, ...]:
    """The options of a choice, the current one first; those that contradict the spec only where `deviations` says so."""
    choice = BY_KEY[key]
    others = [one for one in choice.options if one != base and (deviations or one not in choice.deviations)]
    return (base, *others)


def listed(phrases: list[str]) -> str:
    """Phrases as `a, b and c`."""
    *most, last = phrases or [""]
    return f"{', '.join(most)} and {last}" if most else last
