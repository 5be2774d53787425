"""Readings of the spec's silences: which ones a world holds, and whether a key and an option exist."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from mockrelay.spec.choices import BY_KEY


class UnknownChoice(ValueError):
    """A key or an option that no choice has: `.key`, what was given, and what was meant."""

    def __init__(self, key: str, found: str, meant: str) -> None:
        super().__init__(f"{key}: found {found}; meant {meant}")
        self.key = key
        self.found = found
        self.meant = meant


def check_choices(choices: Mapping[str, object]) -> dict[str, str]:
    """The same choices, each known to exist; UnknownChoice for the first that does not."""
    return {key: _checked(key, option) for key, option in choices.items()}


def _checked(key: str, option: object) -> str:
    choice = BY_KEY.get(key)
    if choice is None:
        near = difflib.get_close_matches(key, BY_KEY, n=1)
        raise UnknownChoice(key, "no choice of this name", near[0] if near else "a key of `mockrelay spec choices`")
    if not isinstance(option, str) or option not in choice.options:
        raise UnknownChoice(key, repr(option), "one of " + ", ".join(choice.options))
    return option
