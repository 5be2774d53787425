"""A careful client: it pauses when it is told to, reads before it repeats, and sends what the spec asks for."""

from __future__ import annotations

import json
from typing import Any

from mockrelay.relay import Relay
from tests.report.bench import Hand
from tests.support.answer import Answer
from tests.support.bodies import E18, ECDSA_SIGNATURE, EDDSA_SIGNATURE, bodies_of
from tests.support.client import account, done, send
from tests.support.worlds import DAY_S

TRIES = 6
_FEE = {"tokenId": 1, "volume": str(E18)}
_HASH = "0x" + "01" * 32


class Careful:
    """Alice, on a relay whose clock runs over a hand-moved real time."""

    def __init__(self, relay: Relay, hand: Hand, name: str = "alice") -> None:
        self.relay = relay
        self.hand = hand
        self.name = name
        self.account = account(relay, name)
        self.storage_id = 1000
        """Ahead of all order ids, since both may be counted together."""

    def wait(self, seconds: float) -> None:
        self.hand.ms += int(seconds * 1000)

    def ask(self, method: str, path: str, fields: dict[str, Any], *, signed: bool = False) -> Answer:
        """A call, again after a pause as long as the limit refuses it."""
        while True:
            self.wait(0.02)
            signature = ECDSA_SIGNATURE if signed else None
            if method == "GET":
                query = [(name, str(value)) for name, value in fields.items()]
                answer = send(self.relay, "GET", path, query=query, key=self.name, signature=signature)
            else:
                body = json.dumps(fields).encode()
                answer = send(self.relay, "POST", path, body=body, key=self.name, signature=signature)
            if answer.status != 429:
                return answer
            self.wait(float(answer.headers.get("retry-after", "1")))

    def read(self, path: str, **fields: Any) -> Any:
        """The data of a GET, asked for until there is an answer."""
        for _ in range(TRIES):
            answer = self.ask("GET", path, fields)
            result = _told(answer)
            if result is not None:
                return result
            self.wait(1)
        return None

    def order(self, client_id: str) -> None:
        """An order, in as many tries as it takes; whenever the outcome is open, the list of orders comes first."""
        result = self.read("/api/v2/orderId", accountId=self.account["accountId"], tokenSId=1)
        if result is None or "data" not in result:
            return
        exchange_id = done(self.relay, "GET", "state")["exchange"]["exchangeId"]
        of_client = {"accountId": self.account["accountId"], "exchangeId": exchange_id, "clientOrderId": client_id}
        body = bodies_of(self.relay).order(int(result["data"]), **of_client)
        for _ in range(TRIES):
            result = _told(self.ask("POST", "/api/v3/order", body))
            if result is None:
                if self.is_listed(client_id):
                    return
            elif result.get("data", {}).get("status") != "UNKNOWN" and result["resultInfo"]["code"] != 102014:
                return
            self.wait(2)

    def is_listed(self, client_id: str) -> bool:
        """Whether an order has been taken."""
        since_ms = self.relay.now_ms() - DAY_S * 1000
        result = self.read("/api/v2/orders", accountId=self.account["accountId"], start=since_ms, limit=50)
        orders = [] if result is None else result.get("data", {}).get("orders", [])
        return any(order["clientOrderId"] == client_id for order in orders)

    def withdraw(self) -> None:
        """A withdrawal, polled by sending it again until it has ended; how it ended, a block shows."""
        body = bodies_of(self.relay).withdrawal(self.storage_id, self.account["accountId"], maxFee=_FEE)
        self.storage_id += 1
        for _ in range(40):
            result = _told(self.ask("POST", "/api/v3/user/withdrawals", body, signed=True))
            if result is not None and result.get("status") not in ("received", "processing"):
                self.read("/api/v3/block/getBlock", id="confirmed")
                return
            self.wait(5)

    def update_key(self) -> None:
        """Another key, under the nonce that the account shows."""
        data = self.read("/api/v2/account", owner=self.account["owner"])
        if data is None or "data" not in data:
            return
        account_id, nonce = self.account["accountId"], data["data"]["accountNonce"]
        body = bodies_of(self.relay).update(nonce, account_id=account_id, maxFee=_FEE)
        for _ in range(20):
            result = _told(self.ask("POST", "/api/v3/account", body, signed=True))
            if result is not None and result.get("status") not in ("received", "processing"):
                return
            self.wait(5)

    def look_around(self) -> None:
        """Reads, twice each and in one go."""
        now_ms, owner = self.relay.now_ms(), self.account["owner"]
        for _ in range(2):
            for path in ("exchange/tokens", "exchange/info", "recommendedGasPrice"):
                self.ask("GET", f"/api/v2/{path}", {})
            self.ask("GET", "/api/v2/depth", {"market": "LRC-ETH", "level": 1, "limit": 5})
            self.ask("GET", "/api/v2/ticker", {"market": "LRC-ETH,LRC-USDT"})
            candles = {"market": "LRC-ETH", "interval": "1hr", "start": now_ms - 86_400_000, "end": now_ms}
            self.ask("GET", "/api/v2/candlestick", candles)
            self.ask("GET", "/api/v2/account", {"owner": owner})
            self.ask("GET", "/api/v2/ethBalances", {"owner": owner})
            self.ask("GET", "/api/v3/block/getPendingRequests", {})

    def deploy(self) -> None:
        """A contract: looked at, asked for, and waited for at the pace that the spec suggests."""
        state = done(self.relay, "GET", "state")["exchange"]
        query = {"nftFactory": state["nftFactory"], "nftOwner": self.account["owner"], "nftBaseUri": ""}
        result = self.read("/api/v3/nft/info/computeTokenAddress", **query)
        contract = result["tokenAddress"]
        if self.code_of(contract) != "0x":
            return
        fees = {"accountId": self.account["accountId"], "requestType": 13, "tokenAddress": contract}
        (fee,) = [
            row["fee"] for row in self.read("/api/v3/user/nft/offchainFee", **fees)["fees"] if row["token"] == "LRC"
        ]
        of_client = {
            "payeeAddr": self.read("/api/v3/getAvailableBroker")["broker"],
            "token": {"tokenId": 1, "volume": fee},
            "eddsaSignature": EDDSA_SIGNATURE,
            "ecdsaSignature": ECDSA_SIGNATURE,
            "eddsaHash": _HASH,
            "ecdsaHash": _HASH,
        }
        body = bodies_of(self.relay).deployment(_HASH, contract, 70, self.account["accountId"], **of_client)
        self.ask("POST", "/api/v3/nft/deployTokenAddress", body, signed=True)
        for _ in range(5):
            if self.code_of(contract) != "0x":
                return
            self.wait(15)

    def code_of(self, contract: str) -> str:
        """The code that layer 1 has there."""
        result = _told(self.ask("POST", "/api/v3/delegator/getCode", {"address": contract}))
        return "0x" if result is None else str(result.get("result", "0x"))

    def day(self) -> None:
        """A day's work."""
        self.look_around()
        for number in range(3):
            self.order(f"order-{number}")
        self.withdraw()
        self.withdraw()
        self.update_key()
        self.deploy()


def _told(answer: Answer) -> Any:
    """What an answer says; None where it says nothing that can be relied on."""
    if answer.drop or answer.status >= 500:
        return None
    try:
        return json.loads(answer.body)
    except ValueError:
        return None
