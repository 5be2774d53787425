"""Draws valid and near-valid calls of every endpoint for a world."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from hypothesis import reject
from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.testing.strategies.call_parts import draw_by_schema, one_of
from mockrelay.testing.strategies.near_valid import NearValid, usual_code
from mockrelay.testing.strategies.near_valid_calls import signed_near_valid, unsigned_near_valid
from mockrelay.testing.strategies.nft_submissions import NFT_SUBMISSIONS, can_leave_too_early, withdraw_too_early
from mockrelay.testing.strategies.outages import outage_of
from mockrelay.testing.strategies.rate_limits import has_room
from mockrelay.testing.strategies.reads import READS, DrawCall
from mockrelay.testing.strategies.submissions import SUBMISSIONS
from mockrelay.testing.strategies.world_view import WorldView

_OWN: Mapping[str, DrawCall] = {**READS, **SUBMISSIONS, **NFT_SUBMISSIONS}
CALLS: Mapping[str, DrawCall] = {
    row.name: _OWN.get(row.name) or partial(draw_by_schema, endpoint=row.name) for row in ENDPOINTS
}
"""The function that draws an endpoint's calls; they are accepted while layer 1 answers and the rate limit allows."""


def draw_valid(draw: st.DrawFn, view: WorldView, endpoint: str, account_id: int | None) -> ApiCall:
    """A call that the world accepts; an example in which there is none is rejected."""
    call = CALLS[endpoint](draw, view, account_id)
    return call if outage_of(view, call) is None and has_room(view, call) else reject()


def draw_near_valid(draw: st.DrawFn, view: WorldView, endpoint: str) -> NearValid:
    """A call that breaks one rule; an example in which there is none is rejected."""
    if endpoint == "withdraw_nft" and can_leave_too_early(view) and draw(st.booleans()):
        early = withdraw_too_early(draw, view)
        return (
            NearValid(early, usual_code(view, early), "its contract is not deployed")
            if has_room(view, early)
            else reject()
        )
    call = CALLS[endpoint](draw, view, None)
    if not has_room(view, call):
        return reject()
    # Signing is slow, so only the call that is drawn is signed.
    return signed_near_valid(view, call, one_of(draw, unsigned_near_valid(view, call)))
