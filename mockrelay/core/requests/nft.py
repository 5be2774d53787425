"""Minting NFTs, and moving them on layer 2 or to layer 1 (spec §26, §27)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, Refused
from mockrelay.core.hashing import fast_hash
from mockrelay.core.models import Account, Collection, Nft, Request
from mockrelay.core.requests import checks
from mockrelay.core.requests.nft_queries import base_uri_of, check_factory, contract_of
from mockrelay.core.requests.receivers import Receiver, receiver_at
from mockrelay.core.signatures import format as signature_format
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import RequestKind
from mockrelay.spec.vocab import ZERO_ADDRESS
from mockrelay.suggest import in_quotes

if TYPE_CHECKING:
    from mockrelay.core.context import Context

FIRST_NFT_TOKEN_ID = 2**15
"""Ordinary tokens have lower ids."""
SHOWN_MAX = 2**53 - 1
"""The largest integer that every JSON reader represents exactly."""


class RefusalCodes(NamedTuple):
    """The codes of refusals by what they refuse."""

    exchange: C
    sender: C
    receiver: C
    contract: C
    """Of a contract that is another account's."""
    fee_token: C
    number: C
    """Of a storage id."""
    fee: C
    """Of a fee that is too low."""
    other: C


class FieldNames(NamedTuple):
    """How a request that moves an NFT names its parties, in the words of refusals."""

    sender: str = "fromAddress"
    receiver: str = "toAddress"


MOVE_NAMES = FieldNames()


class Submitted(NamedTuple):
    """What became of a submission."""

    request: Request
    nft: Nft
    is_idempotent: bool
    """Whether it repeats an earlier one, whose state it shows."""


def mint_nft(ctx: Context, call: Call) -> dict[str, Any]:
    """Mint under the minter's own contract, which need not be deployed (spec §26)."""
    submitted = mint(ctx, call, _spec_codes(ctx, call))
    nft, view = submitted.nft, checks.submit_view(submitted.request, is_idempotent=submitted.is_idempotent)
    return {"hash": view["hash"], "raw_data": view | {"nftTokenId": nft.nft_token_id, "nftData": nft.nft_data}}


def transfer_nft(ctx: Context, call: Call) -> dict[str, Any]:
    """Transfer an NFT to another account (spec §27)."""
    return _move_view(move(ctx, call, RequestKind.NFT_TRANSFER, _spec_codes(ctx, call)))


def withdraw_nft(ctx: Context, call: Call) -> dict[str, Any]:
    """Withdraw an NFT to layer 1; its contract must be deployed (spec §27)."""
    return _move_view(move(ctx, call, RequestKind.NFT_WITHDRAWAL, _spec_codes(ctx, call)))


def mint(
    ctx: Context, call: Call, codes: RefusalCodes, *, finds_receiver: bool = False, royalty: int | None = None
) -> Submitted:
    """Accept a mint. `finds_receiver`: its receiver is found by address, and its account created if there is none. `royalty`:
    the number in the nftData where it is not creatorFeeBips.
    """
    args, world = call.args, ctx.world
    checks.check_exchange(ctx, args["exchange"], codes.exchange)
    minter = callers_account(ctx, call)
    if "minterAddress" in args:
        checks.check_owner(minter, "minterAddress", args["minterAddress"], codes.sender)
    nft = _nft_of(ctx, call, minter, royalty)
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
    repeated = checks.find_repeat(ctx, hash_, codes.number)
    if repeated is not None:
        return Submitted(repeated, nft, is_idempotent=True)
    _check_contract(ctx, call, minter, codes)
    receiver = _receiver(ctx, args, codes.receiver, by_address=finds_receiver)
    quote_wei = checks.fee_quote(ctx, RequestKind.NFT_MINT, fee_token_id, codes.fee_token, field="maxFee.tokenId")
    signature_format.check(ctx, minter, call)
    checks.check_storage_id(ctx, minter, fee_token_id, args["storageId"], codes.number, field="storageId")
    checks.check_valid_until(ctx, args["validUntil"], codes.other)
    amount = _amount(args["amount"], codes.other, "amount")
    fee_wei = checks.fee_charged(ctx, quote_wei, int(args["maxFee"]["amount"]), codes.fee, field="maxFee.amount")
    funded = checks.is_funded(ctx, minter, ((fee_token_id, fee_wei),), codes.other, field="maxFee")
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
        to_account_id=receiver.accept(ctx, hash_),
        to_address=receiver.address,
        valid_until_s=args["validUntil"],
        storage_id=args["storageId"],
        nft_data=nft.nft_data,
        funded=funded,
        memo=memo_of(args),
    )
    return Submitted(request, nft, is_idempotent=False)


