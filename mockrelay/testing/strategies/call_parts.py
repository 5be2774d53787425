"""Draws what the calls of several endpoints have: the caller, signatures, times, ids, and fields by the schema."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import SIGNATURE_PARTS, ZERO_ADDRESS
from mockrelay.client.wrong_fields import request_place
from mockrelay.core.models import Account
from mockrelay.signing.parameters import SNARK_FIELD
from mockrelay.spec.endpoint import SPEC, KeyHeader, SignatureHeader
from mockrelay.spec.endpoints import BY_ID
from mockrelay.spec.request_kinds import FeeKind
from mockrelay.spec.signed_rows import SIGNED_BODIES
from mockrelay.testing.strategies.schema_values import ADDRESSES, values_of
from mockrelay.testing.strategies.signing import (
    SIGNATURE_FIELDS,
    can_sign,
    draw_way,
    is_signed,
    sign_as,
)
from mockrelay.testing.strategies.world_view import Payment, WorldView
from mockrelay.wire.schemas import properties_of

ID_MAX = 2**32 - 1
SECONDS_MAX = 2**32 - 1
MONTH_S = 30 * 86_400
BEYOND_WEI = 10**30
"""The largest amount that is drawn where nothing limits it."""

_PARTS = st.integers(1, SNARK_FIELD - 1)
ECDSA = st.integers(1, 2**520 - 1).map("0x{:0130x}".format)
EDDSA = st.tuples(_PARTS, _PARTS, _PARTS).map(
    lambda signature_parts: "0x" + "".join(f"{part:064x}" for part in signature_parts)
)

FieldValues = Mapping[str, Any]
"""Fields whose values the world decides, by name; the others are drawn from the schema."""
_ABSENT = object()
ABSENT: Any = _ABSENT
"""The value of a field that is left out."""


def assemble_call(
    draw: st.DrawFn,
    view: WorldView,
    endpoint: str,
    values: FieldValues,
    account: Account | None,
    *,
    with_key: bool = True,
    sent: Collection[str] = (),
) -> ApiCall:
    """A call to a row with these field values; other fields are drawn from the schema, and optional ones may be left out, but
    for those in `sent`. Where signatures are verified it is signed by the account.
    """
    if account is None and with_key:
        account = one_of(draw, view.accounts)
    options = view.options(endpoint)
    request = request_place(endpoint, options)
    needed = request.schema.get("required", ())
    fields: dict[str, Any] = {}
    is_verified = is_signed(view, endpoint)
    for name, inner in properties_of(request, options).items():
        if is_verified and name in SIGNATURE_FIELDS:
            continue
        if name in values:
            value = values[name]
            if value is not ABSENT and (name in needed or name in _ALWAYS_SENT or name in sent or draw(st.booleans())):
                fields[name] = value
        elif name in needed or draw(st.booleans()):
            fields[name] = draw(values_of(inner, options))
    key = account.api_key if account is not None and with_key else None
    if is_verified:
        assert account is not None
        signed = sign_as(
            view, ApiCall(endpoint, fields, key, is_drawn=True), account, draw_way(draw, view, account, endpoint)
        )
        return reject() if signed is None else signed
    row = BY_ID[endpoint]
    forms = {SignatureHeader.ECDSA: ECDSA, SignatureHeader.EDDSA: EDDSA}
    signature = None if row.signature is None else draw(forms[row.signature])
    return ApiCall(endpoint, fields, key, signature, is_drawn=True)


_ALWAYS_SENT = frozenset({"tokenId", "nftType"})
"""Optional fields that are never left out."""


def one_of(draw: st.DrawFn, items: list[Any]) -> Any:
    """One of the items; where there are none, the example is rejected."""
    return draw(st.sampled_from(items)) if items else reject()


def caller(draw: st.DrawFn, view: WorldView, account_id: int | None, can: Callable[[Account], bool]) -> Account:
    """An account that can make the call: the one with an id, or any."""
    found = [one for one in view.accounts if account_id in (None, one.account_id) and can(one)]
    account: Account = one_of(draw, found)
    return account


def signer(
    draw: st.DrawFn, view: WorldView, endpoint: str, account_id: int | None, can: Callable[[Account], bool]
) -> Account:
    """An account that can make and sign the call."""
    return caller(draw, view, account_id, lambda one: can_sign(view, one, endpoint) and can(one))


def any_case(draw: st.DrawFn, address: str) -> str:
    """An address in one of the letter cases that clients use."""
    return draw(st.sampled_from([address, address.lower(), "0x" + address[2:].upper()]))


def common_fields(draw: st.DrawFn, view: WorldView, endpoint: str, account: Account) -> dict[str, Any]:
    """The fields of an endpoint's request that mean the same in all endpoints, as the account would send them."""
    exchange, row, options = view.config.exchange, BY_ID[endpoint], view.options(endpoint)
    owners = st.sampled_from([one.owner for one in view.accounts])
    values: Mapping[str, Callable[[], Any]] = {
        "exchangeId": lambda: exchange.exchange_id,
        "exchange": lambda: any_case(draw, exchange.exchange_address),
        "accountId": lambda: account.account_id,
        # Every client may read every address; a submission is for the account's own.
        "owner": lambda: draw(owners | ADDRESSES) if row.method != "POST" else any_case(draw, account.owner),
        "nonce": lambda: view.nonce(account),
        "validUntil": lambda: later_s(draw, view),
    }
    fields = properties_of(request_place(endpoint, options), options)
    return {name: value() for name, value in values.items() if name in fields}


