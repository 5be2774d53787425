"""A body of every kind that is signed, and for each the places whose numbers the signature covers."""

from __future__ import annotations

import copy
from typing import Any

from mockrelay.signing import messages, owner
from mockrelay.signing.messages import Message
from mockrelay.signing.owner import TypedRequest
from tests.signing.vectors import EXCHANGE, KEY, OWNER, load

PAYEE = "0x1563915e194D8CfBA1943570603F7606A3115508"
_FEE = {"tokenId": 1, "volume": "1920000000000"}
_NFT = {
    "exchange": EXCHANGE,
    "fromAccountId": 10001,
    "fromAddress": OWNER,
    "toAccountId": 10002,
    "toAddress": PAYEE,
    "token": {"tokenId": 32768, "nftData": f"0x{7:064x}", "amount": "2"},
    "maxFee": {"tokenId": 1, "amount": "30"},
    "storageId": 9,
    "validUntil": 1900000000,
}


def _published(file: str, kind: str) -> dict[str, Any]:
    vectors = load(file)
    found = [v["request"] for v in vectors.get("vectors", vectors.get("requests")) if v["kind"] == kind]
    return dict(found[0])


BODIES: dict[str, tuple[Message, dict[str, Any]]] = {
    "gen-2 order": (messages.ORDER_V2, _published("requests_v2", "v2order")),
    "gen-2 transfer": (messages.TRANSFER_V2, _published("requests_v2", "v2transfer")),
    "gen-2 withdrawal": (
        messages.WITHDRAWAL_V2,
        {
            "exchangeId": 2,
            "accountId": 10001,
            "tokenId": 3,
            "amount": "40",
            "feeTokenId": 1,
            "amountFee": "5",
            "label": 211,
            "nonce": 6,
        },
    ),
    "order": (messages.ORDER, _published("requests_v3", "order")),
    "NFT order": (messages.ORDER, _published("nft", "nftOrderBuy")),
    "transfer": (messages.TRANSFER, _published("requests_v3", "transfer")),
    "NFT transfer": (messages.TRANSFER, _NFT),
    "withdrawal": (messages.WITHDRAWAL, _published("requests_v3", "withdrawal")),
    "NFT withdrawal": (messages.WITHDRAWAL, _NFT),
    "account update": (
        messages.ACCOUNT_UPDATE,
        {
            "exchange": EXCHANGE,
            "owner": OWNER,
            "accountId": 10001,
            "publicKey": {"x": f"0x{KEY.x:064x}", "y": f"0x{KEY.y:064x}"},
            "maxFee": _FEE,
            "validUntil": 1900000000,
            "nonce": 3,
        },
    ),
    "mint": (messages.MINT, _published("nft", "nftMint")),
}
_V3 = ("exchange", "maxFee.tokenId", "validUntil")
COVERED: dict[str, tuple[str, ...]] = {
    "gen-2 order": (
        *("exchangeId", "orderId", "accountId", "tokenSId", "tokenBId", "amountS", "amountB", "allOrNone"),
        *("validSince", "validUntil", "maxFeeBips", "buy", "label"),
    ),
    "gen-2 transfer": (
        *("exchangeId", "sender", "receiver", "token", "amount", "tokenF", "amountF", "label", "nonce"),
    ),
    "gen-2 withdrawal": (
        *("exchangeId", "accountId", "tokenId", "amount", "feeTokenId", "amountFee", "label", "nonce"),
    ),
    "order": (
        *("exchange", "storageId", "accountId", "sellToken.tokenId", "buyToken.tokenId", "sellToken.volume"),
        *("buyToken.volume", "validUntil", "maxFeeBips", "fillAmountBOrS"),
    ),
    "NFT order": (
        *("exchange", "storageId", "accountId", "sellToken.tokenId", "buyToken.nftData", "sellToken.amount"),
        *("buyToken.amount", "validUntil", "maxFeeBips", "fillAmountBOrS", "taker"),
    ),
    "transfer": (
        *_V3,
        "payerId",
        "payeeId",
        "token.tokenId",
        "token.volume",
        "maxFee.volume",
        "payeeAddr",
        "storageId",
    ),
    "NFT transfer": (
        *(*_V3, "fromAccountId", "toAccountId", "token.tokenId", "token.amount", "maxFee.amount", "toAddress"),
        "storageId",
    ),
    "withdrawal": (
        *(*_V3, "accountId", "token.tokenId", "token.volume", "maxFee.volume", "to", "minGas", "extraData"),
        "storageId",
    ),
    "NFT withdrawal": (
        *(*_V3, "fromAccountId", "token.tokenId", "token.amount", "maxFee.amount", "toAddress", "storageId"),
    ),
    "account update": (*_V3, "accountId", "maxFee.volume", "publicKey.x", "publicKey.y", "nonce"),
    "mint": (
        *(*_V3, "minterId", "toAccountId", "minterAddress", "nftType", "tokenAddress", "nftId", "amount"),
        *("maxFee.amount", "storageId", "royaltyPercentage"),
    ),
}
TYPED: dict[str, tuple[TypedRequest, tuple[str, ...]]] = {
    "transfer": (
        owner.TRANSFER,
        (
            *("payerAddr", "payeeAddr", "token.tokenId", "token.volume", "maxFee.tokenId", "maxFee.volume"),
            *("validUntil", "storageId"),
        ),
    ),
    "NFT transfer": (owner.TRANSFER, ("fromAddress", "toAddress", "token.tokenId", "token.amount", "storageId")),
    "withdrawal": (
        owner.WITHDRAWAL,
        (
            *("owner", "accountId", "token.tokenId", "token.volume", "maxFee.tokenId", "maxFee.volume", "to"),
            *("extraData", "minGas", "validUntil", "storageId"),
        ),
    ),
    "NFT withdrawal": (owner.WITHDRAWAL, ("fromAddress", "fromAccountId", "token.amount", "toAddress", "validUntil")),
    "account update": (
        owner.ACCOUNT_UPDATE,
        (
            *("owner", "accountId", "maxFee.tokenId", "maxFee.volume", "publicKey.x", "publicKey.y", "validUntil"),
            "nonce",
        ),
    ),
}


def changed(body: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    """The body with another value at a dotted path; None takes the field away."""
    copied = copy.deepcopy(body)
    *outer, last = path.split(".")
    place = copied
    for key in outer:
        place = place[key]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return copied


def at(body: dict[str, Any], path: str) -> Any:
    """What stands at a dotted path."""
    value: Any = body
    for key in path.split("."):
        value = value[key]
    return value


def flipped(value: Any, bit: int) -> Any:
    """A value of the same form with one bit flipped: the bit of that number, taken round its length."""
    if isinstance(value, bool):
        return not value
    if value in ("true", "false"):
        return "false" if value == "true" else "true"
    if isinstance(value, int):
        return value ^ 1 << bit % max(1, value.bit_length())
    digits = value.removeprefix("0x")
    if value.startswith("0x") or not digits.isdecimal():
        prefix = value[: len(value) - len(digits)]
        return f"{prefix}{int(digits, 16) ^ 1 << bit % (4 * len(digits)):0{len(digits)}x}"
    return str(int(value) ^ 1 << bit % max(1, int(value).bit_length()))
