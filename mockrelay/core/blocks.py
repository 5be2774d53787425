"""Blocks and waiting transactions, as clients read them (spec §19, §20)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call, Refused
from mockrelay.core.records import Block, Deposit, PendingTx, Request, RequestKind, SpotTrade, Told, TradeLeg
from mockrelay.spec.codes import Code as C
from mockrelay.spec.vocab import BlockStatus, TxType

if TYPE_CHECKING:
    from mockrelay.core.context import Context

NO_ADDRESS = "0x" + "0" * 40
NFT_TYPE = "eip1155"
_NFT_KINDS = (RequestKind.NFT_MINT, RequestKind.NFT_TRANSFER, RequestKind.NFT_WITHDRAWAL)


def get_block(ctx: Context, call: Call) -> dict[str, Any]:
    """A block by its number, or the newest that is confirmed or finalized (spec §19)."""
    asked: str = call.args.get("id", BlockStatus.FINALIZED)
    block = _find(ctx, asked)
    if block is None:
        if ctx.decide("block.unknown_id", {}) == "empty":
            return {}
        newest = ctx.world.blocks[-1].block_id
        raise Refused(C.UNKNOWN_ERROR, f"id: there is no block {asked} yet, the newest is {newest}")
    return block_view(ctx, block)


def get_pending_requests(ctx: Context, call: Call) -> list[dict[str, Any]] | dict[str, Any]:
    """The transactions that wait for the next block, oldest first; as one object, the oldest, or an empty one."""
    if ctx.decide("pending.shape", {}) == "list":
        return [tx_view(ctx, tx, valid=True) for tx in ctx.world.pending.values()]
    first = next(iter(ctx.world.pending.values()), None)
    # Where nothing waits, the transaction without effect that fills up blocks stands for it.
    return {"txType": _type_word(ctx, TxType.NOOP)} if first is None else tx_view(ctx, first, valid=True)


def block_view(ctx: Context, block: Block) -> dict[str, Any]:
    """The block as the API shows it."""
    words = dict(zip(BlockStatus, ctx.decide("block.status_words", {}).split(), strict=True))
    return {
        "blockId": block.block_id,
        "blockSize": len(block.transactions),
        "exchange": ctx.world.setting.exchange.exchange_address,
        "txHash": block.tx_hash,
        "status": words[block.status],
        "createdAt": block.created_at_ms,
        "transactions": [tx_view(ctx, tx, valid=valid) for tx, valid in block.transactions],
    }


def tx_view(ctx: Context, tx: PendingTx, *, valid: bool) -> dict[str, Any]:
    """A transaction with the fields that its type has (spec, TransactionBlock)."""
    view: dict[str, Any] = {"txType": _type_word(ctx, tx.type)}
    if isinstance(tx.body, Told):
        return {**tx.body.fields, **view, **_told_legs(ctx, tx.body)}
    if isinstance(tx.body, SpotTrade):
        view |= {"orderA": _leg_view(ctx, tx.body.taker), "orderB": _leg_view(ctx, tx.body.maker)}
    elif isinstance(tx.body, Deposit):
        view |= _deposit_view(tx.body)
    else:
        view |= _request_view(ctx, ctx.world.requests[tx.body])
    return view | {"valid": valid}


def _find(ctx: Context, asked: str) -> Block | None:
    blocks = ctx.world.blocks
    if asked.isdigit():
        return blocks[int(asked)] if int(asked) < len(blocks) else None
    enough = {BlockStatus.FINALIZED} if asked == BlockStatus.FINALIZED else {*BlockStatus} - {BlockStatus.PENDING}
    found: Block = next(block for block in reversed(blocks) if block.status in enough)
    return found


def _type_word(ctx: Context, type_: TxType) -> str:
    return type_.lower() if ctx.decide("tx_type.case", {}) == "lower" else type_


def _deposit_view(deposit: Deposit) -> dict[str, Any]:
    return {
        "accountId": deposit.account_id,
        "owner": deposit.owner,
        "token": {
            "tokenId": deposit.token_id,
            "tokenAddress": deposit.token_address,
            "amount": str(deposit.amount_wei),
        },
        "toAccountId": deposit.account_id,
        "toAccountAddress": deposit.owner,
    }


def _request_view(ctx: Context, request: Request) -> dict[str, Any]:
    owner = ctx.world.accounts[request.account_id].owner
    view: dict[str, Any] = {
        "accountId": request.account_id,
        "owner": owner,
        "fee": {"tokenId": request.fee_token_id, "amount": str(request.fee_wei)},
    }
    if request.kind in _NFT_KINDS:
        view["nftToken"] = _nft_view(ctx, request)
    elif request.kind is RequestKind.NFT_DEPLOY:
        # What is paid for the deployment is the amount of a transfer to the broker, which itself is free.
        view["token"] = view["fee"]
        view["fee"] = {"tokenId": request.fee_token_id, "amount": "0"}
    elif request.kind is not RequestKind.ACCOUNT_UPDATE:
        token = ctx.world.setting.tokens[request.token_id]
        view["token"] = {
            "tokenId": token.token_id,
            "tokenAddress": token.address,
            "amount": str(request.amount_wei),
        }
    if request.kind is RequestKind.NFT_MINT:
        view |= {"minterAccountId": request.account_id, "minter": owner, "nftType": NFT_TYPE}
    if request.kind is not RequestKind.ACCOUNT_UPDATE:
        view["toAccountAddress"] = (
            ctx.world.setting.exchange.broker if request.kind is RequestKind.NFT_DEPLOY else request.to_address
        )
        if request.to_account_id is not None:
            view["toAccountId"] = request.to_account_id
    given = {"validUntil": request.valid_until_s, "storageId": request.storage_id, "nonce": request.nonce}
    return view | {name: value for name, value in given.items() if value is not None}


def _told_legs(ctx: Context, told: Told) -> dict[str, Any]:
    legs = {name: told.fields[name] for name in ("orderA", "orderB") if name in told.fields}
    if not legs or ctx.decide("block.fill_s", {}) == "integer":
        return legs
    return {name: {**leg, "fillS": str(leg["fillS"])} for name, leg in legs.items()}


def _nft_view(ctx: Context, request: Request) -> dict[str, Any]:
    assert request.nft_data is not None
    nft = ctx.world.nfts[request.nft_data]
    return {
        "tokenId": nft.nft_token_id,
        "tokenAddress": nft.token_address,
        "nftData": nft.nft_data,
        "nftId": nft.nft_id,
        "amount": str(request.amount_wei),
    }


def _leg_view(ctx: Context, leg: TradeLeg) -> dict[str, Any]:
    as_text = ctx.decide("block.fill_s", {}) == "string"
    return {
        "storageID": leg.order_id,
        "accountID": leg.account_id,
        "amountS": str(leg.amount_sold_wei),
        "amountB": str(leg.amount_bought_wei),
        "tokenS": leg.sold_token,
        "tokenB": leg.bought_token,
        "validUntil": leg.valid_until_s,
        # Nobody is named: anyone may trade with the order.
        "taker": NO_ADDRESS,
        "feeBips": leg.fee_bips,
        "isAmm": False,
        "nftData": "",
        "fillS": str(leg.fill_sold_wei) if as_text else leg.fill_sold_wei,
    }