def draw_by_schema(draw: st.DrawFn, view: WorldView, account_id: int | None, *, endpoint: str) -> ApiCall:
    """A call whose fields are drawn from the schema, but for the common ones."""
    account = signer(draw, view, endpoint, account_id, lambda _: True)
    values = common_fields(draw, view, endpoint, account)
    if endpoint in SIGNED_BODIES:
        values |= signature_fields(draw, view, account, endpoint)
    return assemble_call(
        draw, view, endpoint, values, account, with_key=BY_ID[endpoint].key is not KeyHeader.NOT_LISTED
    )


def signature_fields(draw: st.DrawFn, view: WorldView, account: Account, endpoint: str) -> dict[str, Any]:
    """The signatures in an endpoint's body."""
    return (
        signature_parts(draw, view)
        if SIGNED_BODIES[endpoint].form.in_parts
        else optional_signatures(draw, view, account)
    )


def signature_parts(draw: st.DrawFn, view: WorldView) -> dict[str, str]:
    """The three decimal parts of a gen-2 signature; none where signatures are verified, since signing adds them."""
    return {} if view.verifies else {name: str(draw(_PARTS)) for name in SIGNATURE_PARTS}


def optional_signatures(draw: st.DrawFn, view: WorldView, account: Account) -> dict[str, Any]:
    """The optional signatures of a gen-3 body; where signatures are verified only `hashApproved`, since signing adds the others."""
    if view.verifies:
        approved = view.world.layer1.approved_hashes
        own = sorted(hash_ for owner, hash_ in approved if owner == account.owner.lower())
        return {"hashApproved": draw(st.sampled_from(["", *own]))}
    return {"eddsaSignature": draw(EDDSA), "ecdsaSignature": draw(ECDSA), "hashApproved": ""}


def extra_data(draw: st.DrawFn, view: WorldView) -> dict[str, Any]:
    """A withdrawal's `extraData`: bytes in hex where it is signed; elsewhere the schema draws any text."""
    if not view.verifies:
        return {}
    return {"extraData": draw(st.just("") | st.binary(max_size=40).map(lambda data: f"0x{data.hex()}"))}


def later_s(draw: st.DrawFn, view: WorldView, *, least_s: int = 1) -> int:
    """A time in the future, in seconds."""
    return draw(st.integers(min(view.now_s + least_s, SECONDS_MAX), min(view.now_s + 2 * MONTH_S, SECONDS_MAX)))


def takes_address(row_id: str) -> bool:
    """Whether a row finds a receiver on layer 2 by its address, and makes an account where there is none."""
    return BY_ID[row_id].profile != SPEC


def receiver_of(draw: st.DrawFn, view: WorldView, *, by_address: bool) -> tuple[int, str]:
    """The account id and the address of a receiver. By address the id may be 0, and the address nobody's so far."""
    receiver = one_of(draw, list(view.world.accounts.values()))
    owner = any_case(draw, receiver.owner)
    if not by_address:
        return receiver.account_id, owner
    anyone = ADDRESSES.filter(lambda address: address != ZERO_ADDRESS)
    found: tuple[int, str] = draw(
        st.sampled_from([(receiver.account_id, owner), (0, owner)]) | st.tuples(st.just(0), anyone)
    )
    return found


def storage_id(draw: st.DrawFn, view: WorldView, account: Account, token_id: int) -> int:
    """A free storage id."""
    found = draw(st.integers(0, 20) | st.integers(0, ID_MAX))
    while not view.takes_storage_id(account, token_id, found):
        found = (found + 1) % (ID_MAX + 1)
    return found


def order_id(draw: st.DrawFn, view: WorldView, account: Account, token_id: int) -> int:
    """A free order id: the next one, or another."""
    following = view.world.orders.next_id(account.account_id, token_id)
    found = draw(st.just(following) | st.integers(0, ID_MAX))
    while not view.takes_order_id(account, token_id, found):
        found = (found + 1) % (ID_MAX + 1)
    return found


def payment(
    draw: st.DrawFn, view: WorldView, account: Account, kind: FeeKind, fits: Callable[[Payment], bool] = lambda _: True
) -> Payment:
    """A fee that the account can pay."""
    found: Payment = one_of(draw, [one for one in view.payments(account, kind) if fits(one)])
    return found


def offer(draw: st.DrawFn, chosen: Payment, *, reserved_wei: int = 0) -> int:
    """The fee to offer: the quote or more, such that `reserved_wei` of the free balance are left."""
    return draw(
        st.just(chosen.quote_wei) | st.integers(chosen.quote_wei, max(chosen.most_wei - reserved_wei, chosen.quote_wei))
    )


def amount_within(draw: st.DrawFn, least_wei: int, most_wei: int) -> int:
    """An amount between two bounds, both inclusive; where there is none, the example is rejected."""
    return draw(st.integers(least_wei, most_wei)) if least_wei <= most_wei else reject()
