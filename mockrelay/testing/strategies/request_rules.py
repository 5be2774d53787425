"""Transfers, withdrawals, account updates and NFT submissions that break one rule."""

from __future__ import annotations

from collections.abc import Mapping

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import UNKNOWN_ID
from mockrelay.client.wrong_calls import NO_SIGNATURE
from mockrelay.core.hashing import hash_of_text
from mockrelay.signing.parameters import SNARK_FIELD
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoints import BY_ID
from mockrelay.spec.request_kinds import KINDS, SUBMISSIONS, Effect, KindRow
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
    kind, submission = SUBMISSIONS[call.endpoint]
    row, usual, body = KINDS[kind], usual_code(view, call), submission.body
    account = account_of(view, value_at(call, body.account))
    token_id, same = value_at(call, body.asset), view.world.choices.get(f"{kind}.fee_token") == "same"
    for other in view.world.fees[row.fee]:
        if same and other != token_id:
            yield NearValid(
                changed_at(call, body.fee_token, other), C.REQUEST_FEE_TOKEN_INCONSISTENT, "another fee token"
            )
    yield from _signature_rules(view, call)
    yield from _number_rules(call, submission, C.REQUEST_NONCE_INVALID)
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
    yield from _number_rules(call, SUBMISSIONS[call.endpoint][1], C.REQUEST_NONCE_INVALID)
    for axis in ("x", "y"):
        beyond = changed_at(call, f"publicKey.{axis}", f"{SNARK_FIELD:x}")
        yield NearValid(beyond, usual_code(view, call), f"{axis} of the key beyond the field")
    yield from _time_and_fee_rules(view, call)


def _mint_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    yield from _storage_rules(call, _code_of(view, call, C.REQUEST_NONCE_INVALID))
    for other in view.accounts:
        if other.account_id != call.fields["minterId"]:
            taken = call.but(tokenAddress=view.contract_of(other.owner))
            code = _code_of(view, call, C.CONTRACT_OF_ANOTHER)
            yield NearValid(taken, code, f"the contract of {other.name}", is_early=True)
            break
    yield from _time_and_fee_rules(view, call)


def _move_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    yield from _storage_rules(call, _code_of(view, call, C.REQUEST_NONCE_INVALID))
    yield from _time_and_fee_rules(view, call)
    if view.option("request.insufficient_funds") == "refuse":
        nft = view.world.nfts[hash_of_text(call.fields["token"]["nftData"])]
        sender = account_of(view, value_at(call, SUBMISSIONS[call.endpoint][1].body.account))
        beyond = changed_at(call, "token.amount", str(view.free_wei(sender, nft.nft_token_id) + 1))
        yield NearValid(beyond, usual_code(view, call), "more than the balance")


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


def _code_of(view: WorldView, call: ApiCall, own: C) -> int:
    """A code where it is among those of the call's row; the usual one where it is not."""
    return own if any(judged.code is own for judged in BY_ID[call.endpoint].codes) else usual_code(view, call)


def _storage_rules(call: ApiCall, code: int) -> NearValidCalls:
    """Another request with the storage id of an accepted one."""
    other = call.but(validUntil=call.fields["validUntil"] + (-1 if call.fields["validUntil"] % 2 else 1))
    yield NearValid(other, code, "a storage id that another request has", (call,))


def _time_and_fee_rules(view: WorldView, call: ApiCall) -> NearValidCalls:
    """A request that has expired, a fee that is too low, and a fee that exceeds the balance."""
    kind, submission = SUBMISSIONS[call.endpoint]
    row, code, body = KINDS[kind], usual_code(view, call), submission.body
    until = ".".join(filter(None, (submission.signed.part, "validUntil")))
    if value_at(call, until) is not None:
        yield NearValid(changed_at(call, until, view.now_s), code, "validUntil is now")
    fee_token_id = value_at(call, body.fee_token)
    quote_wei = view.world.fees[row.fee][fee_token_id]
    if quote_wei:
        low = changed_at(call, body.fee, str(quote_wei - 1))
        yield NearValid(low, _code_of(view, call, C.NFT_FEE_TOO_LOW), "a fee too low")
    if view.option("fee.charged") == "max_fee" and view.option("request.insufficient_funds") == "refuse":
        free = view.free_wei(account_of(view, value_at(call, body.account)), fee_token_id)
        yield NearValid(changed_at(call, body.fee, str(free + 1)), code, "a fee above the balance")


_RULES_OF_EFFECT: Mapping[Effect, Rules] = {
    Effect.PAY: _token_rules,
    Effect.LEAVE: _token_rules,
    Effect.CHANGE_KEY: _update_rules,
    Effect.MINT: _mint_rules,
    Effect.DEPLOY: _deploy_rules,
}


def _rules_of(row: KindRow) -> Rules:
    """The rules of a kind of request."""
    return _move_rules if row.of_nft and row.sends_amount else _RULES_OF_EFFECT[row.effect]


REQUEST_RULES: Mapping[str, Rules] = {
    **{row_id: _rules_of(KINDS[kind]) for row_id, (kind, _) in SUBMISSIONS.items()},
    **dict.fromkeys(("submit_order", "submit_order_v2", "submit_order_gen3"), order_rules),
}
"""By the id of the row."""
