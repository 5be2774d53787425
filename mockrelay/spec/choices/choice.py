"""What a choice is: one row of the table of choices."""

from __future__ import annotations

from typing import NamedTuple

from mockrelay.spec.endpoint import SPEC


class Choice(NamedTuple):
    """A question that the spec leaves open, and its options."""

    key: str
    spec_says: str
    """What the spec says of the question, and what it does not say."""
    options: tuple[str, ...]
    why: str
    """Why the first option is the default."""
    deviations: tuple[str, ...] = ()
    """The options that go against the letter of the spec."""
    profile: str = SPEC
    """The profile that brings it; those that build on that one have it too, and no others."""

    @property
    def default(self) -> str:
        """The option that holds where a world sets none."""
        return self.options[0]
