"""Queries of blocks and pending transactions (spec §19, §20)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call, Refused
from mockrelay.core.models import Block, Deposit, PastTx, PendingTx, Request, SpotTrade, TradeLeg
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import KINDS, Effect, TxType
from mockrelay.spec.vocab import ZERO_ADDRESS, BlockStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context

NFT_TYPE = "eip1155"


def get_block(ctx: Context, call: Call) -> dict[str, Any]:
    """A block by its number, or the newest one that is confirmed or finalized (spec §19)."""
    requested_id: str = call.args.get("id", BlockStatus.FINALIZED)
    block = _find(ctx, requested_id)
    if block is None:
        option = ctx.decide("block.unknown_id")
        if option == "empty":
            return {}
        newest = ctx.world.blocks[-1].block_id
        code = C.BLOCK_NOT_FOUND if option == "103011" else C.UNKNOWN_ERROR
        raise Refused(code, f"id: there is no block {requested_id} yet, the newest is {newest}")
    return block_view(ctx, block)


def get_pending_requests(ctx: Context, call: Call) -> list[dict[str, Any]] | dict[str, Any]:
    """The pending transactions, oldest first; or, by the choice `pending.shape`, only the oldest one (spec §20)."""
    if ctx.decide("pending.shape") == "list":
        return [tx_view(ctx, tx, valid=True) for tx in ctx.world.pending.values()]
    first = next(iter(ctx.world.pending.values()), None)
    # If nothing is pending: the transaction without effect that fills up blocks.
    return {"txType": _type_word(ctx, TxType.NOOP)} if first is None else tx_view(ctx, first, valid=True)


def block_view(ctx: Context, block: Block) -> dict[str, Any]:
    """The block as the API shows it."""
    words = dict(zip(BlockStatus, ctx.decide("block.status_words").split(), strict=True))
    return {
        "blockId": block.block_id,
        "blockSize": len(block.transactions),
        "exchange": ctx.world.config.exchange.exchange_address,
        "txHash": block.tx_hash,
        "status": words[block.status],
        "createdAt": block.created_at_ms,
        "transactions": [tx_view(ctx, tx, valid=valid) for tx, valid in block.transactions],
    }


def tx_view(ctx: Context, tx: PendingTx, *, valid: bool) -> dict[str, Any]:
    """A transaction with the fields that its type has (spec, TransactionBlock)."""
    if isinstance(tx.body, PastTx):
        return {**tx.body.fields, "txType": _type_word(ctx, tx.type), **_past_legs(ctx, tx.body)}
    body = ctx.world.requests[tx.body] if isinstance(tx.body, str) else tx.body
    views = _VIEWS[type(body)]
    fields = ((name, views[name](ctx, body)) for name in tx.type.fields)
    shown = {name: value for name, value in fields if value is not None}
    return {"txType": _type_word(ctx, tx.type), **shown, "valid": valid}


def _find(ctx: Context, requested_id: str) -> Block | None:
    blocks = ctx.world.blocks
    if requested_id.isdigit():
        return blocks[int(requested_id)] if int(requested_id) < len(blocks) else None
    statuses = (
        {BlockStatus.FINALIZED} if requested_id == BlockStatus.FINALIZED else {*BlockStatus} - {BlockStatus.PENDING}
    )
    newest: Block = next(block for block in reversed(blocks) if block.status in statuses)
    return newest


def _type_word(ctx: Context, type_: TxType) -> str:
    return type_.lower() if ctx.decide("tx_type.case") == "lower" else type_


def _past_legs(ctx: Context, past: PastTx) -> dict[str, Any]:
    legs = {name: past.fields[name] for name in ("orderA", "orderB") if name in past.fields}
    if not legs or ctx.decide("block.fill_s") == "integer":
        return legs
    return {name: {**leg, "fillS": str(leg["fillS"])} for name, leg in legs.items()}


def _nft_view(ctx: Context, request: Request) -> dict[str, Any] | None:
    if request.nft_data is None:
        return None
    nft = ctx.world.nfts[request.nft_data]
    return {
        "tokenId": nft.nft_token_id,
        "tokenAddress": nft.token_address,
        "nftData": nft.nft_data,
        "nftId": nft.nft_id,
        "amount": str(request.amount_wei),
    }


def _token_view(ctx: Context, request: Request) -> dict[str, Any] | None:
    if _is_deployment(request):
        return {"tokenId": request.fee_token_id, "amount": str(request.fee_wei)}
    if request.nft_data is not None:
        return None
    token = ctx.world.config.tokens[request.token_id]
    return {"tokenId": token.token_id, "tokenAddress": token.address, "amount": str(request.amount_wei)}


def _fee_view(ctx: Context, request: Request) -> dict[str, Any]:
    fee_wei = 0 if _is_deployment(request) else request.fee_wei
    return {"tokenId": request.fee_token_id, "amount": str(fee_wei)}


def _is_deployment(request: Request) -> bool:
    """Whether it is a deployment, which is shown as a transfer to the broker: its fee is the amount, the fee is zero."""
    return KINDS[request.kind].effect is Effect.DEPLOY


def _receiver_of(ctx: Context, request: Request) -> str:
    return ctx.world.config.exchange.broker if _is_deployment(request) else request.to_address


def _owner_of(ctx: Context, request: Request) -> str:
    return ctx.world.accounts[request.account_id].owner


def _leg_view(ctx: Context, leg: TradeLeg) -> dict[str, Any]:
    as_text = ctx.decide("block.fill_s") == "string"
    return {
        "storageID": leg.order_id,
        "accountID": leg.account_id,
        "amountS": str(leg.amount_sold_wei),
        "amountB": str(leg.amount_bought_wei),
        "tokenS": leg.sold_token,
        "tokenB": leg.bought_token,
        "validUntil": leg.valid_until_s,
        # Anyone may trade with the order.
        "taker": ZERO_ADDRESS,
        "feeBips": leg.fee_bips,
        "isAmm": False,
        "nftData": "",
        "fillS": str(leg.fill_sold_wei) if as_text else leg.fill_sold_wei,
    }


_View = Callable[["Context", Any], Any]
"""(context, body of a transaction) -> the value of a field; None: the field is left out."""
_VIEWS: Mapping[type, Mapping[str, _View]] = {
    SpotTrade: {
        "orderA": lambda ctx, trade: _leg_view(ctx, trade.taker),
        "orderB": lambda ctx, trade: _leg_view(ctx, trade.maker),
    },
    Deposit: {
        "accountId": lambda ctx, deposit: deposit.account_id,
        "owner": lambda ctx, deposit: deposit.owner,
        "token": lambda ctx, deposit: {
            "tokenId": deposit.token_id,
            "tokenAddress": deposit.token_address,
            "amount": str(deposit.amount_wei),
        },
        "toAccountId": lambda ctx, deposit: deposit.account_id,
        "toAccountAddress": lambda ctx, deposit: deposit.owner,
    },
    Request: {
        "accountId": lambda ctx, request: request.account_id,
        "owner": _owner_of,
        "fee": _fee_view,
        "token": _token_view,
        "nftToken": _nft_view,
        "minterAccountId": lambda ctx, request: request.account_id,
        "minter": _owner_of,
        "nftType": lambda ctx, request: NFT_TYPE,
        "toAccountAddress": _receiver_of,
        "toAccountId": lambda ctx, request: request.to_account_id,
        "validUntil": lambda ctx, request: request.valid_until_s,
        "storageId": lambda ctx, request: request.storage_id,
        "nonce": lambda ctx, request: request.nonce,
    },
}
"""Type of the body -> field -> its view. Which fields a transaction type shows, and their order, is in its `TxType` row."""
