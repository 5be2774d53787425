"""The requests that are measured, as bytes for the wire and as values for a relay without a socket."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.wire.http import RawRequest

HOST = "127.0.0.1:4627"
ORDER_PATH = "/api/v3/order"
LRC_WEI = 10**18
FIRST_PRICE_WEI = 10**16
"""Of a whole LRC in ETH."""
TICK_WEI = 10**10
"""The finest step of a price on LRC-ETH, 8 decimals: orders a tick apart are levels of their own."""

SCENARIO = """\
format: 1
name: benchmark
extends: default
# The limiter works, and lets everything through.
limits: {limits}
accounts:
  - {{name: alice, balances: {{ETH: "{riches}", LRC: "{riches}"}}}}
  - {{name: bob, balances: {{ETH: "{riches}", LRC: "{riches}"}}}}
"""


def scenario_text() -> str:
    """The default scenario with limits that nobody reaches and accounts that nothing exhausts."""
    limits = ", ".join(f"{row.name}: 100000000" for row in ENDPOINTS if row.per_second is not None)
    return SCENARIO.format(limits="{" + limits + "}", riches=10**30)


class Orders:
    """Orders of two accounts, no two alike: alice sells LRC for ETH, bob buys it."""

    def __init__(self, accounts: list[dict[str, Any]], now_s: int) -> None:
        self._accounts = {account["name"]: account for account in accounts}
        self._now_s = now_s
        self._ids = {"alice": count(1), "bob": count(1)}
        self._prices = count(FIRST_PRICE_WEI * 2, TICK_WEI)

    def resting(self) -> tuple[bytes, str]:
        """A sell order at a price of its own above every bid: body and API key."""
        return self._order("alice", next(self._prices), "false")

    def pair(self) -> tuple[tuple[bytes, str], tuple[bytes, str]]:
        """A sell order below all that rest and the bid that it fills."""
        return self._order("alice", FIRST_PRICE_WEI, "false"), self._order("bob", FIRST_PRICE_WEI, "true")

    def _order(self, name: str, price_wei: int, buy: str) -> tuple[bytes, str]:
        base, quote = {"id": 1, "wei": LRC_WEI}, {"id": 0, "wei": price_wei}
        sold, bought = (quote, base) if name == "bob" else (base, quote)
        account = self._accounts[name]
        number = next(self._ids[name])
        fields = {
            "exchangeId": 2,
            "orderId": number,
            "accountId": account["accountId"],
            "tokenSId": sold["id"],
            "tokenBId": bought["id"],
            "amountS": str(sold["wei"]),
            "amountB": str(bought["wei"]),
            "allOrNone": "false",
            "buy": buy,
            "validSince": self._now_s,
            "validUntil": self._now_s + 60 * 86_400,
            "maxFeeBips": 50,
            "label": 211,
            "signatureRx": "13375450901292179417154974849571793069911517354720397125027633242680470075859",
            "signatureRy": "13375450901292179417154974849571793069911517354720397125027633242680470075859",
            "signatureS": "13375450901292179417154974849571793069911517354720397125027633242680470075859",
            "clientOrderId": f"{name}-{number}",
        }
        return json.dumps(fields, separators=(",", ":")).encode(), account["apiKey"]


def on_the_wire(method: str, target: str, key: str, body: bytes = b"") -> bytes:
    """A request as a client sends it."""
    lines = [
        f"{method} {target} HTTP/1.1",
        f"Host: {HOST}",
        "Accept: */*",
        "User-Agent: benchmark",
        f"X-API-KEY: {key}",
    ]
    if method == "POST":
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body


def raw(method: str, path: str, key: str, query: Mapping[str, str] | None = None, body: bytes = b"") -> RawRequest:
    """The same without a socket."""
    pairs = tuple((query or {}).items())
    target = path + ("?" + "&".join(f"{name}={value}" for name, value in pairs) if pairs else "")
    headers = {"host": HOST, "accept": "*/*", "user-agent": "benchmark", "x-api-key": key}
    if body:
        headers |= {"content-type": "application/json", "content-length": str(len(body))}
    return RawRequest(method, path, target, pairs, headers, body, "http", HOST, "127.0.0.1")


def batches(orders: Orders, size: int) -> Iterator[list[bytes]]:
    """Endless batches of orders that rest."""
    while True:
        yield [on_the_wire("POST", ORDER_PATH, key, body) for body, key in (orders.resting() for _ in range(size))]
