"""Requests as clients of the profile live send them: some in the specification's forms, some in those of their own."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.properties.machines.request_builder import ZERO_ADDRESS, Intent, RequestBuilder
from tests.properties.models.request_records import Request
from tests.properties.models.request_setup import NAMES
from tests.support.bodies import Bodies

TRANSFER_V3 = "/api/v3/transfer"
NEWCOMERS = tuple(f"0x{number:040x}" for number in (0xBEEF, 0xCAFE))
"""Addresses without an account at the start."""
_REQUEST = {"foreign": 102022, "exchange": 102001}
_END = {"fee token": 102024, "two tokens": 102025, "storage id": 102021, "expired": 100001, "disabled": 100001}
_NFT_END = {
    "fee token": 102024,
    "storage id": 102021,
    "expired": 100001,
    "zero": 100001,
    "fee": 114002,
    "balance": 100001,
}
CODES: Mapping[str, Mapping[str, int]] = {
    TRANSFER_V3: {
        **_REQUEST,
        "receiver": 102023,
        **{defect: code for defect, code in _END.items() if defect != "disabled"},
        **dict.fromkeys(("zero", "fee", "balance"), 100001),
    },
    "/api/v3/nft/mint": {**_REQUEST, "contract": 100001, "receiver": 102023, **_NFT_END},
    "/api/v3/nft/transfer": {**_REQUEST, "receiver": 102023, **_NFT_END},
    "/api/v3/nft/withdrawal": {**_REQUEST, "not deployed": 100001, "receiver": 102023, **_NFT_END},
}
"""By path the code of each defect, in the order of judgement, where it is not the specification's."""


class LiveBuilder(RequestBuilder):
    """Every other request is in a form that the profile adds."""

    def key_name(self, intent: Intent) -> str | None:
        """Accounts that came into being have no key."""
        return super().key_name(intent) if intent.account in NAMES else None

    def transfer(self, intent: Intent) -> Request:
        """Of the third generation: with a storage id, to an address which may have no account yet."""
        if intent.pick % 3 == 0:
            return super().transfer(intent)
        pays_update = intent.pick % 5 == 0
        fee_kind = "account_update" if pays_update else "transfer"
        to_newcomer = intent.pick % 4 == 1
        address = NEWCOMERS[intent.pick % 2] if to_newcomer else self.addresses.owners[intent.other]
        offered, storage = self.offer(fee_kind, intent), self.storage(intent)
        body = {
            **self._sent(intent, storage),
            "payerId": intent.account,
            "payerAddr": self.addresses.owners[intent.account],
            "payeeId": 0 if to_newcomer or intent.pick % 2 else intent.other,
            "payeeAddr": ZERO_ADDRESS if intent.defect == "receiver" else address,
            "token": {"tokenId": intent.token, "volume": intent.amount},
            "maxFee": {"tokenId": str(intent.fee_token), "volume": str(offered)},
            "payPayeeUpdateAccount": pays_update,
        }
        request = self.request(
            "transfer", intent, body, intent.token, offered, storage=storage, to_address=address.lower()
        )
        request.path, request.fee_kind = TRANSFER_V3, fee_kind
        return request

    def mint(self, intent: Intent) -> Request:
        """With the royalty by its own name, to the receiver's address."""
        request = super().mint(intent)
        if intent.pick % 3:
            body = {name: value for name, value in request.body.items() if name != "creatorFeeBips"}
            receiver = {"toAccountId": 0} if intent.pick % 3 == 1 and intent.defect != "receiver" else {}
            request.body = {**body, "royaltyPercentage": 0, "nftId": hex(int(body["nftId"], 16)), **receiver}
        return request

    def move(self, kind: str, intent: Intent) -> Request:
        """A transfer by address, and a withdrawal with the fields of one."""
        request = super().move(kind, intent)
        body = dict(request.body)
        if intent.defect == "receiver":
            request.body = {**body, "toAddress": ZERO_ADDRESS}
        elif kind == "nft_transfer" and intent.pick % 3:
            token = {**body["token"], "nftData": str(int(body["token"]["nftData"], 16))}
            request.body = {**body, "toAccountId": 0, "token": token}
        if kind == "nft_withdrawal" and intent.pick % 3:
            body = dict(request.body)
            own = {
                "accountId": body.pop("fromAccountId"),
                "owner": body.pop("fromAddress"),
                "to": body.pop("toAddress"),
            }
            body.pop("toAccountId")
            request.body = {**body, **own, "minGas": 0, "extraData": ""}
        return request

    def _sent(self, intent: Intent, storage: int) -> dict[str, Any]:
        bodies: Bodies = self.bodies(intent)
        return {"exchange": bodies.exchange, "storageId": storage, "validUntil": self.valid_until(intent)}
