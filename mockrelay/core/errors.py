"""The errors of inputs and commands, each converted once at the border where it leaves the program."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from mockrelay.suggest import cut

BAD, MISSING, CONFLICT = 400, 404, 409
"""HTTP statuses of a refused command: impossible value, missing object, forbidden by the state."""

Path = tuple[str | int, ...]
"""A place in an input: field names and list indexes, from the outside in."""


class InvalidInput(ValueError):
    """An input that is wrong whatever the state: where, what was found there, and what was expected."""

    def __init__(self, path: Sequence[str | int], found: str, expected: str, *, at_key: bool = False) -> None:
        super().__init__(found, expected)
        self.path: Path = tuple(path)
        self.found = found
        self.expected = expected
        self.at_key = at_key
        """True: the last name of the path is itself wrong, whatever its value."""

    @property
    def field(self) -> str:
        """The path as text: `maxFee.tokenId`, `orders[0].size`; empty for the whole input."""
        return path_text(self.path)

    def under(self, *steps: str | int) -> InvalidInput:
        """The same error for an input that contains this one at `steps`."""
        return InvalidInput((*steps, *self.path), self.found, self.expected, at_key=self.at_key)

    def __str__(self) -> str:
        where = f"{self.field}: " if self.path else ""
        return f"{where}found {self.found}; meant {self.expected}"


class CommandRefused(Exception):
    """A command that the current state forbids. It has changed nothing."""

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
        """The field that is wrong; None if it is not one field."""
        self.meant = meant
        self.more = more
        """Further fields of the answer."""


class CallbackFailed(Exception):
    """A function of the relayer's user raised, or returned what it may not; `__cause__` is what it raised."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"the relayer's own `{name}` failed: {reason}")
        self.name = name
        """`verifier` or `decide`."""


def path_text(path: Sequence[str | int]) -> str:
    """A path as text: `maxFee.tokenId`, `orders[0].size`; cut, since its names come from outside."""
    return cut("".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in path).removeprefix("."))
