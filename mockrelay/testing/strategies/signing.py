"""Signs calls as clients do, for worlds that verify signatures; and makes signatures that are wrong in one place.

The signing functions import the curve, so they are imported only where a world verifies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from hypothesis import strategies as st

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import SIGNATURE_PARTS
from mockrelay.control.signable import BOTH, ECDSA, EDDSA, FAMILIES, SIGNABLE, Unsigned
from mockrelay.core.accounts.keys import signing_keys
from mockrelay.core.errors import CommandRefused
from mockrelay.core.models import Account
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoint import SignatureHeader
from mockrelay.spec.endpoints import BY_ID
from mockrelay.spec.signed_rows import SIGNED_BODIES
from mockrelay.testing.strategies.world_view import WorldView

SIGNATURE_FIELDS = frozenset({*SIGNATURE_PARTS, "eddsaSignature", "ecdsaSignature"})
"""The body's fields that signing adds."""
_APPROVED = "hashApproved"
_EDDSA_ENDS = {"Rx": 2 + 63, "Ry": 2 + 127, "S": 2 + 191}
"""Index of the last digit of each part of an EdDSA signature in hex."""
_ECDSA_ENDS = {"r": 2 + 63, "s": 2 + 127, "v": 2 + 129}
_EDDSA_CHARS = 2 + 192


class Way(NamedTuple):
    """How a call is signed."""

    scheme: str
    family: str
    form: str | None


def is_signed(view: WorldView, endpoint: str) -> bool:
    """Whether the calls of an endpoint must have valid signatures."""
    return view.verifies and endpoint in SIGNED_BODIES


def ways(view: WorldView, account: Account, endpoint: str) -> list[Way]:
    """The ways in which an account can sign; none where its private keys are unknown."""
    keys = signing_keys(view.world, account)
    schemes, forms = SIGNABLE[BY_ID[endpoint].name]
    asks_layer2 = BY_ID[endpoint].signature is SignatureHeader.EDDSA
    possible: list[Way] = []
    # Where the signed part of a body must have all fields of the spec, both signatures are required.
    asks_both = bool(SIGNED_BODIES[endpoint].part) and view.option("nft.optional_fields") == "strict"
    for scheme in (BOTH,) if asks_both else schemes:
        if keys.eddsa_private is None and (scheme != ECDSA or asks_layer2):
            continue
        if keys.layer1_private is None and scheme != EDDSA:
            continue
        families = FAMILIES if scheme != ECDSA or asks_layer2 else FAMILIES[:1]
        own_forms = forms if scheme in (BOTH, ECDSA) and forms else (None,)
        possible += [Way(scheme, family, form) for form in own_forms for family in families]
    return possible


def can_sign(view: WorldView, account: Account, endpoint: str) -> bool:
    """Whether an account can make calls of an endpoint with the signatures that the world requires."""
    return not is_signed(view, endpoint) or ways(view, account, endpoint) != []


def sign_as(view: WorldView, call: ApiCall, account: Account, way: Way) -> ApiCall | None:
    """The call with an account's signatures; None where a field cannot be signed."""
    from mockrelay.control import signer  # noqa: PLC0415  # brings the curve, which only worlds that verify need

    base = view.base() if BY_ID[call.endpoint].signature is SignatureHeader.EDDSA else None
    unsigned = Unsigned(BY_ID[call.endpoint].name, call.fields, base, way.scheme, way.family, way.form)
    try:
        signed = signer.sign_request(view.ctx, account, unsigned)
    except CommandRefused:
        return None
    fields = signed["body"] if call.method == "POST" else call.fields
    return call._replace(fields=fields, signature=signed["headers"].get("X-API-SIG"))


def sign_again(view: WorldView, call: ApiCall) -> ApiCall | None:
    """A changed call, signed by its caller in the first possible way; None where there is none."""
    account = caller_of(view, call)
    if account is None:
        return None
    of_scheme = {way.scheme: way for way in reversed(ways(view, account, call.endpoint))}
    tries = (sign_as(view, call, account, way) for way in reversed(of_scheme.values()))
    return next((signed for signed in tries if signed is not None), None)


def draw_way(draw: st.DrawFn, view: WorldView, account: Account, endpoint: str) -> Way:
    """One of the ways in which an account can sign."""
    return draw(st.sampled_from(ways(view, account, endpoint)))


def unsigned_content(call: ApiCall) -> Any:
    """The fields of a call without its signatures."""
    fields = _unsigned(call.fields)
    part = SIGNED_BODIES[call.endpoint].part if call.endpoint in SIGNED_BODIES else ""
    inner = fields.get(part)
    return {**fields, part: _unsigned(inner)} if isinstance(inner, Mapping) else fields


def is_judged_later(endpoint: str, code: int) -> bool:
    """Whether a code comes after the signatures in the order of the endpoint's codes."""
    codes = [int(judged.code) for judged in BY_ID[endpoint].codes]
    return code in codes and codes.index(code) > codes.index(C.AUTH_SIGNATURE_WRONG)


