"""Which readings a sweep goes through."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from mockrelay.spec.choices import CHOICES

Reading = tuple[tuple[str, str], ...]
"""The choices that a run sets apart from the others, with their options: one, a pair, or none for the run that all are
compared with.
"""
BASE: Reading = ()


class Only(NamedTuple):
    """A part of the table that is asked for."""

    key: str
    """A choice or, as `rate`, all whose keys begin so."""
    option: str | None = None
    """None: all options of the choice."""

    def has(self, key: str, option: str) -> bool:
        """Whether an option of a choice is in this part."""
        if self.option is not None:
            return (self.key, self.option) == (key, option)
        return key == self.key or key.startswith(f"{self.key}.")


def readings(base: Mapping[str, str], only: Collection[Only] = (), *, deviations: bool = True) -> list[Reading]:
    """One for each option that `base` does not hold, in the table's order.

    `deviations`: whether options that go against the letter of the spec are among them.
    """
    return [
        ((choice.key, option),)
        for choice in CHOICES
        for option in choice.options
        if option != base[choice.key]
        and (deviations or option not in choice.deviations)
        and (not only or any(part.has(choice.key, option) for part in only))
    ]


def pairs(singles: Sequence[Reading]) -> Iterator[Reading]:
    """Each two of them that are of different choices."""
    for one, other in combinations(singles, 2):
        if one[0][0] != other[0][0]:
            yield (*one, *other)


def named(reading: Reading) -> str:
    """A reading as it is written on a command line, or as it is called."""
    return " + ".join(f"{key}={option}" for key, option in reading) or "the defaults"


def setting(settings: Mapping[str, str], reading: Reading) -> str:
    """All that a run sets, in the form of MOCKRELAY_SET."""
    return ",".join(f"{key}={option}" for key, option in {**settings, **dict(reading)}.items())
