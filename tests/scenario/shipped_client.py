"""A client of one packaged scenario: tests.support with the relay and the bodies of its world in hand."""

from __future__ import annotations

from typing import Any

from tests.support import views
from tests.support.answer import Answer
from tests.support.bodies import CAROL_ID, E18, ECDSA_SIGNATURE, FACTORY, LRC, bodies_of
from tests.support.client import account, advance, done, get, post, state
from tests.support.worlds import relay_from

NFT_ID = "0x" + "0" * 63 + "7"


class Client:
    """Trades, withdraws and mints in a scenario; alice acts unless another account is named."""

    def __init__(self, scenario: str, **options: Any) -> None:
        self.relay = relay_from(scenario, **options)
        self.bodies = bodies_of(self.relay)

    def get(self, path: str, key: str | None = "alice", **query: Any) -> Answer:
        """GET below `/api/`."""
        return get(self.relay, f"/api/{path}", key=key, **query)

    def post(self, path: str, fields: Any, key: str = "alice") -> Answer:
        """POST below `/api/`, with a signature in the header."""
        return post(self.relay, f"/api/{path}", fields, key=key, signature=ECDSA_SIGNATURE)

    def advance(self, span: str) -> None:
        advance(self.relay, span)

    def control(self, path: str, fields: Any) -> Any:
        return done(self.relay, "POST", path, fields)

    def state(self) -> Any:
        return state(self.relay)

    def findings(self) -> list[str]:
        """What the timeline could not do."""
        return views.findings(self.relay, "timeline")

    def money(self, name: str, token: str = "LRC") -> tuple[int, int, int]:
        return views.money(self.relay, name, token)

    def orders(self, name: str = "alice", **query: Any) -> list[dict[str, Any]]:
        return views.orders(self.relay, name, **query)

    def depth(self, market: str = "LRC-ETH") -> tuple[list[list[str]], list[list[str]]]:
        return views.depth(self.relay, market)

    def ticker(self, market: str = "LRC-ETH") -> list[str]:
        return views.ticker(self.relay, market)

    def order(self, side: str, lrc: int, eth_wei: int, name: str = "alice", order_id: int = 0) -> Answer:
        """Submit an order of LRC-ETH: so many whole LRC for so much ETH."""
        account_id = account(self.relay, name)["accountId"]
        if side == "BUY":
            body = self.bodies.bid(order_id, lrc * E18, eth_wei, accountId=account_id)
        else:
            body = self.bodies.order(order_id, amountS=str(lrc * E18), amountB=str(eth_wei), accountId=account_id)
        return self.post("v3/order", body, name)

    def withdraw(self, wei: int, storage_id: int = 0) -> Answer:
        """Withdraw LRC and pay 0.1 LRC."""
        token = {"tokenId": LRC, "volume": str(wei)}
        return self.post("v3/user/withdrawals", self.bodies.withdrawal(storage_id, token=token))

    def transfer(self, wei: int, nonce: int) -> Answer:
        """Send bob LRC and pay 0.05 LRC."""
        return self.post("v2/transfer", self.bodies.transfer(nonce, amount=str(wei), amountF=str(E18 // 20)))

    def contract(self) -> str:
        """The address of carol's NFT contract."""
        query = {"nftFactory": FACTORY, "nftOwner": self.bodies.owners[CAROL_ID], "nftBaseUri": ""}
        found: str = self.get("v3/nft/info/computeTokenAddress", **query).json["tokenAddress"]
        return found

    def mint(self, fee_wei: int, storage_id: int = 0) -> Answer:
        """Carol mints five of one NFT."""
        fee = {"tokenId": LRC, "amount": str(fee_wei)}
        body = self.bodies.mint(self.contract(), NFT_ID, storage_id, CAROL_ID, amount="5", maxFee=fee)
        return self.post("v3/nft/mint", body, "carol")

    def deploy(self, nft_data: str, storage_id: int = 10) -> Answer:
        """Carol has her contract deployed and pays 0.1 LRC."""
        token = {"tokenId": LRC, "volume": str(E18 // 10)}
        body = self.bodies.deployment(nft_data, self.contract(), storage_id, CAROL_ID, token=token)
        return self.post("v3/nft/deployTokenAddress", body, "carol")

    def code(self) -> str:
        """The code of carol's contract."""
        found: str = self.post("v3/delegator/getCode", {"address": self.contract()}, "carol").json["result"]
        return found
