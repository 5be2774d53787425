"""Transfers, withdrawals, account updates and NFT calls with one rule broken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mockrelay.client.call import ApiCall
from mockrelay.signing.moduli import SNARK_FIELD
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.request_kinds import KIND_OF_ENDPOINT, KINDS, SIGNED_BODIES, Effect, KindRow, RequestKind
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.near import (
    NO_SIGNATURE,
    SOME_ADDRESS,
    SOME_HASH,
    UNKNOWN_ID,
    Broken,
    NearValid,
    account_of,
    changed_at,
    early,
    foreign,
    inside,
    value_at,
    wrong,
)
from mockrelay.testing.strategies.orders_broken import order_rules
from mockrelay.testing.strategies.parts import SIGNATURE_PARTS
from mockrelay.testing.strategies.reads_broken import Rules

_ZERO_ADDRESS = "0x" + "0" * 40


def _token_rules(here: Known, call: ApiCall) -> Broken:
    """Of a request that sends an amount of a token."""
    kind = KIND_OF_ENDPOINT[call.endpoint]
    row, late = KINDS[kind], wrong(here, call)
    body, account = row.body, account_of(here, value_at(call, row.body.account))

    def broken(path: str | None, value: Any, code: C | None, rule: str) -> NearValid:
        assert path is not None
        is_judged = any(judged.code is code for judged in BY_NAME[call.endpoint].codes)
        return NearValid(changed_at(call, path, value), code if code is not None and is_judged else late, rule)

    if "exchangeId" in call.fields:
        yield broken("exchangeId", call.fields["exchangeId"] + 1, C.EXCHANGE_ID_INCORRECT, "another exchange")
    else:
        yield broken("exchange", SOME_ADDRESS, C.EXCHANGE_ID_INCORRECT, "another exchange")
    yield broken(body.account, UNKNOWN_ID, C.REQUEST_SENDER_INVALID, "no such account")
    yield from foreign(here, call, C.REQUEST_SENDER_INVALID)
    for path, code in ((body.owner, C.REQUEST_SENDER_INVALID), (body.receiver_owner, C.REQUEST_RECEIVER_INVALID)):
        if path is not None and value_at(call, path) is not None:
            yield broken(path, SOME_ADDRESS, code, "another owner")
    nobody: int | str = _ZERO_ADDRESS if row.effect is Effect.LEAVE else UNKNOWN_ID
    yield broken(body.receiver, nobody, C.REQUEST_RECEIVER_INVALID, "to nobody")
    yield broken(body.fee_token, UNKNOWN_ID, C.REQUEST_FEE_TOKEN_UNSUPPORTED, "no fee in this token")
    token_id, same = value_at(call, body.asset), here.world.choices.get(f"{kind}.fee_token") == "same"
    for other in here.world.fees[row.fee]:
        if same and other != token_id:
            yield broken(body.fee_token, other, C.REQUEST_FEE_TOKEN_INCONSISTENT, "a fee in another token")
    yield from _signature_rules(here, call)
    yield from _number_rules(call, row, C.REQUEST_NONCE_INVALID)
    if not same:
        yield broken(body.asset, UNKNOWN_ID, None, "no such token")
    for token in here.config.tokens.values() if row.effect is Effect.LEAVE and not same else ():
        if not token.enabled and here.takes_storage_id(account, token.token_id, value_at(call, body.number)):
            yield broken(body.asset, token.token_id, None, f"{token.symbol} cannot be withdrawn")
    yield broken(body.amount, "0", None, "nothing to send")
    yield from _time_and_fee_rules(here, call)
    if here.option("request.insufficient_funds") == "refuse":
        yield broken(body.amount, str(here.free_wei(account, token_id) + 1), None, "more than there is")


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
    code = wrong(here, call)
    yield NearValid(call.but(exchange=SOME_ADDRESS), C.EXCHANGE_ID_INCORRECT, "another exchange")
    yield NearValid(call.but(accountId=UNKNOWN_ID), C.REQUEST_SENDER_INVALID, "no such account")
    yield NearValid(call.but(owner=SOME_ADDRESS), C.REQUEST_SENDER_INVALID, "another owner")
    unsupported = inside(call, "maxFee", tokenId=UNKNOWN_ID)
    yield NearValid(unsupported, C.REQUEST_FEE_TOKEN_UNSUPPORTED, "no fee in this token")
    yield from _signature_rules(here, call)
    yield from _number_rules(call, KINDS[RequestKind.ACCOUNT_UPDATE], C.REQUEST_NONCE_INVALID)
    for part in ("x", "y"):
        yield NearValid(inside(call, "publicKey", **{part: f"{SNARK_FIELD:x}"}), code, f"{part}: beyond the field")
    yield from _time_and_fee_rules(here, call)


def _mint_rules(here: Known, call: ApiCall) -> Broken:
    code = wrong(here, call)
    for rules in (_strange_minter(here, call), _receiver_rules(here, call)):
        yield from early(rules)
    yield from early([NearValid(inside(call, "maxFee", tokenId=UNKNOWN_ID), code, "no fee in this token")])
    yield from _storage_rules(call, code)
    yield NearValid(call.but(amount="0"), code, "nothing to mint")
    yield from _time_and_fee_rules(here, call)


def _strange_minter(here: Known, call: ApiCall) -> Broken:
    code = wrong(here, call)
    for field, value in (("exchange", SOME_ADDRESS), ("minterId", UNKNOWN_ID), ("minterAddress", SOME_ADDRESS)):
        yield NearValid(call.but(**{field: value}), code, f"another {field}")
    yield from foreign(here, call, code)
    yield NearValid(call.but(tokenAddress=SOME_ADDRESS), code, "another contract")
    if "counterFactualNftInfo" in call.fields:
        for field in ("nftFactory", "nftOwner"):
            yield NearValid(inside(call, "counterFactualNftInfo", **{field: SOME_ADDRESS}), code, f"another {field}")


def _move_rules(here: Known, call: ApiCall) -> Broken:
    code, fields = wrong(here, call), call.fields
    yield from early(_strange_move(here, call))
    yield from _storage_rules(call, code)
    yield NearValid(inside(call, "token", amount="0"), code, "nothing to move")
    yield from _time_and_fee_rules(here, call)
    if here.option("request.insufficient_funds") == "refuse":
        nft = here.world.nfts[fields["token"]["nftData"].lower()]
        free = here.free_wei(account_of(here, fields["fromAccountId"]), nft.nft_token_id)
        yield NearValid(inside(call, "token", amount=str(free + 1)), code, "more than there are")


def _strange_move(here: Known, call: ApiCall) -> Broken:
    code = wrong(here, call)
    for field, value in (("exchange", SOME_ADDRESS), ("fromAccountId", UNKNOWN_ID), ("fromAddress", SOME_ADDRESS)):
        yield NearValid(call.but(**{field: value}), code, f"another {field}")
    yield from foreign(here, call, code)
    yield NearValid(inside(call, "token", nftData=SOME_HASH), code, "no such NFT")
    yield NearValid(inside(call, "token", tokenId=UNKNOWN_ID), code, "another token id")
    if call.endpoint == "transfer_nft":
        yield from _receiver_rules(here, call)
    else:
        yield NearValid(call.but(toAddress=_ZERO_ADDRESS), code, "to nobody")
    yield NearValid(inside(call, "maxFee", tokenId=UNKNOWN_ID), code, "no fee in this token")


def _deploy_rules(here: Known, call: ApiCall) -> Broken:
    code = wrong(here, call)
    yield from early(_strange_deployment(here, call))
    if here.option("nft.repeat_deploy") == "refuse":
        yield from early([NearValid(call, code, "a contract about to be deployed", (call,))])
    yield from _time_and_fee_rules(here, call)


def _strange_deployment(here: Known, call: ApiCall) -> Broken:
    code, transfer = wrong(here, call), call.fields["transfer"]
    for field, value in (("exchange", SOME_ADDRESS), ("payerId", UNKNOWN_ID), ("payerAddr", SOME_ADDRESS)):
        yield NearValid(inside(call, "transfer", **{field: value}), code, f"another {field}")
    yield from foreign(here, call, code)
    yield NearValid(call.but(nftData=SOME_HASH), code, "no such NFT")
    yield NearValid(call.without("nftData").but(tokenAddress=SOME_ADDRESS), code, "nobody's contract")
    yield NearValid(inside(call, "transfer", payeeAddr=SOME_ADDRESS), code, "not the broker")
    other = {**transfer["maxFee"], "tokenId": UNKNOWN_ID}
    yield NearValid(inside(call, "transfer", maxFee=other), code, "maxFee in another token")
    both = {"maxFee": other, "token": {**transfer["token"], "tokenId": UNKNOWN_ID}}
    yield NearValid(inside(call, "transfer", **both), code, "no fee in this token")


def _receiver_rules(here: Known, call: ApiCall) -> Broken:
    code = wrong(here, call)
    yield NearValid(call.but(toAccountId=UNKNOWN_ID), code, "no such receiver")
    yield NearValid(call.but(toAddress=SOME_ADDRESS), code, "another owner of the receiver")


def _signature_rules(here: Known, call: ApiCall) -> Broken:
    """The signatures of a body."""
    if here.option("signature.scheme") == "off":
        return
    if SIGNED_BODIES[call.endpoint].form.in_parts:
        for part in SIGNATURE_PARTS:
            yield NearValid(call.but(**{part: str(SNARK_FIELD)}), C.AUTH_SIGNATURE_WRONG, f"{part}: beyond the field")
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
