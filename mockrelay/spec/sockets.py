"""The facts of WebSockets, which the profile `live` has: topics, codes, and what is kept to on a connection.

A topic's parameters are fields of the object that a client subscribes with; that object stands in every push again.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.spec.codes import CodeWithMeaning
from mockrelay.spec.vocab import Interval

TOPICS_MAX = 20
"""Subscriptions that a connection may have."""
ROWS_MAX = 50
"""Rows a side that a whole book is pushed with, at most."""
PING, PONG = "ping", "pong"
"""The text messages of the heartbeat."""
PING_EVERY_MS = 30_000
PONG_WITHIN_MS = 120_000
"""A connection without a `pong` for so long is closed, unless the clock stands still."""


class SocketCode(CodeWithMeaning):
    """A code in the answer to a client's message."""

    TOPICS_MISSING = 104100, "Missing topics"
    OP_UNKNOWN = 104101, "Unknown op"
    TOPIC_UNKNOWN = 104102, "Unknown topic"
    TOPIC_TWICE = 104103, "The same topic twice"
    KEY_MISSING = 104104, "Missing ApiKey"
    KEY_CHANGED = 104105, "Another ApiKey than the session's"
    CANDLESTICK_INVALID = 104106, "Invalid candlestick topic"
    ORDERBOOK_INVALID = 104107, "Invalid orderbook topic"
    TRADE_INVALID = 104109, "Invalid trade topic"
    ORDER_INVALID = 104110, "Invalid order topic"
    TICKER_INVALID = 104111, "Invalid ticker topic"
    KEY_UNKNOWN = 104112, "Unknown ApiKey"
    NOT_SUBSCRIBED = 104113, "Not subscribed"
    KEY_OF_NO_USER = 104114, "The ApiKey belongs to no such user"
    UNREADABLE = 104115, "Invalid configuration"
    TOO_MANY = 104116, "Too many topics"


class Op(StrEnum):
    """What a client's message asks for."""

    SUBSCRIBE = "sub"
    UNSUBSCRIBE = "unSub"


class Kind(StrEnum):
    """What a topic is about, in the order in which the pushes of one change are sent."""

    ACCOUNT = "account"
    ORDER = "order"
    ORDERBOOK = "orderbook"
    TRADE = "trade"
    TICKER = "ticker"
    CANDLESTICK = "candlestick"


_MARKET = {"type": "string", "x-names": "market"}
_WHOLE: Mapping[str, Any] = {"type": "integer", "minimum": 0}
_FLAG = {"type": "boolean"}


class Topic(NamedTuple):
    """A topic, and its row in the guide."""

    name: str
    kind: Kind
    code: SocketCode
    """The code of a wrong parameter."""
    required: Mapping[str, Mapping[str, Any]]
    """The schemas of the parameters that it must have."""
    optional: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    with_key: bool = False
    """Whether it is about an account, so that the session needs an API key."""
    sent: str = ""
    """When it is pushed."""
    data: str = ""
    """What is pushed."""

    @property
    def parameters(self) -> Mapping[str, Mapping[str, Any]]:
        """The schemas of all its parameters."""
        return {**self.required, **self.optional}


def _orderbook(name: str) -> Topic:
    return Topic(
        name,
        Kind.ORDERBOOK,
        SocketCode.ORDERBOOK_INVALID,
        {"market": _MARKET, "level": _WHOLE},
        {"count": {"type": "integer", "minimum": 1, "maximum": ROWS_MAX}, "snapshot": _FLAG},
        sent="With `snapshot`: at once, and the whole book on each change. Without: on each change the levels that changed.",
        data="`bids` and `asks`, rows as in the depth; a level that went has the size `0`. `startVersion` and `endVersion` "
        "say which versions of the book it leads from and to.",
    )


_TOPICS = (
    Topic(
        "account",
        Kind.ACCOUNT,
        SocketCode.UNREADABLE,
        {},
        {"accountId": _WHOLE, "v3": _FLAG},
        with_key=True,
        sent="On each change of an own balance, one push a token.",
        data="`accountId`, `tokenId`, `totalAmount`, `amountLocked`; with `v3` the last two are `total` and `locked`, and NFTs come too, with `nftId`, `nftData`, `tokenAddress`.",
    ),
    Topic(
        "order",
        Kind.ORDER,
        SocketCode.ORDER_INVALID,
        {"market": _MARKET},
        with_key=True,
        sent="On each change of an own order in the market.",
        data="The order as `GET /api/v2/order` shows it, and `updateAt` in ms.",
    ),
    _orderbook("orderbook"),
    _orderbook("mixorder"),
    Topic(
        "trade",
        Kind.TRADE,
        SocketCode.TRADE_INVALID,
        {"market": _MARKET},
        sent="On each trade.",
        data="A list of rows: time in ms, trade id, the taker's side, base amount, price, the taker's fee.",
    ),
    Topic(
        "ticker",
        Kind.TICKER,
        SocketCode.TICKER_INVALID,
        {"market": _MARKET},
        sent="At once, and on each change.",
        data="The eleven texts of the ticker.",
    ),
    Topic(
        "candlestick",
        Kind.CANDLESTICK,
        SocketCode.CANDLESTICK_INVALID,
        {"market": _MARKET, "interval": {"type": "string", "enum": [interval.value for interval in Interval]}},
        sent="On each trade.",
        data="The eight texts of the candle that the trade belongs to.",
    ),
)

TOPICS: Mapping[str, Topic] = MappingProxyType({topic.name: topic for topic in _TOPICS})
"""All topics by name."""


class Ending(StrEnum):
    """How a fault or a test ends a connection."""

    CLEAN = "clean"
    """It is closed with a close message."""
    RESET = "reset"
    """It breaks off."""
    SILENT = "silent"
    """It stays open, nothing is sent any more, and what the client sends is not read."""
    SLOW = "slow"
    """It is cut off as that of a client that does not read."""


class PushTrouble(StrEnum):
    """What becomes of a push."""

    LOSE = "lose"
    """It is left out: a gap between the versions of a book."""
    REPEAT = "repeat"
    """It is sent twice."""
    HOLD = "hold"
    """It and those behind it wait until they are released."""
    SWAP = "swap"
    """It is sent behind the next push of the connection."""


ON_MESSAGE, ON_PUSH = "ws_message", "ws_push"
"""What faults on WebSockets are for: a message of a client, a push to a client."""

SOCKET_EVENTS: Mapping[str, Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {
        ON_MESSAGE: MappingProxyType(
            {"op": {"type": "string", "enum": [op.value for op in Op]}, "apiKey": {"type": "string"}}
        ),
        ON_PUSH: MappingProxyType(
            {
                "topic": {"type": "string", "enum": list(TOPICS)},
                **{name: schema for topic in _TOPICS for name, schema in topic.parameters.items()},
            }
        ),
    }
)
"""By event, the schemas of the fields that the `when` of a fault may have."""
