"""Readings of the spec's silences: which ones a world holds, and whether a key and an option exist."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from mockrelay.core.errors import InvalidInput
from mockrelay.spec.choices import BY_KEY


def check_choices(choices: Mapping[str, object]) -> dict[str, str]:
    """The same choices, each known to exist; InvalidInput for the first that does not, at its key."""
    return {key: _checked(key, option) for key, option in choices.items()}


def _checked(key: str, option: object) -> str:
    choice = BY_KEY.get(key)
    if choice is None:
        near = difflib.get_close_matches(key, BY_KEY, n=1)
        expected = near[0] if near else "a key of `mockrelay spec choices`"
        raise InvalidInput((key,), "no choice of this name", expected, at_key=True)
    if not isinstance(option, str) or option not in choice.options:
        raise InvalidInput((key,), repr(option), "one of " + ", ".join(choice.options))
    return option
