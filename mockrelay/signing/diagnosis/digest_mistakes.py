"""Mistakes in what an owner signs on layer 1: other digests than those of the request."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from hashlib import sha256
from itertools import chain
from typing import NamedTuple, cast

from mockrelay.signing import owner
from mockrelay.signing.diagnosis.causes import Cause, Fields, Guess, SigningContext, Value
from mockrelay.signing.diagnosis.field_mistakes import (
    field_guesses,
    further_guesses,
    likely_guesses,
    other_chain_ids,
    value_text,
)
from mockrelay.signing.eip712 import Struct, domain_separator, struct_hash, typed_hash
from mockrelay.signing.fields import Body, find
from mockrelay.signing.hashes import keccak256
from mockrelay.signing.messages import TRANSFER_V2_FIELDS, Message
from mockrelay.signing.owner import TypedRequest, personal_hash

_MEMO = "memo"
_NO_EXCHANGE = 0
_OLD_DOMAINS = (("Loopring Protocol", "3.6.1"), ("Loopring Protocol", "3.6"), ("Loopring Protocol", "1"))


class Digest(NamedTuple):
    """A digest that may have been signed instead of the right ones."""

    cause: Cause
    sentence: str
    digest: bytes


def typed_digests(
    typed: TypedRequest, message: Message, body: Body, context: SigningContext, *, is_personal: bool
) -> Iterator[Digest]:
    """Digests of typed data. `is_personal`: the suffix says that hashes are signed as personal messages. Raises
    `Unreadable`.
    """
    exchange = int(context.exchange_address, 16)
    right = typed.hash(body, context.chain_id, exchange)
    values = [read(body) for read in typed.readers]
    fields: Fields = tuple(zip((name for _, name in typed.struct.members), values, strict=True))
    hashed = struct_hash(typed.struct, values)
    yield from _other_forms(right, hashed)
    yield from _layer_2(message, body)
    # Few clients make two mistakes at once, so the form that contradicts the suffix comes second.
    for is_wrapped in (is_personal, not is_personal):
        likely = _structs(typed.struct, likely_guesses(fields, context), context, exchange)
        yield from _wrapped(chain(_domains(hashed, context, exchange), likely), is_wrapped=is_wrapped)
    for is_wrapped in (is_personal, not is_personal):
        further = _structs(typed.struct, further_guesses(fields, context, body), context, exchange)
        yield from _wrapped(further, is_wrapped=is_wrapped)


def transfer_text_digests(message: Message, body: Body, context: SigningContext) -> Iterator[Digest]:
    """Digests of the personal message of a gen-2 transfer. Raises `Unreadable`."""
    text = owner.transfer_v2_texts(body)[0]
    start = text[: -len("0x") - 2 * sha256().digest_size]
    fields: Fields = tuple((key, find(body, key)) for key in TRANSFER_V2_FIELDS)
    whole: Fields = (*fields, (_MEMO, find(body, _MEMO) or ""))
    plain = text.encode()
    yield Digest(Cause.FORM, "signed without the prefix of a personal message", keccak256(plain))
    yield Digest(Cause.FORM, "signed as text the JSON itself; its SHA-256 is meant", _personal(start + _json(whole)))
    for wording, wrong in (
        ("the hash without 0x", start + text[-64:]),
        ("the hash alone, without the sentence before it", text[-66:]),
        ("the hash in upper-case digits", start + "0x" + text[-64:].upper()),
    ):
        yield Digest(Cause.FORM, f"signed with {wording}; {text!r} is meant", _personal(wrong))
    yield Digest(Cause.FORM, "signed the 32 bytes of the hash; the sentence with it is meant", _personal_bytes(text))
    for how, wrong in _json_forms(whole):
        sentence = f"signed over JSON {how}; JSON without blanks, in the order of the fields, is meant"
        yield Digest(Cause.TEXT, sentence, _personal(f"{start}0x{_hash(wrong)}"))
    for wording, changed in _other_json(whole):
        yield Digest(Cause.FIELD_VALUE, wording, _personal(f"{start}0x{_hash(_json(changed))}"))
    for names in (whole, fields):
        for cause, wording, changed, _ in field_guesses(names, context, body):
            yield Digest(cause, wording, _personal(f"{start}0x{_hash(_json(changed))}"))
    yield from _layer_2(message, body)


def _other_forms(right: bytes, hashed: bytes) -> Iterator[Digest]:
    digits = right.hex()
    for wording, digest in (
        ("the hash's hex digits as a personal message, its 32 bytes", personal_hash(f"0x{digits}".encode())),
        ("the hash's hex digits without 0x as a personal message, its 32 bytes", personal_hash(digits.encode())),
        ("the struct alone, the hash with its domain", hashed),
        ("the struct alone as a personal message, the hash with its domain", personal_hash(hashed)),
        ("a personal message of a personal message, one of them", personal_hash(personal_hash(right))),
        ("the hash hashed once more, the hash itself", keccak256(right)),
    ):
        signed, meant = wording.rsplit(", ", 1)
        yield Digest(Cause.FORM, f"signed {signed}; {meant} is meant", digest)


def _domains(hashed: bytes, context: SigningContext, exchange: int) -> Iterator[Digest]:
    for chain_id in other_chain_ids(context):
        wording = f"signed for the chain id {chain_id}; {context.chain_id} is meant"
        yield Digest(Cause.CHAIN_ID, wording, typed_hash(domain_separator(chain_id, exchange), hashed))
    wording = (
        f"signed for the exchange address {value_text('exchange', 0)}; {value_text('exchange', exchange)} is meant"
    )
    separator = domain_separator(context.chain_id, _NO_EXCHANGE)
    yield Digest(Cause.EXCHANGE_ADDRESS, wording, typed_hash(separator, hashed))


def _wrapped(digests: Iterator[Digest], *, is_wrapped: bool) -> Iterator[Digest]:
    """The digests as they are, or each as a personal message."""
    return (one._replace(digest=personal_hash(one.digest)) if is_wrapped else one for one in digests)


def _structs(struct: Struct, candidates: Iterator[Guess], context: SigningContext, exchange: int) -> Iterator[Digest]:
    types = {name: type_ for type_, name in struct.members}
    separator = domain_separator(context.chain_id, exchange)
    for cause, wording, changed, _ in candidates:
        members = tuple((types[name], name) for name, _ in changed)
        try:
            # These structs have no member of type string.
            values = cast("list[int | bytes]", [value for _, value in changed])
            hashed = struct_hash(Struct(struct.name, members), values)
        except ValueError:
            continue
        yield Digest(cause, wording, typed_hash(separator, hashed))


def _layer_2(message: Message, body: Body) -> Iterator[Digest]:
    hash_ = message.hash(body).to_bytes(32, "big")
    for digest in (hash_, personal_hash(hash_), personal_hash(f"0x{hash_.hex()}".encode())):
        wording = "signed over the hash that the layer-2 key signs; what the owner signs is meant"
        yield Digest(Cause.HASH, wording, digest)


def _json_forms(fields: Fields) -> Iterator[tuple[str, str]]:
    values = dict(fields)
    yield "with blanks after commas and colons", json.dumps(values, ensure_ascii=False)
    yield "sorted by key", json.dumps(values, separators=(",", ":"), ensure_ascii=False, sort_keys=True)
    yield "sorted by key, with blanks", json.dumps(values, ensure_ascii=False, sort_keys=True)
    yield "with other letters than ASCII escaped", json.dumps(values, separators=(",", ":"))


def _other_json(fields: Fields) -> Iterator[tuple[str, Fields]]:
    """Numbers for strings of digits, and the reverse: of each field, and of all fields alike."""
    for name, value in fields:
        if (other := _retyped(value)) is not None:
            wording = (
                f"signed with {name} as the {_kind(other)} {_json_of(other)}; {_json_of(value)} is meant as it was sent"
            )
            yield wording, tuple((key, other if key == name else old) for key, old in fields)
    for kind in (int, str):
        changed = tuple((key, old if isinstance(old, kind) else _retyped(old) or old) for key, old in fields)
        wording = f"signed with {'numbers for all strings of digits' if kind is int else 'strings for all numbers'}"
        yield f"{wording}; the values are meant as they were sent", changed


def _retyped(value: Value) -> int | str | None:
    if isinstance(value, str):
        return int(value) if re.fullmatch(r"0|[1-9][0-9]{0,77}", value) else None
    return str(value) if isinstance(value, int) and abs(value) < 1 << 256 else None


def _kind(value: Value) -> str:
    return "string" if isinstance(value, str) else "number"


def _json_of(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _json(fields: Fields) -> str:
    return _json_of(dict(fields))


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _personal(text: str) -> bytes:
    return personal_hash(text.encode("utf-8", "surrogatepass"))


def _personal_bytes(text: str) -> bytes:
    return personal_hash(bytes.fromhex(text[-64:]))
