"""Bodies as a client has them before it signs, for the accounts of a handle."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.core.requests.counterfactual import token_address
from mockrelay.signing.curve import Point
from mockrelay.testing import Account, RelayerHandle
from tests.support import bodies
from tests.support.bodies import unsigned
from tests.support.worlds import relay_from

EXCHANGE = "0x5ca1ab1e0000000000000000000000000e8c4a96"
NFT_ID = "0x" + "0" * 61 + "abc"
_IMPLEMENTATION = relay_from().world.config.exchange.nft_implementation


class Bodies:
    """What is sent to a relayer, from its present moment on."""

    def __init__(self, relayer: RelayerHandle) -> None:
        self.relayer = relayer
        self.exchange = relayer.state()["exchange"]
        self.now_s = relayer.clock.now_s

    def _of(self, *accounts: Account) -> bodies.Bodies:
        return bodies.Bodies(EXCHANGE, {one.id: one.owner for one in accounts}, self.now_s)

    def order(self, who: Account, order_id: int) -> dict[str, Any]:
        return unsigned(self._of(who).order(order_id, accountId=who.id, allOrNone="false"))

    def transfer(self, who: Account, to: Account, nonce: int) -> dict[str, Any]:
        return unsigned(self._of(who).transfer(nonce, who.id, to.id, memo="for lunch"))

    def withdrawal(self, who: Account, storage_id: int) -> dict[str, Any]:
        return self._of(who).withdrawal(storage_id, who.id)

    def update(self, who: Account, key: Point, nonce: int) -> dict[str, Any]:
        return self._of(who).update(nonce, f"{key.x:#x}", f"{key.y:#x}", who.id)

    def contract_of(self, minter: Account) -> str:
        """The address that the minter's NFT contract has or will have."""
        return token_address(self.exchange["nftFactory"], _IMPLEMENTATION, minter.owner)

    def nft_of(self, minter: Account) -> Mapping[str, Any]:
        """The NFT that the minter has minted, with `nftData` and `nftTokenId`."""
        nft: Mapping[str, Any] = next(nft for nft in self.relayer.state()["nfts"] if nft["minterId"] == minter.id)
        return nft

    def mint(self, who: Account, contract: str, storage_id: int) -> dict[str, Any]:
        """Five of an NFT for the minter."""
        more = {"amount": "5", "creatorFeeBips": 7, "forceToMint": True}
        return self._of(who).mint(contract, NFT_ID, storage_id, who.id, **more)

    def move(self, who: Account, to: Account, nft: Mapping[str, Any], storage_id: int) -> dict[str, Any]:
        """One of an NFT, for an account or to layer 1."""
        token = {"tokenId": nft["nftTokenId"], "nftData": nft["nftData"], "amount": "1"}
        return self._of(who, to).nft_move(token, storage_id, who.id, to.id)

    def deployment(self, who: Account, contract: str, nft_data: str, storage_id: int) -> dict[str, Any]:
        """A contract is to be deployed, for 1 LRC."""
        return self._of(who).deployment(nft_data, contract, storage_id, who.id)
