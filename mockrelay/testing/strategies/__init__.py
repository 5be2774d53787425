"""Hypothesis strategies for calls of the API, derived from the request schemas and from a given world.

`valid_call(relayer, endpoint)` draws calls that the world accepts, `near_valid_call` calls that it must refuse with a
certain code, `hostile_body` and `hostile_call` what no client should send. They read the world when they draw, so a test
or a machine's rule draws them through `st.data()`. Where the world verifies signatures (`signature.scheme: protocol`),
calls are signed with the keys of its accounts, in all the ways in which clients sign; the signature of a deployment covers
the relayer's address, whose port is opened then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.testing.relayer import RelayerHandle
from mockrelay.testing.strategies.draw import CALLS, draw_near_valid, draw_valid
from mockrelay.testing.strategies.hostile import hostile_body, hostile_call
from mockrelay.testing.strategies.near_valid import NearValid
from mockrelay.testing.strategies.near_valid_calls import near_valid_calls
from mockrelay.testing.strategies.world_view import view_world

if TYPE_CHECKING:
    from mockrelay.relay import Relay


@st.composite
def valid_call(
    draw: st.DrawFn, relayer: Relay | RelayerHandle, endpoint: str | None = None, *, account: int | None = None
) -> ApiCall:
    """A call that the relayer accepts now; of any endpoint unless one is named, by any account unless one is given. An
    example in which there is no such call is rejected. The endpoints are those of the relayer's profile; where one takes
    bodies of several forms, its name stands for all of them and the id of a form's row (`submit_order_gen3`) for that one.
    """
    return draw_valid(draw, view_world(relayer), endpoint, account)


@st.composite
def near_valid_call(draw: st.DrawFn, relayer: Relay | RelayerHandle, endpoint: str | None = None) -> NearValid:
    """A call that breaks exactly one rule, with the code of that rule. The calls in its `before` must be sent first and be
    accepted; those in its `spending` must be sent right before it, whatever the answers.
    """
    return draw_near_valid(draw, view_world(relayer), endpoint)


__all__ = ["CALLS", "NearValid", "hostile_body", "hostile_call", "near_valid_call", "near_valid_calls", "valid_call"]
