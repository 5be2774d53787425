"""Histories of an account: views of the request log (E30; F14)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, DeferredErrors
from mockrelay.core.hashing import fast_hash
from mockrelay.core.live.lists import page_of, words_of
from mockrelay.core.models import LogRow, Request
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import RequestKind
from mockrelay.spec.vocab import RequestStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context

NO_HASH = "0x" + "0" * 64
"""The hash of a layer-1 transaction that there is none of."""
_DEPOSIT, _CREATION = "deposit", "creation"
_TX_TYPES = {
    RequestKind.TRANSFER: "TRANSFER",
    RequestKind.WITHDRAWAL: "OFFCHAIN_WITHDRAWAL",
    _DEPOSIT: "DEPOSIT",
}
"""The kinds of rows that the history of all transactions shows, with their words there."""


class Logged(NamedTuple):
    """A row of the log with all that histories show of it."""

    row_id: int
    row: LogRow
    kind: str
    """A kind of request, `deposit` or `creation`."""
    request: Request | None
    """None for a deposit."""
    hash: str
    status: RequestStatus
    updated_ms: int
    place: tuple[int, int]
    """Block id and index in the block, (0, 0) while it waits."""
    token_id: int
    amount_wei: int

    @property
    def progress(self) -> str:
        """How far it is, in words of the API."""
        return "100%" if self.status is RequestStatus.PROCESSED else "0%"

    @property
    def memo(self) -> str:
        """What its sender wrote to it."""
        return "" if self.request is None else self.request.memo


def logged_of(ctx: Context, account_id: int) -> Iterator[Logged]:
    """What the log has of an account, newest first."""
    world = ctx.world
    for row_id, row in world.request_log.of_account(account_id):
        if row.deposit is not None:
            place = world.request_log.place_of(row.deposit_tx_id, world.blocks)
            hash_ = fast_hash("deposit", world.config.seed, row.deposit_tx_id)
            done, deposit = RequestStatus.PROCESSED, row.deposit
            yield Logged(
                row_id, row, _DEPOSIT, None, hash_, done, row.at_ms, place, deposit.token_id, deposit.amount_wei
            )
            continue
        request = world.requests[row.request]
        place = world.request_log.place_of(request.tx_id, world.blocks)
        if row.is_creation:
            done, token_id = RequestStatus.PROCESSED, _free_token_id(ctx)
            yield Logged(row_id, row, _CREATION, request, request.hash, done, row.at_ms, place, token_id, 0)
            continue
        status = RequestStatus(request.status)
        token_id, amount_wei, updated_ms = request.token_id, request.amount_wei, request.updated_at_ms
        yield Logged(row_id, row, request.kind, request, request.hash, status, updated_ms, place, token_id, amount_wei)


def get_transfers_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """Transfers that the account sent or received (E30)."""
    return _page(ctx, call, (RequestKind.TRANSFER,), _transfer_v3)


def get_withdrawals_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """Withdrawals (E30)."""
    return _page(ctx, call, (RequestKind.WITHDRAWAL,), _withdrawal_v3)


def get_deposits_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """Deposits (E30)."""
    return _page(ctx, call, (_DEPOSIT,), _deposit_v3)


def get_create_info(ctx: Context, call: Call) -> dict[str, Any]:
    """The creation of the account by a transfer to its address (E30); accounts of the scenario have none."""
    return _page(ctx, call, (_CREATION,), _account_row)


def get_update_info(ctx: Context, call: Call) -> dict[str, Any]:
    """Account updates (E30)."""
    return _page(ctx, call, (RequestKind.ACCOUNT_UPDATE,), _account_row)


def get_transactions_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """Transfers, withdrawals and deposits together (E30); `types` asks for some."""
    words = words_of(call.args.get("types"), str.upper)
    kinds = tuple(kind for kind, word in _TX_TYPES.items() if words is None or word in words)
    return _page(ctx, call, kinds, _transaction_v3)


def get_transfers_v2(ctx: Context, call: Call) -> dict[str, Any]:
    """Transfers in the second generation's form (F14)."""
    return _page(ctx, call, (RequestKind.TRANSFER,), _transfer_v2)


