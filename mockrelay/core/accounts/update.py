"""Changing an account's EdDSA key (spec §9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, Refused
from mockrelay.core.models import Key, KeyChange
from mockrelay.core.requests import checks
from mockrelay.core.requests.lifecycle import key_of
from mockrelay.core.signatures import format as signature_format
from mockrelay.signing.parameters import SNARK_FIELD
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import RequestKind

if TYPE_CHECKING:
    from mockrelay.core.context import Context


def update_account(ctx: Context, call: Call) -> dict[str, Any]:
    """Accept a key update, or return the state of the same one if it is repeated (spec §9)."""
    args = call.args
    checks.check_exchange(ctx, args["exchange"], C.EXCHANGE_ID_INCORRECT)
    account = callers_account(ctx, call)
    checks.check_owner(account, "owner", args["owner"], C.REQUEST_SENDER_INVALID)
    key, fee_token_id = args["publicKey"], args["maxFee"]["tokenId"]
    hash_ = checks.request_hash(
        ctx,
        call,
        account,
        RequestKind.ACCOUNT_UPDATE,
        account.account_id,
        fee_token_id,
        args["maxFee"]["volume"],
        _number(key["x"]),
        _number(key["y"]),
        args["validUntil"],
        args["nonce"],
    )
    repeated = checks.find_repeat(ctx, hash_, C.REQUEST_NONCE_INVALID, field="nonce")
    if repeated is not None:
        return checks.submit_view(repeated, is_idempotent=True)
    quote_wei = checks.fee_quote(
        ctx, RequestKind.ACCOUNT_UPDATE, fee_token_id, C.REQUEST_FEE_TOKEN_UNSUPPORTED, field="maxFee.tokenId"
    )
    signature_format.check(ctx, account, call)
    checks.check_nonce(ctx, account, args["nonce"], C.REQUEST_NONCE_INVALID)
    code = C.INVALID_ARGUMENT
    for part in ("x", "y"):
        if _number(key[part]) >= SNARK_FIELD:
            raise Refused(code, f"publicKey.{part}: not below the field's prime")
    checks.check_valid_until(ctx, args["validUntil"], code)
    fee_wei = checks.fee_charged(ctx, quote_wei, int(args["maxFee"]["volume"]), code, field="maxFee.volume")
    request = checks.accept_request(
        ctx,
        call,
        RequestKind.ACCOUNT_UPDATE,
        account,
        hash_=hash_,
        token_id=fee_token_id,
        amount_wei=0,
        fee_token_id=fee_token_id,
        fee_wei=fee_wei,
        to_account_id=None,
        to_address=account.owner,
        valid_until_s=args["validUntil"],
        nonce=args["nonce"],
        key_change=KeyChange(
            key_of(account), Key(_padded(key["x"]), _padded(key["y"]), args["nonce"], args.get("keySeed"))
        ),
        funded=checks.is_funded(ctx, account, ((fee_token_id, fee_wei),), code, field="maxFee"),
    )
    return checks.submit_view(request, is_idempotent=False)


def _number(coordinate: str) -> int:
    return int(coordinate.removeprefix("0x"), 16)


def _padded(coordinate: str) -> str:
    """The coordinate as 0x and 64 hex digits, with leading zeros."""
    return f"0x{_number(coordinate):064x}"
