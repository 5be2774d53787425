"""Rate limits: how many calls there is room for, and the one that is too many."""

from __future__ import annotations

from mockrelay.client.call import ApiCall
from mockrelay.client.wrong_fields import NOT_JSON
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.near import Broken, NearValid

_PEER = "127.0.0.1"
"""Where calls of this machine come from."""


def has_room(here: Known, call: ApiCall) -> bool:
    """Whether a call is within the limits that hold for it."""
    return _room(here, call) != 0


def limit_rules(here: Known, call: ApiCall) -> Broken:
    """The call that is one too many in its second. A refusal with another body than JSON has no code to be seen."""
    room = _room(here, call)
    if room and here.option("rate.body") == "result_info":
        # What is refused for its form counts too, and changes nothing.
        counted = call if call.method == "GET" else call._replace(body=NOT_JSON)
        yield NearValid(call, C.UNKNOWN_ERROR, f"{room} calls before it in one second", spending=(counted,) * room)


def _room(here: Known, call: ApiCall) -> int | None:
    """How many more such calls are let in as things stand; None where nothing limits them."""
    per_second = _per_second(here, call.endpoint)
    if not here.world.limits_on:
        return None
    limiter, caller = here.world.limiter.clone(), _caller(here, call)
    if limiter.is_banned(caller, here.now_ms):
        return 0
    if per_second is None:
        return None
    window, count = here.option("rate.window"), 0
    while limiter.admit(call.endpoint, caller, per_second, window, here.now_ms):
        count += 1
    return count


def _per_second(here: Known, endpoint: str) -> int | None:
    if endpoint in here.config.limits:
        return here.config.limits[endpoint]
    of_spec = BY_NAME[endpoint].per_second
    if of_spec is None and here.option("rate.unlisted") != "none":
        return int(here.option("rate.unlisted"))
    return of_spec


def _caller(here: Known, call: ApiCall) -> str:
    """For whom a call counts, in the limiter's words."""
    scope = here.option("rate.scope")
    if scope == "global":
        return ""
    account_id = here.world.account_of_key.get(call.key) if call.key and scope == "api_key" else None
    return f"address {_PEER}" if account_id is None else f"account {account_id}"
