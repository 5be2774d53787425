"""Transfers, withdrawals and account updates of the third generation (E10, E28, E29)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.accounts.update import update_account
from mockrelay.core.call import Call, Refused
from mockrelay.core.models import Request
from mockrelay.core.requests import checks
from mockrelay.core.requests.receivers import receiver_at
from mockrelay.core.requests.withdrawal import submit_withdrawal
from mockrelay.core.signatures import format as signature_format
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import FeeKind, RequestKind
from mockrelay.spec.vocab import RequestStatus

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def submit_transfer_v3(ctx: Context, call: Call) -> dict[str, Any]:
    """Accept a transfer with a storage id, which leaves the account's nonce as it is; or return the state of the same one if
    it is repeated (E28).
    """
    args, world = call.args, ctx.world
    checks.check_exchange(ctx, args["exchange"], C.EXCHANGE_ID_INCORRECT)
    payer = callers_account(ctx, call)
    checks.check_owner(payer, "payerAddr", args["payerAddr"], C.REQUEST_SENDER_INVALID)
    token_id, fee_token_id = args["token"]["tokenId"], args["maxFee"]["tokenId"]
    money = (token_id, args["token"]["volume"], fee_token_id, args["maxFee"]["volume"])
    fields = (
        payer.account_id,
        args["payeeId"],
        args["payeeAddr"].lower(),
        *money,
        args["validUntil"],
        args["storageId"],
    )
    hash_ = checks.request_hash(ctx, call, payer, RequestKind.TRANSFER, *fields)
    repeated = checks.find_repeat(ctx, hash_, C.REQUEST_NONCE_INVALID)
    if repeated is not None:
        return submission_view(ctx, repeated, is_idempotent=True)
    receiver = receiver_at(
        ctx, args["payeeId"], args["payeeAddr"], C.REQUEST_RECEIVER_INVALID, ("payeeId", "payeeAddr")
    )
    # A transfer that activates its payee's account costs what an update does.
    fee = FeeKind.ACCOUNT_UPDATE if args.get("payPayeeUpdateAccount") else FeeKind.TRANSFER
    quote_wei = checks.fee_in(ctx, fee, fee_token_id, C.REQUEST_FEE_TOKEN_UNSUPPORTED, field="maxFee.tokenId")
    if fee_token_id != token_id and ctx.decide("transfer.fee_token") == "same":
        raise Refused(C.REQUEST_FEE_TOKEN_INCONSISTENT, f"maxFee.tokenId: {fee_token_id} is not the token {token_id}")
    signature_format.check(ctx, payer, call)
    checks.check_storage_id(ctx, payer, token_id, args["storageId"], C.REQUEST_NONCE_INVALID, field="storageId")
    code = C.INVALID_ARGUMENT
    checks.check_valid_until(ctx, args["validUntil"], code)
    if token_id not in world.config.tokens:
        raise Refused(code, f"token.tokenId: there is no token {token_id}")
    amount_wei = int(args["token"]["volume"])
    if amount_wei == 0:
        raise Refused(code, "token.volume: nothing to transfer")
    checks.note_precision(ctx, "token.volume", amount_wei, world.config.tokens[token_id])
    fee_wei = checks.fee_charged(ctx, quote_wei, int(args["maxFee"]["volume"]), code, field="maxFee.volume")
    legs = ((token_id, amount_wei), (fee_token_id, fee_wei))
    funded = checks.is_funded(ctx, payer, legs, code, field="token.volume")
    request = checks.accept_request(
        ctx,
        call,
        RequestKind.TRANSFER,
        payer,
        hash_=hash_,
        token_id=token_id,
        amount_wei=amount_wei,
        fee_token_id=fee_token_id,
        fee_wei=fee_wei,
        to_account_id=receiver.accept(ctx, hash_),
        to_address=receiver.address,
        valid_until_s=args["validUntil"],
        storage_id=args["storageId"],
        funded=funded,
        memo=args.get("memo", ""),
    )
    return submission_view(ctx, request, is_idempotent=False)


def update_account_live(ctx: Context, call: Call) -> dict[str, Any]:
    """Accept a key update, as the specification's (E10). An account without a key becomes active by its first one."""
    return _shown(ctx, update_account(ctx, call))


def submit_withdrawal_live(ctx: Context, call: Call) -> dict[str, Any]:
    """Accept a withdrawal, as the specification's (E29)."""
    return _shown(ctx, submit_withdrawal(ctx, call))


def submission_view(ctx: Context, request: Request, *, is_idempotent: bool) -> dict[str, Any]:
    """The answer to a submission, by the choice `live.submit_status`."""
    return _shown(ctx, checks.submit_view(request, is_idempotent=is_idempotent))


def _shown(ctx: Context, view: dict[str, Any]) -> dict[str, Any]:
    is_received = view["status"] is RequestStatus.RECEIVED
    if is_received and ctx.decide("live.submit_status") == "processing":
        return {**view, "status": RequestStatus.PROCESSING}
    return view
