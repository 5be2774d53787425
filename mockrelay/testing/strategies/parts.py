"""What the calls of several endpoints are drawn from: who calls, signatures, times, ids, and fields by the schema."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import SIGNATURE_PARTS
from mockrelay.client.wrong_fields import request_place
from mockrelay.core.models import Account
from mockrelay.signing.moduli import SNARK_FIELD
from mockrelay.spec.endpoints import BY_NAME, KeyHeader, SignatureHeader
from mockrelay.spec.request_kinds import SIGNED_BODIES, FeeKind
from mockrelay.testing.strategies.known import Known, Payment
from mockrelay.testing.strategies.schemas import ADDRESSES, fitting
from mockrelay.testing.strategies.signing import (
    SIGNATURE_FIELDS,
    can_sign,
    drawn_way,
    is_signed,
    signed_as,
)
from mockrelay.wire.schemas import properties_of

ID_MAX = 2**32 - 1
SECONDS_MAX = 2**32 - 1
MONTH_S = 30 * 86_400
BEYOND_WEI = 10**30
"""More than anybody asks for; what has no upper limit is drawn up to here."""

_PARTS = st.integers(1, SNARK_FIELD - 1)
ECDSA = st.integers(1, 2**520 - 1).map("0x{:0130x}".format)
EDDSA = st.tuples(_PARTS, _PARTS, _PARTS).map(lambda parts: "0x" + "".join(f"{part:064x}" for part in parts))

Given = Mapping[str, Any]
"""Fields that a rule of the world decides, by name; the schema draws the others."""
_ABSENT = object()
ABSENT: Any = _ABSENT
"""Stands for a field that is left out."""


def assembled(
    draw: st.DrawFn, here: Known, endpoint: str, given: Given, account: Account | None, *, with_key: bool = True
) -> ApiCall:
    """A call with the fields that are given; of the others, those that are optional may be left out. Where signatures
    are verified it is signed by the account.
    """
    if account is None and with_key:
        account = one_of(draw, here.accounts)
    options = here.options(endpoint)
    request = request_place(endpoint, options)
    needed = request.schema.get("required", ())
    fields: dict[str, Any] = {}
    is_verified = is_signed(here, endpoint)
    for name, inner in properties_of(request, options).items():
        if is_verified and name in SIGNATURE_FIELDS:
            continue
        if name in given:
            value = given[name]
            if value is not ABSENT and (name in needed or name in _KEPT or draw(st.booleans())):
                fields[name] = value
        elif name in needed or draw(st.booleans()):
            fields[name] = draw(fitting(inner, options))
    key = account.api_key if account is not None and with_key else None
    if is_verified:
        assert account is not None
        signed = signed_as(here, ApiCall(endpoint, fields, key), account, drawn_way(draw, here, account, endpoint))
        return reject() if signed is None else signed
    row = BY_NAME[endpoint]
    forms = {SignatureHeader.ECDSA: ECDSA, SignatureHeader.EDDSA: EDDSA}
    signature = None if row.signature is None else draw(forms[row.signature])
    return ApiCall(endpoint, fields, key, signature)


_KEPT = frozenset({"tokenId", "nftType"})
"""Optional fields that a call has all the same."""


def one_of(draw: st.DrawFn, things: list[Any]) -> Any:
    """One of some things; where there are none, the example is given up."""
    return draw(st.sampled_from(things)) if things else reject()


def caller(draw: st.DrawFn, here: Known, account_id: int | None, can: Callable[[Account], bool]) -> Account:
    """An account that can make the call: the one that was asked for, or any."""
    found = [one for one in here.accounts if account_id in (None, one.account_id) and can(one)]
    account: Account = one_of(draw, found)
    return account


def signer(
    draw: st.DrawFn, here: Known, endpoint: str, account_id: int | None, can: Callable[[Account], bool]
) -> Account:
    """The same for a call that is signed."""
    return caller(draw, here, account_id, lambda one: can_sign(here, one, endpoint) and can(one))


def spelt(draw: st.DrawFn, address: str) -> str:
    """An address in one of the letter cases that clients write."""
    return draw(st.sampled_from([address, address.lower(), "0x" + address[2:].upper()]))


def common(draw: st.DrawFn, here: Known, endpoint: str, account: Account) -> dict[str, Any]:
    """Those fields of an endpoint's request that mean the same wherever they stand, as the account would send them."""
    exchange, row, options = here.config.exchange, BY_NAME[endpoint], here.options(endpoint)
    owners = st.sampled_from([one.owner for one in here.accounts])
    values: Mapping[str, Callable[[], Any]] = {
        "exchangeId": lambda: exchange.exchange_id,
        "exchange": lambda: spelt(draw, exchange.exchange_address),
        "accountId": lambda: account.account_id,
        # Anybody may look at an address; who changes something speaks for an account.
        "owner": lambda: draw(owners | ADDRESSES) if row.method == "GET" else spelt(draw, account.owner),
        "nonce": lambda: here.nonce(account),
        "validUntil": lambda: later_s(draw, here),
    }
    fields = properties_of(request_place(endpoint, options), options)
    return {name: value() for name, value in values.items() if name in fields}


