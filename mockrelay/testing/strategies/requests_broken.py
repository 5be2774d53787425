"""Transfers, withdrawals, account updates and NFT calls with one rule broken."""

from __future__ import annotations

from collections.abc import Mapping

from mockrelay.signing.moduli import SNARK_FIELD
from mockrelay.spec.codes import Code as C
from mockrelay.spec.request_kinds import FeeKind
from mockrelay.testing.calling import ApiCall
from mockrelay.testing.strategies.known import Known
from mockrelay.testing.strategies.near import (
    NO_SIGNATURE,
    SOME_ADDRESS,
    SOME_HASH,
    UNKNOWN_ID,
    Broken,
    NearValid,
    account_of,
    early,
    foreign,
    inside,
    wrong,
)
from mockrelay.testing.strategies.orders_broken import order_rules
from mockrelay.testing.strategies.parts import SIGNATURE_PARTS
from mockrelay.testing.strategies.reads_broken import Rules

_ZERO_ADDRESS = "0x" + "0" * 40


def _transfer_rules(here: Known, call: ApiCall) -> Broken:
    fields, code = call.fields, C.UNKNOWN_ERROR
    yield NearValid(call.but(exchangeId=fields["exchangeId"] + 1), C.EXCHANGE_ID_INCORRECT, "another exchange")
    yield NearValid(call.but(sender=UNKNOWN_ID), C.REQUEST_SENDER_INVALID, "no such sender")
    yield from foreign(here, call, C.REQUEST_SENDER_INVALID)
    yield NearValid(call.but(receiver=UNKNOWN_ID), C.REQUEST_RECEIVER_INVALID, "no such receiver")
    yield NearValid(call.but(tokenF=UNKNOWN_ID), C.REQUEST_FEE_TOKEN_UNSUPPORTED, "no fee in this token")
    for other in here.world.fees[FeeKind.TRANSFER]:
        if other != fields["token"] and here.option("transfer.fee_token") == "same":
            yield NearValid(call.but(tokenF=other), C.REQUEST_FEE_TOKEN_INCONSISTENT, "a fee in another token")
    if here.option("signature.scheme") != "off":
        for part in SIGNATURE_PARTS:
            yield NearValid(call.but(**{part: str(SNARK_FIELD)}), C.AUTH_SIGNATURE_WRONG, f"{part}: beyond the field")
    for nonce in (fields["nonce"] + 1, fields["nonce"] - 1):
        yield NearValid(call.but(nonce=nonce), C.REQUEST_NONCE_INVALID, f"nonce {nonce}")
    yield NearValid(call, C.REQUEST_NONCE_INVALID, "the same transfer again", (call,))
    if here.option("transfer.fee_token") == "any":
        yield NearValid(call.but(token=UNKNOWN_ID), code, "no such token")
    yield NearValid(call.but(amount="0"), code, "nothing to transfer")
    quote_wei = here.world.fees[FeeKind.TRANSFER][fields["tokenF"]]
    if quote_wei:
        yield NearValid(call.but(amountF=str(quote_wei - 1)), code, "a fee too low")
    if here.option("request.insufficient_funds") == "refuse":
        free = here.free_wei(account_of(here, fields["sender"]), fields["token"])
        yield NearValid(call.but(amount=str(free + 1)), code, "more than there is")


def _withdrawal_rules(here: Known, call: ApiCall) -> Broken:
    fields, code = call.fields, wrong(here, call)
    account = account_of(here, fields["accountId"])
    yield NearValid(call.but(exchange=SOME_ADDRESS), C.EXCHANGE_ID_INCORRECT, "another exchange")
    yield NearValid(call.but(accountId=UNKNOWN_ID), C.REQUEST_SENDER_INVALID, "no such account")
    yield from foreign(here, call, C.REQUEST_SENDER_INVALID)
    yield NearValid(call.but(owner=SOME_ADDRESS), C.REQUEST_SENDER_INVALID, "another owner")
    yield NearValid(call.but(to=_ZERO_ADDRESS), C.REQUEST_RECEIVER_INVALID, "to nobody")
    unsupported = inside(call, "maxFee", tokenId=UNKNOWN_ID)
    yield NearValid(unsupported, C.REQUEST_FEE_TOKEN_UNSUPPORTED, "no fee in this token")
    same = here.option("withdrawal.fee_token") == "same"
    for other in here.world.fees[FeeKind.WITHDRAWAL]:
        if same and other != fields["token"]["tokenId"]:
            mixed = inside(call, "maxFee", tokenId=other)
            yield NearValid(mixed, C.REQUEST_FEE_TOKEN_INCONSISTENT, "a fee in another token")
    yield from _signature_rules(here, call)
    yield from _storage_rules(call, C.REQUEST_NONCE_INVALID)
    if not same:
        yield NearValid(inside(call, "token", tokenId=UNKNOWN_ID), code, "no such token")
    for token in here.setting.tokens.values():
        if not token.enabled and not same and here.takes_storage_id(account, token.token_id, fields["storageId"]):
            off = inside(call, "token", tokenId=token.token_id)
            yield NearValid(off, code, f"{token.symbol} cannot be withdrawn")
    yield NearValid(inside(call, "token", volume="0"), code, "nothing to withdraw")
    yield from _time_and_fee_rules(here, call, FeeKind.WITHDRAWAL, "volume")
    if here.option("request.insufficient_funds") == "refuse":
        volume = str(here.free_wei(account, fields["token"]["tokenId"]) + 1)
        yield NearValid(inside(call, "token", volume=volume), code, "more than there is")


