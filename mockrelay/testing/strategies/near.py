"""A call that breaks one rule, and the code that must come for that; and what rules of several endpoints are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from mockrelay.client.call import ApiCall
from mockrelay.client.wrong_calls import NO_SIGNATURE, WRONG_CALLS
from mockrelay.client.wrong_fields import with_field
from mockrelay.core.models import Account
from mockrelay.spec.codes import Code
from mockrelay.spec.endpoints import BY_NAME, KeyHeader
from mockrelay.testing.strategies.known import Known, shape_code


class NearValid(NamedTuple):
    """A call that breaks exactly one rule."""

    call: ApiCall
    code: int
    """The code that must come."""
    rule: str
    """What is wrong, for people."""
    before: tuple[ApiCall, ...] = ()
    """Calls that have to be accepted before it."""
    spending: tuple[ApiCall, ...] = ()
    """Calls made right before it, whatever they are answered: they use up what its rule counts."""
    is_early: bool = False
    """Whether it is refused before anybody looks at its signatures, whatever its code."""
    is_as_sent: bool = False
    """Whether its signatures are to be sent as they are, right or not."""


Broken = Iterator[NearValid]


def value_at(call: ApiCall, path: str | None) -> Any:
    """The field at a path (`maxFee.tokenId`); None where there is none."""
    value: Any = call.fields
    for name in (path or "").split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def changed_at(call: ApiCall, path: str | None, value: Any) -> ApiCall:
    """The same with another field at a path, which the request must have."""
    assert path is not None
    return call._replace(fields=with_field(call.fields, path, value))


def others_key(here: Known, call: ApiCall) -> str | None:
    """The key of another account than the caller's; None where there is none."""
    return next((one.api_key for one in here.accounts if one.api_key != call.key), None)


def table_rules(here: Known, call: ApiCall) -> Broken:
    """The call with each thing wrong that is wrong in every world (`WRONG_CALLS`)."""
    is_signed = here.option("signature.scheme") != "off"
    for row in WRONG_CALLS.get(call.endpoint, ()):
        key = others_key(here, call) if row.other_key else call.key
        # What is wrong with the header is a rule of all endpoints that ask for it.
        if (
            not row.in_every_world
            or row.signature
            or (row.other_key and key is None)
            or (row.of_signature and not is_signed)
        ):
            continue
        changes = row.changes_of(here.facts, call.fields)
        if all("." not in path or value_at(call, path) is not None for path in changes):
            wrong_call = call._replace(fields=row.apply(here.facts, call.fields), key=key)
            yield NearValid(wrong_call, here.code_of(row.codes), row.what, is_early=row.early)


def account_of(here: Known, account_id: int) -> Account:
    """The account of an id."""
    return here.world.accounts[account_id]


def header_rules(here: Known, call: ApiCall) -> Broken:
    """API key and signature header, where the endpoint asks for them."""
    row = BY_NAME[call.endpoint]
    if asks_for_key(here, call.endpoint):
        yield NearValid(call._replace(key=None), Code.AUTH_KEY_EMPTY, "no key")
        yield NearValid(call._replace(key=""), Code.AUTH_KEY_EMPTY, "an empty key")
        yield NearValid(call._replace(key="nobody's key"), Code.AUTH_KEY_INVALID, "nobody's key")
    if here.option("signature.scheme") == "off":
        return
    missing = here.option("auth.missing_signature_header")
    if row.signature is not None and missing != "ignore":
        yield NearValid(call._replace(signature=None), int(missing), "no header X-API-SIG")
        yield NearValid(call._replace(signature=" "), int(missing), "a blank header X-API-SIG")
    if call.endpoint != "submit_order" and any(judged.code is Code.AUTH_SIGNATURE_WRONG for judged in row.codes):
        yield NearValid(call._replace(signature=NO_SIGNATURE), Code.AUTH_SIGNATURE_WRONG, "no signature's form")


def asks_for_key(here: Known, endpoint: str) -> bool:
    """Whether an endpoint looks at the API key."""
    row = BY_NAME[endpoint]
    if row.key is KeyHeader.NOT_LISTED:
        return False
    if row.key is KeyHeader.NOT_SHOWN:
        return here.option("auth.key_on_silent") == "refuse"
    return Code.AUTH_KEY_EMPTY in row.listed_codes or here.option("auth.key_on_unlisted") == "refuse"


def wrong(here: Known, call: ApiCall) -> int:
    """The code of the endpoint for what is wrong and has no code of its own."""
    return shape_code(here, BY_NAME[call.endpoint])