def move(
    ctx: Context,
    call: Call,
    kind: RequestKind,
    codes: RefusalCodes,
    *,
    finds_receiver: bool = False,
    names: FieldNames = MOVE_NAMES,
) -> Submitted:
    """Accept a transfer or a withdrawal. `finds_receiver`: the receiver of a transfer is found by address, and its account
    created if there is none.
    """
    args, world = call.args, ctx.world
    checks.check_exchange(ctx, args["exchange"], codes.exchange)
    sender = callers_account(ctx, call)
    if "fromAddress" in args:
        checks.check_owner(sender, names.sender, args["fromAddress"], codes.sender)
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
    repeated = checks.find_repeat(ctx, hash_, codes.number)
    if repeated is not None:
        return Submitted(repeated, world.nfts[token["nftData"].lower()], is_idempotent=True)
    nft = _moved_nft(ctx, token, codes)
    if kind is RequestKind.NFT_WITHDRAWAL:
        receiver = _layer1_receiver(ctx, args, nft, sender, codes, names)
    else:
        receiver = _receiver(ctx, args, codes.receiver, by_address=finds_receiver)
    quote_wei = checks.fee_quote(ctx, kind, fee_token_id, codes.fee_token, field="maxFee.tokenId")
    signature_format.check(ctx, sender, call)
    checks.check_storage_id(ctx, sender, nft.nft_token_id, args["storageId"], codes.number, field="storageId")
    checks.check_valid_until(ctx, args["validUntil"], codes.other)
    amount = _amount(token["amount"], codes.other, "token.amount")
    fee_wei = checks.fee_charged(ctx, quote_wei, int(args["maxFee"]["amount"]), codes.fee, field="maxFee.amount")
    legs = ((nft.nft_token_id, amount), (fee_token_id, fee_wei))
    funded = checks.is_funded(ctx, sender, legs, codes.other, field="token.amount")
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
        to_account_id=None if kind is RequestKind.NFT_WITHDRAWAL else receiver.accept(ctx, hash_),
        to_address=receiver.address,
        valid_until_s=args["validUntil"],
        storage_id=args["storageId"],
        nft_data=nft.nft_data,
        funded=funded,
        memo=memo_of(args),
    )
    return Submitted(request, nft, is_idempotent=False)


def _moved_nft(ctx: Context, token: Mapping[str, Any], codes: RefusalCodes) -> Nft:
    nft = ctx.world.nfts.get(token["nftData"].lower())
    if nft is None:
        raise Refused(codes.other, f"token.nftData: there is no NFT {token['nftData']}")
    if token.get("tokenId", nft.nft_token_id) != nft.nft_token_id:
        raise Refused(codes.other, f"token.tokenId: {token['tokenId']} is not {nft.nft_token_id}, the NFT's own")
    return nft


def memo_of(args: Mapping[str, Any]) -> str:
    """The client's own words; the specification does not show the field, so no schema of it has checked its type."""
    return _text(args.get("memo"))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _spec_codes(ctx: Context, call: Call) -> RefusalCodes:
    """The one code that the choice `nft.error_code` gives to all."""
    return RefusalCodes(*(ctx.shape_code(call.endpoint),) * len(RefusalCodes._fields))


def _layer1_receiver(
    ctx: Context, args: Mapping[str, Any], nft: Nft, sender: Account, codes: RefusalCodes, names: FieldNames
) -> Receiver:
    """The address that a withdrawal goes to; refused unless the NFT's contract is deployed."""
    if nft.token_address.lower() not in ctx.world.layer1.code:
        raise Refused(codes.other, f"token.nftData: its contract {nft.token_address} is not deployed yet")
    address = args.get("toAddress", sender.owner)
    if address == ZERO_ADDRESS:
        raise Refused(codes.receiver, f"{names.receiver}: nobody owns the zero address")
    return Receiver(address, None)


