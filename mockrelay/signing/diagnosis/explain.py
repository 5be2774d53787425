"""Why a signature is wrong, found by trying: what is signed wrongly is guessed until the signature is right for a guess.

Imported only when a signature is wrong. An EdDSA signature does not tell what was signed, so each guess is verified; an
ECDSA signature names an address for each guess, and a guess fits where that is the owner's. A signature that fits is no
accident, so what is named here was really signed; where nothing fits, nothing is named. Mistakes are guessed one at a
time, the likeliest first, for at most `ALLOWANCE_MS` of what each try is known to take.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, permutations, product
from typing import NamedTuple

from mockrelay.signing import owner
from mockrelay.signing.curve import Point, negative
from mockrelay.signing.diagnosis.body_mistakes import inner_variants, other_hashes
from mockrelay.signing.diagnosis.call_mistakes import texts
from mockrelay.signing.diagnosis.causes import Budget, Cause, Explanation, Judged, Over, Surroundings
from mockrelay.signing.diagnosis.explain_owner import explain_owner
from mockrelay.signing.diagnosis.field_mistakes import guesses
from mockrelay.signing.eddsa import Signature, trial
from mockrelay.signing.fields import Body, Unreadable
from mockrelay.signing.hashes import checksummed
from mockrelay.signing.keys import default_seed, key_candidates
from mockrelay.signing.messages import Message
from mockrelay.signing.poseidon import poseidon
from mockrelay.signing.request_signature import TEXT_MAX, message_of, signed_texts
from mockrelay.signing.wire_forms import read_eddsa

ALLOWANCE_MS = 180.0
"""250 ms less what is not counted: the right messages, the constants of their hashes, and a machine's moods."""
_TRY_MS = 0.75
"""An EdDSA signature against a message whose hash is known."""
_WORD_MS = 0.08
"""A hash, by each word of its state."""
_KEY_MS = 2.0
"""More, where the key is new."""
_WIDTH_MS = 10.0
"""More, where a message is hashed that is as wide as no right one."""
_DERIVE_MS = 1.0
_LETTERS_PER_MS = 4000
_OTHERS_MAX = 12
_REPLACED_MAX = 3
_SHORT = re.compile("0x([0-9a-fA-F]{188,191})")
_PART_DIGITS = 64


def explain(signature: str, over: Over, judged: Judged, known: Surroundings) -> Explanation | None:
    """The likely cause why this signature is wrong, or None where no guess fits; also of a right one. Never raises.

    `signature` is the text as it was sent, the three parts of a gen-2 body joined by commas.
    """
    budget = Budget(ALLOWANCE_MS)
    call = judged.call
    if len(signature) > TEXT_MAX or len(call.url) + len(call.query) > TEXT_MAX or len(call.body) > TEXT_MAX:
        return None
    try:
        if over is Over.OWNER:
            return explain_owner(signature, judged, known, budget)
        return _explain_eddsa(signature, over, judged, known, budget)
    except Unreadable:
        # Nobody can sign such a body, so there is nothing to mistake it for.
        return None


class _Try(NamedTuple):
    """A guess that is yet to be tried."""

    cause: Cause
    sentence: str
    key: Point
    messages: Callable[[], Iterable[int]]
    cost_ms: float


def _explain_eddsa(text: str, over: Over, judged: Judged, known: Surroundings, budget: Budget) -> Explanation | None:
    signature, key = read_eddsa(text), judged.account.key
    if key is None:
        return None
    right = _right_messages(over, judged)
    if signature is None:
        return _lost_zeros(text, key, right)
    is_signed = trial(signature)
    if is_signed is None:
        return _other_parts(signature, key, right)
    if any(is_signed(key, message) for message in right):
        return None
    guessed = _call_tries(judged, key) if over is Over.CALL else _message_tries(judged, known, key)
    # A client signs in one of the ways that count as right; the likeliest two stand for all.
    for cause, sentence, other, messages, cost_ms in chain(_key_tries(judged, known, key, right[:2]), guessed):
        if not budget.spend(cost_ms):
            return None
        if any(is_signed(other, message) for message in messages()):
            return Explanation(cause, sentence)
    return _other_parts(signature, key, right)


def _right_messages(over: Over, judged: Judged) -> list[int]:
    if over is Over.MESSAGE:
        return [judged.message.hash(judged.body)]
    return [message_of(text) for text in signed_texts(*judged.call)]