def signature_rules(view: WorldView, call: ApiCall) -> Iterator[tuple[str, int, ApiCall]]:
    """(what is wrong, the code of that, the rightly signed call with that one thing changed)."""
    account = caller_of(view, call)
    assert account is not None
    yield from ((rule, C.AUTH_SIGNATURE_WRONG, other) for rule, other in _with_flipped_bits(view, call, account))
    is_approved = bool(call.fields.get(_APPROVED))
    if not is_approved or "eddsaSignature" in call.fields:
        if (changed := _changed(call)) is not None:
            yield "a field changed after signing", C.AUTH_SIGNATURE_WRONG, changed
        for other in view.accounts:
            signed = _signed_by_another(view, call, account, other)
            if signed is not None:
                yield f"signed by {other.name}", C.AUTH_SIGNATURE_WRONG, signed
                break
    form, row = SIGNED_BODIES[call.endpoint].form, BY_ID[call.endpoint]
    if not form.in_parts and not is_approved and (row.signature is None or row.body_signatures):
        code = C.ORDER_SIGNATURE_MISSING if form.of_order else C.AUTH_SIGNATURE_MISSING
        yield "no signature", code, call.without(*SIGNATURE_FIELDS)._replace(signature=None)


def _with_flipped_bits(view: WorldView, call: ApiCall, account: Account) -> Iterator[tuple[str, ApiCall]]:
    """The call with the lowest bit of one part of one signature flipped, for each part."""
    for name in SIGNATURE_PARTS:
        if name in call.fields:
            yield f"{name}: one bit is another", call.but(**{name: str(int(call.fields[name]) ^ 1)})
    inner = _signed_fields(call)
    for name in ("eddsaSignature", "ecdsaSignature"):
        if name in inner:
            for part, text in _flip_bits(inner[name]):
                rule, changed = f"{name}: one bit of {part} is another", _with_signed(call, {name: text})
                yield rule, changed if inner is call.fields else _sign_header_again(view, changed, account)
    if call.signature is not None and not call.fields.get(_APPROVED):
        for part, text in _flip_bits(call.signature):
            yield f"header X-API-SIG: one bit of {part} is another", call._replace(signature=text)


def _flip_bits(text: str) -> Iterator[tuple[str, str]]:
    ends = _EDDSA_ENDS if len(text) == _EDDSA_CHARS else _ECDSA_ENDS
    for part, at in ends.items():
        yield part, f"{text[:at]}{int(text[at], 16) ^ 1:x}{text[at + 1 :]}"


def _sign_header_again(view: WorldView, call: ApiCall, account: Account) -> ApiCall:
    """The call with a signature header made again."""
    from mockrelay.signing.request_signature import sign_call  # noqa: PLC0415  # brings the curve
    from mockrelay.signing.wire_forms import eddsa_hex  # noqa: PLC0415

    key = signing_keys(view.world, account).eddsa_private
    assert key is not None
    url = view.base() + BY_ID[call.endpoint].path
    signature = sign_call(key, call.method, url, body=call.payload.decode())
    return call._replace(signature=eddsa_hex(signature))


def _changed(call: ApiCall) -> ApiCall | None:
    """The call with one field changed to another valid value and the signatures unchanged; None where no field can be."""
    inner = _signed_fields(call)
    if "label" in inner:
        return _with_signed(call, {"label": inner["label"] ^ 1})
    return _with_signed(call, {"validUntil": inner["validUntil"] + 1}) if "validUntil" in inner else None


def _signed_fields(call: ApiCall) -> Mapping[str, Any]:
    """The body of a call, or the part of it that is signed."""
    part = SIGNED_BODIES[call.endpoint].part
    inner: Mapping[str, Any] = call.fields[part] if part else call.fields
    return inner


def _with_signed(call: ApiCall, changed: Mapping[str, Any]) -> ApiCall:
    """The call with some signed fields changed."""
    part = SIGNED_BODIES[call.endpoint].part
    return call.but(**({part: {**call.fields[part], **changed}} if part else changed))


def _signed_by_another(view: WorldView, call: ApiCall, account: Account, other: Account) -> ApiCall | None:
    """The call signed by another account; None where the two share a key."""
    if not set(signing_keys(view.world, account)).isdisjoint(signing_keys(view.world, other)):
        return None
    scheme, _, form = ways(view, account, call.endpoint)[0]
    same = next((way for way in ways(view, other, call.endpoint) if (way.scheme, way.form) == (scheme, form)), None)
    return None if same is None else sign_as(view, call, other, same)


def caller_of(view: WorldView, call: ApiCall) -> Account | None:
    """The account of a call's API key or, without a key, the account that the call names."""
    account_id = view.world.account_of_key.get(call.key) if call.key else call.fields.get("accountId")
    return view.world.accounts.get(account_id) if isinstance(account_id, int) else None


def _unsigned(fields: Mapping[str, Any]) -> dict[str, Any]:
    left_out = SIGNATURE_FIELDS | {_APPROVED}
    return {name: value for name, value in fields.items() if name not in left_out}
