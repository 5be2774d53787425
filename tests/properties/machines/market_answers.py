"""What the API and the control API answer, read into plain values for comparison."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from mockrelay.relay import Relay
from tests.properties.models.market_data import Candle, Step
from tests.properties.models.order_records import Deposit, Pair, Token, Trade
from tests.support.answer import Answer
from tests.support.client import done, get

NAMES = {10001: "alice", 10002: "bob", 10003: "carol"}
ALL = 10**9
_PLAIN = re.compile(r"(0|[1-9][0-9]*)(\.[0-9]*[1-9])?")


def fraction(text: Any) -> Fraction:
    """A decimal string: plain, without an exponent and without trailing zeros."""
    assert isinstance(text, str), text
    assert _PLAIN.fullmatch(text), text
    return Fraction(text)


def whole(text: Any) -> int:
    """A string of digits."""
    assert isinstance(text, str), text
    assert text.isascii(), text
    assert text.isdigit(), text
    return int(text)


def right(answer: Answer) -> Any:
    """The data of an answer that is no refusal; a bare answer as a whole."""
    found = answer.json
    is_bare = not isinstance(found, dict) or "resultInfo" not in found
    assert answer.status == 200, answer.body
    assert is_bare or found["resultInfo"]["code"] == 0, answer.body
    return found if is_bare else found["data"]


def tokens(relay: Relay) -> dict[str, Token]:
    """The tokens by symbol."""
    return {
        row["symbol"]: Token(
            row["tokenId"],
            row["symbol"],
            row["decimals"],
            whole(row["minOrderAmount"]),
            whole(row["maxOrderAmount"]),
            whole(row["dustOrderAmount"]),
        )
        for row in right(get(relay, "/api/v2/exchange/tokens"))
    }


def rates(relay: Relay) -> dict[int, tuple[int, int]]:
    """Maker and taker rate by account."""
    found = {}
    for account_id, name in NAMES.items():
        answer = get(
            relay, "/api/v3/user/orderFee", key=name, accountId=account_id, market="LRC-ETH", tokenB=0, amountB="1"
        )
        rate = right(answer)["feeRate"]
        found[account_id] = rate["makerRate"], rate["takerRate"]
    return found


def orders(relay: Relay, account_id: int, **query: Any) -> tuple[int, list[dict[str, Any]]]:
    """How many there are (`totalNum`) and the records of a page; all of them unless `limit` says otherwise."""
    query = {"limit": ALL} | query
    data = right(get(relay, "/api/v2/orders", key=NAMES[account_id], accountId=account_id, **query))
    records: list[dict[str, Any]] = data.get("orders", [])
    return data["totalNum"], records


def depth(relay: Relay, pair: Pair, level: int, limit: int | None = None) -> tuple[dict[str, Any], list[list[Step]]]:
    """The whole answer, and bids and asks."""
    data = right(get(relay, "/api/v2/depth", market=pair.name, level=level, limit=limit))
    return data, [[_step(row) for row in data[side]] for side in ("bids", "asks")]


def _step(row: list[str]) -> Step:
    price, size, volume, count = row
    return Step(fraction(price), whole(size), whole(volume), whole(count))


def candles(relay: Relay, pair: Pair, interval: str, **query: Any) -> list[Candle]:
    """The rows."""
    rows = right(get(relay, "/api/v2/candlestick", market=pair.name, interval=interval, **query))
    assert all(len(row) == 8 for row in rows)
    return [
        Candle(
            whole(start),
            whole(count),
            fraction(opened),
            fraction(closed),
            fraction(high),
            fraction(low),
            whole(base),
            whole(quote),
        )
        for start, count, opened, closed, high, low, base, quote in rows
    ]


def ticker(relay: Relay, pairs: Iterable[Pair]) -> list[list[str]]:
    """The rows as they are."""
    rows: list[list[str]] = right(get(relay, "/api/v2/ticker", market=",".join(pair.name for pair in pairs)))
    assert all(len(row) == 11 for row in rows)
    return rows


def pending(relay: Relay) -> list[dict[str, Any]]:
    """The transactions that wait for the next block."""
    rows: list[dict[str, Any]] = right(get(relay, "/api/v3/block/getPendingRequests"))
    return rows


def state(relay: Relay) -> dict[str, Any]:
    """The whole world, as the control API shows it."""
    world: dict[str, Any] = done(relay, "GET", "state")
    return world


def expected_tx(tx: Trade | Deposit) -> dict[str, Any]:
    """What of a pending transaction must be there, as a part of its fields."""
    if isinstance(tx, Deposit):
        return {
            "txType": "Deposit",
            "accountId": tx.account,
            "token": {"tokenId": tx.token.token_id, "amount": str(tx.amount)},
        }
    return {"txType": "SpotTrade"} | {
        name: {"accountID": leg.account, "fillS": leg.sold, "feeBips": leg.bips}
        | (
            {}
            if leg.order is None
            else {
                "storageID": leg.order.body["orderId"],
                "amountS": leg.order.body["amountS"],
                "amountB": leg.order.body["amountB"],
                "tokenS": leg.order.body["tokenSId"],
                "tokenB": leg.order.body["tokenBId"],
                "validUntil": leg.order.body["validUntil"],
            }
        )
        for name, leg in (("orderA", tx.taker), ("orderB", tx.maker))
    }


def has(found: Any, part: Any) -> bool:
    """Whether a JSON value holds another: objects may have more fields, all else is equal."""
    if isinstance(part, dict):
        return isinstance(found, dict) and all(key in found and has(found[key], part[key]) for key in part)
    return type(found) is type(part) and bool(found == part)
