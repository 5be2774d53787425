"""A client that signs what it sends with an account's two keys, as real ones do. Bodies come from tests.support.bodies."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from mockrelay.core.accounts.keys import signing_keys
from mockrelay.relay import Relay
from mockrelay.signing import messages, owner, wire_forms
from mockrelay.signing.eddsa import Family, sign
from mockrelay.signing.messages import Message
from mockrelay.signing.owner import TypedRequest
from mockrelay.signing.request_signature import sign_call
from tests.support.answer import Answer
from tests.support.bodies import FACTORY, bodies_of, unsigned
from tests.support.client import Relayer, account, base_url, get, send

CHAIN_ID = 1
ORDER, TRANSFER = "/api/v3/order", "/api/v2/transfer"
WITHDRAWAL, UPDATE = "/api/v3/user/withdrawals", "/api/v3/account"
MINT, NFT_TRANSFER, NFT_WITHDRAWAL = "/api/v3/nft/mint", "/api/v3/nft/transfer", "/api/v3/nft/withdrawal"
DEPLOY = "/api/v3/nft/deployTokenAddress"
PROTOCOL = {"signature.scheme": "protocol", "hash.scheme": "protocol"}
"""Choices under which signatures are verified and hashes are those of the protocol."""


class Signer:
    """An account's owner with both keys. `base` is the URL that its client was given; `family` how EdDSA hashes are cut."""

    def __init__(self, relayer: Relayer, name: str, private: int, layer1: int) -> None:
        self.relayer = relayer
        self.account = account(relayer, name)
        self.id: int = self.account["accountId"]
        self.owner: str = self.account["owner"]
        self.bodies = bodies_of(relayer)
        self.base = base_url(relayer)
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
        hashed = typed.hash(body, CHAIN_ID, int(self.bodies.exchange, 16))
        return wire_forms.layer1_text(owner.sign_typed(self.layer1, hashed, suffix))

    def text_signature(self, body: Mapping[str, Any], text: int = 0) -> str:
        """The layer-1 signature of a gen-2 transfer, of one of its four texts."""
        return "0x" + owner.sign_text(self.layer1, owner.transfer_v2_texts(body)[text]).hex()

    def call_signature(self, method: str, path: str, text: str) -> str:
        """The EdDSA form of X-API-SIG for a call with this body."""
        return wire_forms.eddsa_hex(sign_call(self.private, method, self.base + path, body=text))

    def post(self, path: str, body: Mapping[str, Any], signature: str | None = None) -> Answer:
        """Send a body as JSON without blanks, with a header X-API-SIG where one is given."""
        return self.post_text(path, json.dumps(body, separators=(",", ":")), signature)

    def post_text(self, path: str, text: str, signature: str | None = None) -> Answer:
        """Send a text as it is."""
        return send(self.relayer, "POST", path, body=text.encode(), key=self.account["apiKey"], signature=signature)

    def contract(self) -> str:
        """The address of the owner's NFT contract."""
        query = {"nftFactory": FACTORY, "nftOwner": self.owner, "nftBaseUri": ""}
        path, key = "/api/v3/nft/info/computeTokenAddress", self.account["apiKey"]
        address: str = get(self.relayer, path, key=key, **query).json["tokenAddress"]
        return address

    def order_body(self, order_id: int, **changes: Any) -> dict[str, Any]:
        """100 LRC for 0.05 ETH, not signed."""
        return unsigned(self.bodies.order(order_id, accountId=self.id, allOrNone="false", **changes))

    def transfer_body(self, to: int, nonce: int, **changes: Any) -> dict[str, Any]:
        """1 LRC for account `to`, not signed."""
        return unsigned(self.bodies.transfer(nonce, self.id, to, memo="for lunch", **changes))

    def withdrawal_body(self, storage_id: int, **changes: Any) -> dict[str, Any]:
        """1 LRC to the own address on layer 1, not signed."""
        return self.bodies.withdrawal(storage_id, self.id, **changes)

    def update_body(self, x: str, y: str, nonce: int, **changes: Any) -> dict[str, Any]:
        """Another key, not signed."""
        return self.bodies.update(nonce, x, y, self.id, **changes)

    def mint_body(self, nft_id: str, storage_id: int, **changes: Any) -> dict[str, Any]:
        """Five of an NFT of the own contract, with 7 bips for the creator, not signed."""
        more = {"amount": "5", "creatorFeeBips": 7, "forceToMint": True, **changes}
        return self.bodies.mint(self.contract(), nft_id, storage_id, self.id, **more)

    def nft_move_body(self, nft: Mapping[str, Any], to: int, storage_id: int, amount: str = "2") -> dict[str, Any]:
        """Some of an NFT (the answer to its mint) for account `to`, not signed."""
        token = {"tokenId": nft["nftTokenId"], "nftData": nft["nftData"], "amount": amount}
        return self.bodies.nft_move(token, storage_id, self.id, to)

    def deployment_body(self, nft_data: str | None, storage_id: int, **changes: Any) -> dict[str, Any]:
        """The deployment of the own contract, its transfer not signed; without `nftData` where it is None."""
        body = self.bodies.deployment(nft_data or "", self.contract(), storage_id, self.id, **changes)
        return body if nft_data is not None else {name: body[name] for name in ("tokenAddress", "transfer")}

    def order(self, order_id: int, **changes: Any) -> Answer:
        """Submit an order, signed."""
        body = self.order_body(order_id, **changes)
        return self.post(ORDER, {**body, **self.parts(messages.ORDER_V2, body)})

    def transfer(self, to: int, nonce: int) -> Answer:
        """Submit a transfer, signed in body and header."""
        body = self.transfer_body(to, nonce)
        return self.post(TRANSFER, {**body, **self.parts(messages.TRANSFER_V2, body)}, self.text_signature(body))

    def withdrawal(self, storage_id: int, suffix: str = "02") -> Answer:
        """Submit a withdrawal, signed with both keys."""
        body = self.withdrawal_body(storage_id)
        signed = {**body, "eddsaSignature": self.eddsa(messages.WITHDRAWAL, body)}
        return self.post(WITHDRAWAL, signed, self.ecdsa(owner.WITHDRAWAL, body, suffix))

    def update(self, body: Mapping[str, Any], suffix: str = "02") -> Answer:
        """Submit a key update, signed with the owner's key and with the old one."""
        signed = {**body, "eddsaSignature": self.eddsa(messages.ACCOUNT_UPDATE, body)}
        return self.post(UPDATE, signed, self.ecdsa(owner.ACCOUNT_UPDATE, body, suffix))

    def mint(self, body: Mapping[str, Any]) -> Answer:
        """Submit a mint, signed."""
        return self.post(MINT, {**body, "eddsaSignature": self.eddsa(messages.MINT, body)})

    def deployment(self, body: Mapping[str, Any]) -> Answer:
        """Submit a deployment, its transfer and the whole call signed."""
        transfer = {**body["transfer"], "eddsaSignature": self.eddsa(messages.TRANSFER, body["transfer"])}
        text = json.dumps({**body, "transfer": transfer}, separators=(",", ":"))
        return self.post_text(DEPLOY, text, self.call_signature("POST", DEPLOY, text))


def signer_of(relay: Relay, name: str = "alice", relayer: Relayer | None = None) -> Signer:
    """An account of a relay with the keys that it has now; it sends to `relayer`, a connection to that relay or its like."""
    found = signing_keys(relay.world, next(one for one in relay.world.accounts.values() if one.name == name))
    assert found.eddsa_private is not None
    assert found.layer1_private is not None
    return Signer(relayer or relay, name, found.eddsa_private, found.layer1_private)