def _nft_of(ctx: Context, call: Call, minter: Account, royalty: int | None) -> Nft:
    """The NFT of a mint: the existing one, or the one that it will create."""
    args, world = call.args, ctx.world
    nft_id: str = args["nftId"].lower()
    address: str = args["tokenAddress"]
    bips = args.get("creatorFeeBips", 0) if royalty is None else royalty
    nft_data = fast_hash("nft data", world.config.seed, minter.owner.lower(), address.lower(), nft_id, bips)
    # An NFT keeps its nftData when the choice changes.
    if nft_data not in world.nfts and ctx.decide("hash.scheme") == "protocol":
        from mockrelay.core.signatures import messages  # noqa: PLC0415  # brings Poseidon, which no other option needs

        nft_data = messages.nft_data_of(minter, args) or nft_data
        bips = _royalty(args, bips)
    return world.nfts.get(nft_data) or Nft(
        nft_data=nft_data,
        nft_token_id=FIRST_NFT_TOKEN_ID + len(world.nfts),
        minter_id=minter.account_id,
        minter=minter.owner,
        token_address=contract_of(ctx, minter.owner, base_uri_of(ctx, address)),
        nft_id=nft_id,
        creator_fee_bips=bips,
        mints=(),
        royalty_percentage=royalty,
        created_at_ms=ctx.now_ms,
        royalty_address=_text(args.get("royaltyAddress")),
    )


def _royalty(args: Any, bips: int) -> int:
    """The creator fee of the protocol's message: `royaltyPercentage`, which some clients send, or creatorFeeBips."""
    sent = args.get("royaltyPercentage")
    return sent if type(sent) is int and 0 <= sent <= SHOWN_MAX else bips


def _check_contract(ctx: Context, call: Call, minter: Account, codes: RefusalCodes) -> None:
    """Refused unless the contract is the minter's own, or that of a collection of the minter's, under the official factory."""
    args = call.args
    code = ctx.shape_code(call.endpoint)
    info = args.get("counterFactualNftInfo")
    if info is not None:
        check_factory(ctx, call, info["nftFactory"], "counterFactualNftInfo.nftFactory")
        checks.check_owner(minter, "counterFactualNftInfo.nftOwner", info["nftOwner"], code)
    asked = args["tokenAddress"].lower()
    collection = ctx.world.collections.get(asked)
    _check_owns_contract(ctx, minter, asked, collection, code, codes.contract)
    if collection is not None and not collection.is_mintable:
        raise Refused(
            codes.contract, f"tokenAddress: nothing more is minted in the collection {in_quotes(collection.name)}"
        )
    base_uri = "" if collection is None else collection.base_uri
    sent = base_uri if info is None else info.get("nftBaseUri", base_uri)
    if sent != base_uri:
        detail = f"{in_quotes(sent)} is not {in_quotes(base_uri)}, that of the contract in tokenAddress"
        raise Refused(code, f"counterFactualNftInfo.nftBaseUri: {detail}")


def _check_owns_contract(
    ctx: Context, minter: Account, asked: str, collection: Collection | None, code: C, of_another: C
) -> None:
    """Refused unless an address is that of the minter's own contract, or of a collection (or None) of the minter's."""
    contract = contract_of(ctx, minter.owner)
    if asked == contract.lower() or (collection is not None and collection.account_id == minter.account_id):
        return
    others = (other.owner for other in ctx.world.accounts.values()) if of_another is not code else ()
    is_anothers = collection is not None or any(contract_of(ctx, owner).lower() == asked for owner in others)
    raise Refused(of_another if is_anothers else code, f"tokenAddress: the minter's contract is {contract}")


def _receiver(ctx: Context, args: Mapping[str, Any], code: C, *, by_address: bool) -> Receiver:
    if by_address and "toAddress" in args:
        return receiver_at(ctx, args["toAccountId"], args["toAddress"], code, ("toAccountId", "toAddress"))
    receiver = ctx.world.accounts.get(args["toAccountId"])
    if receiver is None:
        hint = ", and no toAddress is given" if by_address else ""
        raise Refused(code, f"toAccountId: there is no account {args['toAccountId']}{hint}")
    if "toAddress" in args:
        checks.check_owner(receiver, "toAddress", args["toAddress"], code)
    return Receiver(receiver.owner, receiver.account_id)


def _amount(text: str, code: C, field: str) -> int:
    if int(text) == 0:
        raise Refused(code, f"{field}: there must be at least one")
    return int(text)


def _move_view(submitted: Submitted) -> dict[str, Any]:
    view = checks.submit_view(submitted.request, is_idempotent=submitted.is_idempotent)
    return {"hash": view["hash"], "raw_data": view}
