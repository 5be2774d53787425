"""Requests as the protocol of real clients has them: what is signed in each, and so the hash that names it.

Imported on first use: it brings Poseidon and the curve, which nothing needs under the first options of
`signature.scheme` and `hash.scheme`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from mockrelay.core.models import Account
from mockrelay.signing import messages, nft, owner
from mockrelay.signing.curve import Point
from mockrelay.signing.fields import Body, Unreadable, to_element
from mockrelay.signing.messages import Message
from mockrelay.signing.owner import TypedRequest
from mockrelay.spec import request_kinds
from mockrelay.spec.request_kinds import SIGNED_BODIES, MessageForm

if TYPE_CHECKING:
    from mockrelay.core.context import Context


class Signing(NamedTuple):
    """What is signed in a body: on layer 2 and, where such a request has that form, on layer 1."""

    message: Message
    typed: TypedRequest | None


_FORMS: Mapping[MessageForm, Signing] = {
    request_kinds.ORDER_V2: Signing(messages.ORDER_V2, None),
    request_kinds.TRANSFER_V2: Signing(messages.TRANSFER_V2, None),
    request_kinds.WITHDRAWAL: Signing(messages.WITHDRAWAL, owner.WITHDRAWAL),
    request_kinds.ACCOUNT_UPDATE: Signing(messages.ACCOUNT_UPDATE, owner.ACCOUNT_UPDATE),
    request_kinds.MINT: Signing(messages.MINT, None),
    request_kinds.TRANSFER: Signing(messages.TRANSFER, owner.TRANSFER),
    request_kinds.NOTHING: Signing(messages.NOTHING, None),
}
SIGNED: Mapping[str, Signing] = {endpoint: _FORMS[body.form] for endpoint, body in SIGNED_BODIES.items()}
"""By endpoint."""


def message_hash(ctx: Context, account: Account | None, call_name: str, fields: Body) -> str | None:
    """The hash of a request by its decoded fields: the message that its layer-2 key signs, 0x and 64 hex digits; None
    where a field cannot be read. Only orders and gen-2 transfers have one without an account.
    """
    try:
        return messages.hash_text(message(call_name, signed_body(ctx, account, call_name, fields)))
    except Unreadable:
        return None


def nft_data_of(minter: Account, fields: Body) -> str | None:
    """The data of the NFT that a mint makes, 0x and 64 hex digits; None where a field cannot be read."""
    try:
        return messages.hash_text(nft.data_of_mint({"minterAddress": minter.owner, **fields}))
    except Unreadable:
        return None


def signed_body(ctx: Context, account: Account | None, call_name: str, fields: Body) -> dict[str, Any]:
    """The body that messages are read from, or the part of one: what a request may leave out is filled in, and the
    coordinates of a key are in the form in which they are numbers whatever their digits.
    """
    part = SIGNED_BODIES[call_name].part
    signed = fields[part] if part else fields
    fill = _FILLED.get(call_name)
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
    held = ctx.world.nfts.get(token["nftData"].lower())
    receiver = ctx.world.accounts.get(fields.get("toAccountId", 0))
    return {
        "fromAddress": account.owner,
        **({} if receiver is None else {"toAddress": receiver.owner}),
        **fields,
        "token": {**({} if held is None else {"tokenId": held.nft_token_id}), **token},
    }


def _deployment(ctx: Context, account: Account, fields: Body) -> dict[str, Any]:
    return {"payerAddr": account.owner, **fields}


_FILLED: Mapping[str, Callable[[Context, Account, Body], dict[str, Any]]] = {
    "update_account": _update,
    "mint_nft": _mint,
    "transfer_nft": _move,
    "withdraw_nft": _move,
    "deploy_nft_contract": _deployment,
}


def message(call_name: str, body: Body) -> int:
    """The number that the layer-2 key signs, of a body as `signed_body` gives it. Raises `Unreadable`."""
    return _hashed(tuple(SIGNED[call_name].message.inputs(body).values()))


# The same request is hashed to be known by, to be verified, and each time that a client asks after it.
@lru_cache(maxsize=512)
def _hashed(inputs: tuple[int, ...]) -> int:
    return messages.hash_of(inputs)


def public_key_of(account: Account) -> Point | None:
    """The account's present layer-2 key; None where it has none."""
    try:
        return Point(to_element("x", account.public_key_x), to_element("y", account.public_key_y))
    except Unreadable:
        return None
