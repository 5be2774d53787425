"""Clients that sign what they send, in the way of real ones, whatever carries their requests to the relayer."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from mockrelay.signing import messages, owner, wire_forms
from mockrelay.signing.eddsa import Family, sign
from mockrelay.signing.messages import Message
from mockrelay.signing.owner import TypedRequest
from mockrelay.signing.request_signature import sign_call
from tests.support.answer import Answer
from tests.support.worlds import DAY_S, START_S

E18 = 10**18
ETH, LRC = 0, 1
CHAIN_ID = 1
EXCHANGE = "0x5ca1ab1e0000000000000000000000000e8c4a96"
FACTORY = "0xfac702ee00000000000000000000000000000001"
BROKER = "0xb20ce2ee00000000000000000000000000000001"
UNTIL_S = START_S + 60 * DAY_S

Carry = Callable[[str, str, bytes, Mapping[str, str]], Answer]
"""Method, target below the base, body and headers, to the relayer."""


class Wire(NamedTuple):
    """The way to a relayer: the base URL that its clients were given, and what carries their requests."""

    base: str
    carry: Carry
    control: Callable[[str, str, Any], Any]
    """A control verb that must succeed; its answer."""

    def get(self, path: str, **query: Any) -> Answer:
        """GET without a key."""
        target = "&".join(f"{name}={value}" for name, value in query.items())
        return self.carry("GET", f"{path}?{target}" if target else path, b"", {})

    def advance(self, span: str) -> None:
        """Let time pass."""
        self.control("POST", "clock", {"advance": span})


class Signer:
    """An account's owner with both keys."""

    def __init__(self, wire: Wire, name: str, private: int, layer1: int) -> None:
        told = wire.control("GET", f"accounts/{name}", None)
        self.wire = wire
        self.id: int = told["accountId"]
        self.owner: str = told["owner"]
        self.api_key: str = told["apiKey"]
        self.private = private
        self.layer1 = layer1
        self.family = Family.PYTHON

    def eddsa(self, message: Message, body: Mapping[str, Any]) -> str:
        """The layer-2 signature of a body, in hex."""
        return wire_forms.eddsa_hex(sign(self.private, message.hash(body), self.family))

    def parts(self, message: Message, body: Mapping[str, Any]) -> dict[str, str]:
        """The layer-2 signature of a gen-2 body, as fields."""
        return wire_forms.eddsa_parts(sign(self.private, message.hash(body), self.family))

    def ecdsa(self, typed: TypedRequest, body: Mapping[str, Any], suffix: str = "02") -> str:
        """The layer-1 signature of a typed request."""
        hashed = typed.hash(body, CHAIN_ID, int(EXCHANGE, 16))
        return wire_forms.layer1_text(owner.sign_typed(self.layer1, hashed, suffix))

    def post(self, path: str, body: Mapping[str, Any], signature: str | None = None) -> Answer:
        """Send a body as JSON without blanks, with a header X-API-SIG where one is given."""
        return self.post_text(path, json.dumps(body, separators=(",", ":")), signature)

    def post_text(self, path: str, text: str, signature: str | None = None) -> Answer:
        """Send a text as it is."""
        headers = {"X-API-KEY": self.api_key, "Content-Type": "application/json"}
        if signature is not None:
            headers["X-API-SIG"] = signature
        return self.wire.carry("POST", path, text.encode(), headers)

    def order_body(self, order_id: int, **changes: Any) -> dict[str, Any]:
        """100 LRC for 0.05 ETH, not signed."""
        return {
            "exchangeId": 2,
            "orderId": order_id,
            "accountId": self.id,
            "tokenSId": LRC,
            "tokenBId": ETH,
            "amountS": str(100 * E18),
            "amountB": str(5 * 10**16),
            "allOrNone": "false",
            "buy": "false",
            "validSince": START_S,
            "validUntil": UNTIL_S,
            "maxFeeBips": 63,
            "label": 211,
            **changes,
        }

    def order(self, order_id: int, **changes: Any) -> Answer:
        """Submit an order, signed."""
        body = self.order_body(order_id, **changes)
        return self.post("/api/v3/order", {**body, **self.parts(messages.ORDER_V2, body)})

    def transfer_body(self, to: int, nonce: int, **changes: Any) -> dict[str, Any]:
        """1 LRC for somebody, not signed."""
        return {
            "exchangeId": 2,
            "sender": self.id,
            "receiver": to,
            "token": LRC,
            "amount": str(E18),
            "tokenF": LRC,
            "amountF": str(E18 // 10),
            "label": 211,
            "nonce": nonce,
            "memo": "for lunch",
            **changes,
        }

    def transfer(self, to: int, nonce: int) -> Answer:
        """Submit a transfer, signed in body and header."""
        body = self.transfer_body(to, nonce)
        header = "0x" + owner.sign_text(self.layer1, owner.transfer_v2_texts(body)[0]).hex()
        return self.post("/api/v2/transfer", {**body, **self.parts(messages.TRANSFER_V2, body)}, header)

    def withdrawal_body(self, storage_id: int, **changes: Any) -> dict[str, Any]:
        """1 LRC to the own address on layer 1, not signed."""
        return {
            "exchange": EXCHANGE,
            "accountId": self.id,
            "owner": self.owner,
            "token": {"tokenId": LRC, "volume": str(E18)},
            "maxFee": {"tokenId": LRC, "volume": str(E18 // 10)},
            "storageId": storage_id,
            "validUntil": UNTIL_S,
            "minGas": 0,
            "to": self.owner,
            **changes,
        }

    def withdrawal(self, storage_id: int, suffix: str = "02") -> Answer:
        """Submit a withdrawal, signed with both keys."""
        body = self.withdrawal_body(storage_id)
        header = self.ecdsa(owner.WITHDRAWAL, body, suffix)
        signed = {**body, "eddsaSignature": self.eddsa(messages.WITHDRAWAL, body)}
        return self.post("/api/v3/user/withdrawals", signed, header)

    def update_body(self, x: str, y: str, nonce: int, **changes: Any) -> dict[str, Any]:
        """Another key, not signed."""
        return {
            "exchange": EXCHANGE,
            "owner": self.owner,
            "accountId": self.id,
            "publicKey": {"x": x, "y": y},
            "maxFee": {"tokenId": LRC, "volume": str(E18 // 10)},
            "validUntil": UNTIL_S,
            "nonce": nonce,
            **changes,
        }

    def update(self, body: Mapping[str, Any], suffix: str = "02") -> Answer:
        """Submit a key update, signed with the owner's key and with the old one."""
        signed = {**body, "eddsaSignature": self.eddsa(messages.ACCOUNT_UPDATE, body)}
        return self.post("/api/v3/account", signed, self.ecdsa(owner.ACCOUNT_UPDATE, body, suffix))

    def mint_body(self, contract: str, nft_id: str, storage_id: int, **changes: Any) -> dict[str, Any]:
        """Five of an NFT for the minter, not signed."""
        return {
            "exchange": EXCHANGE,
            "minterId": self.id,
            "minterAddress": self.owner,
            "toAccountId": self.id,
            "toAddress": self.owner,
            "nftType": 0,
            "tokenAddress": contract,
            "nftId": nft_id,
            "amount": "5",
            "validUntil": UNTIL_S,
            "creatorFeeBips": 7,
            "storageId": storage_id,
            "maxFee": {"tokenId": LRC, "amount": str(E18 // 10)},
            "forceToMint": True,
            "counterFactualNftInfo": {"nftFactory": FACTORY, "nftOwner": self.owner, "nftBaseUri": ""},
            **changes,
        }

    def mint(self, body: Mapping[str, Any]) -> Answer:
        """Submit a mint, signed."""
        return self.post("/api/v3/nft/mint", {**body, "eddsaSignature": self.eddsa(messages.MINT, body)})

    def move_body(self, nft: Mapping[str, Any], to: Signer, storage_id: int, **changes: Any) -> dict[str, Any]:
        """Two of an NFT for somebody, not signed."""
        return {
            "exchange": EXCHANGE,
            "fromAccountId": self.id,
            "fromAddress": self.owner,
            "toAccountId": to.id,
            "toAddress": to.owner,
            "token": {"tokenId": nft["nftTokenId"], "nftData": nft["nftData"], "amount": "2"},
            "maxFee": {"tokenId": LRC, "amount": str(E18 // 10)},
            "storageId": storage_id,
            "validUntil": UNTIL_S,
            **changes,
        }

    def deployment_body(self, nft_data: str, contract: str, storage_id: int, **changes: Any) -> dict[str, Any]:
        """The deployment of a contract, its transfer not signed."""
        transfer = {
            "exchange": EXCHANGE,
            "payerId": self.id,
            "payerAddr": self.owner,
            "payeeId": 0,
            "payeeAddr": BROKER,
            "storageId": storage_id,
            "token": {"tokenId": LRC, "volume": str(E18)},
            "maxFee": {"tokenId": LRC, "volume": "0"},
            "validUntil": UNTIL_S,
            "memo": "",
        }
        return {"nftData": nft_data, "tokenAddress": contract, "transfer": {**transfer, **changes}}

    def deployment(self, body: Mapping[str, Any]) -> Answer:
        """Submit a deployment, its transfer and the whole call signed."""
        transfer = {**body["transfer"], "eddsaSignature": self.eddsa(messages.TRANSFER, body["transfer"])}
        text = json.dumps({**body, "transfer": transfer}, separators=(",", ":"))
        return self.post_text(DEPLOY, text, self.call_signature("POST", DEPLOY, text))

    def call_signature(self, method: str, path: str, text: str) -> str:
        """The EdDSA form of X-API-SIG for a call with this body."""
        return wire_forms.eddsa_hex(sign_call(self.private, method, self.wire.base + path, body=text))


DEPLOY = "/api/v3/nft/deployTokenAddress"
