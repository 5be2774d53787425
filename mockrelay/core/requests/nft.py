"""Minting NFTs, and moving them on layer 2 or to layer 1 (spec §26, §27)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, Refused
from mockrelay.core.gate import shape_code
from mockrelay.core.hashing import fast_hash
from mockrelay.core.models import Account, Nft, Request
from mockrelay.core.requests import checks
from mockrelay.core.requests.nft_queries import check_factory, contract_of
from mockrelay.core.signatures import format as signature_format
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import RequestKind
from mockrelay.spec.vocab import ZERO_ADDRESS

if TYPE_CHECKING:
    from mockrelay.core.context import Context

FIRST_NFT_TOKEN_ID = 2**15
"""Ordinary tokens have lower ids."""
SHOWN_MAX = 2**53 - 1
"""The largest integer that every JSON reader represents exactly."""


def mint_nft(ctx: Context, call: Call) -> dict[str, Any]:
    """Mint under the minter's own contract, which need not be deployed (spec §26)."""
    args, world = call.args, ctx.world
    code = shape_code(ctx, call.endpoint)
    checks.check_exchange(ctx, args["exchange"], code)
    minter = callers_account(ctx, call, "minterId", args["minterId"], code)
    if "minterAddress" in args:
        checks.check_owner(minter, "minterAddress", args["minterAddress"], code)
    nft = _nft_of(ctx, call, minter)
    fee_token_id = args["maxFee"]["tokenId"]
    hash_ = checks.request_hash(
        ctx,
        call,
        minter,
        RequestKind.NFT_MINT,
        minter.account_id,
        args["toAccountId"],
        nft.nft_data,
        args["amount"],
        fee_token_id,
        args["maxFee"]["amount"],
        args["validUntil"],
        args["storageId"],
    )
    repeated = checks.find_repeat(ctx, hash_, code)
    if repeated is not None:
        return _mint_view(nft, repeated, is_idempotent=True)
    _check_contract(ctx, call, minter)
    receiver = _receiver(ctx, args, code)
    quote_wei = checks.fee_quote(ctx, RequestKind.NFT_MINT, fee_token_id, code, field="maxFee.tokenId")
    signature_format.check_request(ctx, minter, call, args)
    checks.check_storage_id(ctx, minter, fee_token_id, args["storageId"], code, field="storageId")
    checks.check_valid_until(ctx, args["validUntil"], code)
    amount = _amount(args["amount"], code, "amount")
    fee_wei = checks.fee_charged(ctx, quote_wei, int(args["maxFee"]["amount"]), code, field="maxFee.amount")
    funded = checks.is_funded(ctx, minter, ((fee_token_id, fee_wei),), code, field="maxFee")
    if not nft.mints:
        world.nfts_of.setdefault((nft.minter_id, nft.token_address.lower(), nft.nft_id), []).append(nft.nft_data)
    world.nfts[nft.nft_data] = nft._replace(mints=(*nft.mints, hash_))
    request = checks.accept_request(
        ctx,
        call,
        RequestKind.NFT_MINT,
        minter,
        hash_=hash_,
        token_id=nft.nft_token_id,
        amount_wei=amount,
        fee_token_id=fee_token_id,
        fee_wei=fee_wei,
        to_account_id=receiver.account_id,
        to_address=receiver.owner,
        valid_until_s=args["validUntil"],
        storage_id=args["storageId"],
        nft_data=nft.nft_data,
        funded=funded,
    )
    return _mint_view(nft, request, is_idempotent=False)


def transfer_nft(ctx: Context, call: Call) -> dict[str, Any]:
    """Transfer an NFT to another account (spec §27)."""
    return _move(ctx, call, RequestKind.NFT_TRANSFER)


def withdraw_nft(ctx: Context, call: Call) -> dict[str, Any]:
    """Withdraw an NFT to layer 1; its contract must be deployed (spec §27)."""
    return _move(ctx, call, RequestKind.NFT_WITHDRAWAL)


