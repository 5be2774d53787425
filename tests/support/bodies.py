"""One set of right bodies: what clients send, by endpoint, unsigned or with parts that count under `presence`.

`W` has those of world W; `bodies_of(relayer)` makes those of any other. Alice 10001 acts unless another account is named;
`**changes` replace or add fields. Times count from `now_s`, amounts are in the smallest unit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from tests.support.client import Relayer, done, state
from tests.support.worlds import DAY_S, START_S

E18 = 10**18
ETH, LRC, USDT = 0, 1, 3
ALICE_ID, BOB_ID, CAROL_ID = 10001, 10002, 10003
SIGNED = {"signatureRx": "111", "signatureRy": "222", "signatureS": "333"}
"""The parts of a gen-2 signature, in form."""
ECDSA_SIGNATURE = "0x" + "01" * 65
"""A header X-API-SIG in form."""
EDDSA_SIGNATURE = "0x" + "01" * 96
FEE = {"tokenId": LRC, "volume": str(E18 // 10)}
NFT_FEE = {"tokenId": LRC, "amount": str(E18 // 10)}
FACTORY = "0xfac702ee00000000000000000000000000000001"
BROKER = "0xb20ce2ee00000000000000000000000000000001"


class Bodies(NamedTuple):
    """Bodies for a world with this exchange and these owners of accounts."""

    exchange: str
    owners: Mapping[int, str]
    now_s: int = START_S

    @property
    def until_s(self) -> int:
        """Until when all bodies are valid: 60 days."""
        return self.now_s + 60 * DAY_S

    def order(self, order_id: int = 0, **changes: Any) -> dict[str, Any]:
        """Alice sells 100 LRC for 0.05 ETH."""
        return {
            "exchangeId": 2,
            "orderId": order_id,
            "accountId": ALICE_ID,
            "tokenSId": LRC,
            "tokenBId": ETH,
            "amountS": str(100 * E18),
            "amountB": str(5 * 10**16),
            "buy": "false",
            "validSince": self.now_s,
            "validUntil": self.until_s,
            "maxFeeBips": 63,
            "label": 211,
            **SIGNED,
            **changes,
        }

    def bid(self, order_id: int = 0, lrc: int = 100 * E18, eth: int = 5 * 10**16, **changes: Any) -> dict[str, Any]:
        """Bob buys LRC for ETH: 100 for 0.05."""
        legs = {"accountId": BOB_ID, "tokenSId": ETH, "tokenBId": LRC, "amountS": str(eth), "amountB": str(lrc)}
        return self.order(order_id, **{**legs, "buy": "true", **changes})

    def transfer(
        self, nonce: int = 0, sender: int = ALICE_ID, receiver: int = BOB_ID, **changes: Any
    ) -> dict[str, Any]:
        """Alice sends bob 1 LRC."""
        return {
            "exchangeId": 2,
            "sender": sender,
            "receiver": receiver,
            "token": LRC,
            "tokenF": LRC,
            "amount": str(E18),
            "amountF": FEE["volume"],
            "nonce": nonce,
            "label": 211,
            **SIGNED,
            **changes,
        }

    def withdrawal(self, storage_id: int = 0, account_id: int = ALICE_ID, **changes: Any) -> dict[str, Any]:
        """Alice takes 1 LRC to her own address on layer 1."""
        return {
            **self._gen_3(storage_id),
            "accountId": account_id,
            "owner": self.owners[account_id],
            "token": {"tokenId": LRC, "volume": str(E18)},
            "maxFee": FEE,
            "minGas": 0,
            "to": self.owners[account_id],
            **changes,
        }

    def update(
        self, nonce: int = 0, x: str = "0x0a", y: str = "0x0b", account_id: int = ALICE_ID, **changes: Any
    ) -> dict[str, Any]:
        """Alice takes the key (x, y)."""
        return {
            "exchange": self.exchange,
            "owner": self.owners[account_id],
            "accountId": account_id,
            "publicKey": {"x": x, "y": y},
            "maxFee": FEE,
            "validUntil": self.until_s,
            "nonce": nonce,
            **changes,
        }

    def mint(
        self, contract: str, nft_id: str, storage_id: int = 0, account_id: int = ALICE_ID, **changes: Any
    ) -> dict[str, Any]:
        """Alice mints one of an NFT of her contract for herself."""
        owner = self.owners[account_id]
        return {
            **self._gen_3(storage_id),
            "minterId": account_id,
            "minterAddress": owner,
            "toAccountId": account_id,
            "toAddress": owner,
            "nftType": 0,
            "tokenAddress": contract,
            "nftId": nft_id,
            "amount": "1",
            "creatorFeeBips": 0,
            "maxFee": NFT_FEE,
            "forceToMint": False,
            "counterFactualNftInfo": {"nftFactory": FACTORY, "nftOwner": owner, "nftBaseUri": ""},
            **changes,
        }

    def nft_move(
        self,
        token: Mapping[str, Any],
        storage_id: int = 0,
        sender: int = ALICE_ID,
        receiver: int = BOB_ID,
        **changes: Any,
    ) -> dict[str, Any]:
        """Alice sends an NFT (`token`: tokenId, nftData, amount) to bob, or to bob's address on layer 1."""
        return {
            **self._gen_3(storage_id),
            "fromAccountId": sender,
            "fromAddress": self.owners[sender],
            "toAccountId": receiver,
            "toAddress": self.owners[receiver],
            "token": token,
            "maxFee": NFT_FEE,
            **changes,
        }

    def deployment(
        self, nft_data: str, contract: str, storage_id: int = 0, payer: int = ALICE_ID, **changes: Any
    ) -> dict[str, Any]:
        """Alice has her contract deployed for 1 LRC; `changes` are those of its transfer, which is not signed."""
        transfer = {
            **self._gen_3(storage_id),
            "payeeAddr": BROKER,
            "payerId": payer,
            "payerAddr": self.owners[payer],
            "payeeId": 0,
            "memo": "",
            "maxFee": {"volume": "0", "tokenId": LRC},
            "token": {"volume": str(E18), "tokenId": LRC},
            **changes,
        }
        return {"nftData": nft_data, "tokenAddress": contract, "transfer": transfer}

    def _gen_3(self, storage_id: int) -> dict[str, Any]:
        return {"exchange": self.exchange, "storageId": storage_id, "validUntil": self.until_s}


W = Bodies("0x" + "0" * 39 + "e", {ALICE_ID: "0x" + "a1" * 20, BOB_ID: "0x" + "b2" * 20})
"""Those of world W."""


def bodies_of(relayer: Relayer) -> Bodies:
    """Those of the relayer's world, from its present moment on."""
    owners = {one["accountId"]: one["owner"] for one in done(relayer, "GET", "accounts")}
    world = state(relayer)
    return Bodies(world["exchange"]["exchangeAddress"], owners, world["now_ms"] // 1000)


def unsigned(body: Mapping[str, Any]) -> dict[str, Any]:
    """The body without the parts of a signature."""
    return {name: value for name, value in body.items() if name not in SIGNED}
