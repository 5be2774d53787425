"""The state machines of orders, requests and blocks: each is one table `(state, trigger) -> state`.

A pair that is not in its table does not exist, and an end state has no row that starts from it. The spec shows few of
these moves ("Transitions between order statuses, request statuses and block statuses: not shown"); the others are
mockrelay's own, in the spec's words for the states.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TypeVar

from mockrelay.spec.vocab import BlockStatus as B
from mockrelay.spec.vocab import OrderStatus as O
from mockrelay.spec.vocab import RequestStatus as R


class OrderTrigger(StrEnum):
    """What can happen to an accepted order."""

    ACTIVATED = "activated"
    FILLED_IN_PART = "filled in part"
    FILLED = "filled"
    CANCEL_ASKED = "cancel asked"
    CANCEL_DONE = "cancel done"
    REST_DROPPED = "rest dropped"
    FAILED = "failed"
    EXPIRED = "expired"


ORDER: Mapping[tuple[O, OrderTrigger], O] = MappingProxyType(
    {
        # Waiting: validSince lies ahead, or the relayer holds the order and has not settled it.
        (O.WAITING, OrderTrigger.ACTIVATED): O.PROCESSING,
        (O.WAITING, OrderTrigger.CANCEL_ASKED): O.CANCELLING,
        (O.WAITING, OrderTrigger.FAILED): O.CANCELLED,
        (O.WAITING, OrderTrigger.EXPIRED): O.EXPIRED,
        # Processing: in the book, or on its way through it.
        (O.PROCESSING, OrderTrigger.FILLED_IN_PART): O.PROCESSING,
        (O.PROCESSING, OrderTrigger.FILLED): O.PROCESSED,
        (O.PROCESSING, OrderTrigger.CANCEL_ASKED): O.CANCELLING,
        # Takers that may not rest, and takers that met an order of their own account.
        (O.PROCESSING, OrderTrigger.REST_DROPPED): O.CANCELLED,
        (O.PROCESSING, OrderTrigger.EXPIRED): O.EXPIRED,
        # Cancelling: out of the book, its frozen rest not yet given back.
        (O.CANCELLING, OrderTrigger.CANCEL_DONE): O.CANCELLED,
    }
)


class RequestTrigger(StrEnum):
    """What can happen to a transfer, a withdrawal, an account update or an NFT request."""

    TAKEN_UP = "taken up"
    DONE = "done"
    FAILED = "failed"


REQUEST: Mapping[tuple[R, RequestTrigger], R] = MappingProxyType(
    {
        (R.RECEIVED, RequestTrigger.TAKEN_UP): R.PROCESSING,
        (R.RECEIVED, RequestTrigger.FAILED): R.FAILED,
        (R.PROCESSING, RequestTrigger.DONE): R.PROCESSED,
        (R.PROCESSING, RequestTrigger.FAILED): R.FAILED,
    }
)


class BlockTrigger(StrEnum):
    """What can happen to a sealed block."""

    CONFIRMED = "confirmed"
    FINALIZED = "finalized"


BLOCK: Mapping[tuple[B, BlockTrigger], B] = MappingProxyType(
    {
        (B.PENDING, BlockTrigger.CONFIRMED): B.CONFIRMED,
        (B.CONFIRMED, BlockTrigger.FINALIZED): B.FINALIZED,
    }
)

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
