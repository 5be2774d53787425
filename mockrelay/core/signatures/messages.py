"""The signed messages of requests, in the protocol of real clients, and the hashes made of them.

Imported on first use: it imports Poseidon and the curve, which the default options of `signature.scheme` and `hash.scheme`
do not need.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mockrelay.core.hashing import hash_of_text
from mockrelay.core.models import Account, Key
from mockrelay.signing import messages, nft, owner
from mockrelay.signing.curve import Point
from mockrelay.signing.fields import Body, Unreadable, to_element
from mockrelay.signing.messages import Message
from mockrelay.signing.owner import TypedRequest
from mockrelay.spec import signed_bodies
from mockrelay.spec.request_kinds import SUBMISSIONS
from mockrelay.spec.signed_bodies import MessageForm
from mockrelay.spec.signed_rows import SIGNED_BODIES

if TYPE_CHECKING:
    from mockrelay.core.context import Context


class SignedMessages(NamedTuple):
    """What is signed of a request body."""

    message: Message
    """The layer-2 message."""
    typed: TypedRequest | None
    """The typed data that the owner signs on layer 1; None if the request does not have that form."""


_SIGNING_OF_FORM: Mapping[MessageForm, SignedMessages] = {
    signed_bodies.ORDER: SignedMessages(messages.ORDER, None),
    signed_bodies.ORDER_V2: SignedMessages(messages.ORDER_V2, None),
    signed_bodies.TRANSFER_V2: SignedMessages(messages.TRANSFER_V2, None),
    signed_bodies.WITHDRAWAL: SignedMessages(messages.WITHDRAWAL, owner.WITHDRAWAL),
    signed_bodies.ACCOUNT_UPDATE: SignedMessages(messages.ACCOUNT_UPDATE, owner.ACCOUNT_UPDATE),
    signed_bodies.MINT: SignedMessages(messages.MINT, None),
    signed_bodies.TRANSFER: SignedMessages(messages.TRANSFER, owner.TRANSFER),
    signed_bodies.NOTHING: SignedMessages(messages.NOTHING, None),
}
SIGNED: Mapping[str, SignedMessages] = {row: _SIGNING_OF_FORM[body.form] for row, body in SIGNED_BODIES.items()}
"""By the id of a row."""


def message_hash(ctx: Context, account: Account | None, row: str, fields: Body) -> str | None:
    """The hash of the layer-2 message of a request, 0x and 64 hex digits; None if a field cannot be read. The account may be
    None only for orders and gen-2 transfers.
    """
    try:
        return messages.hash_text(message(row, signed_body(ctx, account, row, fields)))
    except Unreadable:
        return None


def nft_data_of(minter: Account, fields: Body) -> str | None:
    """The nftData of a mint, 0x and 64 hex digits; None if a field cannot be read."""
    try:
        return messages.hash_text(nft.data_of_mint({"minterAddress": minter.owner, **fields}))
    except Unreadable:
        return None


def signed_body(ctx: Context, account: Account | None, row: str, fields: Body) -> dict[str, Any]:
    """The signed part of a body, with the optional fields filled in and the coordinates of a public key in hex with 64
    digits.
    """
    part = SIGNED_BODIES[row].part
    signed = fields[part] if part else fields
    # A form with the same fields is filled in as its base.
    base = SUBMISSIONS[row][1].row if row in SUBMISSIONS else row
    fill = _FILL.get(base)
    if fill is None:
        return dict(signed)
    assert account is not None
    return fill(ctx, account, signed)


def _update(ctx: Context, account: Account, fields: Body) -> dict[str, Any]:
    key = {part: f"0x{int(fields['publicKey'][part].removeprefix('0x'), 16):064x}" for part in ("x", "y")}
    return {**fields, "publicKey": key}


def _mint(ctx: Context, account: Account, fields: Body) -> dict[str, Any]:
    return {"minterAddress": account.owner, **fields}


def _move(ctx: Context, account: Account, fields: Body) -> dict[str, Any]:
    token = fields["token"]
    minted = ctx.world.nfts.get(hash_of_text(token["nftData"]))
    receiver = ctx.world.accounts.get(fields.get("toAccountId", 0))
    return {
        "fromAddress": account.owner,
        **({} if receiver is None else {"toAddress": receiver.owner}),
        **fields,
        "token": {**({} if minted is None else {"tokenId": minted.nft_token_id}), **token},
    }


def _with_slot(ctx: Context, account: Account, fields: Body) -> dict[str, Any]:
    """With the NFT's own token id, where the body leaves it out."""
    token = fields["token"]
    minted = ctx.world.nfts.get(hash_of_text(token["nftData"]))
    return {**fields, "token": {**({} if minted is None else {"tokenId": minted.nft_token_id}), **token}}


def _deployment(ctx: Context, account: Account, fields: Body) -> dict[str, Any]:
    return {"payerAddr": account.owner, **fields}


_FILL: Mapping[str, Callable[[Context, Account, Body], dict[str, Any]]] = {
    **dict.fromkeys(("update_account", "update_account_v2"), _update),
    "mint_nft": _mint,
    "transfer_nft": _move,
    "withdraw_nft": _move,
    "withdraw_nft_real": _with_slot,
    "deploy_nft_contract": _deployment,
}


def message(row: str, body: Body) -> int:
    """The number that the layer-2 key signs, for a body of `signed_body`. Raises `Unreadable`."""
    return _hashed(tuple(SIGNED[row].message.inputs(body).values()))


# The same request is hashed for its id, for its verification, and each time that a client repeats it.
@lru_cache(maxsize=512)
def _hashed(inputs: tuple[int, ...]) -> int:
    return messages.hash_of(inputs)


def public_key_of(account: Account | Key) -> Point | None:
    """The account's current layer-2 public key, or that of a key; None if it has none."""
    try:
        return Point(to_element("x", account.public_key_x), to_element("y", account.public_key_y))
    except Unreadable:
        return None
