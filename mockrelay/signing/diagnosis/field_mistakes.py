"""Mistakes in the fields that are signed: guesses from the right fields, the likeliest first.

They serve all forms in which fields are signed: numbers hashed together, members of a struct, JSON in a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from mockrelay.signing.diagnosis.causes import Cause, Fields, Guess, SigningContext, Value
from mockrelay.signing.fields import Body
from mockrelay.signing.parameters import SNARK_FIELD as P

_TIME = re.compile(r"valid(Since|Until)")
_FEE = re.compile(r"amountF|amountFee|maxFee|maxFeeBips|maxFee\.(volume|amount)")
_TOKEN = re.compile(r"token|tokenF|tokenSId|tokenBId|tokenID|feeTokenI[Dd]|tokenId|buyToken|.*\.tokenId")
_NUMBERED = re.compile(r"orderId|storageI[dD]|nonce|label")
_FLAG = re.compile(r"allOrNone|buy|fillAmountBOrS")
_ADDRESS = re.compile(r"exchange|payeeAddr|taker|owner|from|to")
_ZERO = re.compile(r"first zero|second zero")
_PACKED_SIGN = 1 << 255
# The least number that is taken for milliseconds; in seconds it is in the year 5138.
_MS_MIN = 10**11
_TOKENS_MAX = 6
_CHAINS = (1, 5, 11155111, 1337, 31337, 0)
"""Chain ids that clients are configured with: the main chain, test nets, and local development chains."""
_SWAPPED = (
    (("amountS", "amountB"),),
    (("sellToken.volume", "buyToken.volume"),),
    (("tokenSId", "tokenBId"),),
    (("sellToken.tokenId", "buyToken"),),
    (("tokenSId", "tokenBId"), ("amountS", "amountB")),
    (("sellToken.tokenId", "buyToken"), ("sellToken.volume", "buyToken.volume")),
    (("sender", "receiver"),),
    (("payerId", "payeeId"),),
    (("minterId", "toAccountId"),),
    (("from", "to"),),
    (("amount", "amountF"),),
    (("publicKey.x", "publicKey.y"),),
)
"""Pairs of fields whose values are confused."""


def field_guesses(fields: Fields, context: SigningContext, sent: Body) -> Iterator[Guess]:
    """Fields that may have been signed instead of these. `sent`: the body, for the order of its fields."""
    yield from likely_guesses(fields, context)
    yield from further_guesses(fields, context, sent)


def likely_guesses(fields: Fields, context: SigningContext) -> Iterator[Guess]:
    """The likeliest guesses."""
    yield from _likely_values(fields, context)
    yield from _swapped_values(fields)


def further_guesses(fields: Fields, context: SigningContext, sent: Body) -> Iterator[Guess]:
    """All other guesses."""
    yield from _left_out(fields, is_padded=True)
    yield from _orders(fields, sent)
    yield from _other_values(fields, context)
    yield from _left_out(fields, is_padded=False)


def other_chain_ids(context: SigningContext) -> Iterator[int]:
    """Chain ids beside that of the exchange."""
    return (chain for chain in (*_CHAINS, context.exchange_id) if chain != context.chain_id)


def value_text(name: str, value: Value) -> str:
    """A value in a sentence."""
    if isinstance(value, bytes):
        return f"0x{value.hex()}" if value else "nothing"
    if isinstance(value, str):
        return repr(value)
    return f"0x{value:040x}" if _ADDRESS.fullmatch(name) else str(value)


def _likely_values(fields: Fields, context: SigningContext) -> Iterator[Guess]:
    for name, value in fields:
        if name == "exchange":
            yield _valued(fields, name, 0, Cause.EXCHANGE_ADDRESS)
        elif name == "exchangeId":
            for other in dict.fromkeys((context.exchange_id, 0, 1, 2, context.chain_id)):
                yield _valued(fields, name, other, Cause.EXCHANGE_ID)
        elif _TIME.fullmatch(name) and (number := _number(value)) is not None:
            if number < _MS_MIN:
                yield _valued(fields, name, number * 1000, note=" (in milliseconds, seconds are meant)")
            else:
                yield _valued(fields, name, number // 1000, note=" (in seconds, milliseconds were sent)")
    for name, value in fields:
        number = _number(value)
        if isinstance(value, bytes):
            yield _valued(fields, name, b"")
        if number is None:
            continue
        if _FEE.fullmatch(name):
            yield _valued(fields, name, 0, note=" (the fee was still open)")
        elif _NUMBERED.fullmatch(name):
            for step in (-1, 1, *((-2, 2) if name.lower() == "storageid" else ())):
                yield _valued(fields, name, number + step)
        elif _FLAG.fullmatch(name):
            yield _valued(fields, name, 1 - number)
        elif name == "publicKey.x":
            yield _valued(fields, name, -number % P, Cause.KEY_SIGN)
        elif name == "publicKey":
            yield _valued(fields, name, number ^ _PACKED_SIGN, Cause.KEY_SIGN, " (packed)")


def _swapped_values(fields: Fields) -> Iterator[Guess]:
    values = dict(fields)
    for pairs in _SWAPPED:
        if all(one in values and other in values for one, other in pairs):
            places = {one: other for pair in pairs for one, other in (pair, pair[::-1])}
            wording = " and ".join(f"{one} and {other} exchanged" for one, other in pairs)
            swapped = tuple((name, values[places.get(name, name)]) for name, _ in fields)
            yield Guess(Cause.FIELD_VALUE, f"signed with {wording}", swapped)


def _left_out(fields: Fields, *, is_padded: bool) -> Iterator[Guess]:
    wide = "" if is_padded else ", and hashed in a state that much narrower"
    zeros = [name for name, _ in fields if _ZERO.fullmatch(name)]
    if zeros:
        rest = tuple(pair for pair in fields if pair[0] not in zeros)
        yield Guess(Cause.FIELD_LEFT_OUT, f"signed without the two zeros that the message has{wide}", rest, is_padded)
    for index, (name, _) in enumerate(fields):
        before = f"after {fields[index - 1][0]}" if index else "at the beginning"
        rest = fields[:index] + fields[index + 1 :]
        yield Guess(Cause.FIELD_LEFT_OUT, f"signed without {name}, which is meant {before}{wide}", rest, is_padded)


def _orders(fields: Fields, sent: Body) -> Iterator[Guess]:
    for index in range(len(fields) - 1):
        first, second = fields[index : index + 2]
        wording = f"signed with {second[0]} before {first[0]}; {first[0]} comes first"
        swapped = (*fields[:index], second, first, *fields[index + 2 :])
        yield Guess(Cause.FIELD_ORDER, wording, swapped)
    meant = f"; meant is {', '.join(name for name, _ in fields)}"
    places = {name: index for index, name in enumerate(_names(sent))}
    if all(name in places or _ZERO.fullmatch(name) for name, _ in fields):
        as_sent = tuple(sorted(fields, key=lambda pair: places.get(pair[0], len(places))))
        yield Guess(Cause.FIELD_ORDER, f"signed in the order in which the body has the fields{meant}", as_sent)
    by_name = tuple(sorted(fields))
    yield Guess(Cause.FIELD_ORDER, f"signed in the alphabetical order of the fields{meant}", by_name)
    yield Guess(Cause.FIELD_ORDER, f"signed in the reverse order of the fields{meant}", fields[::-1])


def _other_values(fields: Fields, context: SigningContext) -> Iterator[Guess]:
    for name, value in fields:
        if (number := _number(value)) is not None:
            # `_likely_values` has these two.
            if name not in ("exchange", "exchangeId"):
                yield _valued(fields, name, 0)
            if _TOKEN.fullmatch(name):
                for token_id in context.token_ids[:_TOKENS_MAX]:
                    yield _valued(fields, name, token_id, note=" (another token)")
    for name, value in fields:
        if _TIME.fullmatch(name) and (number := _number(value)) is not None:
            for step in (-1, 1):
                yield _valued(fields, name, number + step, note=" (the clock was read twice)")


def _valued(
    fields: Fields, changed: str, value: int | bytes, cause: Cause = Cause.FIELD_VALUE, note: str = ""
) -> Guess:
    was = dict(fields)[changed]
    other: Value = str(value) if isinstance(was, str) else value
    wording = f"signed with {changed} {value_text(changed, other)}{note}; {value_text(changed, was)} is meant"
    return Guess(cause, wording, tuple((name, other if name == changed else old) for name, old in fields))


def _number(value: Value) -> int | None:
    """A value as a number of at most 256 bits; None if it is not one."""
    if isinstance(value, str):
        return int(value) if re.fullmatch(r"[0-9]{1,78}", value) else None
    return value if isinstance(value, int) else None


def _names(body: Mapping[str, Any], before: str = "") -> Iterator[str]:
    """The dotted paths of the fields of a body, in its order, three levels deep."""
    for key, value in body.items():
        yield before + str(key)
        if isinstance(value, Mapping) and before.count(".") < 2:
            yield from _names(value, f"{before}{key}.")
