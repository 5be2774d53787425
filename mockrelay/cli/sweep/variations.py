"""The variations that a sweep runs: the options that a run sets apart from all other runs."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from mockrelay.spec.choices import ALL_CHOICES

Variation = tuple[tuple[str, str], ...]
"""Pairs of a choice's key and an option: one, two, or none for the run that all others are compared with."""
BASE: Variation = ()


class Only(NamedTuple):
    """A part of the choices that `--only` selects."""

    key: str
    """A choice, or the beginning of several (`rate`)."""
    option: str | None = None
    """None: all options of the choice."""

    def has(self, key: str, option: str) -> bool:
        """Whether an option of a choice is in this part."""
        if self.option is not None:
            return (self.key, self.option) == (key, option)
        return key == self.key or key.startswith(f"{self.key}.")


def single_variations(
    base: Mapping[str, str], only: Collection[Only] = (), *, deviations: bool = True
) -> list[Variation]:
    """One for each option that `base` does not have, of the choices that it has, in the order of the table of choices.

    `deviations`: whether options that contradict the spec are included.
    """
    return [
        ((choice.key, option),)
        for choice in ALL_CHOICES
        if choice.key in base
        for option in choice.options
        if option != base[choice.key]
        and (deviations or option not in choice.deviations)
        and (not only or any(part.has(choice.key, option) for part in only))
    ]


def pairs(singles: Sequence[Variation]) -> Iterator[Variation]:
    """Each two of them that are of different choices."""
    for one, other in combinations(singles, 2):
        if one[0][0] != other[0][0]:
            yield (*one, *other)


def title(variation: Variation) -> str:
    """A variation as text: `KEY=OPTION`, `KEY=OPTION + KEY=OPTION`, or `the defaults`."""
    return " + ".join(f"{key}={option}" for key, option in variation) or "the defaults"


def set_text(choices: Mapping[str, str], variation: Variation) -> str:
    """All options that a run sets, in the form of MOCKRELAY_SET."""
    return ",".join(f"{key}={option}" for key, option in {**choices, **dict(variation)}.items())