def _key_tries(judged: Judged, known: Surroundings, key: Point, right: list[int]) -> Iterator[_Try]:
    cost_ms = _KEY_MS + _TRY_MS * len(right)
    name = judged.account.name
    said = f"signed with the key whose public key is that of {name} with the other sign of x; {name}'s key is meant"
    yield _Try(Cause.KEY_SIGN, said, negative(key), lambda: right, cost_ms)
    said = f"signed with a key that {name} had before its last key update; the present key is meant"
    for replaced in known.replaced[:_REPLACED_MAX]:
        yield _Try(Cause.REPLACED_KEY, said, replaced, lambda: right, cost_ms)
    for other in known.others[:_OTHERS_MAX]:
        if other.key is not None and other.key != key:
            said = f"signed with the key of {other.name}; the key of {name} is meant"
            yield _Try(Cause.OTHER_ACCOUNT, said, other.key, lambda: right, cost_ms)
    if known.layer1_key is None:
        return
    for said, seed, is_usual in _seeds(known):
        usual, *unusual = key_candidates(owner.sign_text(known.layer1_key, seed))
        for pair in [usual] if is_usual else unusual:
            sentence = f"signed with the key that is made from {said}; the key that {name} has is meant"
            yield _Try(Cause.KEY_SEED, sentence, pair.public, lambda: right, cost_ms + _DERIVE_MS)


def _seeds(known: Surroundings) -> Iterator[tuple[str, str, bool]]:
    """Texts that a client may have made its key from, and whether their signature is read as usual."""
    address, nonce = known.exchange_address, known.key_nonce
    for other in (nonce + 1, nonce - 1):
        if other >= 0:
            yield f"the usual text with the key nonce {other}", default_seed(address, other), True
    with_checksum = checksummed(bytes.fromhex(address.removeprefix("0x")))
    for spelt, case in ((address.lower(), "in lower case"), (with_checksum, "in the letter case of a checksum")):
        if spelt != address:
            yield f"the usual text with the exchange's address {case}", default_seed(spelt, nonce), True
    yield "the usual text, signed with another way to write v", default_seed(address, nonce), False


def _message_tries(judged: Judged, known: Surroundings, key: Point) -> Iterator[_Try]:
    message, body = judged.message, judged.body
    fields = message.inputs(body)
    width = len(fields) + 1
    hash_ms = _hash_ms(width)
    for cause, sentence, variant in inner_variants(message, body):
        yield _Try(cause, sentence, key, partial(_hashes, message, variant), 2 * hash_ms + _TRY_MS)
    said = "signed over the text of the whole call, as a header is; the fields are meant"
    whole = [message_of(text) for text in signed_texts(*judged.call)[:2]]
    yield _Try(Cause.HASH, said, key, partial(tuple, whole), _TRY_MS * len(whole))
    new_ms = _WIDTH_MS
    for sentence, hash_ in other_hashes(message, judged.typed, body, known):
        yield _Try(Cause.HASH, sentence, key, partial(tuple, (hash_,)), new_ms + hash_ms + _TRY_MS)
        new_ms = 0
    widths, tried = {width}, {_state(fields.values(), width)}
    for cause, sentence, changed, is_padded in guesses(tuple(fields.items()), known, body):
        wide = width if is_padded else len(changed) + 1
        state = _state((value for _, value in changed if isinstance(value, int)), wide)
        if state in tried:
            continue
        cost_ms = hash_ms + _TRY_MS + (0 if wide in widths else _WIDTH_MS)
        tried.add(state)
        widths.add(wide)
        yield _Try(cause, sentence, key, partial(_poseidons, state), cost_ms)


def _call_tries(judged: Judged, key: Point) -> Iterator[_Try]:
    for cause, sentence, text in texts(judged.call):
        yield _Try(cause, sentence, key, partial(_text_messages, text), _TRY_MS + len(text) / _LETTERS_PER_MS)
    said = "signed over the hash of the body's fields; the text of the whole call is meant"
    yield _Try(Cause.HASH, said, key, partial(_hashes, judged.message, judged.body), _WIDTH_MS + _TRY_MS)


def _hash_ms(width: int) -> float:
    return _WORD_MS * width


def _state(values: Iterable[int], width: int) -> tuple[int, ...]:
    """The numbers as they are hashed: zeros fill the state up."""
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
    """Parts in hex that were joined without the zeros that they begin with. Few splits have a point for R."""
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
        is_signed = trial(Signature(*(int(part, 16) for part in parts)))
        if is_signed is not None and any(is_signed(key, message) for message in right):
            said = f"{lost} of the zeros are lost that the parts of the signature begin with"
            return Explanation(Cause.FORM, f"the signature is right, but {said}; 64 hex digits a part are meant")
    return None


def _other_parts(signature: Signature, key: Point, right: list[int]) -> Explanation | None:
    """The three numbers of a signature in another order. Only a point can be R, so most orders are out at once."""
    for rx, ry, s in permutations(signature):
        is_signed = trial(Signature(rx, ry, s))
        if is_signed is not None and any(is_signed(key, message) for message in right[:1]):
            return Explanation(
                Cause.FORM, "the three numbers of the signature are in another order; Rx, Ry, s is meant"
            )
    return None
