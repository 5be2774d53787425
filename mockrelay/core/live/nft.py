"""Minting, moving and showing NFTs as clients do it (E32 to E34, E36 to E39)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, Refused
from mockrelay.core.hashing import hash_of_text
from mockrelay.core.live.balances import leaving_amounts
from mockrelay.core.live.lists import page_of, words_of
from mockrelay.core.live.transfers import submission_view
from mockrelay.core.models import Balance, Nft
from mockrelay.core.requests.nft import FIRST_NFT_TOKEN_ID, MOVE_NAMES, FieldNames, RefusalCodes, Submitted, mint, move
from mockrelay.core.requests.nft_queries import base_uri_of, is_visible
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import RequestKind

if TYPE_CHECKING:
    from mockrelay.core.context import Context

_CODES = RefusalCodes(
    exchange=C.EXCHANGE_ID_INCORRECT,
    sender=C.REQUEST_SENDER_INVALID,
    receiver=C.REQUEST_RECEIVER_INVALID,
    contract=C.CONTRACT_OF_ANOTHER,
    fee_token=C.REQUEST_FEE_TOKEN_UNSUPPORTED,
    number=C.REQUEST_NONCE_INVALID,
    fee=C.NFT_FEE_TOO_LOW,
    other=C.INVALID_ARGUMENT,
)
_SHA256_BEFORE = bytes.fromhex("1220")
_DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
"""Those of base 58."""
_WITHDRAWAL_NAMES = FieldNames("owner", "to")


def mint_nft_live(ctx: Context, call: Call) -> dict[str, Any]:
    """Mint, with a royalty by its own name or as creatorFeeBips (E32)."""
    args = {**call.args, "nftId": padded(call.args["nftId"])}
    royalty = args.get("royaltyPercentage")
    submitted = mint(ctx, replace(call, args=args), _CODES, finds_receiver=True, royalty=royalty)
    view, nft = _view(ctx, submitted), submitted.nft
    of_nft = {"nftTokenId": nft.nft_token_id, "nftData": nft.nft_data}
    return {
        **view,
        **of_nft,
        "accountId": submitted.request.account_id,
        "storageId": submitted.request.storage_id,
        "raw_data": {**view, **of_nft},
    }


def transfer_nft_live(ctx: Context, call: Call) -> dict[str, Any]:
    """Transfer an NFT to the account of an address (E33)."""
    return _moved(ctx, call, RequestKind.NFT_TRANSFER)


def withdraw_nft_live(ctx: Context, call: Call) -> dict[str, Any]:
    """Withdraw an NFT, with the fields of a transfer (spec §27)."""
    return _moved(ctx, call, RequestKind.NFT_WITHDRAWAL)


def withdraw_nft_real(ctx: Context, call: Call) -> dict[str, Any]:
    """Withdraw an NFT, with the fields of a withdrawal (E34)."""
    args = call.args
    named = {"fromAddress": args["owner"], "toAddress": args["to"]}
    return _moved(ctx, replace(call, args={**args, **named}), RequestKind.NFT_WITHDRAWAL, _WITHDRAWAL_NAMES)


def get_nft_balances(ctx: Context, call: Call) -> dict[str, Any]:
    """The NFTs that the account holds (E36)."""
    args, world = call.args, ctx.world
    account = callers_account(ctx, call)
    by_token_id = {nft.nft_token_id: nft for nft in world.nfts.values()}
    datas = words_of(args.get("nftDatas"), hash_of_text)
    contracts = words_of(args.get("tokenAddrs"), str.lower)
    token_ids = words_of(args.get("tokenIds"))
    collection_id = args.get("collectionId")
    rows = [
        (by_token_id[token_id], balance)
        for token_id, balance in world.ledger.balances_of(account.account_id)
        if token_id >= FIRST_NFT_TOKEN_ID and (_amount(balance) or args.get("nonZero") is False)
        if datas is None or by_token_id[token_id].nft_data in datas
        if contracts is None or by_token_id[token_id].token_address.lower() in contracts
        if token_ids is None or str(token_id) in token_ids
        if collection_id is None or _collection_id(ctx, by_token_id[token_id]) == collection_id
    ]
    leaving = leaving_amounts(ctx, account.account_id, RequestKind.NFT_WITHDRAWAL)

    def show(row: tuple[Nft, Balance]) -> dict[str, Any]:
        view = _balance_view(ctx, row[0], row[1], leaving, account.account_id)
        return {**view, "metadata": _metadata(row[0])} if args.get("metadata") else view

    return page_of(ctx, call, "data", rows, show)


def get_nfts(ctx: Context, call: Call) -> list[dict[str, Any]]:
    """The NFTs with these nftData; those that nobody has minted are left out (E37)."""
    found = [ctx.world.nfts.get(hash_of_text(text)) for text in call.args["nftDatas"].split(",")]
    return [nft_view(ctx, nft) for nft in found if nft is not None and is_visible(ctx, nft)]


def get_nft_data_live(ctx: Context, call: Call) -> dict[str, Any]:
    """An NFT by its minter, an address or an account's id, its contract and its id (E38)."""
    args, world = call.args, ctx.world
    minter: str = args["minter"]
    minter_id = int(minter) if minter.isdigit() else world.account_of_owner.get(minter.lower())
    key = (-1 if minter_id is None else minter_id, args["tokenAddress"].lower(), padded(args["nftId"]))
    for nft_data in world.nfts_of.get(key, ()):
        if is_visible(ctx, world.nfts[nft_data]):
            return nft_view(ctx, world.nfts[nft_data])
    raise Refused(C.INVALID_ARGUMENT, f"minter, tokenAddress, nftId: {minter} has minted no such NFT")


