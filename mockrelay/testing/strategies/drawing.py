"""Valid and near-valid calls of every endpoint, drawn for a world that is known."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from hypothesis import reject
from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.testing.strategies.broken import finished, forms
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.limits import has_room
from mockrelay.testing.strategies.near import NearValid, wrong
from mockrelay.testing.strategies.nft_submissions import NFT_SUBMISSIONS, can_leave_too_early, withdraw_too_early
from mockrelay.testing.strategies.outages import outage_of
from mockrelay.testing.strategies.parts import drawn_by_schema, one_of
from mockrelay.testing.strategies.reads import READS, Reading
from mockrelay.testing.strategies.submissions import SUBMISSIONS

_OWN: Mapping[str, Reading] = {**READS, **SUBMISSIONS, **NFT_SUBMISSIONS}
CALLS: Mapping[str, Reading] = {
    row.name: _OWN.get(row.name) or partial(drawn_by_schema, endpoint=row.name) for row in ENDPOINTS
}
"""What draws the calls of each endpoint; they are accepted where layer 1 answers and rate limits leave room."""


def draw_valid(draw: st.DrawFn, here: Known, endpoint: str, account_id: int | None) -> ApiCall:
    """A call that the world accepts as it stands; an example in which there is none is given up."""
    call = CALLS[endpoint](draw, here, account_id)
    return call if outage_of(here, call) is None and has_room(here, call) else reject()


def draw_near_valid(draw: st.DrawFn, here: Known, endpoint: str) -> NearValid:
    """A call that breaks one rule; an example in which there is none is given up."""
    if endpoint == "withdraw_nft" and can_leave_too_early(here) and draw(st.booleans()):
        early = withdraw_too_early(draw, here)
        return (
            NearValid(early, wrong(here, early), "its contract is not deployed") if has_room(here, early) else reject()
        )
    call = CALLS[endpoint](draw, here, None)
    if not has_room(here, call):
        return reject()
    # Signing is dear, so only the one that is drawn is signed.
    return finished(here, call, one_of(draw, forms(here, call)))
