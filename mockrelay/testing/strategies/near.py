"""A call that breaks one rule, and the code that must come for that; and what rules of several endpoints are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from mockrelay.client.call import ApiCall
from mockrelay.core.models import Account
from mockrelay.spec.codes import Code
from mockrelay.spec.endpoints import BY_NAME, KeyHeader
from mockrelay.testing.strategies.known import Known, shape_code

UNKNOWN_ID = 2**31 + 7_777
"""An id that nothing has."""
SOME_ADDRESS = "0x" + "0d" * 20
SOME_HASH = "0x" + "0d" * 32
NO_SIGNATURE = "0x12"
"""Hex that is no signature."""

NO_JSON = b'{"'
"""A body that is no JSON."""


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


def inside(call: ApiCall, field: str, **changes: Any) -> ApiCall:
    """The same with changes inside an object."""
    return call.but(**{field: {**call.fields[field], **changes}})


def value_at(call: ApiCall, path: str | None) -> Any:
    """The field at a path (`maxFee.tokenId`); None where there is none."""
    value: Any = call.fields
    for name in (path or "").split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def changed_at(call: ApiCall, path: str, value: Any) -> ApiCall:
    """The same with another field at a path."""
    return call._replace(fields=fields_with(call.fields, path.split("."), value))


def fields_with(fields: Mapping[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    """The fields with another value at a path, whose objects are there."""
    name, *rest = path
    return {**fields, name: fields_with(fields[name], rest, value) if rest else value}


def others_key(here: Known, call: ApiCall) -> str | None:
    """The key of another account than the caller's; None where there is none."""
    return next((one.api_key for one in here.accounts if one.api_key != call.key), None)


def foreign(here: Known, call: ApiCall, code: int) -> Broken:
    """The call with another account's key."""
    key = others_key(here, call)
    if key is not None:
        yield NearValid(call._replace(key=key), code, "another account's key")


def early(rules: Iterable[NearValid]) -> Broken:
    """The same, all of them refused before anybody looks at signatures."""
    return (near._replace(is_early=True) for near in rules)


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