def get_deposits_v2(ctx: Context, call: Call) -> dict[str, Any]:
    """Deposits in the second generation's form; with `allType`, account creations and updates too (F14)."""
    more = (_CREATION, RequestKind.ACCOUNT_UPDATE) if call.args.get("allType") else ()
    return _page(ctx, call, (_DEPOSIT, *more), _deposit_v2)


def get_withdrawals_v2(ctx: Context, call: Call) -> dict[str, Any]:
    """Withdrawals in the second generation's form (F14)."""
    return _page(ctx, call, (RequestKind.WITHDRAWAL,), _withdrawal_v2)


def matching(ctx: Context, call: Call, kinds: tuple[str, ...]) -> list[Logged]:
    """The rows of these kinds that the filters of a call leave, newest first. Refused where it is not the caller's account."""
    DeferredErrors(call).refuse(C.USER_ID_EMPTY)
    args = call.args
    account = callers_account(ctx, call)
    start_ms, end_ms = args.get("start", 0), args.get("end", 0)
    tokens = ctx.world.config.tokens
    symbol = args.get("tokenSymbol")
    statuses, hashes = words_of(args.get("status"), str.lower), words_of(args.get("hashes"), str.lower)
    before_hash = args.get("fromHash")
    rows: list[Logged] = []
    for one in logged_of(ctx, account.account_id):
        if before_hash is not None:
            before_hash = None if one.hash == before_hash.lower() else before_hash
            continue
        is_wanted = (
            one.kind in kinds
            and one.row.at_ms >= start_ms
            and (not end_ms or one.row.at_ms <= end_ms)
            and (symbol is None or (one.token_id in tokens and tokens[one.token_id].symbol == symbol.upper()))
            and (statuses is None or one.status in statuses)
            and (hashes is None or one.hash in hashes)
        )
        if is_wanted:
            rows.append(one)
    return rows


def _page(
    ctx: Context,
    call: Call,
    kinds: tuple[str, ...],
    show: Callable[[Context, Logged], dict[str, Any]],
) -> dict[str, Any]:
    return page_of(ctx, call, "transactions", matching(ctx, call, kinds), lambda one: show(ctx, one))


def _free_token_id(ctx: Context) -> int:
    """The token of what costs nothing and moves nothing, since a row has to name one."""
    return min(ctx.world.config.tokens)


def _symbol(ctx: Context, token_id: int) -> str:
    return ctx.world.config.tokens[token_id].symbol


def _owner(ctx: Context, account_id: int) -> str:
    return ctx.world.accounts[account_id].owner


def _fee(ctx: Context, one: Logged) -> dict[str, str]:
    """Token and amount of the fee; the creation of an account and a deposit cost nothing here."""
    if one.request is None or one.kind == _CREATION:
        return {"feeTokenSymbol": _symbol(ctx, _free_token_id(ctx)), "feeAmount": "0"}
    return {"feeTokenSymbol": _symbol(ctx, one.request.fee_token_id), "feeAmount": str(one.request.fee_wei)}


def _state(one: Logged) -> dict[str, Any]:
    return {
        "status": one.status,
        "progress": one.progress,
        "timestamp": one.row.at_ms,
        "updatedAt": one.updated_ms,
    }


def _block(one: Logged) -> dict[str, Any]:
    return {"blockId": one.place[0], "indexInBlock": one.place[1]}


def _parties(ctx: Context, one: Logged) -> Mapping[str, Any]:
    sender, receiver = one.row.account_ids[0], one.row.account_ids[-1]
    return {
        "senderAddress": _owner(ctx, sender),
        "receiver": receiver,
        "receiverAddress": _owner(ctx, receiver),
    }


