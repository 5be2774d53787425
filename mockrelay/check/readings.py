"""Where the spec is silent: which reading a relayer was seen to have, and whether it keeps to it."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from mockrelay.spec.choices import BY_KEY, CHOICES


class Reading(NamedTuple):
    """What was seen of a choice."""

    key: str
    options: tuple[str, ...]
    """The options that the answers allow; one where it is certain, all where nothing was seen."""
    asked: str
    """The call that told most; empty where nothing was seen."""


class Readings:
    """The options that are still possible, choice by choice. Each answer can only rule some out."""

    def __init__(self) -> None:
        self._left = {choice.key: frozenset(choice.options) for choice in CHOICES}
        self._told: dict[str, str] = {}

    def left(self, key: str) -> frozenset[str]:
        """The options of a choice that nothing has ruled out."""
        return self._left[key]

    def is_certainly(self, key: str, option: str) -> bool:
        """Whether an option is the only one left."""
        return self._left[key] == {option}

    def narrow(self, key: str, options: Collection[str], asked: str) -> str | None:
        """Only these options allow what a call was answered. The sentence where none of those that were left does:
        the relayer has changed its reading.
        """
        before = self._left[key]
        after = before.intersection(options)
        if not after:
            told = self._told.get(key, "")
            now, then = " or ".join(sorted(options)), " or ".join(sorted(before))
            return f"{key} reads {now} here and read {then} before ({told})"
        if after != before:
            self._left[key] = after
            self._told[key] = asked
        return None

    def all(self) -> list[Reading]:
        """Every choice, in the order of the table."""
        return [
            Reading(
                choice.key,
                tuple(option for option in choice.options if option in self._left[choice.key]),
                self._told.get(choice.key, ""),
            )
            for choice in CHOICES
        ]


def deviations(key: str) -> tuple[str, ...]:
    """The options of a choice that go against the letter of the spec."""
    return BY_KEY[key].deviations
