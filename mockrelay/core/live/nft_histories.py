"""Histories of an account's NFTs: views of the request log (E40)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call
from mockrelay.core.hashing import hash_of_text
from mockrelay.core.live.histories import Logged, layer1_hash, matching
from mockrelay.core.live.lists import page_of
from mockrelay.spec.request_kinds import KINDS, RequestKind

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def get_nft_mints(ctx: Context, call: Call) -> dict[str, Any]:
    """Mints that the account asked for or received (E40)."""
    return _page(ctx, call, RequestKind.NFT_MINT, "mints")


def get_nft_transfers(ctx: Context, call: Call) -> dict[str, Any]:
    """Transfers that the account sent or received (E40)."""
    return _page(ctx, call, RequestKind.NFT_TRANSFER, "transfers")


def get_nft_withdrawals(ctx: Context, call: Call) -> dict[str, Any]:
    """Withdrawals (E40)."""
    return _page(ctx, call, RequestKind.NFT_WITHDRAWAL, "withdrawals")


def get_nft_deposits(ctx: Context, call: Call) -> dict[str, Any]:
    """Deposits of NFTs, of which there are none: NFTs come into being on layer 2 here (E40)."""
    matching(ctx, call, ())
    return {"totalNum": 0, "deposits": []}


def _page(ctx: Context, call: Call, kind: RequestKind, field: str) -> dict[str, Any]:
    asked, from_id = call.args.get("nftData"), call.args.get("startId")
    nft_data = None if asked is None else hash_of_text(asked)
    rows = [
        one
        for one in matching(ctx, replace(call, args=_filters(call.args)), (kind,))
        if nft_data is None or (one.request is not None and one.request.nft_data == nft_data)
        if from_id is None or one.row_id <= from_id
    ]
    return page_of(ctx, call, field, rows, lambda one: _view(ctx, one))


def _filters(args: Mapping[str, Any]) -> Mapping[str, Any]:
    """The fields of a call by the names that other histories have."""
    return {**args, "status": args["txStatus"]} if "txStatus" in args else args


def _view(ctx: Context, one: Logged) -> dict[str, Any]:
    request = one.request
    assert request is not None
    tokens, owner = ctx.world.config.tokens, ctx.world.accounts[request.account_id].owner
    is_mint = request.kind is RequestKind.NFT_MINT
    return {
        "id": one.row_id,
        "requestId": one.row_id,
        "hash": one.hash,
        "txHash": layer1_hash(ctx, one, none=""),
        "accountId": request.account_id,
        "owner": owner,
        "status": one.status,
        "nftData": request.nft_data,
        "amount": str(request.amount_wei),
        "feeTokenSymbol": tokens[request.fee_token_id].symbol,
        "feeAmount": str(request.fee_wei),
        "createdAt": one.row.at_ms,
        "updatedAt": one.updated_ms,
        "memo": request.memo,
        **_PARTIES[request.kind](ctx, one),
        "blockIdInfo": {"blockId": one.place[0], "indexInBlock": one.place[1]},
        "storageInfo": {
            "accountId": request.account_id,
            "tokenId": request.fee_token_id if is_mint else request.token_id,
            "storageId": request.storage_id,
        },
    }


def _minter(ctx: Context, one: Logged) -> dict[str, Any]:
    account_id = one.row.account_ids[0]
    return {"minterId": account_id, "minterAddress": ctx.world.accounts[account_id].owner}


def _payee(ctx: Context, one: Logged) -> dict[str, Any]:
    account_id = one.row.account_ids[-1]
    return {"payeeId": account_id, "payeeAddress": ctx.world.accounts[account_id].owner}


def _recipient(ctx: Context, one: Logged) -> dict[str, Any]:
    assert one.request is not None
    return {
        "recipient": one.request.to_address,
        "distributeHash": "",
        "fastWithdrawStatus": "EMPTY",
        "isFast": False,
    }


_PARTIES: Mapping[RequestKind, Callable[[Context, Logged], dict[str, Any]]] = MappingProxyType(
    {
        RequestKind.NFT_MINT: _minter,
        RequestKind.NFT_TRANSFER: _payee,
        RequestKind.NFT_WITHDRAWAL: _recipient,
    }
)
_WITHOUT_VIEW = [kind for kind, row in KINDS.items() if row.of_nft and kind not in _PARTIES]
assert not _WITHOUT_VIEW, f"{_WITHOUT_VIEW} are requests of NFTs that no history shows"
