"""What the layer-2 key signs in a request: for each kind its fields in order, hashed together with Poseidon.

`gen-2` bodies name the exchange by a number and carry a label; `gen-3` bodies name it by its address and carry a
storage id. Where a field has several names, the first one that the body has is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mockrelay.signing import nft
from mockrelay.signing.fields import (
    Body,
    Field,
    Unreadable,
    address,
    constant,
    element,
    find,
    flag,
    number,
    to_number,
    withdrawal_data_hash,
)
from mockrelay.signing.poseidon import poseidon


@dataclass(frozen=True, slots=True)
class Message:
    """A kind of message: its fields, in the order in which they are hashed."""

    kind: str
    fields: tuple[Field, ...]

    def inputs(self, body: Body) -> dict[str, int]:
        """The numbers that are hashed, by name and in order. Raises `Unreadable`."""
        return {field.name: field.read(body) for field in self.fields}

    def hash(self, body: Body) -> int:
        """The number that is signed, which is also the request's hash on the wire. Raises `Unreadable`."""
        return hash_of(self.inputs(body).values())


def hash_of(inputs: Iterable[int]) -> int:
    """The hash of these numbers, in a state of one word more."""
    numbers = tuple(inputs)
    return poseidon(numbers, len(numbers) + 1)


def hash_text(value: int) -> str:
    """A hash as text: 0x and 64 lower-case hex digits."""
    return f"0x{value:064x}"


def _bought_token(body: Body) -> int:
    """The bought token: an NFT by its nftData, since its token id is only a slot of the account; else the token id."""
    data = find(body, "buyToken.nftData")
    return (
        nft.to_data(data) if data not in (None, "") else to_number("buyToken.tokenId", find(body, "buyToken.tokenId"))
    )


_EXCHANGE = address("exchange")
_TOKEN = number("token.tokenId")
_VOLUME = number("token.volume", "token.amount")
_FEE = (number("maxFee.tokenId"), number("maxFee.volume", "maxFee.amount"))
_UNTIL = number("validUntil")
_STORAGE = number("storageId")

ORDER_V2 = Message(
    "gen-2 order",
    (
        *map(number, ("exchangeId", "orderId", "accountId", "tokenSId", "tokenBId", "amountS", "amountB")),
        flag("allOrNone", default=0),
        *map(number, ("validSince", "validUntil", "maxFeeBips")),
        flag("buy"),
        number("label"),
    ),
)
TRANSFER_V2_FIELDS = ("exchangeId", "sender", "receiver", "token", "amount", "tokenF", "amountF", "label", "nonce")
TRANSFER_V2 = Message("gen-2 transfer", tuple(map(number, TRANSFER_V2_FIELDS)))
WITHDRAWAL_V2 = Message(
    "gen-2 withdrawal",
    (
        *map(number, ("exchangeId", "accountId")),
        number("tokenId", "token"),
        number("amount"),
        number("feeTokenId", "tokenF"),
        number("amountFee", "amountF"),
        *map(number, ("label", "nonce")),
    ),
)
ORDER = Message(
    "order",
    (
        _EXCHANGE,
        _STORAGE,
        number("accountId"),
        number("sellToken.tokenId"),
        Field("buyToken", _bought_token),
        number("sellToken.volume", "sellToken.amount"),
        number("buyToken.volume", "buyToken.amount"),
        _UNTIL,
        number("maxFeeBips"),
        flag("fillAmountBOrS"),
        address("taker", default=0),
    ),
)
"""Also for NFTs."""
TRANSFER = Message(
    "transfer",
    (
        _EXCHANGE,
        number("payerId", "fromAccountId"),
        number("payeeId", "toAccountId"),
        _TOKEN,
        _VOLUME,
        *_FEE,
        address("payeeAddr", "toAddress"),
        constant("first zero"),
        constant("second zero"),
        _UNTIL,
        _STORAGE,
    ),
)
"""Also for NFTs, and for the fee of a deployment."""
WITHDRAWAL = Message(
    "withdrawal",
    (
        _EXCHANGE,
        number("accountId", "fromAccountId"),
        _TOKEN,
        _VOLUME,
        *_FEE,
        Field("onChainDataHash", withdrawal_data_hash),
        _UNTIL,
        _STORAGE,
    ),
)
"""Also for NFTs."""
ACCOUNT_UPDATE = Message(
    "account update",
    (
        _EXCHANGE,
        number("accountId"),
        *_FEE,
        element("publicKey.x"),
        element("publicKey.y"),
        _UNTIL,
        number("nonce"),
    ),
)
MINT = Message(
    "mint",
    (
        _EXCHANGE,
        number("minterId"),
        number("toAccountId"),
        Field("nftData", nft.data_of_mint),
        number("amount"),
        number("maxFee.tokenId"),
        number("maxFee.amount", "maxFee.volume"),
        _UNTIL,
        _STORAGE,
    ),
)


def _no_message(body: Body) -> int:
    raise Unreadable("body", "is signed with the whole call alone")


NOTHING = Message("nothing", (Field("body", _no_message),))
"""The message of bodies that are signed only as part of the whole call: it cannot be hashed."""

MESSAGES = (ORDER_V2, TRANSFER_V2, WITHDRAWAL_V2, ORDER, TRANSFER, WITHDRAWAL, ACCOUNT_UPDATE, MINT)
