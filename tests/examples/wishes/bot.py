"""A small client for the examples: it sends the calls of a trader, a wallet and a minter, and knows the default world."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from http import HTTPStatus
from http.client import RemoteDisconnected
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

if TYPE_CHECKING:
    from mockrelay.testing import RelayerHandle

LRC, ETH = 1, 0
ONE = 10**18
"""A whole LRC or ETH, in the smallest unit."""
LRC_FEE = {"tokenId": LRC, "volume": str(ONE // 10)}
DAY_S = 86_400
SIGNED = {"label": 211, "signatureRx": "1", "signatureRy": "2", "signatureS": "3"}
"""Well-formed, and enough under the default `signature.scheme: presence`."""


# region answer
class Answer(NamedTuple):
    """What each call of the bot returns: the status, the headers and the JSON of an answer."""

    status: int
    headers: Any
    json: Any

    @property
    def request_id(self) -> str:
        """The id under which the relayer explains the answer: `relayer.why(answer.request_id)`."""
        return str(self.headers["X-Mockrelay-Request-Id"])

    @property
    def code(self) -> int:
        """The code of the answer, 0 for a success."""
        info = self.json.get("resultInfo", {"code": 0})
        return int(info["code"])


# endregion
class Bot:
    """A client of one account."""

    def __init__(self, relayer: RelayerHandle, name: str = "alice", timeout_s: float = 10) -> None:
        self.account = relayer.account(name)
        self._url = relayer.url
        self._api_key = self.account.api_key
        self._timeout_s = timeout_s
        self.sleep: Callable[[float], object] = time.sleep
        state = relayer.state()
        self._now_s = relayer.clock.now_ms // 1000
        self._exchange = state.exchange.exchangeAddress
        self._factory, self._broker = state.exchange.nftFactory, state.exchange.broker

    def get(self, path: str, **query: Any) -> Answer:
        """Ask for something: `get("/api/v2/depth", market="LRC-ETH", level=0)`."""
        return self._call(Request(f"{self._url}{path}?{urlencode(query)}", headers=self._headers()))

    def post(self, path: str, body: dict[str, Any]) -> Answer:
        """Submit something."""
        headers = {**self._headers(), "Content-Type": "application/json", "X-API-SIG": "0x" + "1" * 130}
        return self._call(Request(self._url + path, json.dumps(body).encode(), headers, method="POST"))

    # region patience
    def get_patiently(self, path: str, **query: Any) -> Answer:
        """Ask, and after a 429 once more, a pause later."""
        answer = self.get(path, **query)
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            self.sleep(float(answer.headers.get("Retry-After", 1)))
            answer = self.get(path, **query)
        return answer

    # endregion

    # region order_once
    def order_once(self, client_order_id: str) -> None:
        """Place an order; after a lost answer look whether it is there before it is sent again."""
        try:
            self.order(clientOrderId=client_order_id)
        except RemoteDisconnected:
            listed = self.get("/api/v2/orders", accountId=self.account.id).json["data"]["orders"]
            if all(order["clientOrderId"] != client_order_id for order in listed):
                self.order(clientOrderId=client_order_id)

    # endregion

    def order(self, side: str = "SELL", lrc: int = 100, valid_for_days: int = 60, **fields: Any) -> Answer:
        """Sell (or buy) LRC for ETH at 0.0005."""
        legs = [(LRC, lrc * ONE), (ETH, lrc * ONE // 2000)]
        (sold, amount_s), (bought, amount_b) = legs if side == "SELL" else legs[::-1]
        amounts = {"tokenSId": sold, "amountS": str(amount_s), "tokenBId": bought, "amountB": str(amount_b)}
        times = {"validSince": self._now_s, "validUntil": self._now_s + valid_for_days * DAY_S}
        ids = {"exchangeId": 2, "accountId": self.account.id, "orderId": 0, "buy": "false", "maxFeeBips": 63}
        return self.post("/api/v3/order", ids | amounts | times | SIGNED | fields)

    def transfer(self, receiver: int = 10002, nonce: int = 0, **fields: Any) -> Answer:
        """Send one LRC to another account."""
        amounts = {"token": LRC, "amount": str(ONE), "tokenF": LRC, "amountF": LRC_FEE["volume"]}
        ids = {"exchangeId": 2, "sender": self.account.id, "receiver": receiver, "nonce": nonce}
        return self.post("/api/v2/transfer", ids | amounts | SIGNED | fields)

    def withdraw(self, **fields: Any) -> Answer:
        """Withdraw one LRC to the account's own address; the same call again polls it."""
        amounts = {"token": {"tokenId": LRC, "volume": str(ONE)}, "maxFee": LRC_FEE, "minGas": 0}
        ids = {"exchange": self._exchange, "accountId": self.account.id, "owner": self.account.owner}
        rest = {"storageId": 0, "validUntil": self._now_s + DAY_S, "to": self.account.owner}
        return self.post("/api/v3/user/withdrawals", ids | amounts | rest | fields)

    def contract(self) -> str:
        """The address of the account's NFT contract."""
        query = {"nftFactory": self._factory, "nftOwner": self.account.owner, "nftBaseUri": ""}
        return str(self.get("/api/v3/nft/info/computeTokenAddress", **query).json["tokenAddress"])

    def mint(self, nft_id: int = 1) -> Answer:
        """Mint five of an NFT."""
        ids = {"exchange": self._exchange, "minterId": self.account.id, "toAccountId": self.account.id}
        nft = {"tokenAddress": self.contract(), "nftId": f"0x{nft_id:064x}", "amount": "5", "storageId": 0}
        fee = {"tokenId": LRC, "amount": LRC_FEE["volume"]}
        return self.post("/api/v3/nft/mint", ids | nft | {"maxFee": fee, "validUntil": self._now_s + DAY_S})

    def deploy(self, nft_data: str) -> Answer:
        """Deploy the account's NFT contract."""
        ids = {"exchange": self._exchange, "payerId": self.account.id, "payeeId": 0, "payeeAddr": self._broker}
        money = {"token": LRC_FEE, "maxFee": {"tokenId": LRC, "volume": "0"}, "storageId": 1}
        payment = ids | money | {"validUntil": self._now_s + DAY_S}
        body = {"nftData": nft_data, "tokenAddress": self.contract(), "transfer": payment}
        return self.post("/api/v3/nft/deployTokenAddress", body)

    def code_of_contract(self) -> str:
        """The code at the address of the account's NFT contract, `0x` before it is deployed."""
        return str(self.post("/api/v3/delegator/getCode", {"address": self.contract()}).json["result"])

    def _headers(self) -> dict[str, str]:
        return {"X-API-KEY": self._api_key}

    def _call(self, request: Request) -> Answer:
        try:
            with urlopen(request, timeout=self._timeout_s) as response:
                return _answer(response, response.status)
        except HTTPError as error:
            with error:
                return _answer(error, error.code)


def _answer(response: Any, status: int) -> Answer:
    return Answer(status, response.headers, json.loads(response.read() or b"null"))
