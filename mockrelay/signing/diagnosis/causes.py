"""Input and result of the diagnosis: the request, the context that a client may confuse it with, and the causes."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from mockrelay.signing.curve import Point
from mockrelay.signing.fields import Body
from mockrelay.signing.messages import Message
from mockrelay.signing.owner import TypedRequest

Value = int | bytes | str
Fields = tuple[tuple[str, Value], ...]
"""The names and values that are signed, in order."""


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
    """The cause, and a sentence on what was signed and what is meant."""

    cause: Cause
    sentence: str


class Guess(NamedTuple):
    """Fields that may have been signed instead of the right ones."""

    cause: Cause
    sentence: str
    fields: Fields
    is_padded: bool = False
    """Where a field is left out: whether the state of the hash keeps its width."""


class AccountKeys(NamedTuple):
    """The public identities of an account that may have signed."""

    name: str
    key: Point | None
    """Its current layer-2 key."""
    owner: str
    """0x and 40 hex digits."""


class SigningContext(NamedTuple):
    """The values that a client may have signed with or over by mistake, beside those that are meant."""

    chain_id: int
    exchange_address: str
    """0x and 40 hex digits, in the letter case that the exchange shows."""
    exchange_id: int
    replaced: tuple[Point, ...] = ()
    """Earlier layer-2 keys of the account, the latest first."""
    others: tuple[AccountKeys, ...] = ()
    """The other accounts."""
    token_ids: tuple[int, ...] = ()
    layer1_key: int | None = None
    """The layer-1 private key of the account, if the scenario has it."""
    key_nonce: int = 0
    """The nonce of the account's current key."""


class SignedPart(StrEnum):
    """What is signed, and by which key."""

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


class SignedRequest(NamedTuple):
    """A request with a wrong signature."""

    message: Message
    typed: TypedRequest | None
    """None: the owner does not sign typed data, but for a gen-2 transfer a text."""
    body: Body
    """With the fields that messages are read from."""
    call: SentCall
    account: AccountKeys
    """The account that should have signed."""


class Budget:
    """A limit of the time of all tries, by their measured costs: with a clock, results would differ between runs."""

    def __init__(self, allowance_ms: float) -> None:
        self._left_ms = allowance_ms

    def spend(self, cost_ms: float) -> bool:
        """Take `cost_ms` from the time that is left; False if it does not suffice, and then nothing is left."""
        if cost_ms > self._left_ms:
            self._left_ms = 0
            return False
        self._left_ms -= cost_ms
        return True
