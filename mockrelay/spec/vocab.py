"""The closed word lists of the spec, one enum each, and one that is mockrelay's own, the states of the layer-1 node.

Every member is the word as it stands in a request or an answer.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

ZERO_ADDRESS = "0x" + "0" * 40
SIGNATURE_PARTS = ("signatureRx", "signatureRy", "signatureS")
"""The fields of a gen-2 body that hold its EdDSA signature."""


class Side(StrEnum):
    """`side` of an order: which way the base token goes (spec, OrderDetail)."""

    SELL = "SELL"
    BUY = "BUY"

    @property
    def opposite(self) -> Side:
        """The side that an order of this side trades against."""
        return Side.BUY if self is Side.SELL else Side.SELL


class OrderStatus(StrEnum):
    """`status` of an order record."""

    PROCESSING = "processing"
    PROCESSED = "processed"
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"
    EXPIRED = "expired"
    WAITING = "waiting"


class OrderFilter(StrEnum):
    """A word of the order list's `status` filter; `failed` is a word of the filter alone."""

    WAITING = "waiting"
    PROCESSING = "processing"
    PROCESSED = "processed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class SubmitOrderStatus(StrEnum):
    """`status` in the answer to an order's submission."""

    NEW_ACTIVED = "NEW_ACTIVED"
    SUBMIT_ORDER_FAIL = "SUBMIT_ORDER_FAIL"
    UNKNOWN = "UNKNOWN"


class HeldAs(StrEnum):
    """How the relayer holds an order that it has taken but not settled (spec, Submit responses)."""

    UNKNOWN = "UNKNOWN"
    WAIT_FREEZE_BALANCE = "WAIT_FREEZE_BALANCE"


class OrderType(StrEnum):
    """`orderType` of an order."""

    LIMIT_ORDER = "LIMIT_ORDER"
    TAKER_ONLY = "TAKER_ONLY"
    MAKER_ONLY = "MAKER_ONLY"


class OrderForm(StrEnum):
    """The form in which an order was submitted, which decides how its hash is shown."""

    GEN2 = "gen2"
    """The specification's: exchange by number, hash in hex."""
    V2 = "v2"
    """The same fields on the older path: the hash is shown in decimal digits."""
    GEN3 = "gen3"
    """Exchange by address, storage id, one signature; hash in hex."""


class NodeState(StrEnum):
    """Whether the layer-1 node answers, and what it answers; the spec has no word for it, only the codes that follow."""

    UP = "up"
    DOWN = "down"
    ERROR = "error"


class RequestStatus(StrEnum):
    """`status` of a withdrawal, an account update, a transfer or an NFT request."""

    RECEIVED = "received"
    PROCESSING = "processing"
    PROCESSED = "processed"
    FAILED = "failed"


class DeployStatus(StrEnum):
    """`status` in the answer to an NFT contract's deployment (spec §28)."""

    SEND_TX_SUCCESS = "SEND_TX_SUCCESS"


class BlockStatus(StrEnum):
    """Where a block stands; the spec shows the word `pending` alone, the rest is a choice (`block.status_words`)."""

    PENDING = "pending"
    CONFIRMED = "confirmed"
    FINALIZED = "finalized"


class TokenType(StrEnum):
    """`type` of a token."""

    ERC20 = "ERC20"
    ETH = "ETH"


class Interval(StrEnum):
    """`interval` of a candlestick; `.length_ms` is its length in milliseconds."""

    length_ms: int

    def __new__(cls, word: str, length_ms: int = 0) -> Self:
        """An interval's word, with its length beside it."""
        interval = str.__new__(cls, word)
        interval._value_ = word
        interval.length_ms = length_ms
        return interval

    MIN_1 = "1min", 60_000
    MIN_5 = "5min", 300_000
    MIN_15 = "15min", 900_000
    MIN_30 = "30min", 1_800_000
    HOUR_1 = "1hr", 3_600_000
    HOUR_2 = "2hr", 7_200_000
    HOUR_4 = "4hr", 14_400_000
    HOUR_12 = "12hr", 43_200_000
    DAY_1 = "1d", 86_400_000
    WEEK_1 = "1w", 604_800_000
