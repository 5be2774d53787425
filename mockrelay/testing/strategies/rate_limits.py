"""Rate limits: how many calls they still allow, and the call that exceeds them."""

from __future__ import annotations

from mockrelay.client.call import ApiCall
from mockrelay.client.wrong_fields import NOT_JSON
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoint import Endpoint
from mockrelay.spec.endpoints import BY_ID
from mockrelay.testing.strategies.near_valid import NearValid, NearValidCalls
from mockrelay.testing.strategies.world_view import WorldView

_PEER = "127.0.0.1"
"""The address that calls of this machine come from."""


def has_room(view: WorldView, call: ApiCall) -> bool:
    """Whether the rate limit allows a call."""
    return _room(view, call) != 0


def limit_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    """The call that exceeds the limit. Only a JSON body of the refusal shows a code."""
    room = _room(view, call)
    if room and view.option("rate.body") == "result_info":
        # A call of a wrong form counts too, and changes nothing.
        counted = call._replace(body=NOT_JSON) if call.method == "POST" else call
        yield NearValid(call, C.UNKNOWN_ERROR, f"{room} calls before it in one second", spending=(counted,) * room)


def _room(view: WorldView, call: ApiCall) -> int | None:
    """The number of such calls that are still allowed; None where nothing limits them."""
    row = BY_ID[call.endpoint]
    per_second = _per_second(view, row)
    if not view.world.limits_on:
        return None
    limiter, caller = view.world.limiter.clone(), _caller(view, call)
    if limiter.is_banned(caller, view.now_ms):
        return 0
    if per_second is None:
        return None
    window, count = view.option("rate.window"), 0
    while limiter.admit(row.name, caller, per_second, window, view.now_ms):
        count += 1
    return count


def _per_second(view: WorldView, row: Endpoint) -> int | None:
    if row.name in view.config.limits:
        return view.config.limits[row.name]
    if row.per_second is None and view.option("rate.unlisted") != "none":
        return int(view.option("rate.unlisted"))
    return row.per_second


def _caller(view: WorldView, call: ApiCall) -> str:
    """The limiter's key of the caller."""
    scope = view.option("rate.scope")
    if scope == "global":
        return ""
    account_id = view.world.account_of_key.get(call.key) if call.key and scope == "api_key" else None
    return f"address {_PEER}" if account_id is None else f"account {account_id}"
