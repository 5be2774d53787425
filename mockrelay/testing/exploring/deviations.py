"""What a relayer does otherwise than by default, one thing each: a reading, a pace, an order of events, a trouble.

Each has its sentence for people and its place in a scenario, so that what was explored can be written down.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from mockrelay.spec.choices import BY_KEY

_NTH = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def nth_word(number: int) -> str:
    """`first` for 1."""
    return _NTH[number - 1] if number <= len(_NTH) else f"{number}th"


class Reading(NamedTuple):
    """A silence of the spec that is read in one way."""

    key: str
    option: str

    @property
    def phrase(self) -> str:
        """For people."""
        return f"`{self.key}` is {self.option}"

    def add_to(self, document: dict[str, Any]) -> None:
        """Write it into a scenario."""
        document.setdefault("choices", {})[self.key] = self.option


class Pace(NamedTuple):
    """How a kind of request goes on, and how it ends."""

    kind: str
    phrase: str
    """For people."""
    stages: Mapping[str, Mapping[str, Any]]
    """As a scenario has them."""

    def add_to(self, document: dict[str, Any]) -> None:
        """Write it into a scenario."""
        document.setdefault("lifecycles", {})[self.kind] = {state: dict(stage) for state, stage in self.stages.items()}


class Sooner(NamedTuple):
    """Of several events that are due together, one that was planned later comes first."""

    nth: int
    """The number of times, from 1, that events were due together."""
    which: int
    """Which one it is, in the order planned, from 0."""

    @property
    def phrase(self) -> str:
        """For people."""
        return f"the {nth_word(self.nth)} time that events are due together, the {nth_word(self.which + 1)} comes first"

    def add_to(self, document: dict[str, Any]) -> None:
        """Write it into a scenario."""
        document.setdefault("decisions", []).append({"key": "due.order", "nth": self.nth, "value": self.which})


class Trouble(NamedTuple):
    """Something that befalls one call."""

    endpoint: str
    nth: int
    """Which call of the endpoint, from 1."""
    told: str
    """For people, with the call in the place of `{}`."""
    does: tuple[tuple[str, Any], ...]
    """The fields of the fault."""

    @property
    def phrase(self) -> str:
        """For people."""
        return self.told.format(f"the {nth_word(self.nth)} `{self.endpoint}`")

    def add_to(self, document: dict[str, Any]) -> None:
        """Write it into a scenario."""
        faults = document.setdefault("faults", [])
        nth = {} if self.nth == 1 else {"nth": self.nth}
        faults.append({"name": f"explored {len(faults) + 1}", "on": self.endpoint, **nth, **dict(self.does)})


Deviation = Reading | Pace | Sooner | Trouble


class Plan(NamedTuple):
    """All that is otherwise in one run."""

    deviations: tuple[Deviation, ...] = ()

    @property
    def sentence(self) -> str:
        """When it fails, if it does."""
        if not self.deviations:
            return "fails with every decision at its default"
        return "fails when " + _listed([deviation.phrase for deviation in self.deviations])

    @property
    def sections(self) -> dict[str, Any]:
        """The sections of a scenario that say so."""
        document: dict[str, Any] = {}
        for deviation in self.deviations:
            deviation.add_to(document)
        return document

    def without(self, index: int) -> Plan:
        """The same with one deviation fewer."""
        return Plan(self.deviations[:index] + self.deviations[index + 1 :])

    def __repr__(self) -> str:
        return f"<{self.sentence.removeprefix('fails ')}>"


def options_of(key: str, base: str, *, deviations: bool) -> tuple[str, ...]:
    """The options of a choice, the one that holds first; those against the letter of the spec where asked for."""
    choice = BY_KEY[key]
    others = [one for one in choice.options if one != base and (deviations or one not in choice.deviations)]
    return (base, *others)


def _listed(phrases: list[str]) -> str:
    *most, last = phrases
    return f"{', '.join(most)} and {last}" if most else last
