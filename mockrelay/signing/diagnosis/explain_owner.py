"""Why an owner's signature is wrong: the address is recovered for each guess, which fits if it is the owner's."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mockrelay.signing import owner, secp256k1
from mockrelay.signing.diagnosis.causes import Budget, Cause, Explanation, SignedRequest, SigningContext
from mockrelay.signing.diagnosis.digest_mistakes import Digest, transfer_text_digests, typed_digests
from mockrelay.signing.wire_forms import PERSONAL_SUFFIX, Layer1Signature, read_layer1

_LOOSE_LAYER1 = re.compile(r"(?:0x)?([0-9a-fA-F]{130})([0-9a-fA-F]{2})?")
_SHORT_LAYER1 = re.compile(r"0x([0-9a-fA-F]{129})(?:0[23])?")
_PART_DIGITS = 64
_PARITIES = (27, 28)
_DIGEST_MS = 0.1


def explain_owner(text: str, request: SignedRequest, context: SigningContext, budget: Budget) -> Explanation | None:
    """The cause, or None where no guess fits. Raises `Unreadable` for a body without a digest."""
    right = _right_digests(request, context)
    found = _LOOSE_LAYER1.fullmatch(text)
    if found is None:
        return _lost_zero(text, request.account.owner, right)
    rsv = bytes.fromhex(found[1])
    usual = read_layer1(text)
    signers = owner.signers(Layer1Signature(rsv, ""), right)
    account = request.account
    if account.owner.lower() in signers:
        return None if usual is not None else Explanation(Cause.FORM, _other_suffix(text, found[2]))
    for other in context.others:
        if other.owner.lower() in signers:
            wording = f"signed with the layer-1 key of {other.name}; the owner of {account.name} is meant"
            return Explanation(Cause.OTHER_ACCOUNT, wording)
    if (wording_of_v := _other_v(rsv, account.owner, right)) is not None:
        return Explanation(Cause.FORM, wording_of_v)
    cost_ms = _DIGEST_MS + secp256k1.backend().recover_ms
    for cause, sentence, digest in _digests(request, context, is_personal=found[2] == PERSONAL_SUFFIX):
        if not budget.spend(cost_ms):
            break
        if secp256k1.recover_address(digest, rsv) == account.owner.lower():
            return Explanation(cause, sentence)
    return None


def _right_digests(request: SignedRequest, context: SigningContext) -> tuple[bytes, ...]:
    if request.typed is None:
        return owner.transfer_v2_digests(request.body)
    return owner.digests_of(request.typed.hash(request.body, context.chain_id, int(context.exchange_address, 16)))


def _digests(request: SignedRequest, context: SigningContext, *, is_personal: bool) -> Iterator[Digest]:
    if request.typed is None:
        return transfer_text_digests(request.message, request.body, context)
    return typed_digests(request.typed, request.message, request.body, context, is_personal=is_personal)


def _lost_zero(text: str, account_owner: str, right: tuple[bytes, ...]) -> Explanation | None:
    """The signature in hex without a leading zero of r or s."""
    found = _SHORT_LAYER1.fullmatch(text)
    if found is None:
        return None
    digits = found[1]
    for part, start in (("r", 0), ("s", _PART_DIGITS)):
        rsv = bytes.fromhex(f"{digits[:start]}0{digits[start:]}")
        if owner.is_signed_by(account_owner, Layer1Signature(rsv, ""), right):
            wording = (
                f"the signature is right, but {part} has lost the zero that it begins with; 64 hex digits are meant"
            )
            return Explanation(Cause.FORM, wording)
    return None


def _other_suffix(text: str, suffix: str | None) -> str:
    if not text.startswith("0x"):
        return "the signature is right, but 0x is missing before it"
    return (
        f"the signature is right, but its suffix is {suffix}; 02 (the hash itself), 03 (the hash as a personal message) "
        "or none is meant"
    )


def _other_v(rsv: bytes, account_owner: str, right: tuple[bytes, ...]) -> str | None:
    for v in _PARITIES:
        signature = Layer1Signature(rsv[:64] + bytes((v,)), "")
        if rsv[64] != v and owner.is_signed_by(account_owner, signature, right):
            return f"the signature is right but for its byte v, which is {rsv[64]}; {v} is meant"
    return None
