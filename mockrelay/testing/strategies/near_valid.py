"""A call that breaks one rule, with the code of that rule; and the rules that several endpoints share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mockrelay.client.call import ApiCall
from mockrelay.client.live_wrong_calls import LIVE_WRONG_CALLS
from mockrelay.client.wrong_calls import NO_SIGNATURE, WRONG_CALLS
from mockrelay.client.wrong_fields import with_field
from mockrelay.core.models import Account
from mockrelay.spec.codes import Code
from mockrelay.spec.endpoints import BY_ID
from mockrelay.spec.key_header import KEY_ASKED_UNDER
from mockrelay.spec.signed_rows import SIGNED_BODIES
from mockrelay.testing.strategies.signing import caller_of
from mockrelay.testing.strategies.world_view import WorldView, shape_code


class NearValid(NamedTuple):
    """A call that breaks exactly one rule."""

    call: ApiCall
    code: int
    """The code that the relayer must answer."""
    rule: str
    """The rule that is broken, for people."""
    before: tuple[ApiCall, ...] = ()
    """Calls that must be sent and accepted before it."""
    spending: tuple[ApiCall, ...] = ()
    """Calls that must be sent right before it, whatever the answers, since its rule counts them."""
    is_early: bool = False
    """Whether it is refused before its signatures are verified, whatever its code."""
    is_as_sent: bool = False
    """Whether its signatures are sent as they are, right or wrong."""


NearValidCalls = Iterator[NearValid]


def value_at(call: ApiCall, path: str | None) -> Any:
    """The field at a path (`maxFee.tokenId`); None where there is none."""
    value: Any = call.fields
    for name in (path or "").split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def changed_at(call: ApiCall, path: str | None, value: Any) -> ApiCall:
    """The call with another value at a path, which the request must have."""
    assert path is not None
    return call._replace(fields=with_field(call.fields, path, value))


def others_key(view: WorldView, call: ApiCall) -> str | None:
    """An API key of another account than the caller's; None where there is none."""
    return next((one.api_key for one in view.accounts if one.api_key != call.key), None)


def table_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    """The call with each change of `WRONG_CALLS` or `LIVE_WRONG_CALLS` that is wrong in every world."""
    is_signed = view.option("signature.scheme") != "off"
    facts = view.facts_of(caller_of(view, call))
    for row in WRONG_CALLS.get(call.endpoint, LIVE_WRONG_CALLS.get(call.endpoint, ())):
        key = others_key(view, call) if row.other_key else call.key
        # Wrong headers are drawn by `header_rules`, for all endpoints that have them.
        if (
            not row.in_every_world
            or row.signature
            or (row.other_key and key is None)
            or (row.of_signature and not is_signed)
        ):
            continue
        changes = row.changes_of(facts, call.fields)
        if all("." not in path or value_at(call, path) is not None for path in changes):
            wrong_call = call._replace(fields=row.apply(facts, call.fields), key=key)
            yield NearValid(wrong_call, view.code_of(row.codes), row.what, is_early=row.early)


def account_of(view: WorldView, account_id: int) -> Account:
    """The account with an id."""
    return view.world.accounts[account_id]


def header_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    """The call with each wrong API key and signature header, where the endpoint has them."""
    row = BY_ID[call.endpoint]
    if asks_for_key(view, call.endpoint):
        yield NearValid(call._replace(key=None), Code.AUTH_KEY_EMPTY, "no key")
        yield NearValid(call._replace(key=""), Code.AUTH_KEY_EMPTY, "an empty key")
        yield NearValid(call._replace(key="nobody's key"), Code.AUTH_KEY_INVALID, "nobody's key")
    if view.option("signature.scheme") == "off":
        return
    missing = view.option("auth.missing_signature_header")
    is_in_body = any(call.fields.get(name) for name in row.body_signatures)
    if row.signature is not None and missing != "ignore" and not is_in_body:
        yield NearValid(call._replace(signature=None), int(missing), "no header X-API-SIG")
        yield NearValid(call._replace(signature=" "), int(missing), "a blank header X-API-SIG")
    if not is_order(call.endpoint) and any(judged.code is Code.AUTH_SIGNATURE_WRONG for judged in row.codes):
        yield NearValid(call._replace(signature=NO_SIGNATURE), Code.AUTH_SIGNATURE_WRONG, "no signature's form")


def is_order(row_id: str) -> bool:
    """Whether a row takes orders, whose header is not read."""
    return row_id in SIGNED_BODIES and SIGNED_BODIES[row_id].form.of_order


def asks_for_key(view: WorldView, endpoint: str) -> bool:
    """Whether an endpoint checks the API key."""
    if endpoint not in KEY_ASKED_UNDER:
        return False
    asked = KEY_ASKED_UNDER[endpoint]
    return asked is None or view.option(asked[0]) in asked[1]


def usual_code(view: WorldView, call: ApiCall) -> int:
    """The endpoint's code for violations without a code of their own."""
    return shape_code(view, BY_ID[call.endpoint])
