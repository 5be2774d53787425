"""Which options of the choices, which the spec leaves open, the answers of a relayer allow."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from mockrelay.spec.choices import CHOICES


class ObservedChoice(NamedTuple):
    """What the answers show of a choice."""

    key: str
    options: tuple[str, ...]
    """The options that the answers allow; one where it is certain, all where nothing was observed."""
    evidence: str
    """The call that ruled out an option last; empty where none was ruled out."""


class ObservedChoices:
    """The options that are still possible, choice by choice. Each answer can only rule some out."""

    def __init__(self) -> None:
        self._left = {choice.key: frozenset(choice.options) for choice in CHOICES}
        self._evidence: dict[str, str] = {}

    def is_certainly(self, key: str, option: str) -> bool:
        """Whether an option is the only one left."""
        return self._left[key] == {option}

    def narrow(self, key: str, options: Collection[str], evidence: str) -> str | None:
        """Rule out all other options: only these allow the answer to a call. Where they were all ruled out before, the
        relayer has changed its option: a sentence that says so.
        """
        before = self._left[key]
        after = before.intersection(options)
        if not after:
            now, then = " or ".join(sorted(options)), " or ".join(sorted(before))
            return f"{key} is {now} here and was {then} before ({self._evidence.get(key, '')})"
        if after != before:
            self._left[key] = after
            self._evidence[key] = evidence
        return None

    def all(self) -> list[ObservedChoice]:
        """Every choice, in the order of the table."""
        return [
            ObservedChoice(
                choice.key,
                tuple(option for option in choice.options if option in self._left[choice.key]),
                self._evidence.get(choice.key, ""),
            )
            for choice in CHOICES
        ]
