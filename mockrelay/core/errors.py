"""The errors of inputs and commands, each converted once at the border where it leaves the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

BAD, MISSING, CONFLICT = 400, 404, 409
"""HTTP statuses of a refused command: a value that cannot be, a thing that does not exist, a state that forbids it."""

Path = tuple[str | int, ...]
"""Where in an input something stands: field names and list indexes, from the outside in."""


class InvalidInput(ValueError):
    """An input whose form is wrong, whatever the state: where, what was found there, and what was expected."""

    def __init__(self, path: Sequence[str | int], found: str, expected: str, *, at_key: bool = False) -> None:
        super().__init__(found, expected)
        self.path: Path = tuple(path)
        self.found = found
        self.expected = expected
        self.at_key = at_key
        """True: the last name of the path should not be there, whatever its value."""

    @property
    def field(self) -> str:
        """The path as people write it: `maxFee.tokenId`, `orders[0].size`; empty for the whole input."""
        return path_text(self.path)

    def under(self, *steps: str | int) -> InvalidInput:
        """The same, seen from an input that has this one at `steps`."""
        return InvalidInput((*steps, *self.path), self.found, self.expected, at_key=self.at_key)

    def __str__(self) -> str:
        where = f"{self.field}: " if self.path else ""
        return f"{where}found {self.found}; meant {self.expected}"


class CommandRefused(Exception):
    """A command that the present state forbids; nothing has been changed by it."""

    def __init__(
        self,
        status: int,
        error: str,
        field: str | None = None,
        meant: str | None = None,
        more: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        super().__init__(error)
        self.status = status
        """The HTTP status of the control API's answer: 400, 404 or 409."""
        self.error = error
        self.field = field
        """The field to blame, None where none is."""
        self.meant = meant
        self.more = more
        """Further fields of the answer."""


def path_text(path: Sequence[str | int]) -> str:
    """A path as people write it."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")
