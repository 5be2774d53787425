"""A client of the shipped scenarios, without a socket: bodies that are right, and what is read back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.support.answer import Answer
from tests.support.client import account, advance, done, get, post
from tests.support.worlds import DAY_S, START_S, relay_from

E18 = 10**18
ETH, LRC = 0, 1
SIGNATURE = "0x" + "1" * 130
SIGNED = {"label": 211, "signatureRx": "1", "signatureRy": "2", "signatureS": "3"}
SOON_S = START_S + 30 * DAY_S
LATER_S = START_S + 60 * DAY_S
"""Until when requests and orders are valid."""
EXCHANGE = "0x5ca1ab1e0000000000000000000000000e8c4a96"
NFT_ID = "0x" + "0" * 63 + "7"


class Client:
    """Somebody who trades, withdraws and mints in a scenario, and sees the whole world when need be."""

    def __init__(self, scenario: str, **more: Any) -> None:
        self.relay = relay_from(scenario, **more)

    def get(self, path: str, key: str | None = "alice", **query: Any) -> Answer:
        """GET below `/api/`."""
        return get(self.relay, f"/api/{path}", key=key, **query)

    def post(self, path: str, fields: Any, key: str = "alice") -> Answer:
        """POST below `/api/`, with a signature in the header."""
        return post(self.relay, f"/api/{path}", fields, key=key, signature=SIGNATURE)

    def advance(self, span: str) -> None:
        """Let time pass."""
        advance(self.relay, span)

    def control(self, path: str, fields: Any) -> Any:
        """A control verb that must succeed."""
        return done(self.relay, "POST", path, fields)

    def state(self) -> Any:
        """The whole world."""
        return done(self.relay, "GET", "state")

    def findings(self) -> list[str]:
        """What the timeline could not do."""
        return [found["detail"] for found in self.state()["findings"] if found["rule"] == "timeline"]

    def money(self, name: str, token: str = "LRC") -> tuple[int, int, int]:
        """What is free, frozen and in flight of an account's token."""
        (found,) = [one["balances"] for one in self.state()["accounts"] if one["name"] == name]
        held: Mapping[str, str] = found.get(token, {"free": "0", "frozen": "0", "inFlight": "0"})
        return int(held["free"]), int(held["frozen"]), int(held["inFlight"])

    def order(self, side: str, lrc: int, eth_wei: int, name: str = "alice", order_id: int = 0, **more: Any) -> Answer:
        """Submit an order of LRC-ETH: so many whole LRC for so much ETH."""
        lrc_leg, eth_leg = (LRC, str(lrc * E18)), (ETH, str(eth_wei))
        sold, bought = (lrc_leg, eth_leg) if side == "SELL" else (eth_leg, lrc_leg)
        body = {
            "exchangeId": 2,
            "orderId": order_id,
            "accountId": account(self.relay, name)["accountId"],
            "tokenSId": sold[0],
            "amountS": sold[1],
            "tokenBId": bought[0],
            "amountB": bought[1],
            "buy": "true" if side == "BUY" else "false",
            "validSince": START_S,
            "validUntil": LATER_S,
            "maxFeeBips": 63,
            **SIGNED,
        }
        return self.post("v3/order", body | more, name)

    def orders(self, name: str = "alice", **query: Any) -> list[dict[str, Any]]:
        """The account's orders, newest first."""
        answer = self.get("v2/orders", name, accountId=account(self.relay, name)["accountId"], **query)
        found: list[dict[str, Any]] = answer.data["orders"]
        return found

    def depth(self, market: str = "LRC-ETH") -> tuple[list[list[str]], list[list[str]]]:
        """Bids and asks."""
        data = self.get("v2/depth", market=market, level=0).data
        return data["bids"], data["asks"]

    def ticker(self, market: str = "LRC-ETH") -> list[str]:
        """The market's row."""
        (row,) = self.get("v2/ticker", market=market).data
        found: list[str] = row
        return found

    def withdraw(self, wei: int, storage_id: int = 0) -> Answer:
        """Alice withdraws LRC to layer 1 and pays 0.1 LRC."""
        alice = account(self.relay, "alice")
        body = {
            "exchange": EXCHANGE,
            "accountId": alice["accountId"],
            "owner": alice["owner"],
            "token": {"tokenId": LRC, "volume": str(wei)},
            "maxFee": {"tokenId": LRC, "volume": str(E18 // 10)},
            "storageId": storage_id,
            "validUntil": SOON_S,
            "minGas": 0,
            "to": alice["owner"],
        }
        return self.post("v3/user/withdrawals", body)

    def transfer(self, wei: int, nonce: int) -> Answer:
        """Alice sends bob LRC and pays 0.05 LRC."""
        body = {
            "exchangeId": 2,
            "sender": 10001,
            "receiver": 10002,
            "token": LRC,
            "amount": str(wei),
            "tokenF": LRC,
            "amountF": str(E18 // 20),
            "nonce": nonce,
            **SIGNED,
        }
        return self.post("v2/transfer", body)

    def contract(self) -> str:
        """The address of carol's NFT contract."""
        factory, owner = self.state()["exchange"]["nftFactory"], account(self.relay, "carol")["owner"]
        query = {"nftFactory": factory, "nftOwner": owner, "nftBaseUri": ""}
        found: str = self.get("v3/nft/info/computeTokenAddress", **query).json["tokenAddress"]
        return found

    def mint(self, fee_wei: int, storage_id: int = 0) -> Answer:
        """Carol mints five of one NFT."""
        body = {
            "exchange": EXCHANGE,
            "minterId": 10003,
            "toAccountId": 10003,
            "tokenAddress": self.contract(),
            "nftId": NFT_ID,
            "amount": "5",
            "validUntil": SOON_S,
            "storageId": storage_id,
            "maxFee": {"tokenId": LRC, "amount": str(fee_wei)},
        }
        return self.post("v3/nft/mint", body, "carol")

    def deploy(self, nft_data: str, storage_id: int = 10) -> Answer:
        """Carol has her contract deployed and pays 0.1 LRC."""
        payment = {
            "exchange": EXCHANGE,
            "payerId": 10003,
            "payeeId": 0,
            "payeeAddr": self.state()["exchange"]["broker"],
            "token": {"tokenId": LRC, "volume": str(E18 // 10)},
            "maxFee": {"tokenId": LRC, "volume": "0"},
            "storageId": storage_id,
            "validUntil": SOON_S,
        }
        body = {"nftData": nft_data, "tokenAddress": self.contract(), "transfer": payment}
        return self.post("v3/nft/deployTokenAddress", body, "carol")

    def code(self) -> str:
        """The code of carol's contract."""
        found: str = self.post("v3/delegator/getCode", {"address": self.contract()}, "carol").json["result"]
        return found
