"""Mistakes below the fields of a message: in a hash that is one of them, or the fields of another generation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mockrelay.signing import messages
from mockrelay.signing.diagnosis.causes import Cause, SigningContext
from mockrelay.signing.fields import Body, Unreadable, find
from mockrelay.signing.messages import Message
from mockrelay.signing.owner import TypedRequest

_NO_ADDRESS = "0x" + "0" * 40
_LABELS = (0, 211)
"""Labels of gen-2 clients: none, and that of published examples."""

Variant = tuple[Cause, str, Body]


def inner_mistakes(message: Message, body: Body) -> Iterator[Variant]:
    """Bodies with a mistake in a hash that is a field of the message: a withdrawal's layer-1 part, an NFT's data."""
    names = {field.name for field in message.fields}
    if "onChainDataHash" in names:
        if find(body, "minGas"):
            yield _changed(body, "minGas", 0)
        if find(body, "extraData"):
            yield _changed(body, "extraData", "")
        if owner := find(body, "owner", "fromAddress"):
            yield _changed(body, "to", owner)
        yield _changed(body, "to", _NO_ADDRESS)
    if "nftData" in names:
        yield from _other_nfts(body)
    if "buyToken" in names and find(body, "buyToken.nftData") is not None:
        bought = {key: value for key, value in body["buyToken"].items() if key != "nftData"}
        wording = "signed with the token id of the NFT that is bought; its nftData is meant"
        yield Cause.FIELD_VALUE, wording, {**body, "buyToken": bought}


def _other_nfts(body: Body) -> Iterator[Variant]:
    royalty = "royaltyPercentage" if find(body, "royaltyPercentage") is not None else "creatorFeeBips"
    value = find(body, royalty)
    if isinstance(value, int) and value:
        yield _changed(body, royalty, 0)
        yield _changed(body, royalty, value * 100)
        if value % 100 == 0:
            yield _changed(body, royalty, value // 100)
    yield _changed(body, "nftType", 0 if find(body, "nftType") else 1)
    for other in ("toAddress", "tokenAddress"):
        if (address := find(body, other)) is not None:
            yield _changed(body, "minterAddress", address)
    if (minter := find(body, "minterAddress")) is not None:
        yield _changed(body, "tokenAddress", minter)
    yield _changed(body, "tokenAddress", _NO_ADDRESS)


def _changed(body: Body, name: str, value: Any) -> Variant:
    wording = f"signed with {name} {_text(value)}; {_text(find(body, name))} is meant"
    return Cause.FIELD_VALUE, wording, {**body, name: value}


def _text(value: Any) -> str:
    return "nothing" if value in (None, "") else str(value)


def other_hashes(
    message: Message, typed: TypedRequest | None, body: Body, context: SigningContext
) -> Iterator[tuple[str, int]]:
    """Hashes by the rules of another generation or another layer, each with a sentence."""
    for kind, other in _other_generations(message, body, context):
        try:
            yield f"signed as a {kind}; a {message.kind} is meant", kind_hash(kind, other)
        except Unreadable:
            continue
    if typed is not None:
        try:
            hash_ = int.from_bytes(typed.hash(body, context.chain_id, int(context.exchange_address, 16)), "big")
        except Unreadable:
            return
        for bits in (0, 3):
            wording = f"signed over the hash of typed data{' without its last 3 bits' if bits else ''}"
            yield f"{wording}; the hash of the fields that layer 2 knows is meant", hash_ >> bits


def kind_hash(kind: str, body: Body) -> int:
    """The hash of a body as a message of this kind. Raises `Unreadable`."""
    return _KINDS[kind].hash(body)


_KINDS = {
    "gen-3 order": messages.ORDER,
    "gen-3 transfer": messages.TRANSFER,
    "gen-2 transfer": messages.TRANSFER_V2,
    "gen-2 withdrawal": messages.WITHDRAWAL_V2,
    "gen-2 order": messages.ORDER_V2,
}


def _other_generations(message: Message, body: Body, context: SigningContext) -> Iterator[tuple[str, dict[str, Any]]]:
    if message is messages.ORDER_V2:
        yield "gen-3 order", _order_v3(body, context)
    elif message is messages.TRANSFER_V2:
        for address in _addresses_of_receiver(body, context):
            yield "gen-3 transfer", _transfer_v3(body, context, address)
    elif message in (messages.TRANSFER, messages.WITHDRAWAL):
        for label in _LABELS:
            yield _v2(message, body, context, label)
    elif message is messages.ORDER:
        for label in _LABELS:
            yield "gen-2 order", _order_v2(body, context, label)


def _order_v3(body: Body, context: SigningContext) -> dict[str, Any]:
    return {
        **body,
        "exchange": context.exchange_address,
        "storageId": body.get("orderId"),
        "sellToken": {"tokenId": body.get("tokenSId"), "volume": body.get("amountS")},
        "buyToken": {"tokenId": body.get("tokenBId"), "volume": body.get("amountB")},
        "fillAmountBOrS": body.get("buy"),
    }


def _order_v2(body: Body, context: SigningContext, label: int) -> dict[str, Any]:
    return {
        **body,
        "exchangeId": context.exchange_id,
        "orderId": body.get("storageId"),
        "tokenSId": find(body, "sellToken.tokenId"),
        "tokenBId": find(body, "buyToken.tokenId"),
        "amountS": find(body, "sellToken.volume", "sellToken.amount"),
        "amountB": find(body, "buyToken.volume", "buyToken.amount"),
        "validSince": find(body, "validSince") or 0,
        "buy": body.get("fillAmountBOrS"),
        "label": label,
    }


def _addresses_of_receiver(body: Body, context: SigningContext) -> Iterator[str]:
    yield _NO_ADDRESS
    if (to := find(body, "payeeAddr", "to")) is not None:
        yield to


def _transfer_v3(body: Body, context: SigningContext, address: str) -> dict[str, Any]:
    return {
        "exchange": context.exchange_address,
        "payerId": body.get("sender"),
        "payeeId": body.get("receiver"),
        "payeeAddr": address,
        "token": {"tokenId": body.get("token"), "volume": body.get("amount")},
        "maxFee": {"tokenId": body.get("tokenF"), "volume": body.get("amountF")},
        "validUntil": find(body, "validUntil") or 0,
        "storageId": body.get("nonce"),
    }


def _v2(message: Message, body: Body, context: SigningContext, label: int) -> tuple[str, dict[str, Any]]:
    amount, fee = find(body, "token.volume", "token.amount"), find(body, "maxFee.volume", "maxFee.amount")
    kind = "gen-2 transfer" if message is messages.TRANSFER else "gen-2 withdrawal"
    return kind, {
        "exchangeId": context.exchange_id,
        "accountId": find(body, "accountId", "fromAccountId"),
        "sender": find(body, "payerId", "fromAccountId"),
        "receiver": find(body, "payeeId", "toAccountId"),
        "token": find(body, "token.tokenId"),
        "amount": amount,
        "tokenF": find(body, "maxFee.tokenId"),
        "amountF": fee,
        "label": label,
        "nonce": body.get("storageId"),
    }
