"""Transfers, withdrawals, account updates and NFT submissions that break one rule."""

from __future__ import annotations

from collections.abc import Mapping

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import UNKNOWN_ID
from mockrelay.client.wrong_calls import NO_SIGNATURE
from mockrelay.signing.parameters import SNARK_FIELD
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import KIND_OF_ENDPOINT, KINDS, Effect, RequestKind
from mockrelay.spec.signed_rows import SIGNED_BODIES
from mockrelay.spec.submission import Submission
from mockrelay.testing.strategies.near_valid import (
    NearValid,
    NearValidCalls,
    account_of,
    changed_at,
    usual_code,
    value_at,
)
from mockrelay.testing.strategies.order_rules import order_rules
from mockrelay.testing.strategies.read_rules import Rules
from mockrelay.testing.strategies.world_view import WorldView


def _token_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    """The rules of a request that sends an amount of a token."""
    kind = KIND_OF_ENDPOINT[call.endpoint]
    row, usual = KINDS[kind], usual_code(view, call)
    body = row.submission.body
    account = account_of(view, value_at(call, body.account))
    token_id, same = value_at(call, body.asset), view.world.choices.get(f"{kind}.fee_token") == "same"
    for other in view.world.fees[row.fee]:
        if same and other != token_id:
            yield NearValid(
                changed_at(call, body.fee_token, other), C.REQUEST_FEE_TOKEN_INCONSISTENT, "another fee token"
            )
    yield from _signature_rules(view, call)
    yield from _number_rules(call, row.submission, C.REQUEST_NONCE_INVALID)
    if not same:
        yield NearValid(changed_at(call, body.asset, UNKNOWN_ID), usual, "an unknown token")
    for token in view.config.tokens.values() if row.effect is Effect.LEAVE and not same else ():
        if not token.enabled and view.takes_storage_id(account, token.token_id, value_at(call, body.number)):
            disabled = changed_at(call, body.asset, token.token_id)
            yield NearValid(disabled, usual, f"{token.symbol} cannot be withdrawn")
    yield from _time_and_fee_rules(view, call)
    if view.option("request.insufficient_funds") == "refuse":
        beyond = changed_at(call, body.amount, str(view.free_wei(account, token_id) + 1))
        yield NearValid(beyond, usual, "more than the balance")


def _number_rules(call: ApiCall, submission: Submission, code: int) -> NearValidCalls:
    """A nonce that is not the next one, a storage id that is taken, and the same request again where that is not a poll."""
    number = value_at(call, submission.body.number)
    if submission.has_nonce:
        for nonce in (number + 1, number - 1):
            yield NearValid(changed_at(call, submission.body.number, nonce), code, f"nonce {nonce}")
    else:
        yield from _storage_rules(call, code)
    if submission.polled_by is None:
        yield NearValid(call, code, "the same again", (call,))


def _update_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    yield from _signature_rules(view, call)
    yield from _number_rules(call, KINDS[RequestKind.ACCOUNT_UPDATE].submission, C.REQUEST_NONCE_INVALID)
    for axis in ("x", "y"):
        beyond = changed_at(call, f"publicKey.{axis}", f"{SNARK_FIELD:x}")
        yield NearValid(beyond, usual_code(view, call), f"{axis} of the key beyond the field")
    yield from _time_and_fee_rules(view, call)


def _mint_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    yield from _storage_rules(call, usual_code(view, call))
    yield from _time_and_fee_rules(view, call)


def _move_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    code, fields = usual_code(view, call), call.fields
    yield from _storage_rules(call, code)
    yield from _time_and_fee_rules(view, call)
    if view.option("request.insufficient_funds") == "refuse":
        nft = view.world.nfts[fields["token"]["nftData"].lower()]
        free = view.free_wei(account_of(view, fields["fromAccountId"]), nft.nft_token_id)
        yield NearValid(changed_at(call, "token.amount", str(free + 1)), code, "more than the balance")


def _deploy_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    if view.option("nft.repeat_deploy") == "refuse":
        yield NearValid(call, usual_code(view, call), "a contract about to be deployed", (call,), is_early=True)
    yield from _time_and_fee_rules(view, call)


def _signature_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    """Each optional signature of a body, malformed."""
    if view.option("signature.scheme") == "off":
        return
    if SIGNED_BODIES[call.endpoint].form.in_parts:
        return
    for field in ("eddsaSignature", "ecdsaSignature", "hashApproved"):
        yield NearValid(call.but(**{field: NO_SIGNATURE}), C.AUTH_SIGNATURE_WRONG, f"{field}: no signature's form")


def _storage_rules(call: ApiCall, code: int) -> NearValidCalls:
    """Another request with the storage id of an accepted one."""
    other = call.but(validUntil=call.fields["validUntil"] + (-1 if call.fields["validUntil"] % 2 else 1))
    yield NearValid(other, code, "a storage id that another request has", (call,))


def _time_and_fee_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    """A request that has expired, a fee that is too low, and a fee that exceeds the balance."""
    row, code = KINDS[KIND_OF_ENDPOINT[call.endpoint]], usual_code(view, call)
    body = row.submission.body
    until = ".".join(filter(None, (row.submission.signed.part, "validUntil")))
    if value_at(call, until) is not None:
        yield NearValid(changed_at(call, until, view.now_s), code, "validUntil is now")
    fee_token_id = value_at(call, body.fee_token)
    quote_wei = view.world.fees[row.fee][fee_token_id]
    if quote_wei:
        yield NearValid(changed_at(call, body.fee, str(quote_wei - 1)), code, "a fee too low")
    if view.option("fee.charged") == "max_fee" and view.option("request.insufficient_funds") == "refuse":
        free = view.free_wei(account_of(view, value_at(call, body.account)), fee_token_id)
        yield NearValid(changed_at(call, body.fee, str(free + 1)), code, "a fee above the balance")


REQUEST_RULES: Mapping[str, Rules] = {
    **{row.submission.row: _token_rules for row in KINDS.values() if row.sends_amount and not row.of_nft},
    "submit_order": order_rules,
    "update_account": _update_rules,
    "mint_nft": _mint_rules,
    "transfer_nft": _move_rules,
    "withdraw_nft": _move_rules,
    "deploy_nft_contract": _deploy_rules,
}
"""By endpoint."""
