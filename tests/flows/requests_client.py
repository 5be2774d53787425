"""A wallet on plain HTTP, and a test's hand on the control API: what the flows of requests are told with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from mockrelay.relay import Relay, Verifier
from mockrelay.web import serve
from tests.support.answer import Answer
from tests.support.worlds import DAY_S, START_S

SCENARIO = Path(__file__).with_name("requests.yaml")
PATIENCE_S = 10
"""Of every single call: nothing that a flow waits for takes as long."""
ALICE, BOB, CAROL = 10001, 10002, 10003
KEYS = {ALICE: "key-a", BOB: "key-b", CAROL: "key-c"}
ETH, LRC = 0, 1
E18 = 10**18
EXCHANGE = "0x000000000000000000000000000000000000000e"
SIGNATURE = "0x" + "1" * 130
SOON_S = START_S + 30 * DAY_S
"""Until when requests are valid."""
SIGNED = {"signatureRx": "1", "signatureRy": "2", "signatureS": "3"}


class Wallet:
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

    def get(self, path: str, account: int = ALICE, **query: Any) -> Answer:
        """GET with the account's key."""
        target = f"/api/{path}" + (f"?{urlencode(query)}" if query else "")
        return self._call("GET", target, None, {"X-API-KEY": KEYS[account]})

    def post(self, path: str, fields: Any, account: int | None = ALICE) -> Answer:
        """POST with the account's key (None: without one) and a signature."""
        key = {} if account is None else {"X-API-KEY": KEYS[account]}
        return self._call("POST", f"/api/{path}", fields, {"X-API-SIG": SIGNATURE, **key})

    def done(self, path: str, fields: Any) -> Any:
        """A control verb that must succeed."""
        answer = self._call("POST", f"/__mockrelay/{path}", fields, {})
        assert answer.status == 200, answer.body
        return answer.json

    def advance(self, span: str) -> None:
        """Move the relayer's clock."""
        self.done("clock", {"advance": span})

    def seal(self) -> dict[str, Any]:
        """A block of what waits, as the API shows it."""
        (block_id,) = self.done("blocks/seal", {})["blockIds"]
        block: dict[str, Any] = self.get("v3/block/getBlock", id=block_id).json
        return block

    def pending(self) -> list[dict[str, Any]]:
        """Transactions that wait for the next block."""
        rows: list[dict[str, Any]] = self.get("v3/block/getPendingRequests").json
        return rows

    def state(self) -> Any:
        """The whole world."""
        return self._call("GET", "/__mockrelay/state", None, {}).json

    def owner(self, account: int) -> str:
        """The account's layer-1 address."""
        (owner,) = [one["owner"] for one in self.state()["accounts"] if one["accountId"] == account]
        return str(owner)

    def record(self, account: int) -> dict[str, Any]:
        """The account as its owner reads it."""
        data: dict[str, Any] = self.get("v2/account", owner=self.owner(account)).data
        return data

    def money(self, account: int, token: str = "LRC") -> tuple[int, int]:
        """What is free and what is in flight."""
        (balances,) = [one["balances"] for one in self.state()["accounts"] if one["accountId"] == account]
        held = balances.get(token, {"free": "0", "inFlight": "0"})
        return int(held["free"]), int(held["inFlight"])


@contextmanager
def running(verifier: Verifier | None = None, **choices: str) -> Iterator[Wallet]:
    """A wallet on a relay of its own, on a frozen clock; choices with `__` for the dot."""
    options = {name.replace("__", "."): option for name, option in choices.items()}
    relay = Relay.from_scenario(SCENARIO, choices=options, limits="off", clock="frozen", verifier=verifier)
    with serve(relay) as server, closing(Wallet(server.port)) as wallet:
        yield wallet


def transfer(**changes: Any) -> dict[str, Any]:
    """Alice sends bob 100 LRC."""
    return {
        "exchangeId": 2,
        "sender": ALICE,
        "receiver": BOB,
        "token": LRC,
        "tokenF": LRC,
        "amount": "100",
        "amountF": "20",
        "nonce": 3,
        "label": 211,
        **SIGNED,
    } | changes


def withdrawal(owner: str, **changes: Any) -> dict[str, Any]:
    """Alice takes 500 LRC to layer 1 and pays in ETH."""
    return {
        "exchange": EXCHANGE,
        "accountId": ALICE,
        "owner": owner,
        "token": {"tokenId": LRC, "volume": "500"},
        "maxFee": {"tokenId": ETH, "volume": "30"},
        "storageId": 0,
        "validUntil": SOON_S,
        "minGas": 0,
        "to": owner,
    } | changes


def update(owner: str, x: str, **changes: Any) -> dict[str, Any]:
    """Alice takes another key."""
    return {
        "exchange": EXCHANGE,
        "owner": owner,
        "accountId": ALICE,
        "publicKey": {"x": x, "y": "0x2"},
        "maxFee": {"tokenId": LRC, "volume": "50"},
        "validUntil": SOON_S,
        "nonce": 3,
    } | changes
