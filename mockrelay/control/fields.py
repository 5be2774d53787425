"""Reads the fields of a control call by name and type; an error says what was found and meant."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from typing import Any

from mockrelay.core.errors import BAD, CommandRefused
from mockrelay.suggest import close_match, in_quotes

_INTEGER_MAX = 2**53 - 1


def check_names(values: Mapping[str, Any], allowed: Collection[str]) -> None:
    """CommandRefused for the first field that a call does not have."""
    for name in values:
        if name not in allowed:
            meant = close_match(name, allowed) or (f"one of {', '.join(allowed)}" if allowed else "no field at all")
            raise CommandRefused(BAD, f"unknown field {in_quotes(name)}", name, meant)


class Fields:
    """The fields of a control call. Every method raises CommandRefused, which names the field."""

    __slots__ = ("_values",)

    def __init__(self, values: Mapping[str, Any], allowed: Collection[str]) -> None:
        self._values = values
        check_names(values, allowed)

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def others(self, *names: str) -> dict[str, Any]:
        """The fields beside these, without those that are null."""
        return {name: value for name, value in self._values.items() if value is not None and name not in names}

    def text(self, name: str) -> str:
        """A string."""
        value: str = self._typed(name, str, "a string")
        return value

    def integer(self, name: str, *, least: int = 0) -> int:
        """A whole number from `least` to 2**53 - 1."""
        value = self.required(name)
        if type(value) is not int or not least <= value <= _INTEGER_MAX:
            meant = f"a whole number from {least} to {_INTEGER_MAX}"
            raise CommandRefused(BAD, f"{short(value)} is not valid", name, meant)
        return value

    def boolean(self, name: str) -> bool:
        """True or false."""
        value: bool = self._typed(name, bool, "true or false")
        return value

    def one_of(self, name: str, words: Collection[str]) -> str:
        """One word of a list."""
        value = self.required(name)
        if not isinstance(value, str) or value not in words:
            raise CommandRefused(BAD, f"{short(value)} is not known", name, f"one of {', '.join(words)}")
        return value

    def mapping(self, name: str) -> Mapping[str, Any]:
        """An object; an empty one where the field is left out."""
        return self._typed(name, dict, "an object") if name in self else {}

    def required(self, name: str) -> Any:
        """A required field of any type."""
        if name not in self:
            raise CommandRefused(BAD, f"{name} is missing", name, f"{name}, which is required here")
        return self._values[name]

    def _typed(self, name: str, type_: type, meant: str) -> Any:
        value = self.required(name)
        if not isinstance(value, type_):
            raise CommandRefused(BAD, f"{short(value)} is of the wrong type", name, meant)
        return value


def short(value: Any) -> str:
    """A JSON value as text of at most 60 characters, for an error."""
    text = json.dumps(value) if not isinstance(value, float) else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
