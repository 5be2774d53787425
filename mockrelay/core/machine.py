"""The one way in which state moves: a look-up in a table of transitions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

State = TypeVar("State")
Trigger = TypeVar("Trigger")


class IllegalTransition(AssertionError):
    """A move that no table has: a fault of ours, since callers check before they move."""


def step(table: Mapping[tuple[State, Trigger], State], state: State, trigger: Trigger) -> State:
    """The state that `trigger` leads to from `state`; IllegalTransition where the table has no such move."""
    try:
        return table[state, trigger]
    except KeyError:
        raise IllegalTransition(f"{trigger!s} cannot happen to {state!s}") from None


def can(table: Mapping[tuple[State, Trigger], State], state: State, trigger: Trigger) -> bool:
    """Whether the table has this move."""
    return (state, trigger) in table
