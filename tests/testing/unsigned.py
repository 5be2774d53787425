"""Bodies as a client has them before it signs, for the accounts of a handle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.core.requests.counterfactual import token_address
from mockrelay.signing.curve import Point
from mockrelay.testing import Account, RelayerHandle
from tests.support.worlds import DAY_S, relay_from

E18 = 10**18
ETH, LRC = 0, 1
EXCHANGE = "0x5ca1ab1e0000000000000000000000000e8c4a96"
NFT_ID = "0x" + "0" * 61 + "abc"
_IMPLEMENTATION = relay_from().world.config.exchange.nft_implementation


class Bodies:
    """What is sent to a relayer, by the moment that it is there."""

    def __init__(self, relayer: RelayerHandle) -> None:
        self.relayer = relayer
        self.exchange = relayer.state()["exchange"]
        self.now_s = relayer.clock.now_s
        self.until_s = self.now_s + 60 * DAY_S

    def order(self, who: Account, order_id: int) -> dict[str, Any]:
        """100 LRC for 0.05 ETH."""
        return {
            "exchangeId": 2,
            "orderId": order_id,
            "accountId": who.id,
            "tokenSId": LRC,
            "tokenBId": ETH,
            "amountS": str(100 * E18),
            "amountB": str(5 * 10**16),
            "allOrNone": "false",
            "buy": "false",
            "validSince": self.now_s,
            "validUntil": self.until_s,
            "maxFeeBips": 63,
            "label": 211,
        }

    def transfer(self, who: Account, to: Account, nonce: int) -> dict[str, Any]:
        """1 LRC for somebody."""
        return {
            "exchangeId": 2,
            "sender": who.id,
            "receiver": to.id,
            "token": LRC,
            "amount": str(E18),
            "tokenF": LRC,
            "amountF": str(E18 // 10),
            "label": 211,
            "nonce": nonce,
            "memo": "for lunch",
        }

    def withdrawal(self, who: Account, storage_id: int) -> dict[str, Any]:
        """1 LRC to the own address on layer 1."""
        return {
            "exchange": EXCHANGE,
            "accountId": who.id,
            "owner": who.owner,
            "token": {"tokenId": LRC, "volume": str(E18)},
            "maxFee": {"tokenId": LRC, "volume": str(E18 // 10)},
            "storageId": storage_id,
            "validUntil": self.until_s,
            "minGas": 0,
            "to": who.owner,
        }

    def update(self, who: Account, key: Point, nonce: int) -> dict[str, Any]:
        """Another key."""
        return {
            "exchange": EXCHANGE,
            "owner": who.owner,
            "accountId": who.id,
            "publicKey": {"x": f"{key.x:#x}", "y": f"{key.y:#x}"},
            "maxFee": {"tokenId": LRC, "volume": str(E18 // 10)},
            "validUntil": self.until_s,
            "nonce": nonce,
        }

    def contract_of(self, minter: Account) -> str:
        """The address that the minter's NFT contract has or will have."""
        return token_address(self.exchange["nftFactory"], _IMPLEMENTATION, minter.owner)

    def nft_of(self, minter: Account) -> Mapping[str, Any]:
        """The NFT that the minter has minted, with `nftData` and `nftTokenId`."""
        nft: Mapping[str, Any] = next(nft for nft in self.relayer.state()["nfts"] if nft["minterId"] == minter.id)
        return nft

    def mint(self, who: Account, contract: str, storage_id: int) -> dict[str, Any]:
        """Five of an NFT for the minter."""
        factory = self.exchange["nftFactory"]
        return {
            "exchange": EXCHANGE,
            "minterId": who.id,
            "minterAddress": who.owner,
            "toAccountId": who.id,
            "toAddress": who.owner,
            "nftType": 0,
            "tokenAddress": contract,
            "nftId": NFT_ID,
            "amount": "5",
            "validUntil": self.until_s,
            "creatorFeeBips": 7,
            "storageId": storage_id,
            "maxFee": {"tokenId": LRC, "amount": str(E18 // 10)},
            "forceToMint": True,
            "counterFactualNftInfo": {"nftFactory": factory, "nftOwner": who.owner, "nftBaseUri": ""},
        }

    def move(self, who: Account, to: Account, nft: Mapping[str, Any], storage_id: int) -> dict[str, Any]:
        """One of an NFT, for somebody or to layer 1."""
        return {
            "exchange": EXCHANGE,
            "fromAccountId": who.id,
            "fromAddress": who.owner,
            "toAccountId": to.id,
            "toAddress": to.owner,
            "token": {"tokenId": nft["nftTokenId"], "nftData": nft["nftData"], "amount": "1"},
            "maxFee": {"tokenId": LRC, "amount": str(E18 // 10)},
            "storageId": storage_id,
            "validUntil": self.until_s,
        }

    def deployment(self, who: Account, contract: str, nft_data: str, storage_id: int) -> dict[str, Any]:
        """A contract is to be deployed, for 1 LRC."""
        transfer = {
            "exchange": EXCHANGE,
            "payerId": who.id,
            "payerAddr": who.owner,
            "payeeId": 0,
            "payeeAddr": self.exchange["broker"],
            "storageId": storage_id,
            "token": {"tokenId": LRC, "volume": str(E18)},
            "maxFee": {"tokenId": LRC, "volume": "0"},
            "validUntil": self.until_s,
            "memo": "",
        }
        return {"nftData": nft_data, "tokenAddress": contract, "transfer": transfer}
