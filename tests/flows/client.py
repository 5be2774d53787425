"""A trading client on plain HTTP, and a test's hand on the control API: what the flows are told with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from mockrelay.web import serve
from tests.support.answer import Answer
from tests.support.worlds import DAY_S, START_S, relay_from

SCENARIO = Path(__file__).with_name("world.yaml")
PATIENCE_S = 30
ALICE, BOB = 10001, 10002
KEYS = {ALICE: "key-a", BOB: "key-b"}
ETH, LRC = 0, 1
E18 = 10**18
FILTERS = ("waiting", "processing", "processed", "failed", "cancelled", "expired")


class Client:
    """One connection to a running relay."""

    def __init__(self, port: int) -> None:
        self.port = port
        self._connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _call(self, method: str, target: str, fields: Any, headers: Mapping[str, str]) -> Answer:
        body = None if fields is None else json.dumps(fields).encode()
        typed = {} if body is None else {"Content-Type": "application/json"}
        self._connection.request(method, target, body, {**headers, **typed})
        response = self._connection.getresponse()
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, response.read())

    def get(self, path: str, *, account: int = ALICE, **query: Any) -> Answer:
        """GET with the account's key."""
        target = f"/api/{path}" + (f"?{urlencode(query)}" if query else "")
        return self._call("GET", target, None, {"X-API-KEY": KEYS[account]})

    def submit(self, body: Mapping[str, Any]) -> Answer:
        """Submit an order with its account's key."""
        return self._call("POST", "/api/v3/order", body, {"X-API-KEY": KEYS[body["accountId"]]})

    def accepted(self, body: Mapping[str, Any]) -> str:
        """Submit an order that must be taken; its hash."""
        answer = self.submit(body)
        assert (answer.status, answer.code) == (200, 0), answer.body
        assert answer.data == {"orderHash": answer.data["orderHash"], "status": "NEW_ACTIVED", "isIdempotent": False}
        hash_: str = answer.data["orderHash"]
        return hash_

    def control(self, method: str, path: str, fields: Any = None) -> Answer:
        """A control call."""
        return self._call(method, f"/__mockrelay/{path}", fields, {})

    def done(self, path: str, fields: Any) -> Any:
        """A control verb that must succeed."""
        answer = self.control("POST", path, fields)
        assert answer.status == 200, answer.body
        return answer.json

    def advance(self, span: str) -> None:
        """Move the relayer's clock."""
        self.done("clock", {"advance": span})

    def next_id(self, account: int = ALICE, token: int = LRC) -> int:
        """The next order id, which comes as a string."""
        data = self.get("v2/orderId", account=account, accountId=account, tokenSId=token).data
        assert isinstance(data, str)
        return int(data)

    def orders(self, account: int = ALICE, **query: Any) -> list[dict[str, Any]]:
        """The records of the order list."""
        answer = self.get("v2/orders", account=account, accountId=account, **query)
        assert answer.code == 0, answer.body
        found: list[dict[str, Any]] = answer.data["orders"]
        assert answer.data["totalNum"] >= len(found)
        return found

    def record(self, hash_: str, account: int = ALICE) -> dict[str, Any]:
        """An order's record."""
        (found,) = [record for record in self.orders(account) if record["hash"] == hash_]
        return found

    def lists(self, hash_: str, account: int = ALICE) -> list[str]:
        """The words of the filter that list an order."""
        return [
            word for word in FILTERS if any(record["hash"] == hash_ for record in self.orders(account, status=word))
        ]

    def book(self) -> tuple[list[list[str]], list[list[str]]]:
        """Bids and asks of LRC-ETH."""
        data = self.get("v2/depth", market="LRC-ETH", level=0).data
        return data["bids"], data["asks"]

    def ticker(self) -> list[str]:
        """The row of LRC-ETH."""
        (row,) = self.get("v2/ticker", market="LRC-ETH").data
        found: list[str] = row
        return found

    def candles(self, interval: str = "1min") -> list[list[str]]:
        """The rows of LRC-ETH."""
        rows: list[list[str]] = self.get("v2/candlestick", market="LRC-ETH", interval=interval).data
        return rows

    def pending(self) -> list[dict[str, Any]]:
        """Transactions that wait for the next block."""
        rows: list[dict[str, Any]] = self.get("v3/block/getPendingRequests").json
        return rows

    def state(self) -> Any:
        """The whole world."""
        return self.control("GET", "state").json

    def digest(self) -> str:
        """The world's digest."""
        value: str = self.state()["digest"]
        return value

    def money(self, account: int, symbol: str) -> tuple[int, int]:
        """What is free and what is frozen."""
        (found,) = [one for one in self.state()["accounts"] if one["accountId"] == account]
        held = found["balances"][symbol]
        assert held["inFlight"] == "0"
        return int(held["free"]), int(held["frozen"])


@contextmanager
def served(choices: Mapping[str, str] | None = None, scenario: str | Path = SCENARIO) -> Iterator[Client]:
    """A client of a relay of its own, on a frozen clock."""
    with serve(relay_from(scenario, choices=choices)) as server, closing(Client(server.port)) as client:
        yield client


def sale(order_id: int = 0, *, lrc: int = 100 * E18, eth: int = 5 * 10**16, **changes: Any) -> dict[str, Any]:
    """Alice sells LRC for ETH: 100 for 0.05, good for 60 days, unless told otherwise."""
    return {
        "exchangeId": 2,
        "orderId": order_id,
        "accountId": ALICE,
        "tokenSId": LRC,
        "tokenBId": ETH,
        "amountS": str(lrc),
        "amountB": str(eth),
        "buy": "false",
        "validSince": START_S,
        "validUntil": START_S + 60 * DAY_S,
        "maxFeeBips": 63,
        "label": 211,
        "signatureRx": "111",
        "signatureRy": "222",
        "signatureS": "333",
    } | changes


def purchase(order_id: int = 0, *, lrc: int = 100 * E18, eth: int = 5 * 10**16, **changes: Any) -> dict[str, Any]:
    """Bob buys LRC with ETH: 100 for 0.05 unless told otherwise."""
    legs = {"accountId": BOB, "tokenSId": ETH, "tokenBId": LRC, "amountS": str(eth), "amountB": str(lrc), "buy": "true"}
    return sale(order_id) | legs | changes


def at_once(client: Client, bodies: list[Mapping[str, Any]]) -> list[Answer]:
    """Submit each body over a connection of its own, all at the same time."""

    def submit(body: Mapping[str, Any]) -> Answer:
        with closing(Client(client.port)) as one:
            return one.submit(body)

    with ThreadPoolExecutor(len(bodies)) as pool:
        return list(pool.map(submit, bodies))