def _move(ctx: Context, call: Call, kind: RequestKind) -> dict[str, Any]:
    args, world = call.args, ctx.world
    code = shape_code(ctx, call.endpoint)
    checks.check_exchange(ctx, args["exchange"], code)
    sender = callers_account(ctx, call, "fromAccountId", args["fromAccountId"], code)
    if "fromAddress" in args:
        checks.check_owner(sender, "fromAddress", args["fromAddress"], code)
    token, fee_token_id = args["token"], args["maxFee"]["tokenId"]
    hash_ = checks.request_hash(
        ctx,
        call,
        sender,
        kind,
        sender.account_id,
        args.get("toAccountId"),
        args.get("toAddress", "").lower(),
        token["nftData"].lower(),
        token["amount"],
        fee_token_id,
        args["maxFee"]["amount"],
        args["validUntil"],
        args["storageId"],
        about=token["nftData"].lower(),
    )
    repeated = checks.find_repeat(ctx, hash_, code)
    if repeated is not None:
        return _move_view(repeated, is_idempotent=True)
    nft = world.nfts.get(token["nftData"].lower())
    if nft is None:
        raise Refused(code, f"token.nftData: there is no NFT {token['nftData']}")
    if token.get("tokenId", nft.nft_token_id) != nft.nft_token_id:
        raise Refused(code, f"token.tokenId: {token['tokenId']} is not {nft.nft_token_id}, the NFT's own")
    if kind is RequestKind.NFT_WITHDRAWAL:
        if nft.token_address.lower() not in world.layer1.code:
            raise Refused(code, f"token.nftData: its contract {nft.token_address} is not deployed yet")
        to_account_id, to_address = None, args.get("toAddress", sender.owner)
        if to_address == ZERO_ADDRESS:
            raise Refused(code, "toAddress: nobody owns the zero address")
    else:
        receiver = _receiver(ctx, args, code)
        to_account_id, to_address = receiver.account_id, receiver.owner
    quote_wei = checks.fee_quote(ctx, kind, fee_token_id, code, field="maxFee.tokenId")
    signature_format.check_request(ctx, sender, call, args)
    checks.check_storage_id(ctx, sender, nft.nft_token_id, args["storageId"], code, field="storageId")
    checks.check_valid_until(ctx, args["validUntil"], code)
    amount = _amount(token["amount"], code, "token.amount")
    fee_wei = checks.fee_charged(ctx, quote_wei, int(args["maxFee"]["amount"]), code, field="maxFee.amount")
    legs = ((nft.nft_token_id, amount), (fee_token_id, fee_wei))
    request = checks.accept_request(
        ctx,
        call,
        kind,
        sender,
        hash_=hash_,
        token_id=nft.nft_token_id,
        amount_wei=amount,
        fee_token_id=fee_token_id,
        fee_wei=fee_wei,
        to_account_id=to_account_id,
        to_address=to_address,
        valid_until_s=args["validUntil"],
        storage_id=args["storageId"],
        nft_data=nft.nft_data,
        funded=checks.is_funded(ctx, sender, legs, code, field="token.amount"),
    )
    return _move_view(request, is_idempotent=False)


def _nft_of(ctx: Context, call: Call, minter: Account) -> Nft:
    """The NFT of a mint: the existing one, or the one that it will create."""
    args, world = call.args, ctx.world
    nft_id: str = args["nftId"].lower()
    address: str = args["tokenAddress"]
    bips = args.get("creatorFeeBips", 0)
    nft_data = fast_hash("nft data", world.config.seed, minter.owner.lower(), address.lower(), nft_id, bips)
    # An NFT keeps its nftData when the choice changes.
    if nft_data not in world.nfts and ctx.decide("hash.scheme", {}) == "protocol":
        from mockrelay.core.signatures import messages  # noqa: PLC0415  # brings Poseidon, which no other option needs

        nft_data = messages.nft_data_of(minter, args) or nft_data
        bips = _royalty(args, bips)
    return world.nfts.get(nft_data) or Nft(
        nft_data=nft_data,
        nft_token_id=FIRST_NFT_TOKEN_ID + len(world.nfts),
        minter_id=minter.account_id,
        minter=minter.owner,
        token_address=contract_of(ctx, minter.owner),
        nft_id=nft_id,
        creator_fee_bips=bips,
        mints=(),
    )


def _royalty(args: Any, bips: int) -> int:
    """The creator fee of the protocol's message: `royaltyPercentage`, which some clients send, or creatorFeeBips."""
    sent = args.get("royaltyPercentage")
    return sent if type(sent) is int and 0 <= sent <= SHOWN_MAX else bips


def _check_contract(ctx: Context, call: Call, minter: Account) -> None:
    """Refused unless the contract is the minter's own, under the official factory."""
    args = call.args
    code = shape_code(ctx, call.endpoint)
    info = args.get("counterFactualNftInfo")
    if info is not None:
        check_factory(ctx, call, info["nftFactory"], "counterFactualNftInfo.nftFactory")
        checks.check_owner(minter, "counterFactualNftInfo.nftOwner", info["nftOwner"], code)
    contract = contract_of(ctx, minter.owner)
    if args["tokenAddress"].lower() != contract.lower():
        raise Refused(code, f"tokenAddress: the minter's contract is {contract}")


def _receiver(ctx: Context, args: Any, code: C) -> Account:
    receiver = ctx.world.accounts.get(args["toAccountId"])
    if receiver is None:
        raise Refused(code, f"toAccountId: there is no account {args['toAccountId']}")
    if "toAddress" in args:
        checks.check_owner(receiver, "toAddress", args["toAddress"], code)
    return receiver


def _amount(text: str, code: C, field: str) -> int:
    if int(text) == 0:
        raise Refused(code, f"{field}: there must be at least one")
    return int(text)


def _mint_view(nft: Nft, request: Request, *, is_idempotent: bool) -> dict[str, Any]:
    view = checks.submit_view(request, is_idempotent=is_idempotent)
    return {"hash": request.hash, "raw_data": view | {"nftTokenId": nft.nft_token_id, "nftData": nft.nft_data}}


def _move_view(request: Request, *, is_idempotent: bool) -> dict[str, Any]:
    return {"hash": request.hash, "raw_data": checks.submit_view(request, is_idempotent=is_idempotent)}
