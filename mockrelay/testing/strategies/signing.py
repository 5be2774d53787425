"""Calls signed as clients sign them, for worlds that verify signatures; and signatures that are wrong in one place.

What signs brings the curve, so it is imported where a world verifies and not before.
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
from mockrelay.spec.endpoints import BY_NAME, SignatureHeader
from mockrelay.spec.request_kinds import SIGNED_BODIES
from mockrelay.testing.strategies.known import Known

SIGNATURE_FIELDS = frozenset({*SIGNATURE_PARTS, "eddsaSignature", "ecdsaSignature"})
"""What a signer puts into a body."""
_APPROVED = "hashApproved"
_EDDSA_ENDS = {"Rx": 2 + 63, "Ry": 2 + 127, "S": 2 + 191}
"""Where the last digit of each part of an EdDSA signature stands."""
_ECDSA_ENDS = {"r": 2 + 63, "s": 2 + 127, "v": 2 + 129}
_EDDSA_CHARS = 2 + 192


class Way(NamedTuple):
    """How a call is signed."""

    scheme: str
    family: str
    form: str | None


def is_signed(here: Known, endpoint: str) -> bool:
    """Whether the calls of an endpoint must be signed rightly."""
    return here.verifies and endpoint in SIGNABLE


def ways(here: Known, account: Account, endpoint: str) -> list[Way]:
    """The ways in which an account can sign; none where nobody here has its keys."""
    keys = signing_keys(here.world, account)
    schemes, forms = SIGNABLE[endpoint]
    asks_layer2 = BY_NAME[endpoint].signature is SignatureHeader.EDDSA
    found: list[Way] = []
    # Where the part of a body that is signed must have all fields that are shown, both signatures are among them.
    asks_both = bool(SIGNED_BODIES[endpoint].part) and here.option("nft.optional_fields") == "strict"
    for scheme in (BOTH,) if asks_both else schemes:
        if keys.eddsa_private is None and (scheme != ECDSA or asks_layer2):
            continue
        if keys.layer1_private is None and scheme != EDDSA:
            continue
        families = FAMILIES if scheme != ECDSA or asks_layer2 else FAMILIES[:1]
        own_forms = forms if scheme in (BOTH, ECDSA) and forms else (None,)
        found += [Way(scheme, family, form) for form in own_forms for family in families]
    return found


def can_sign(here: Known, account: Account, endpoint: str) -> bool:
    """Whether an account can make calls of an endpoint that a world takes, as far as signatures go."""
    return not is_signed(here, endpoint) or ways(here, account, endpoint) != []


def signed_as(here: Known, call: ApiCall, account: Account, way: Way) -> ApiCall | None:
    """The call with an account's signatures; None where a field is none that can be signed."""
    from mockrelay.control import signer  # noqa: PLC0415  # brings the curve, which only worlds that verify need

    base = here.base() if BY_NAME[call.endpoint].signature is SignatureHeader.EDDSA else None
    wish = Unsigned(call.endpoint, call.fields, base, way.scheme, way.family, way.form)
    try:
        told = signer.signed(here.ctx, account, wish)
    except CommandRefused:
        return None
    return call._replace(fields=told["body"], signature=told["headers"].get("X-API-SIG"))


def signed_anew(here: Known, call: ApiCall) -> ApiCall | None:
    """A call that was changed, signed by its caller in the first way that can be; None where there is none."""
    account = _signer_of(here, call)
    if account is None:
        return None
    of_scheme = {way.scheme: way for way in reversed(ways(here, account, call.endpoint))}
    tries = (signed_as(here, call, account, way) for way in reversed(of_scheme.values()))
    return next((signed for signed in tries if signed is not None), None)


def drawn_way(draw: st.DrawFn, here: Known, account: Account, endpoint: str) -> Way:
    """One of the ways in which an account can sign."""
    return draw(st.sampled_from(ways(here, account, endpoint)))


def content(call: ApiCall) -> Any:
    """What a call says beside its signatures."""
    fields = _unsigned(call.fields)
    part = SIGNED_BODIES[call.endpoint].part if call.endpoint in SIGNED_BODIES else ""
    inner = fields.get(part)
    return {**fields, part: _unsigned(inner)} if isinstance(inner, Mapping) else fields


def is_judged_later(endpoint: str, code: int) -> bool:
    """Whether a code's rules are judged after the signatures."""
    codes = [int(judged.code) for judged in BY_NAME[endpoint].codes]
    return code in codes and codes.index(code) > codes.index(C.AUTH_SIGNATURE_WRONG)