def _money(ctx: Context, one: Logged) -> dict[str, str]:
    return {"symbol": _symbol(ctx, one.token_id), "amount": str(one.amount_wei)}


def _transfer_v3(ctx: Context, one: Logged) -> dict[str, Any]:
    return {
        "id": one.row_id,
        "hash": one.hash,
        "txType": _TX_TYPES[RequestKind.TRANSFER],
        **_money(ctx, one),
        **_parties(ctx, one),
        **_fee(ctx, one),
        **_state(one),
        "memo": one.memo,
        **_block(one),
    }


def _withdrawal_v3(ctx: Context, one: Logged) -> dict[str, Any]:
    return {
        "id": one.row_id,
        "requestId": one.row_id,
        "txType": _TX_TYPES[RequestKind.WITHDRAWAL],
        "hash": one.hash,
        **_money(ctx, one),
        "txHash": layer1_hash(ctx, one),
        **_fee(ctx, one),
        **_state(one),
        "blockNum": one.place[0],
        "distributeHash": "",
        "fastStatus": "EMPTY",
        **_block(one),
    }


def _deposit_v3(ctx: Context, one: Logged) -> dict[str, Any]:
    return {
        "id": one.row_id,
        "hash": one.hash,
        **_money(ctx, one),
        "txHash": one.hash,
        **_state(one),
        "blockNum": one.place[0],
        **_block(one),
    }


def _account_row(ctx: Context, one: Logged) -> dict[str, Any]:
    return {
        "id": one.row_id,
        "hash": one.hash,
        "owner": _owner(ctx, one.row.account_ids[0]).lower(),
        "txHash": layer1_hash(ctx, one),
        **_fee(ctx, one),
        **_state(one),
        "blockNum": one.place[0],
        **_block(one),
    }


def _transaction_v3(ctx: Context, one: Logged) -> dict[str, Any]:
    return {
        "id": one.row_id,
        "hash": one.hash,
        "txHash": one.hash if one.kind == _DEPOSIT else layer1_hash(ctx, one),
        "txType": _TX_TYPES[one.kind],
        **_money(ctx, one),
        **_state(one),
        "blockNum": one.place[0],
        **_block(one),
    }


def _transfer_v2(ctx: Context, one: Logged) -> dict[str, Any]:
    return {
        "id": one.row_id,
        **_money(ctx, one),
        **_parties(ctx, one),
        "feeAmount": _fee(ctx, one)["feeAmount"],
        **_state(one),
        "memo": one.memo,
    }


_DEPOSIT_TYPES = {_CREATION: "CREATE_ACCOUNT", RequestKind.ACCOUNT_UPDATE: "UPDATE_ACCOUNT"}


def _deposit_v2(ctx: Context, one: Logged) -> dict[str, Any]:
    return {
        "id": one.row_id,
        **_money(ctx, one),
        "txHash": one.hash,
        "feeAmount": _fee(ctx, one)["feeAmount"],
        **_state(one),
        "depositType": _DEPOSIT_TYPES.get(one.kind, "DEPOSIT"),
        "blockNum": one.place[0],
    }


def _withdrawal_v2(ctx: Context, one: Logged) -> dict[str, Any]:
    return {
        "id": one.row_id,
        "requestId": one.row_id,
        **_money(ctx, one),
        "realAmount": str(one.amount_wei),
        "txHash": layer1_hash(ctx, one),
        "feeAmount": _fee(ctx, one)["feeAmount"],
        **_state(one),
        "blockNum": one.place[0],
        "distributeHash": "",
    }


def layer1_hash(ctx: Context, one: Logged, none: str = NO_HASH) -> str:
    """The hash of the layer-1 transaction of its block; `none` while it waits for one."""
    block_id = one.place[0]
    return ctx.world.blocks[block_id].tx_hash if block_id else none
