"""Transactions on their way to layer 1 (spec §20)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call
from mockrelay.core.records import PendingTx, SpotTrade, TradeLeg
from mockrelay.spec.vocab import TxType

if TYPE_CHECKING:
    from mockrelay.core.context import Context

NO_TAKER = "0x" + "0" * 40
"""No taker is named: anybody may trade with the order."""


def get_pending_requests(ctx: Context, call: Call) -> list[dict[str, Any]] | dict[str, Any]:
    """The transactions that wait for the next block, oldest first; as one object, the oldest, or an empty one."""
    lower = ctx.decide("tx_type.case", {}) == "lower"
    if ctx.decide("pending.shape", {}) == "list":
        return [tx_view(ctx, tx, lower_case=lower) for tx in ctx.world.pending.values()]
    first = next(iter(ctx.world.pending.values()), None)
    if first is None:
        return tx_view_of_nothing(lower_case=lower)
    return tx_view(ctx, first, lower_case=lower)


def tx_view(ctx: Context, tx: PendingTx, *, lower_case: bool) -> dict[str, Any]:
    """A transaction with the fields that its type has (spec, TransactionBlock)."""
    view: dict[str, Any] = {"txType": tx.type.lower() if lower_case else tx.type}
    body = tx.body
    if isinstance(body, SpotTrade):
        return view | {"orderA": _leg_view(ctx, body.taker), "orderB": _leg_view(ctx, body.maker), "valid": True}
    return view | {
        "accountId": body.account_id,
        "owner": body.owner,
        "token": {
            "tokenId": body.token_id,
            "tokenAddress": body.token_address,
            "amount": str(body.amount_wei),
        },
        "toAccountId": body.account_id,
        "toAccountAddress": body.owner,
        "valid": True,
    }


def tx_view_of_nothing(*, lower_case: bool) -> dict[str, Any]:
    """What stands for "nothing waits" where the answer is one object: the empty transaction that fills up blocks."""
    return {"txType": TxType.NOOP.lower() if lower_case else TxType.NOOP}


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
        "taker": NO_TAKER,
        "feeBips": leg.fee_bips,
        "isAmm": False,
        "nftData": "",
        "fillS": str(leg.fill_sold_wei) if as_text else leg.fill_sold_wei,
    }