def wrong_signatures(here: Known, call: ApiCall) -> Iterator[tuple[str, int, ApiCall]]:
    """What is wrong, the code that must come, and a rightly signed call with that one thing wrong."""
    account = _signer_of(here, call)
    assert account is not None
    yield from ((rule, C.AUTH_SIGNATURE_WRONG, other) for rule, other in _flipped(here, call, account))
    is_approved = bool(call.fields.get(_APPROVED))
    if not is_approved or "eddsaSignature" in call.fields:
        if (changed := _changed(call)) is not None:
            yield "a field changed after signing", C.AUTH_SIGNATURE_WRONG, changed
        for other in here.accounts:
            stranger = _strangers(here, call, account, other)
            if stranger is not None:
                yield f"signed by {other.name}", C.AUTH_SIGNATURE_WRONG, stranger
                break
    if BY_NAME[call.endpoint].signature is None and not SIGNED_BODIES[call.endpoint].form.in_parts:
        yield "no signature", C.AUTH_SIGNATURE_MISSING, call.without(*SIGNATURE_FIELDS)._replace(signature=None)


def _flipped(here: Known, call: ApiCall, account: Account) -> Iterator[tuple[str, ApiCall]]:
    """The call with the lowest bit of each part of each signature turned over, one at a time."""
    for name in SIGNATURE_PARTS:
        if name in call.fields:
            yield f"{name}: one bit is another", call.but(**{name: str(int(call.fields[name]) ^ 1)})
    inner = _signed_fields(call)
    for name in ("eddsaSignature", "ecdsaSignature"):
        if name in inner:
            for part, text in _turned(inner[name]):
                rule, changed = f"{name}: one bit of {part} is another", _with_signed(call, {name: text})
                yield rule, changed if inner is call.fields else _header_anew(here, changed, account)
    if call.signature is not None and not call.fields.get(_APPROVED):
        for part, text in _turned(call.signature):
            yield f"header X-API-SIG: one bit of {part} is another", call._replace(signature=text)


def _turned(text: str) -> Iterator[tuple[str, str]]:
    ends = _EDDSA_ENDS if len(text) == _EDDSA_CHARS else _ECDSA_ENDS
    for part, at in ends.items():
        yield part, f"{text[:at]}{int(text[at], 16) ^ 1:x}{text[at + 1 :]}"


def _header_anew(here: Known, call: ApiCall, account: Account) -> ApiCall:
    """The call with a header that signs it as it is now."""
    from mockrelay.signing.request_signature import sign_call  # noqa: PLC0415  # brings the curve
    from mockrelay.signing.wire_forms import eddsa_hex  # noqa: PLC0415

    key = signing_keys(here.world, account).eddsa_private
    assert key is not None
    url = here.base() + BY_NAME[call.endpoint].path
    signature = sign_call(key, call.method, url, body=call.payload.decode())
    return call._replace(signature=eddsa_hex(signature))


def _changed(call: ApiCall) -> ApiCall | None:
    """The call with another value that would be as right, and the signatures of the one before; None where no field is
    known to have one.
    """
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
    """The call with other values in what is signed."""
    part = SIGNED_BODIES[call.endpoint].part
    return call.but(**({part: {**call.fields[part], **changed}} if part else changed))


def _strangers(here: Known, call: ApiCall, account: Account, other: Account) -> ApiCall | None:
    """The call signed with the keys of an account that has none of the caller's."""
    if not set(signing_keys(here.world, account)).isdisjoint(signing_keys(here.world, other)):
        return None
    scheme, _, form = ways(here, account, call.endpoint)[0]
    same = next((way for way in ways(here, other, call.endpoint) if (way.scheme, way.form) == (scheme, form)), None)
    return None if same is None else signed_as(here, call, other, same)


def _signer_of(here: Known, call: ApiCall) -> Account | None:
    """Who makes a call: the account of its key or, where it carries none, the one that it names."""
    account_id = here.world.account_of_key.get(call.key) if call.key else call.fields.get("accountId")
    return here.world.accounts.get(account_id) if isinstance(account_id, int) else None


def _unsigned(fields: Mapping[str, Any]) -> dict[str, Any]:
    left_out = SIGNATURE_FIELDS | {_APPROVED}
    return {name: value for name, value in fields.items() if name not in left_out}
