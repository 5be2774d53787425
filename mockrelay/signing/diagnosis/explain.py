"""Finds why a signature is wrong: guesses at what was signed are tried until the signature is valid for one.

Imported only when a signature is wrong. An EdDSA signature is verified for each guess; from an ECDSA signature an address
is recovered for each guess, which fits if it is the owner's. A signature is not valid by chance, so a guess that fits is
what was signed; where none fits, there is no explanation. Guesses have one mistake each and are tried the likeliest first,
up to `ALLOWANCE_MS` of the measured costs of tries.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, permutations, product
from typing import NamedTuple

from mockrelay.signing import owner
from mockrelay.signing.curve import Point, negative
from mockrelay.signing.diagnosis.body_mistakes import inner_mistakes, other_hashes
from mockrelay.signing.diagnosis.call_mistakes import wrong_texts
from mockrelay.signing.diagnosis.causes import Budget, Cause, Explanation, SignedPart, SignedRequest, SigningContext
from mockrelay.signing.diagnosis.explain_owner import explain_owner
from mockrelay.signing.diagnosis.field_mistakes import field_guesses
from mockrelay.signing.eddsa import Signature, verifier_of
from mockrelay.signing.fields import Body, Unreadable
from mockrelay.signing.hashes import checksummed
from mockrelay.signing.keys import default_seed, key_candidates
from mockrelay.signing.messages import Message
from mockrelay.signing.poseidon import poseidon
from mockrelay.signing.request_signature import TEXT_MAX, message_of, signed_texts
from mockrelay.signing.wire_forms import read_eddsa

ALLOWANCE_MS = 180.0
"""250 ms less what is not counted: hashing the right messages, the tables of these hashes, and variation of machines."""
_TRY_MS = 0.75
"""The cost of verifying an EdDSA signature against a hash."""
_WORD_MS = 0.08
"""The cost of a hash, for each word of its state."""
_KEY_MS = 2.0
"""The extra cost of a key that is used for the first time."""
_WIDTH_MS = 10.0
"""The extra cost of the first hash of another width."""
_DERIVE_MS = 1.0
_LETTERS_PER_MS = 4000
_OTHERS_MAX = 12
_REPLACED_MAX = 3
_SHORT = re.compile("0x([0-9a-fA-F]{188,191})")
_PART_DIGITS = 64


def explain(signature: str, over: SignedPart, request: SignedRequest, context: SigningContext) -> Explanation | None:
    """The cause of a wrong signature, or None where no guess fits, or for a valid one. Never raises.

    `signature` is the text as it was sent, the three parts of a gen-2 body joined by commas.
    """
    budget = Budget(ALLOWANCE_MS)
    call = request.call
    if len(signature) > TEXT_MAX or len(call.url) + len(call.query) > TEXT_MAX or len(call.body) > TEXT_MAX:
        return None
    try:
        if over is SignedPart.OWNER:
            return explain_owner(signature, request, context, budget)
        return _explain_eddsa(signature, over, request, context, budget)
    except Unreadable:
        # Such a body has no hash, so it cannot be signed, whether right or wrong.
        return None


class _Candidate(NamedTuple):
    """A guess to be tried."""

    cause: Cause
    sentence: str
    key: Point
    messages: Callable[[], Iterable[int]]
    cost_ms: float


def _explain_eddsa(
    text: str, over: SignedPart, request: SignedRequest, context: SigningContext, budget: Budget
) -> Explanation | None:
    signature, key = read_eddsa(text), request.account.key
    if key is None:
        return None
    right = _right_messages(over, request)
    if signature is None:
        return _lost_zeros(text, key, right)
    is_signed_by = verifier_of(signature)
    if is_signed_by is None:
        return _other_parts(signature, key, right)
    if any(is_signed_by(key, message) for message in right):
        return None
    guesses = _call_candidates(request, key) if over is SignedPart.CALL else _message_candidates(request, context, key)
    # Of the ways to sign that are accepted, the likeliest two are tried with other keys.
    for cause, sentence, other, messages, cost_ms in chain(_key_candidates(request, context, key, right[:2]), guesses):
        if not budget.spend(cost_ms):
            return None
        if any(is_signed_by(other, message) for message in messages()):
            return Explanation(cause, sentence)
    return _other_parts(signature, key, right)


def _right_messages(over: SignedPart, request: SignedRequest) -> list[int]:
    if over is SignedPart.MESSAGE:
        return [request.message.hash(request.body)]
    return [message_of(text) for text in signed_texts(*request.call)]


def _key_candidates(
    request: SignedRequest, context: SigningContext, key: Point, right: list[int]
) -> Iterator[_Candidate]:
    cost_ms = _KEY_MS + _TRY_MS * len(right)
    name = request.account.name
    wording = f"signed with the key whose public key is that of {name} with the other sign of x; {name}'s key is meant"
    yield _Candidate(Cause.KEY_SIGN, wording, negative(key), lambda: right, cost_ms)
    wording = f"signed with a key that {name} had before its last key update; the present key is meant"
    for replaced in context.replaced[:_REPLACED_MAX]:
        yield _Candidate(Cause.REPLACED_KEY, wording, replaced, lambda: right, cost_ms)
    for other in context.others[:_OTHERS_MAX]:
        if other.key is not None and other.key != key:
            wording = f"signed with the key of {other.name}; the key of {name} is meant"
            yield _Candidate(Cause.OTHER_ACCOUNT, wording, other.key, lambda: right, cost_ms)
    if context.layer1_key is None:
        return
    for wording, seed, is_usual in _seeds(context):
        usual, *unusual = key_candidates(owner.sign_text(context.layer1_key, seed))
        for pair in [usual] if is_usual else unusual:
            sentence = f"signed with the key that is made from {wording}; the key that {name} has is meant"
            yield _Candidate(Cause.KEY_SEED, sentence, pair.public, lambda: right, cost_ms + _DERIVE_MS)


def _seeds(context: SigningContext) -> Iterator[tuple[str, str, bool]]:
    """Texts that a client may have derived its key from, and whether it writes v of their signature in the usual way."""
    address, nonce = context.exchange_address, context.key_nonce
    for other in (nonce + 1, nonce - 1):
        if other >= 0:
            yield f"the usual text with the key nonce {other}", default_seed(address, other), True
    with_checksum = checksummed(bytes.fromhex(address.removeprefix("0x")))
    for spelt, case in ((address.lower(), "in lower case"), (with_checksum, "in the letter case of a checksum")):
        if spelt != address:
            yield f"the usual text with the exchange's address {case}", default_seed(spelt, nonce), True
    yield "the usual text, signed with another way to write v", default_seed(address, nonce), False


def _message_candidates(request: SignedRequest, context: SigningContext, key: Point) -> Iterator[_Candidate]:
    message, body = request.message, request.body
    fields = message.inputs(body)
    width = len(fields) + 1
    hash_ms = _hash_ms(width)
    for cause, sentence, variant in inner_mistakes(message, body):
        yield _Candidate(cause, sentence, key, partial(_hashes, message, variant), 2 * hash_ms + _TRY_MS)
    wording = "signed over the text of the whole call, as a header is; the fields are meant"
    whole = [message_of(text) for text in signed_texts(*request.call)[:2]]
    yield _Candidate(Cause.HASH, wording, key, partial(tuple, whole), _TRY_MS * len(whole))
    new_ms = _WIDTH_MS
    for sentence, hash_ in other_hashes(message, request.typed, body, context):
        yield _Candidate(Cause.HASH, sentence, key, partial(tuple, (hash_,)), new_ms + hash_ms + _TRY_MS)
        new_ms = 0
    widths, tried = {width}, {_state(fields.values(), width)}
    for cause, sentence, changed, is_padded in field_guesses(tuple(fields.items()), context, body):
        wide = width if is_padded else len(changed) + 1
        state = _state((value for _, value in changed if isinstance(value, int)), wide)
        if state in tried:
            continue
        cost_ms = hash_ms + _TRY_MS + (0 if wide in widths else _WIDTH_MS)
        tried.add(state)
        widths.add(wide)
        yield _Candidate(cause, sentence, key, partial(_poseidons, state), cost_ms)


def _call_candidates(request: SignedRequest, key: Point) -> Iterator[_Candidate]:
    for cause, sentence, text in wrong_texts(request.call):
        yield _Candidate(cause, sentence, key, partial(_text_messages, text), _TRY_MS + len(text) / _LETTERS_PER_MS)
    wording = "signed over the hash of the body's fields; the text of the whole call is meant"
    yield _Candidate(Cause.HASH, wording, key, partial(_hashes, request.message, request.body), _WIDTH_MS + _TRY_MS)


def _hash_ms(width: int) -> float:
    return _WORD_MS * width


def _state(values: Iterable[int], width: int) -> tuple[int, ...]:
    """The numbers as they are hashed: padded with zeros to the width."""
    numbers = tuple(values)
    return *numbers, *(0,) * (width - len(numbers))


def _poseidons(state: tuple[int, ...]) -> tuple[int]:
    return (poseidon(state, len(state)),)


def _text_messages(text: str) -> tuple[int]:
    return (message_of(text),)


def _hashes(message: Message, body: Body) -> tuple[int, ...]:
    try:
        return (message.hash(body),)
    except Unreadable:
        return ()


def _lost_zeros(text: str, key: Point, right: list[int]) -> Explanation | None:
    """A signature in hex whose parts lost leading zeros. R is a point of the curve for few of the possible splits."""
    found = _SHORT.fullmatch(text)
    if found is None:
        return None
    digits = found[1]
    lost = 3 * _PART_DIGITS - len(digits)
    for of_rx, of_ry in product(range(lost + 1), repeat=2):
        first, second = _PART_DIGITS - of_rx, 2 * _PART_DIGITS - of_rx - of_ry
        parts = (digits[:first], digits[first:second], digits[second:])
        if of_rx + of_ry > lost:
            continue
        is_signed_by = verifier_of(Signature(*(int(part, 16) for part in parts)))
        if is_signed_by is not None and any(is_signed_by(key, message) for message in right):
            wording = f"{lost} of the zeros are lost that the parts of the signature begin with"
            return Explanation(Cause.FORM, f"the signature is right, but {wording}; 64 hex digits a part are meant")
    return None


def _other_parts(signature: Signature, key: Point, right: list[int]) -> Explanation | None:
    """The three numbers of a signature in another order. R is a point of the curve for few of the orders."""
    for rx, ry, s in permutations(signature):
        is_signed_by = verifier_of(Signature(rx, ry, s))
        if is_signed_by is not None and any(is_signed_by(key, message) for message in right[:1]):
            return Explanation(
                Cause.FORM, "the three numbers of the signature are in another order; Rx, Ry, s is meant"
            )
    return None
