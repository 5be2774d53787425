"""What a test looks at, over any relayer: orders, money, the market, blocks, as plain values; and that money is conserved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.conformance.transcript import ORDER_FILTERS
from tests.support.client import Relayer, account, done, get, state


def orders(relayer: Relayer, name: str = "alice", **query: Any) -> list[dict[str, Any]]:
    """The account's orders, newest first."""
    answer = get(relayer, "/api/v2/orders", key=name, accountId=account(relayer, name)["accountId"], **query)
    assert answer.code == 0, answer.body
    found: list[dict[str, Any]] = answer.data.get("orders", [])
    return found


def filters_that_list(relayer: Relayer, order_hash: str, name: str = "alice") -> list[str]:
    """The words of the filter `status` that list an order."""
    return [
        word
        for word in ORDER_FILTERS
        if any(record["hash"] == order_hash for record in orders(relayer, name, status=word))
    ]


def order_record(relayer: Relayer, order_hash: str, name: str = "alice") -> dict[str, Any]:
    """One of the account's orders."""
    (found,) = [record for record in orders(relayer, name) if record["hash"] == order_hash]
    return found


def money(relayer: Relayer, name: str, token: str = "LRC") -> tuple[int, int, int]:
    """What is free, frozen and in flight of an account's token, in wei."""
    (balances,) = [one["balances"] for one in state(relayer)["accounts"] if one["name"] == name]
    held = balances.get(token, {"free": "0", "frozen": "0", "inFlight": "0"})
    return int(held["free"]), int(held["frozen"]), int(held["inFlight"])


def depth(relayer: Relayer, market: str = "LRC-ETH") -> tuple[list[list[str]], list[list[str]]]:
    """Bids and asks at level 0."""
    data = get(relayer, "/api/v2/depth", market=market, level=0).data
    return data["bids"], data["asks"]


def ticker(relayer: Relayer, market: str = "LRC-ETH") -> list[str]:
    """The market's row."""
    (row,) = get(relayer, "/api/v2/ticker", market=market).data
    found: list[str] = row
    return found


def candles(relayer: Relayer, interval: str = "1min", market: str = "LRC-ETH") -> list[list[str]]:
    """The market's rows."""
    rows: list[list[str]] = get(relayer, "/api/v2/candlestick", market=market, interval=interval).data
    return rows


def pending(relayer: Relayer) -> list[dict[str, Any]]:
    """Transactions that wait for the next block."""
    rows: list[dict[str, Any]] = get(relayer, "/api/v3/block/getPendingRequests").json
    return rows


def seal(relayer: Relayer) -> dict[str, Any]:
    """One block of what waits, sealed by hand, as the API shows it."""
    (block_id,) = done(relayer, "POST", "blocks/seal", {})["blockIds"]
    block: dict[str, Any] = get(relayer, "/api/v3/block/getBlock", id=block_id).json
    return block


def findings(relayer: Relayer, rule: str) -> list[str]:
    """The details of the findings under a rule."""
    return [found["detail"] for found in done(relayer, "GET", "findings") if found["rule"] == rule]


def assert_money_is_conserved(world: Mapping[str, Any]) -> None:
    """By token, NFTs included: accounts, house and fees together hold what was put in, and no account owes anything."""
    accounts = [account["balances"] for account in world["accounts"]]
    house = world["house"]["balances"]
    for token in {*world["putIn"], *world["fees"], *house, *(token for balances in accounts for token in balances)}:
        parts = [int(wei) for balances in accounts for wei in balances.get(token, {}).values()]
        assert min(parts, default=0) >= 0, token
        held = sum(parts) + sum(int(wei) for wei in house.get(token, {}).values())
        assert held + int(world["fees"].get(token, 0)) == int(world["putIn"].get(token, 0)), token