def _update_rules(here: Known, call: ApiCall) -> Broken:
    code = wrong(here, call)
    yield NearValid(call.but(exchange=SOME_ADDRESS), C.EXCHANGE_ID_INCORRECT, "another exchange")
    yield NearValid(call.but(accountId=UNKNOWN_ID), C.REQUEST_SENDER_INVALID, "no such account")
    yield NearValid(call.but(owner=SOME_ADDRESS), C.REQUEST_SENDER_INVALID, "another owner")
    unsupported = inside(call, "maxFee", tokenId=UNKNOWN_ID)
    yield NearValid(unsupported, C.REQUEST_FEE_TOKEN_UNSUPPORTED, "no fee in this token")
    yield from _signature_rules(here, call)
    for nonce in (call.fields["nonce"] + 1, call.fields["nonce"] - 1):
        yield NearValid(call.but(nonce=nonce), C.REQUEST_NONCE_INVALID, f"nonce {nonce}")
    for part in ("x", "y"):
        yield NearValid(inside(call, "publicKey", **{part: f"{SNARK_FIELD:x}"}), code, f"{part}: beyond the field")
    yield from _time_and_fee_rules(here, call, FeeKind.ACCOUNT_UPDATE, "volume")


def _mint_rules(here: Known, call: ApiCall) -> Broken:
    code = wrong(here, call)
    for rules in (_strange_minter(here, call), _receiver_rules(here, call)):
        yield from early(rules)
    yield from early([NearValid(inside(call, "maxFee", tokenId=UNKNOWN_ID), code, "no fee in this token")])
    yield from _storage_rules(call, code)
    yield NearValid(call.but(amount="0"), code, "nothing to mint")
    yield from _time_and_fee_rules(here, call, FeeKind.NFT_MINT, "amount")


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
    kind = FeeKind.NFT_TRANSFER if call.endpoint == "transfer_nft" else FeeKind.NFT_WITHDRAWAL
    yield from _time_and_fee_rules(here, call, kind, "amount")
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
    code, transfer = wrong(here, call), call.fields["transfer"]
    yield from early(_strange_deployment(here, call))
    if here.option("nft.repeat_deploy") == "refuse":
        yield from early([NearValid(call, code, "a contract about to be deployed", (call,))])
    yield NearValid(inside(call, "transfer", validUntil=here.now_s), code, "validUntil is now")
    quote_wei = here.world.fees[FeeKind.NFT_DEPLOY][transfer["token"]["tokenId"]]
    if quote_wei:
        low = {**transfer["token"], "volume": str(quote_wei - 1)}
        yield NearValid(inside(call, "transfer", token=low), code, "a fee too low")


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
    """The optional signatures of a body."""
    if here.option("signature.scheme") != "off":
        for field in ("eddsaSignature", "ecdsaSignature", "hashApproved"):
            yield NearValid(call.but(**{field: NO_SIGNATURE}), C.AUTH_SIGNATURE_WRONG, f"{field}: no signature's form")


def _storage_rules(call: ApiCall, code: int) -> Broken:
    """Another request with the storage id of one that was taken."""
    other = call.but(validUntil=call.fields["validUntil"] + (-1 if call.fields["validUntil"] % 2 else 1))
    yield NearValid(other, code, "a storage id that another request has", (call,))


def _time_and_fee_rules(here: Known, call: ApiCall, kind: FeeKind, amount: str) -> Broken:
    code = wrong(here, call)
    yield NearValid(call.but(validUntil=here.now_s), code, "validUntil is now")
    quote_wei = here.world.fees[kind][call.fields["maxFee"]["tokenId"]]
    if quote_wei:
        yield NearValid(inside(call, "maxFee", **{amount: str(quote_wei - 1)}), code, "a fee too low")
    yield from _unpaid_fee_rules(here, call, amount)


def _unpaid_fee_rules(here: Known, call: ApiCall, amount: str) -> Broken:
    """A fee that is offered and not there, where what is offered is charged."""
    if here.option("fee.charged") == "max_fee" and here.option("request.insufficient_funds") == "refuse":
        owner_field = next(name for name in ("accountId", "minterId", "fromAccountId") if name in call.fields)
        free = here.free_wei(account_of(here, call.fields[owner_field]), call.fields["maxFee"]["tokenId"])
        above = inside(call, "maxFee", **{amount: str(free + 1)})
        yield NearValid(above, wrong(here, call), "a fee that is not there")


SUBMISSIONS_BROKEN: Mapping[str, Rules] = {
    "submit_order": order_rules,
    "submit_transfer": _transfer_rules,
    "submit_withdrawal": _withdrawal_rules,
    "update_account": _update_rules,
    "mint_nft": _mint_rules,
    "transfer_nft": _move_rules,
    "withdraw_nft": _move_rules,
    "deploy_nft_contract": _deploy_rules,
}
"""By endpoint."""
