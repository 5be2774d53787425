"""Transfers, withdrawals, account updates and NFT calls with one rule broken."""

from __future__ import annotations

from collections.abc import Mapping

from mockrelay.client.call import ApiCall
from mockrelay.client.facts import UNKNOWN_ID
from mockrelay.client.wrong_calls import NO_SIGNATURE
from mockrelay.signing.moduli import SNARK_FIELD
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import KIND_OF_ENDPOINT, KINDS, SIGNED_BODIES, Effect, KindRow, RequestKind
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.near import Broken, NearValid, account_of, changed_at, value_at, wrong
from mockrelay.testing.strategies.orders_broken import order_rules
from mockrelay.testing.strategies.reads_broken import Rules


def _token_rules(here: Known, call: ApiCall) -> Broken:
    """Of a request that sends an amount of a token."""
    kind = KIND_OF_ENDPOINT[call.endpoint]
    row, usual = KINDS[kind], wrong(here, call)
    body, account = row.body, account_of(here, value_at(call, row.body.account))
    token_id, same = value_at(call, body.asset), here.world.choices.get(f"{kind}.fee_token") == "same"
    for other in here.world.fees[row.fee]:
        if same and other != token_id:
            yield NearValid(
                changed_at(call, body.fee_token, other), C.REQUEST_FEE_TOKEN_INCONSISTENT, "another fee token"
            )
    yield from _signature_rules(here, call)
    yield from _number_rules(call, row, C.REQUEST_NONCE_INVALID)
    if not same:
        yield NearValid(changed_at(call, body.asset, UNKNOWN_ID), usual, "an unknown token")
    for token in here.config.tokens.values() if row.effect is Effect.LEAVE and not same else ():
        if not token.enabled and here.takes_storage_id(account, token.token_id, value_at(call, body.number)):
            disabled = changed_at(call, body.asset, token.token_id)
            yield NearValid(disabled, usual, f"{token.symbol} cannot be withdrawn")
    yield from _time_and_fee_rules(here, call)
    if here.option("request.insufficient_funds") == "refuse":
        beyond = changed_at(call, body.amount, str(here.free_wei(account, token_id) + 1))
        yield NearValid(beyond, usual, "more than the balance")


def _number_rules(call: ApiCall, row: KindRow, code: int) -> Broken:
    """A nonce that is not the next one, a storage id that is taken, and the same again where that asks after nothing."""
    number = value_at(call, row.body.number)
    if row.has_nonce:
        for nonce in (number + 1, number - 1):
            yield NearValid(changed_at(call, row.body.number, nonce), code, f"nonce {nonce}")
    else:
        yield from _storage_rules(call, code)
    if row.polled_by is None:
        yield NearValid(call, code, "the same again", (call,))


def _update_rules(here: Known, call: ApiCall) -> Broken:
    yield from _signature_rules(here, call)
    yield from _number_rules(call, KINDS[RequestKind.ACCOUNT_UPDATE], C.REQUEST_NONCE_INVALID)
    for axis in ("x", "y"):
        beyond = changed_at(call, f"publicKey.{axis}", f"{SNARK_FIELD:x}")
        yield NearValid(beyond, wrong(here, call), f"{axis} of the key beyond the field")
    yield from _time_and_fee_rules(here, call)


def _mint_rules(here: Known, call: ApiCall) -> Broken:
    yield from _storage_rules(call, wrong(here, call))
    yield from _time_and_fee_rules(here, call)


def _move_rules(here: Known, call: ApiCall) -> Broken:
    code, fields = wrong(here, call), call.fields
    yield from _storage_rules(call, code)
    yield from _time_and_fee_rules(here, call)
    if here.option("request.insufficient_funds") == "refuse":
        nft = here.world.nfts[fields["token"]["nftData"].lower()]
        free = here.free_wei(account_of(here, fields["fromAccountId"]), nft.nft_token_id)
        yield NearValid(changed_at(call, "token.amount", str(free + 1)), code, "more than the balance")


def _deploy_rules(here: Known, call: ApiCall) -> Broken:
    if here.option("nft.repeat_deploy") == "refuse":
        yield NearValid(call, wrong(here, call), "a contract about to be deployed", (call,), is_early=True)
    yield from _time_and_fee_rules(here, call)


def _signature_rules(here: Known, call: ApiCall) -> Broken:
    """The signatures of a body."""
    if here.option("signature.scheme") == "off":
        return
    if SIGNED_BODIES[call.endpoint].form.in_parts:
        return
    for field in ("eddsaSignature", "ecdsaSignature", "hashApproved"):
        yield NearValid(call.but(**{field: NO_SIGNATURE}), C.AUTH_SIGNATURE_WRONG, f"{field}: no signature's form")


def _storage_rules(call: ApiCall, code: int) -> Broken:
    """Another request with the storage id of one that was taken."""
    other = call.but(validUntil=call.fields["validUntil"] + (-1 if call.fields["validUntil"] % 2 else 1))
    yield NearValid(other, code, "a storage id that another request has", (call,))


def _time_and_fee_rules(here: Known, call: ApiCall) -> Broken:
    """A request that has expired, a fee that is too low, and one that is offered and not there."""
    row, code = KINDS[KIND_OF_ENDPOINT[call.endpoint]], wrong(here, call)
    until = ".".join(filter(None, (row.signed.part, "validUntil")))
    if value_at(call, until) is not None:
        yield NearValid(changed_at(call, until, here.now_s), code, "validUntil is now")
    fee_token_id = value_at(call, row.body.fee_token)
    quote_wei = here.world.fees[row.fee][fee_token_id]
    if quote_wei:
        yield NearValid(changed_at(call, row.body.fee, str(quote_wei - 1)), code, "a fee too low")
    if here.option("fee.charged") == "max_fee" and here.option("request.insufficient_funds") == "refuse":
        free = here.free_wei(account_of(here, value_at(call, row.body.account)), fee_token_id)
        yield NearValid(changed_at(call, row.body.fee, str(free + 1)), code, "a fee that is not there")


SUBMISSIONS_BROKEN: Mapping[str, Rules] = {
    **{row.endpoint: _token_rules for row in KINDS.values() if row.sends_amount and not row.of_nft},
    "submit_order": order_rules,
    "update_account": _update_rules,
    "mint_nft": _mint_rules,
    "transfer_nft": _move_rules,
    "withdraw_nft": _move_rules,
    "deploy_nft_contract": _deploy_rules,
}
"""By endpoint."""
