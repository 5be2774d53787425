"""What explaining a wrong signature is about: the request, what surrounds it, and what can be wrong."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from mockrelay.signing.curve import Point
from mockrelay.signing.fields import Body
from mockrelay.signing.messages import Message
from mockrelay.signing.owner import TypedRequest

Value = int | bytes | str
Fields = tuple[tuple[str, Value], ...]
"""What is signed, field by field: names and values in their order."""


class Cause(StrEnum):
    """Why a signature is wrong."""

    OTHER_ACCOUNT = "another account's key"
    REPLACED_KEY = "a key that has been replaced"
    KEY_SEED = "a key made from another text"
    KEY_SIGN = "a public key with the other sign"
    FIELD_LEFT_OUT = "a field left out"
    FIELD_ORDER = "fields in another order"
    FIELD_VALUE = "a field with another value"
    CHAIN_ID = "another chain id"
    EXCHANGE_ADDRESS = "another exchange address"
    EXCHANGE_ID = "another exchange id"
    URL = "another address of the call"
    TEXT = "another text of the query or the body"
    FORM = "another form of the signature"
    HASH = "another kind of hash"


class Explanation(NamedTuple):
    """The likely cause, and a sentence that says what was signed and what was meant."""

    cause: Cause
    sentence: str


class Guess(NamedTuple):
    """Fields that may have been signed in place of the right ones."""

    cause: Cause
    sentence: str
    fields: Fields
    is_padded: bool = False
    """Of a field left out: whether the hash stays as wide as it was."""


class Holder(NamedTuple):
    """An account, as one that may have signed."""

    name: str
    key: Point | None
    """Its present key on layer 2."""
    owner: str
    """0x and 40 hex digits."""


class Surroundings(NamedTuple):
    """What a client may have mixed up with what was meant."""

    chain_id: int
    exchange_address: str
    """0x and 40 hex digits, in the letter case that the exchange shows."""
    exchange_id: int
    replaced: tuple[Point, ...] = ()
    """Keys that the account had before, the last one first."""
    others: tuple[Holder, ...] = ()
    """The other accounts."""
    token_ids: tuple[int, ...] = ()
    layer1_key: int | None = None
    """The private key of the account's owner, where it is known."""
    key_nonce: int = 0
    """Of the account's present key."""


class Over(StrEnum):
    """What a signature is made over."""

    MESSAGE = "message"
    """The fields, by the layer-2 key."""
    CALL = "call"
    """The whole call, by the layer-2 key."""
    OWNER = "owner"
    """Typed data or a text, by the owner of the account."""


class SentCall(NamedTuple):
    """A call as it was received."""

    method: str
    url: str
    """Scheme, host and path, without the query."""
    query: str
    """The text after the question mark, still encoded."""
    body: str


class Judged(NamedTuple):
    """A request whose signature is wrong, as the gate sees it."""

    message: Message
    typed: TypedRequest | None
    """None: the owner signs no typed data; of a gen-2 transfer the owner signs a text."""
    body: Body
    """As messages are read from it."""
    call: SentCall
    account: Holder
    """Who should have signed."""


class Budget:
    """How long may be tried, by what each try is known to take: a clock would give another answer each time."""

    def __init__(self, allowance_ms: float) -> None:
        self._left_ms = allowance_ms

    def spend(self, cost_ms: float) -> bool:
        """Whether there is time left for something that takes so many milliseconds; then it is taken."""
        if cost_ms > self._left_ms:
            self._left_ms = 0
            return False
        self._left_ms -= cost_ms
        return True
