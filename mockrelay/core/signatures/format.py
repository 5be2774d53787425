"""Checks of signatures by the choice `signature.scheme`. `presence`: there and well-formed (hex digits, length, parts below
the field's prime); `protocol`: also correct. Under both the user's own verifier may refuse more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call, Refused
from mockrelay.core.models import Account
from mockrelay.signing.parameters import SNARK_FIELD
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoint import Step
from mockrelay.spec.endpoints import ALL_ENDPOINTS
from mockrelay.spec.signed_bodies import NOTHING
from mockrelay.spec.signed_rows import SIGNED_BODIES
from mockrelay.spec.vocab import SIGNATURE_PARTS

if TYPE_CHECKING:
    from mockrelay.core.context import Context

_HEX = re.compile("0x[0-9a-fA-F]*")
_ECDSA_DIGITS = (130, 132)
"""r, s and v, without or with a byte for the kind of signed message."""
_EDDSA_DIGITS = 192
_HASH_DIGITS = 64
_PART_BYTES = 32
_FIELD_BYTES = SNARK_FIELD.to_bytes(_PART_BYTES, "big")
_parts_of = itemgetter(*(slice(at, at + _PART_BYTES) for at in range(0, 3 * _PART_BYTES, _PART_BYTES)))
_CHECKED_BY_STEP = frozenset(row.id for row in ALL_ENDPOINTS if Step.SIGNATURE in row.steps)
_DECIMAL_PARTS = re.compile(r"[0-9]{1,78},[0-9]{1,78},[0-9]{1,78}")


def is_checked(ctx: Context) -> bool:
    """Whether signatures are checked at all."""
    return ctx.decide("signature.scheme") != "off"


def check(ctx: Context, account: Account, call: Call) -> None:
    """Check the signatures of a call among the rules of its endpoint, unless a step before them has done it."""
    if call.endpoint.id not in _CHECKED_BY_STEP:
        check_now(ctx, account, call)


def check_now(ctx: Context, account: Account, call: Call) -> None:
    """Check the signatures of a call, unless nobody does: their form, under `protocol` whether they are right, and by the user's
    verifier, if there is one.
    """
    scheme = ctx.decide("signature.scheme")
    if scheme == "off":
        return
    form, part, _ = SIGNED_BODIES[call.endpoint.id]
    if form.in_parts:
        _check_parts(call)
    elif form.of_order and not _is_eddsa(call.args["eddsaSignature"]):
        raise _malformed("eddsaSignature")
    if not form.of_order:
        # Of an order the header is not read.
        try:
            _check_header(call)
            if not form.in_parts and form is not NOTHING:
                for name in _FIELDS:
                    _check_field(call.args[part] if part else call.args, name)
        except Refused:
            _explain(ctx, account, call)
            raise
    if scheme == "protocol":
        from mockrelay.core.signatures import verify  # noqa: PLC0415  # brings the curve, which no other option needs

        verify.check(ctx, account, call)
    if ctx.verify is not None and (reason := ctx.verify(account, call)) is not None:
        raise Refused(C.AUTH_SIGNATURE_WRONG, reason)


def _check_parts(call: Call) -> None:
    """Refused unless the three decimal parts of a gen-2 signature are below the field's prime."""
    args = call.args
    for part in SIGNATURE_PARTS:
        if int(args[part]) >= SNARK_FIELD:
            raise Refused(C.AUTH_SIGNATURE_WRONG, f"{part}: not below the field's prime")


def _check_header(call: Call) -> None:
    """Refused if the header X-API-SIG is neither empty nor a well-formed ECDSA or EdDSA signature."""
    header = (call.signature or "").strip()
    if header and not (_is_ecdsa(header) or _is_eddsa(header) or _is_decimal(header)):
        raise Refused(
            C.AUTH_SIGNATURE_WRONG,
            "header X-API-SIG: not 0x and 130 or 132 hex digits (ECDSA), nor 0x and 192, or three numbers with commas, "
            "each part below the field (EdDSA)",
        )


def _check_field(args: Mapping[str, Any], name: str) -> None:
    """Refused if the signature in a field of a gen-3 body is malformed."""
    text = args.get(name)
    # The spec does not show these fields for NFT requests, so no schema has checked their type.
    if text and not (isinstance(text, str) and _FIELDS[name](text)):
        raise _malformed(name)


def _malformed(name: str) -> Refused:
    detail = f"{name}: not of the form that it has: 0x and hex digits of its length"
    return Refused(C.AUTH_SIGNATURE_WRONG, detail)


def _explain(ctx: Context, account: Account, call: Call) -> None:
    """Under `protocol`, record the likely cause of a malformed signature."""
    if ctx.decide("signature.scheme") == "protocol":
        from mockrelay.core.signatures import verify  # noqa: PLC0415  # brings the curve, which no other option needs

        verify.explain_form(ctx, account, call)


def _is_ecdsa(text: str) -> bool:
    return bool(_HEX.fullmatch(text)) and len(text) - 2 in _ECDSA_DIGITS


def _is_eddsa(text: str) -> bool:
    if len(text) - 2 != _EDDSA_DIGITS or not text.startswith("0x"):
        return False
    try:
        sent = bytes.fromhex(text[2:])
    except ValueError:
        return False
    # Blanks, which `fromhex` passes over, leave too few bytes. Numbers of one length compare as their bytes do.
    return len(sent) == 3 * _PART_BYTES and max(_parts_of(sent)) < _FIELD_BYTES


def _is_decimal(text: str) -> bool:
    return bool(_DECIMAL_PARTS.fullmatch(text)) and all(int(part) < SNARK_FIELD for part in text.split(","))


def _is_hash(text: str) -> bool:
    return bool(_HEX.fullmatch(text)) and len(text) - 2 == _HASH_DIGITS


_FIELDS: Mapping[str, Callable[[str], bool]] = {
    "eddsaSignature": _is_eddsa,
    "ecdsaSignature": _is_ecdsa,
    "hashApproved": _is_hash,
}
