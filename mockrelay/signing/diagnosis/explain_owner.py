"""Why an owner's signature is wrong. It names an address for each guess at what was signed; the owner's says that it fits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mockrelay.signing import owner, secp256k1
from mockrelay.signing.diagnosis.causes import Budget, Cause, Explanation, Judged, Surroundings
from mockrelay.signing.diagnosis.digest_mistakes import Digest, of_transfer_text, of_typed
from mockrelay.signing.wire_forms import PERSONAL_SUFFIX, Layer1Signature, read_layer1

_LOOSE_LAYER1 = re.compile(r"(?:0x)?([0-9a-fA-F]{130})([0-9a-fA-F]{2})?")
_SHORT_LAYER1 = re.compile(r"0x([0-9a-fA-F]{129})(?:0[23])?")
_PART_DIGITS = 64
_PARITIES = (27, 28)
_DIGEST_MS = 0.1


def explain_owner(text: str, judged: Judged, known: Surroundings, budget: Budget) -> Explanation | None:
    """The likely cause, or None where no guess fits. Raises `Unreadable` where the owner can sign nothing."""
    right = _right_digests(judged, known)
    found = _LOOSE_LAYER1.fullmatch(text)
    if found is None:
        return _lost_zero(text, judged.account.owner, right)
    rsv = bytes.fromhex(found[1])
    usual = read_layer1(text)
    meant = owner.signers(Layer1Signature(rsv, ""), right)
    account = judged.account
    if account.owner.lower() in meant:
        return None if usual is not None else Explanation(Cause.FORM, _other_suffix(text, found[2]))
    for other in known.others:
        if other.owner.lower() in meant:
            said = f"signed with the layer-1 key of {other.name}; the owner of {account.name} is meant"
            return Explanation(Cause.OTHER_ACCOUNT, said)
    if (said_of_v := _other_v(rsv, account.owner, right)) is not None:
        return Explanation(Cause.FORM, said_of_v)
    cost_ms = _DIGEST_MS + secp256k1.backend().recover_ms
    for cause, sentence, digest in _digests(judged, known, is_personal=found[2] == PERSONAL_SUFFIX):
        if not budget.spend(cost_ms):
            break
        if secp256k1.recover_address(digest, rsv) == account.owner.lower():
            return Explanation(cause, sentence)
    return None


def _right_digests(judged: Judged, known: Surroundings) -> tuple[bytes, ...]:
    if judged.typed is None:
        return owner.transfer_v2_digests(judged.body)
    return owner.digests_of(judged.typed.hash(judged.body, known.chain_id, int(known.exchange_address, 16)))


def _digests(judged: Judged, known: Surroundings, *, is_personal: bool) -> Iterator[Digest]:
    if judged.typed is None:
        return of_transfer_text(judged.message, judged.body, known)
    return of_typed(judged.typed, judged.message, judged.body, known, is_personal=is_personal)


def _lost_zero(text: str, account_owner: str, right: tuple[bytes, ...]) -> Explanation | None:
    """R or s in hex without the zero that it begins with."""
    found = _SHORT_LAYER1.fullmatch(text)
    if found is None:
        return None
    digits = found[1]
    for part, start in (("r", 0), ("s", _PART_DIGITS)):
        rsv = bytes.fromhex(f"{digits[:start]}0{digits[start:]}")
        if owner.is_signed_by(account_owner, Layer1Signature(rsv, ""), right):
            said = f"the signature is right, but {part} has lost the zero that it begins with; 64 hex digits are meant"
            return Explanation(Cause.FORM, said)
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