def drawn_by_schema(draw: st.DrawFn, here: Known, account_id: int | None, *, endpoint: str) -> ApiCall:
    """A call whose fields the schema draws, but for those that mean the same wherever they stand."""
    account = signer(draw, here, endpoint, account_id, lambda _: True)
    given = common(draw, here, endpoint, account)
    if endpoint in SIGNED_BODIES:
        given |= signature_fields(draw, here, account, endpoint)
    return assembled(draw, here, endpoint, given, account, with_key=BY_NAME[endpoint].key is not KeyHeader.NOT_LISTED)


def signature_fields(draw: st.DrawFn, here: Known, account: Account, endpoint: str) -> dict[str, Any]:
    """The signatures in an endpoint's body."""
    return parts(draw, here) if SIGNED_BODIES[endpoint].form.in_parts else signatures(draw, here, account)


def parts(draw: st.DrawFn, here: Known) -> dict[str, str]:
    """The three decimal parts of a gen-2 signature, where they need only be well-formed."""
    return {} if here.verifies else {name: str(draw(_PARTS)) for name in SIGNATURE_PARTS}


def signatures(draw: st.DrawFn, here: Known, account: Account) -> dict[str, Any]:
    """The optional signatures of a gen-3 body, well-formed; where they must be right, only a hash that stands for one."""
    if here.verifies:
        approved = here.world.layer1.approved_hashes
        own = sorted(hash_ for owner, hash_ in approved if owner == account.owner.lower())
        return {"hashApproved": draw(st.sampled_from(["", *own]))}
    return {"eddsaSignature": draw(EDDSA), "ecdsaSignature": draw(ECDSA), "hashApproved": ""}


def extra_data(draw: st.DrawFn, here: Known) -> dict[str, Any]:
    """What a withdrawal's extraData must be where it is signed: bytes in hex. Elsewhere any text will do."""
    if not here.verifies:
        return {}
    return {"extraData": draw(st.just("") | st.binary(max_size=40).map(lambda data: f"0x{data.hex()}"))}


def later_s(draw: st.DrawFn, here: Known, *, least_s: int = 1) -> int:
    """A time ahead, in seconds."""
    return draw(st.integers(min(here.now_s + least_s, SECONDS_MAX), min(here.now_s + 2 * MONTH_S, SECONDS_MAX)))


def storage_id(draw: st.DrawFn, here: Known, account: Account, token_id: int) -> int:
    """A storage id that is free."""
    found = draw(st.integers(0, 20) | st.integers(0, ID_MAX))
    while not here.takes_storage_id(account, token_id, found):
        found = (found + 1) % (ID_MAX + 1)
    return found


def order_id(draw: st.DrawFn, here: Known, account: Account, token_id: int) -> int:
    """An order id that is free: the next one, or another."""
    following = here.world.orders.next_id(account.account_id, token_id)
    found = draw(st.just(following) | st.integers(0, ID_MAX))
    while not here.takes_order_id(account, token_id, found):
        found = (found + 1) % (ID_MAX + 1)
    return found


def payment(
    draw: st.DrawFn, here: Known, account: Account, kind: FeeKind, fits: Callable[[Payment], bool] = lambda _: True
) -> Payment:
    """A fee that the account can pay."""
    found: Payment = one_of(draw, [one for one in here.payments(account, kind) if fits(one)])
    return found


def offer(draw: st.DrawFn, paid: Payment, *, kept_wei: int = 0) -> int:
    """A fee offered: what is asked or more, of which `kept_wei` of the free money is left alone."""
    return draw(st.just(paid.quote_wei) | st.integers(paid.quote_wei, max(paid.most_wei - kept_wei, paid.quote_wei)))


def amount_within(draw: st.DrawFn, least_wei: int, most_wei: int) -> int:
    """An amount between two limits, both included."""
    return draw(st.integers(least_wei, most_wei)) if least_wei <= most_wei else reject()