def get_nft_holders(ctx: Context, call: Call) -> dict[str, Any]:
    """The accounts that hold an NFT (E39)."""
    nft = ctx.world.nfts.get(hash_of_text(call.args["nftData"]))
    if nft is None:
        raise Refused(C.INVALID_ARGUMENT, f"nftData: there is no NFT {call.args['nftData']}")
    token_id, ledger = nft.nft_token_id, ctx.world.ledger
    held = [(account_id, _amount(ledger.balance(account_id, token_id))) for account_id in ctx.world.accounts]
    rows = [(account_id, amount) for account_id, amount in held if amount]
    return page_of(
        ctx,
        call,
        "nftHolders",
        rows,
        lambda row: {"accountId": row[0], "tokenId": token_id, "amount": str(row[1])},
    )


def nft_view(ctx: Context, nft: Nft) -> dict[str, Any]:
    """An NFT as live relayers show it."""
    owner = nft.minter.lower()
    return {
        "nftData": nft.nft_data,
        "minter": owner,
        "nftType": "ERC1155",
        "tokenAddress": nft.token_address.lower(),
        "nftId": nft.nft_id,
        "creatorFeeBips": nft.creator_fee_bips if nft.royalty_percentage is None else 0,
        "royaltyPercentage": nft.royalty_percentage or 0,
        "originalRoyaltyPercentage": nft.royalty_percentage or 0,
        "status": True,
        "nftFactory": ctx.world.config.exchange.nft_factory,
        "nftOwner": owner,
        "nftBaseUri": base_uri_of(ctx, nft.token_address),
        "royaltyAddress": nft.royalty_address.lower(),
        "originalMinter": owner,
        "createdAt": nft.created_at_ms,
    }


def padded(nft_id: str) -> str:
    """An NFT's id with all of its 64 hex digits, in lower case."""
    return f"0x{int(nft_id, 16):064x}"


def _moved(ctx: Context, call: Call, kind: RequestKind, names: FieldNames = MOVE_NAMES) -> dict[str, Any]:
    token = {**call.args["token"], "nftData": hash_of_text(call.args["token"]["nftData"])}
    call = replace(call, args={**call.args, "token": token})
    view = _view(ctx, move(ctx, call, kind, _CODES, finds_receiver=True, names=names))
    return {**view, "raw_data": view}


def _view(ctx: Context, submitted: Submitted) -> dict[str, Any]:
    return submission_view(ctx, submitted.request, is_idempotent=submitted.is_idempotent)


def _balance_view(ctx: Context, nft: Nft, balance: Balance, leaving: Counter[int], account_id: int) -> dict[str, Any]:
    return {
        "id": nft.nft_token_id,
        "accountId": account_id,
        "tokenId": nft.nft_token_id,
        "nftData": nft.nft_data,
        "tokenAddress": nft.token_address.lower(),
        "nftId": nft.nft_id,
        "nftType": "ERC1155",
        "minter": nft.minter.lower(),
        "total": str(_amount(balance)),
        "locked": str(balance.frozen_wei + balance.in_flight_wei),
        "pending": {"withdraw": str(leaving[nft.nft_token_id]), "deposit": "0"},
        "deploymentStatus": _deployment_status(ctx, nft),
        "isCounterFactualNFT": True,
        "royaltyPercentage": nft.royalty_percentage or 0,
    }


def _metadata(nft: Nft) -> dict[str, str]:
    """What says of an NFT what it is: at an address of IPFS, whose hash is the NFT's id."""
    uri = _ipfs_uri(bytes.fromhex(nft.nft_id.removeprefix("0x")))
    return {"uri": uri, "tokenAddress": nft.token_address.lower(), "nftId": nft.nft_id, "nftType": "ERC1155"}


def _ipfs_uri(sha256: bytes) -> str:
    """The address of what has this hash: the hash, after its kind and its length, with 58 digits."""
    number, digits = int.from_bytes(_SHA256_BEFORE + sha256), ""
    while number:
        number, digit = divmod(number, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return f"ipfs://{digits}"


def _collection_id(ctx: Context, nft: Nft) -> int | None:
    collection = ctx.world.collections.get(nft.token_address.lower())
    return None if collection is None else collection.collection_id


def _deployment_status(ctx: Context, nft: Nft) -> str:
    address = nft.token_address.lower()
    if address in ctx.world.layer1.code:
        return "DEPLOYED"
    deployments = [ctx.world.requests[hash_] for hash_ in ctx.world.deployments.get(address, ())]
    return "DEPLOYING" if any(each.is_open for each in deployments) else "NOT_DEPLOYED"


def _amount(balance: Balance) -> int:
    """All that is held, what is in flight among it."""
    return sum(balance)
