"""Hypothesis strategies for calls of the API, derived from the request schemas and from a given world.

`valid_call(relayer, endpoint)` draws what that world accepts, `near_valid_call` what it must refuse with a known code,
`hostile_body` and `hostile_call` what nobody should send. They look at the world when they draw, so inside a test they
are drawn through `st.data()`, and in a machine's rule likewise. Where the world verifies signatures
(`signature.scheme: protocol`), calls are signed with the keys of its accounts, in all the ways in which clients sign; the
signature of a deployment covers the relayer's address, which is asked for then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.testing.relayer import RelayerHandle
from mockrelay.testing.strategies.broken import near_valid_calls
from mockrelay.testing.strategies.drawing import CALLS, draw_near_valid, draw_valid
from mockrelay.testing.strategies.hostile import hostile_body, hostile_call
from mockrelay.testing.strategies.known import known
from mockrelay.testing.strategies.near import NearValid

if TYPE_CHECKING:
    from mockrelay.relay import Relay


@st.composite
def valid_call(
    draw: st.DrawFn, relayer: Relay | RelayerHandle, endpoint: str | None = None, *, account: int | None = None
) -> ApiCall:
    """A call that the relayer accepts as it stands now; of any endpoint where none is named, by a certain account where
    one is. An example in which there is no such call is given up.
    """
    return draw_valid(draw, known(relayer), endpoint or draw(st.sampled_from(list(CALLS))), account)


@st.composite
def near_valid_call(draw: st.DrawFn, relayer: Relay | RelayerHandle, endpoint: str | None = None) -> NearValid:
    """A call that breaks exactly one rule, and the code that must come for that. What is listed in its `before` must be
    sent first and be accepted, and right before it what is listed in its `spending`, whatever that is answered.
    """
    return draw_near_valid(draw, known(relayer), endpoint or draw(st.sampled_from(list(CALLS))))


__all__ = ["CALLS", "NearValid", "hostile_body", "hostile_call", "near_valid_call", "near_valid_calls", "valid_call"]
