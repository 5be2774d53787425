"""Hypothesis strategies for calls of the API, derived from the request schemas and from a given world.

`valid_call(relayer, endpoint)` draws what that world accepts, `near_valid_call` what it must refuse with a known code,
`hostile_body` and `hostile_call` what nobody should send. They look at the world when they draw, so inside a test they
are drawn through `st.data()`, and in a machine's rule likewise. What they draw holds for signatures that need not be
right (`signature.scheme` `presence` or `off`) and for callers that are within their rate limits.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from mockrelay.testing.calling import ApiCall
from mockrelay.testing.relayer import Relayer
from mockrelay.testing.strategies.broken import near_valid_calls
from mockrelay.testing.strategies.hostile import hostile_body, hostile_call
from mockrelay.testing.strategies.known import Known, known
from mockrelay.testing.strategies.near import NearValid
from mockrelay.testing.strategies.parts import one_of
from mockrelay.testing.strategies.reads import READS, Reading
from mockrelay.testing.strategies.submissions import SUBMISSIONS

if TYPE_CHECKING:
    from mockrelay.relay import Relay

CALLS: Mapping[str, Reading] = {**READS, **SUBMISSIONS}
"""What draws the calls of each endpoint."""


@st.composite
def valid_call(
    draw: st.DrawFn, relayer: Relay | Relayer, endpoint: str | None = None, *, account: int | None = None
) -> ApiCall:
    """A call that the relayer accepts as it stands now; of any endpoint where none is named, by a certain account where
    one is. An example in which there is no such call is given up.
    """
    name = draw(st.sampled_from(list(CALLS))) if endpoint is None else endpoint
    return CALLS[name](draw, _readable(relayer), account)


@st.composite
def near_valid_call(draw: st.DrawFn, relayer: Relay | Relayer, endpoint: str | None = None) -> NearValid:
    """A call that breaks exactly one rule, and the code that must come for that."""
    name = draw(st.sampled_from(list(CALLS))) if endpoint is None else endpoint
    here = _readable(relayer)
    found = near_valid_calls(here, CALLS[name](draw, here, None))
    near: NearValid = one_of(draw, found)
    return near


def _readable(relayer: Relay | Relayer) -> Known:
    here = known(relayer)
    if here.option("signature.scheme") == "protocol":
        raise ValueError("calls are drawn with signatures of the right form only; signature.scheme: presence or off")
    return here


__all__ = ["CALLS", "NearValid", "hostile_body", "hostile_call", "near_valid_call", "near_valid_calls", "valid_call"]
