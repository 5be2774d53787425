"""Layer-2 transfers of the second version (spec §17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, DeferredErrors, Refused
from mockrelay.core.requests import checks
from mockrelay.core.signatures import format as signature_format
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import RequestKind
from mockrelay.spec.vocab import SIGNATURE_PARTS

if TYPE_CHECKING:
    from mockrelay.core.context import Context

_SIGNED_FIELDS = ("exchangeId", "sender", "receiver", "token", "amount", "tokenF", "amountF", "label", "nonce")


def submit_transfer(ctx: Context, call: Call) -> str:
    """Accept a transfer; returns its hash (spec §17)."""
    args, world = call.args, ctx.world
    deferred = DeferredErrors(call, skipped=() if signature_format.is_checked(ctx) else SIGNATURE_PARTS)
    own_id = world.config.exchange.exchange_id
    if args["exchangeId"] != own_id:
        raise Refused(C.EXCHANGE_ID_INCORRECT, f"exchangeId: {args['exchangeId']} is not {own_id}")
    sender = callers_account(ctx, call)
    receiver = world.accounts.get(args["receiver"])
    if receiver is None:
        raise Refused(C.REQUEST_RECEIVER_INVALID, f"receiver: there is no account {args['receiver']}")
    token_id, fee_token_id = args["token"], args["tokenF"]
    quote_wei = checks.fee_quote(
        ctx, RequestKind.TRANSFER, fee_token_id, C.REQUEST_FEE_TOKEN_UNSUPPORTED, field="tokenF"
    )
    if fee_token_id != token_id and ctx.decide("transfer.fee_token") == "same":
        raise Refused(C.REQUEST_FEE_TOKEN_INCONSISTENT, f"tokenF: {fee_token_id} is not the token {token_id}")
    deferred.refuse(C.AUTH_SIGNATURE_MISSING)
    deferred.refuse(C.AUTH_SIGNATURE_WRONG)
    signature_format.check(ctx, sender, call)
    checks.check_nonce(ctx, sender, args["nonce"], C.REQUEST_NONCE_INVALID)
    hash_ = checks.request_hash(ctx, call, sender, RequestKind.TRANSFER, *map(args.get, _SIGNED_FIELDS))
    if hash_ in world.requests:
        # Possible after a command has set the account's nonce back.
        raise Refused(C.REQUEST_NONCE_INVALID, f"nonce: this very transfer is {world.requests[hash_].status} already")
    deferred.assert_refused()
    if token_id not in world.config.tokens:
        raise Refused(C.UNKNOWN_ERROR, f"token: there is no token {token_id}")
    amount_wei = int(args["amount"])
    if amount_wei == 0:
        raise Refused(C.UNKNOWN_ERROR, "amount: nothing to transfer")
    checks.note_precision(ctx, "amount", amount_wei, world.config.tokens[token_id])
    fee_wei = checks.fee_charged(ctx, quote_wei, int(args["amountF"]), C.UNKNOWN_ERROR, field="amountF")
    legs = ((token_id, amount_wei), (fee_token_id, fee_wei))
    return checks.accept_request(
        ctx,
        call,
        RequestKind.TRANSFER,
        sender,
        hash_=hash_,
        token_id=token_id,
        amount_wei=amount_wei,
        fee_token_id=fee_token_id,
        fee_wei=fee_wei,
        to_account_id=receiver.account_id,
        to_address=receiver.owner,
        nonce=args["nonce"],
        funded=checks.is_funded(ctx, sender, legs, C.UNKNOWN_ERROR, field="amount"),
    ).hash
