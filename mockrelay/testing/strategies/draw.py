"""Draws valid and near-valid calls of every endpoint for a world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from hypothesis import reject
from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.spec.endpoints import ALL_ENDPOINTS, BY_ID, ENDPOINTS
from mockrelay.spec.live_endpoints import LIKE
from mockrelay.suggest import nearest
from mockrelay.testing.strategies.call_parts import draw_by_schema, one_of
from mockrelay.testing.strategies.live_reads import LIVE_READS
from mockrelay.testing.strategies.live_submissions import LIVE_SUBMISSIONS
from mockrelay.testing.strategies.near_valid import NearValid, usual_code
from mockrelay.testing.strategies.near_valid_calls import signed_near_valid, unsigned_near_valid
from mockrelay.testing.strategies.nft_submissions import NFT_SUBMISSIONS, can_leave_too_early, withdraw_too_early
from mockrelay.testing.strategies.rate_limits import has_room
from mockrelay.testing.strategies.read_rules import outage_of
from mockrelay.testing.strategies.reads import READS, DrawCall
from mockrelay.testing.strategies.submissions import SUBMISSIONS
from mockrelay.testing.strategies.world_view import WorldView

_DRAWN: Mapping[str, DrawCall] = {**READS, **SUBMISSIONS, **NFT_SUBMISSIONS, **LIVE_READS, **LIVE_SUBMISSIONS}


def _with_endpoint(drawn: Callable[..., ApiCall], row_id: str) -> DrawCall:
    """The calls of a row, drawn as those of another one that it is like."""
    return partial(drawn, endpoint=row_id)


_OWN: Mapping[str, DrawCall] = {
    **{row: _with_endpoint(_DRAWN[base], row) for row, base in LIKE.items() if base in _DRAWN},
    **_DRAWN,
}
_OF_ROW: Mapping[str, DrawCall] = {
    row.id: _OWN.get(row.id) or partial(draw_by_schema, endpoint=row.id) for row in ALL_ENDPOINTS
}
"""The function that draws the calls of a row; they are accepted while layer 1 answers and the rate limit allows."""
CALLS: Mapping[str, DrawCall] = {row.name: _OF_ROW[row.id] for row in ENDPOINTS}
"""The same by endpoint of the specification."""


def draw_valid(draw: st.DrawFn, view: WorldView, endpoint: str | None, account_id: int | None) -> ApiCall:
    """A call that the world accepts; an example in which there is none is rejected. `endpoint`: its name or the id of a row,
    None for any. Raises ValueError for one that the world's profile does not serve.
    """
    call = _OF_ROW[draw(st.sampled_from(rows_of(view, endpoint)))](draw, view, account_id)
    return call if outage_of(view, call) is None and has_room(view, call) else reject()


def rows_of(view: WorldView, endpoint: str | None) -> list[str]:
    """The ids of the rows that an endpoint's calls can have in the world's profile: of a name all forms, of a row's id that
    one. None: of all endpoints.
    """
    profile = view.config.profile
    served = {
        row.name: [row.id, *(form.id for form in profile.forms.get(row.name, ()))]
        for row in profile.routes.values()
        if not row.upgrades
    }
    ids = [row_id for rows in served.values() for row_id in rows]
    if endpoint is None:
        return ids
    if endpoint not in served and endpoint not in ids:
        raise ValueError(
            f"{endpoint!r} is not a call of the profile {profile.name}; meant: {nearest(endpoint, (*served, *ids))}"
        )
    return served.get(endpoint) or [endpoint]


def draw_near_valid(draw: st.DrawFn, view: WorldView, endpoint: str | None) -> NearValid:
    """A call that breaks one rule; an example in which there is none is rejected. `endpoint` as for `draw_valid`."""
    row_id = draw(st.sampled_from(rows_of(view, endpoint)))
    if BY_ID[row_id].name == "withdraw_nft" and can_leave_too_early(view, row_id) and draw(st.booleans()):
        early = withdraw_too_early(draw, view, row_id)
        return (
            NearValid(early, usual_code(view, early), "its contract is not deployed")
            if has_room(view, early)
            else reject()
        )
    call = _OF_ROW[row_id](draw, view, None)
    if not has_room(view, call):
        return reject()
    # Signing is slow, so only the call that is drawn is signed.
    return signed_near_valid(view, call, one_of(draw, unsigned_near_valid(view, call)))
