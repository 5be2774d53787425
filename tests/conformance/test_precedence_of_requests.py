"""Which no comes first at transfers, withdrawals, updates and NFT calls: each rule broken with every later one.

The order is that of the design's third part. A rule that cannot be broken together with a later one says so in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from mockrelay.relay import Relay
from tests.conformance.causes_of_requests import (
    NFT_DATA,
    TRANSFER,
    UPDATE,
    WITHDRAWAL,
    ZERO_ADDRESS,
    inside,
    taken,
)
from tests.conformance.checks import refused_call
from tests.conformance.transcript import LISTED_FOR, REQUESTS_OF_FUNDS
from tests.support.bodies import E18
from tests.support.calls import FIELD, OWNER_B, SOME_ADDRESS, Request, call, deployed, minted, valid_request
from tests.support.client import advance, digest
from tests.support.worlds import START_S, world

RIGHT: Any = object()


class Rule(NamedTuple):
    """One rule: its code, and what a request changes to break it."""

    code: int
    how: str
    fields: Mapping[str, Any] = {}
    key: Any = RIGHT
    signature: Any = RIGHT
    named: str = ""
    """What the message says, where the code is that of other rules too."""


_BAD_PART = "0x" + f"{FIELD:064x}" + "1" * 128
_NO_FEE = {"tokenId": 77, "volume": "1"}
_OTHER_FEE = {"tokenId": 0, "volume": "1"}
_TOO_LITTLE = {"tokenId": 1, "volume": "1"}
_TOO_MUCH = {"tokenId": 1, "volume": str(10**30)}
_NO_NFT_FEE = {"tokenId": 77, "amount": "1"}
_NFT_TOO_LITTLE = {"tokenId": 1, "amount": "1"}
_NFT_MOVE = (
    Rule(100001, "shape", {"toAddress": "0x12"}, named="toAddress"),
    Rule(100001, "exchange", {"exchange": OWNER_B}, named="exchange"),
    Rule(100001, "sender unknown", {"fromAccountId": 99999}, named="fromAccountId"),
    Rule(100001, "sender of another", key="bob", named="fromAccountId"),
    Rule(100001, "another owner", {"fromAddress": OWNER_B}, named="fromAddress"),
)
_NFT_MOVE_END = (
    Rule(100001, "fee token", {"maxFee": _NO_NFT_FEE}, named="maxFee"),
    Rule(100001, "storage id used", {"storageId": 902}, named="storageId"),
    Rule(100001, "expired, fee", {"validUntil": START_S, "maxFee": _NFT_TOO_LITTLE}),
)

RULES: dict[str, tuple[Rule, ...]] = {
    "submit_transfer": (
        Rule(104001, "no key", key=None),
        Rule(104002, "unknown key", key="nobody"),
        Rule(104004, "no header", signature=None),
        Rule(100000, "shape", {"label": 65536}),
        Rule(102001, "exchange", {"exchangeId": 3}),
        Rule(102022, "sender unknown", {"sender": 99999}),
        Rule(102022, "sender of another", key="bob"),
        Rule(102023, "receiver", {"receiver": 99999}),
        Rule(102024, "fee token", {"tokenF": 77}),
        Rule(102025, "tokens differ", {"tokenF": 0}),
        Rule(104004, "signature blank", {"signatureRy": "0"}),
        Rule(104005, "signature wrong", {"signatureRx": str(FIELD)}),
        Rule(102021, "nonce", {"nonce": 9}),
        Rule(100000, "amount, fee, balance", {"amount": str(10**30), "amountF": "1"}),
    ),
    "submit_withdrawal": (
        Rule(104001, "no key", key=None),
        Rule(104002, "unknown key", key="nobody"),
        Rule(104004, "no header", signature=None),
        Rule(100001, "shape", {"minGas": "x"}),
        Rule(102001, "exchange", {"exchange": SOME_ADDRESS}),
        Rule(102022, "account unknown", {"accountId": 99999}),
        Rule(102022, "account of another", key="bob"),
        Rule(102022, "another owner", {"owner": OWNER_B}),
        Rule(102023, "to nobody", {"to": ZERO_ADDRESS}),
        Rule(102024, "fee token", {"maxFee": _NO_FEE}),
        Rule(102025, "tokens differ, by choice", {"maxFee": _OTHER_FEE}),
        Rule(104005, "signature wrong", {"eddsaSignature": _BAD_PART}),
        Rule(102021, "storage id used", {"storageId": 901}),
        Rule(100001, "expired, fee, balance", {"validUntil": START_S, "maxFee": _TOO_LITTLE, "token": _TOO_MUCH}),
    ),
    "update_account": (
        Rule(104004, "no header", signature=None),
        Rule(100001, "shape", {"publicKey": {"x": "xyz", "y": "0x0b"}}),
        Rule(102001, "exchange", {"exchange": SOME_ADDRESS}),
        Rule(102022, "account unknown", {"accountId": 99999}),
        Rule(102022, "another owner", {"owner": OWNER_B}),
        Rule(102024, "fee token", {"maxFee": _NO_FEE}),
        Rule(104005, "signature wrong", {"eddsaSignature": _BAD_PART}),
        Rule(102021, "nonce", {"nonce": 9}),
        Rule(100001, "expired, fee", {"validUntil": START_S, "maxFee": _TOO_LITTLE}),
    ),
    "get_nft_data": (
        Rule(104001, "no key", key=None),
        Rule(104002, "unknown key", key="nobody"),
        Rule(100001, "shape", {"nftId": "0x1"}),
        Rule(104003, "minter", {"minter": "99999"}),
        Rule(100001, "no such NFT", {"nftId": "0x" + "1" * 64}),
    ),
    "mint_nft": (
        Rule(100001, "shape", {"creatorFeeBips": -1}, named="creatorFeeBips"),
        Rule(100001, "exchange", {"exchange": OWNER_B}, named="exchange"),
        Rule(100001, "minter unknown", {"minterId": 99999}, named="minterId"),
        Rule(100001, "minter of another", key="bob", named="minterId"),
        Rule(100001, "another owner", {"minterAddress": OWNER_B}, named="minterAddress"),
        Rule(100001, "receiver", {"toAccountId": 99999}, named="toAccountId"),
        Rule(100001, "fee token", {"maxFee": _NO_NFT_FEE}, named="maxFee"),
        Rule(100001, "storage id used", {"storageId": 900}, named="storageId"),
        Rule(100001, "expired, fee", {"validUntil": START_S, "maxFee": _NFT_TOO_LITTLE}),
    ),
    "transfer_nft": (
        *_NFT_MOVE,
        Rule(100001, "receiver", {"toAccountId": 99999}, named="toAccountId"),
        *_NFT_MOVE_END,
    ),
    "withdraw_nft": (
        *_NFT_MOVE,
        Rule(100001, "to nobody", {"toAddress": ZERO_ADDRESS}, named="toAddress"),
        *_NFT_MOVE_END,
    ),
    "deploy_nft_contract": (
        Rule(104001, "no key", key=None),
        Rule(104002, "unknown key", key="nobody"),
        Rule(104004, "no header", signature=None),
        Rule(100001, "shape", {"tokenAddress": "0x12"}, named="tokenAddress"),
        Rule(100001, "exchange", {"transfer.exchange": OWNER_B}, named="exchange"),
        Rule(100001, "payer unknown", {"transfer.payerId": 99999}, named="payerId"),
        Rule(100001, "payer of another", key="bob", named="payerId"),
        Rule(100001, "another owner", {"transfer.payerAddr": OWNER_B}, named="payerAddr"),
        Rule(100001, "not the broker", {"transfer.payeeAddr": OWNER_B}, named="payeeAddr"),
        Rule(100001, "fee token", {"transfer.token": _NO_FEE, "transfer.maxFee": _NO_FEE}, named="token"),
        Rule(104005, "header wrong", signature="0x12"),
        Rule(100001, "storage id used", {"transfer.storageId": 901}, named="storageId"),
        Rule(100001, "expired, fee", {"transfer.validUntil": START_S, "transfer.token": _TOO_LITTLE}),
    ),
}
"""By endpoint, in the order of judgement."""
_BASES = {request.name: request for request in (TRANSFER, WITHDRAWAL, UPDATE, NFT_DATA)}
_CHOICES = {"withdrawal.fee_token": "same"}
CASES = [(name, number) for name, rules in RULES.items() for number in range(len(rules))]


def _prepared(name: str) -> Relay:
    """Alice has minted (900), has withdrawn (901), and a call to move NFTs is done with (902)."""
    relay = minted(world(_CHOICES))
    taken(relay, WITHDRAWAL.but(storageId=901))
    if name in ("transfer_nft", "withdraw_nft"):
        deployed(relay)
        taken(relay, valid_request(name).but(storageId=902))
    advance(relay, "1h")
    return relay


def broken(name: str, first: int) -> Request:
    """A request that breaks rule number `first` and every later one; of two that break one field the earlier wins."""
    request = _BASES.get(name) or valid_request(name)
    for rule in reversed(RULES[name][first:]):
        request = _changed(request, rule.fields)
        request = request if rule.key is RIGHT else request._replace(key=rule.key)
        request = request if rule.signature is RIGHT else request._replace(signature=rule.signature)
    return request


def _changed(request: Request, fields: Mapping[str, Any]) -> Request:
    for path, value in fields.items():
        outer, _, inner = path.partition(".")
        request = inside(request, outer, **{inner: value}) if inner else request.but(**{outer: value})
    return request


@pytest.mark.parametrize(("name", "first"), CASES, ids=[f"{name}-{RULES[name][first].how}" for name, first in CASES])
def test_the_earlier_rule_answers(name: str, first: int) -> None:
    """Its own code, although all later rules are broken too; the world does not change."""
    relay = _prepared(name)
    before = digest(relay)
    rule = RULES[name][first]
    refused_call(call(relay, broken(name, first)), name, {rule.code}, rule.named)
    assert digest(relay) == before


@pytest.mark.parametrize("name", RULES)
def test_with_no_rule_broken_it_is_taken(name: str) -> None:
    """What the tables break is otherwise right."""
    taken(_prepared(name), broken(name, len(RULES[name])))


@pytest.mark.parametrize("name", [*REQUESTS_OF_FUNDS, "get_nft_data"])
def test_every_listed_code_is_judged_in_a_case(name: str) -> None:
    """None is left out but what only a script gives."""
    listed = {code for code, names in LISTED_FOR.items() if name in names} - {100000}
    scripted = {102023, 102025} if name == "update_account" else set()
    assert listed - {rule.code for rule in RULES[name]} == scripted


@pytest.mark.parametrize("name", ["submit_withdrawal", "update_account"])
def test_repeat_comes_after_exchange_and_account_and_before_all_else(name: str) -> None:
    """An open request is answered with its status although its time is over, its fee too low and no money is left."""
    relay = world()
    request = _BASES[name].but(validUntil=START_S + 5)
    first = taken(relay, request)
    assert call(relay, request.but(exchange=SOME_ADDRESS)).code == 102001
    assert call(relay, request.but(owner=OWNER_B)).code == 102022
    left = inside(WITHDRAWAL.but(storageId=77), "token", volume=str(10_000 * E18 - E18 - 3 * 10**17))
    taken(relay, left)
    again = taken(relay, request)
    assert (again["hash"], again["isIdempotent"]) == (first["hash"], True)
