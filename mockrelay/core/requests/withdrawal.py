"""Withdrawals to layer 1 (spec §18)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, Refused
from mockrelay.core.requests import checks
from mockrelay.core.signatures import format as signature_format
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import RequestKind
from mockrelay.spec.vocab import ZERO_ADDRESS

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def submit_withdrawal(ctx: Context, call: Call) -> dict[str, Any]:
    """Accept a withdrawal, or return the state of the same one if it is repeated (spec §18)."""
    args, world = call.args, ctx.world
    checks.check_exchange(ctx, args["exchange"], C.EXCHANGE_ID_INCORRECT)
    account = callers_account(ctx, call)
    checks.check_owner(account, "owner", args["owner"], C.REQUEST_SENDER_INVALID)
    token_id, fee_token_id = args["token"]["tokenId"], args["maxFee"]["tokenId"]
    money = (token_id, args["token"]["volume"], fee_token_id, args["maxFee"]["volume"])
    onchain = (args["to"].lower(), args["minGas"], args.get("extraData", ""))
    fields = (account.account_id, *money, *onchain, args["validUntil"], args["storageId"])
    hash_ = checks.request_hash(ctx, call, account, RequestKind.WITHDRAWAL, *fields)
    repeated = checks.find_repeat(ctx, hash_, C.REQUEST_NONCE_INVALID)
    if repeated is not None:
        return checks.submit_view(repeated, is_idempotent=True)
    if args["to"] == ZERO_ADDRESS:
        raise Refused(C.REQUEST_RECEIVER_INVALID, "to: nobody owns the zero address")
    quote_wei = checks.fee_quote(
        ctx, RequestKind.WITHDRAWAL, fee_token_id, C.REQUEST_FEE_TOKEN_UNSUPPORTED, field="maxFee.tokenId"
    )
    if fee_token_id != token_id and ctx.decide("withdrawal.fee_token") == "same":
        raise Refused(C.REQUEST_FEE_TOKEN_INCONSISTENT, f"maxFee.tokenId: {fee_token_id} is not the token {token_id}")
    signature_format.check(ctx, account, call)
    checks.check_storage_id(ctx, account, token_id, args["storageId"], C.REQUEST_NONCE_INVALID, field="storageId")
    code = C.INVALID_ARGUMENT
    checks.check_valid_until(ctx, args["validUntil"], code)
    token = world.config.tokens.get(token_id)
    if token is None:
        raise Refused(code, f"token.tokenId: there is no token {token_id}")
    if not token.enabled:
        raise Refused(code, f"token.tokenId: {token.symbol} is not enabled for withdrawals")
    amount_wei = int(args["token"]["volume"])
    if amount_wei == 0:
        raise Refused(code, "token.volume: nothing to withdraw")
    checks.note_precision(ctx, "token.volume", amount_wei, token)
    fee_wei = checks.fee_charged(ctx, quote_wei, int(args["maxFee"]["volume"]), code, field="maxFee.volume")
    legs = ((token_id, amount_wei), (fee_token_id, fee_wei))
    request = checks.accept_request(
        ctx,
        call,
        RequestKind.WITHDRAWAL,
        account,
        hash_=hash_,
        token_id=token_id,
        amount_wei=amount_wei,
        fee_token_id=fee_token_id,
        fee_wei=fee_wei,
        to_account_id=None,
        to_address=args["to"],
        valid_until_s=args["validUntil"],
        storage_id=args["storageId"],
        funded=checks.is_funded(ctx, account, legs, code, field="token.volume"),
    )
    return checks.submit_view(request, is_idempotent=False)
