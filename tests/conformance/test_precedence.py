"""Which refusal comes first: each rule broken together with every later one, and only its own code answers.

The order is limiter, key, signature header, shape, then the endpoint's own rules. Of two rules that one field breaks the
earlier is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from mockrelay.relay import Relay
from tests.conformance.causes_of_requests import WITHDRAWAL, ZERO_ADDRESS, inside, taken
from tests.conformance.checks import refused, refused_call, shape_code
from tests.conformance.fields import REQUESTS
from tests.conformance.transcript import NFT_SUBMISSIONS, PAIRS, REQUESTS_OF_FUNDS, ROWS, Row
from tests.conformance.wrong_fields import LEFT_OUT, wrong_fields_of
from tests.support.bodies import E18
from tests.support.calls import (
    FIELD,
    OWNER_B,
    SOME_ADDRESS,
    Request,
    bid,
    call,
    deployed,
    minted,
    order,
    place,
    valid_request,
)
from tests.support.client import advance, control, digest, done
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
    prepare: Callable[[Relay], object] | None = None
    """What must be so in the world for the rule to be broken."""


def _freeze(relay: Relay) -> None:
    done(relay, "POST", "accounts/10001/freeze", {"frozen": True})


def _sell_all_as_500(relay: Relay) -> None:
    """Order id 500 is used and has all of alice's LRC."""
    place(relay, order(500, amountS=str(10_000 * E18), amountB=str(10**7 * E18)))


def _bid(relay: Relay) -> None:
    """Bob bids 5 ETH for an LRC."""
    place(relay, bid(1, lrc=E18, eth=5 * E18))


def _node_down(relay: Relay) -> None:
    done(relay, "POST", "layer1", {"state": "down"})


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
    "submit_order": (
        Rule(104001, "no key", key=None),
        Rule(104002, "unknown key", key="nobody"),
        Rule(102120, "shape", {"amountB": "x"}, named="amountB"),
        Rule(102001, "exchange", {"exchangeId": 3}, named="exchangeId"),
        Rule(102003, "account unknown", {"accountId": 99999}, named="accountId"),
        Rule(104003, "account of another", key="bob", named="accountId"),
        Rule(102027, "account frozen", prepare=_freeze),
        Rule(102002, "token", {"tokenSId": 77}, named="tokenSId"),
        Rule(102005, "market", {"tokenBId": 1}),
        Rule(102004, "order id", {"orderId": 500}, named="orderId"),
        Rule(102010, "signature absent", {"signatureS": LEFT_OUT}, named="signatureS"),
        Rule(104004, "signature blank", {"signatureRy": "0"}, named="signatureRy"),
        Rule(104005, "signature wrong", {"signatureRx": str(FIELD)}, named="signatureRx"),
        Rule(102006, "fee", {"maxFeeBips": 64}, named="maxFeeBips"),
        Rule(102008, "expired", {"validUntil": START_S}, named="validUntil"),
        Rule(102120, "not valid", {"label": 65536, "allOrNone": "true"}),
        # These two cannot be broken together.
        Rule(102012, "too small", {"amountS": "1", "amountB": "1"}, named="amountS"),
        Rule(102020, "too large", {"amountS": str(10**30 + 1), "amountB": str(10**30)}, named="amountS"),
        Rule(
            *(102011, "balance", {"amountS": str(10_000 * E18), "amountB": str(1_000 * E18)}),
            named="amountS",
            prepare=_sell_all_as_500,
        ),
        Rule(102120, "would take", {"orderType": "MAKER_ONLY"}, named="orderType", prepare=_bid),
    ),
    "submit_order again": (
        Rule(104001, "no key", key=None),
        Rule(104002, "unknown key", key="nobody"),
        Rule(102120, "shape", {"orderType": "FOO"}, named="orderType"),
        Rule(104003, "account of another", key="bob", named="accountId"),
        Rule(102027, "account frozen", prepare=_freeze),
        Rule(102007, "same order"),
    ),
    "get_depth": (
        Rule(100000, "shape", {"limit": "x"}),
        Rule(108000, "market", {"market": "LRC-FOO"}),
        Rule(108001, "level", {"level": 99}),
    ),
    "get_orders": (
        Rule(100000, "shape", {"limit": -1}),
        Rule(107001, "no account", {"accountId": LEFT_OUT}),
    ),
    "get_orders of another": (
        Rule(100000, "shape", {"limit": -1}),
        Rule(104003, "account of another", {"accountId": 10002}),
    ),
    "get_order_id": (
        Rule(100000, "shape", {"tokenSId": "x"}),
        Rule(104003, "account of another", {"accountId": 10002}),
    ),
    "get_account": (Rule(100000, "shape", {"owner": "0x12"}),),
    "send_eth_tx": (Rule(100000, "shape", {"data": "xyz"}), Rule(104202, "node down", prepare=_node_down)),
    **{
        name: (Rule(100000, "shape", {"owner": "0x12"}), Rule(104205, "node down", prepare=_node_down))
        for name in ("get_token_balances", "get_allowances", "get_eth_balance")
    },
    "get_gas_price": (Rule(105001, "node down", prepare=_node_down),),
    "get_candlestick": (Rule(100001, "shape, market", {"interval": "x", "market": "LRC-FOO"}),),
    "get_ticker": (Rule(100001, "market", {"market": "LRC-FOO"}),),
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
        Rule(100001, "receiver by address", {"toAccountId": 0, "toAddress": OWNER_B}, named="toAccountId"),
        Rule(100001, "fee token", {"maxFee": _NO_NFT_FEE}, named="maxFee"),
        Rule(100001, "storage id used", {"storageId": 900}, named="storageId"),
        Rule(100001, "expired, fee", {"validUntil": START_S, "maxFee": _NFT_TOO_LITTLE}),
    ),
    "transfer_nft": (
        *_NFT_MOVE,
        Rule(100001, "receiver", {"toAccountId": 99999}, named="toAccountId"),
        Rule(100001, "receiver by address", {"toAccountId": 0, "toAddress": OWNER_B}, named="toAccountId"),
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
"""By endpoint and, where it has several orders of judgement, by case; in the order of judgement."""
CASES = [(case, number) for case, rules in RULES.items() for number in range(len(rules))]
_AGAIN = order(6, amountS=str(10_000 * E18), amountB=str(50_000 * E18), validUntil=START_S + 60)
_BROKEN_LATER = {"orderType": "MAKER_ONLY", "signatureRx": str(FIELD), "signatureRy": "0"}
_BASES = {
    "submit_order": order(6, amountS=str(E18), amountB=str(E18)),
    # 102007 wins over all rules after it: id, signature, expiry, balance, taking.
    "submit_order again": _AGAIN.but(**_BROKEN_LATER).without("signatureS"),
}
_CHOICES = {"withdrawal.fee_token": "same"}


def _prepared(case: str) -> Relay:
    if case == "submit_order again":
        relay = world()
        done(relay, "POST", f"orders/{place(relay, _AGAIN)}/cancel", {})
        place(relay, order(7, amountS=str(10_000 * E18), amountB=str(10**7 * E18)))
        _bid(relay)
        advance(relay, "61s")
        return relay
    if case not in (*REQUESTS_OF_FUNDS, *NFT_SUBMISSIONS, "get_nft_data"):
        return world()
    # Alice has minted (900), has withdrawn (901), and a call to move NFTs is done with (902).
    relay = minted(world(_CHOICES))
    taken(relay, WITHDRAWAL.but(storageId=901))
    if case in ("transfer_nft", "withdraw_nft"):
        deployed(relay)
        taken(relay, valid_request(case).but(storageId=902))
    advance(relay, "1h")
    return relay


def _broken(relay: Relay, case: str, first: int) -> Request:
    """A request that breaks rule number `first` and every later one, and the world in which it does."""
    request = _BASES.get(case) or valid_request(case.partition(" ")[0])
    for rule in reversed(RULES[case][first:]):
        request = _changed(request, rule.fields)
        request = request if rule.key is RIGHT else request._replace(key=rule.key)
        request = request if rule.signature is RIGHT else request._replace(signature=rule.signature)
        if rule.prepare is not None:
            rule.prepare(relay)
    return request


def _changed(request: Request, fields: Mapping[str, Any]) -> Request:
    for path, value in fields.items():
        outer, _, inner = path.partition(".")
        if value is LEFT_OUT:
            request = request.without(outer)
        else:
            request = inside(request, outer, **{inner: value}) if inner else request.but(**{outer: value})
    return request


def _id(case: str, number: int) -> str:
    return f"{case}-{RULES[case][number].code}-{RULES[case][number].how}"


@pytest.mark.parametrize(("case", "first"), CASES, ids=[_id(*case) for case in CASES])
def test_the_earlier_rule_answers(case: str, first: int) -> None:
    """Its own code, although all later rules are broken too; the world does not change."""
    relay = _prepared(case)
    request = _broken(relay, case, first)
    before = digest(relay)
    refused_call(call(relay, request), case.partition(" ")[0], {RULES[case][first].code}, RULES[case][first].named)
    assert digest(relay) == before


@pytest.mark.parametrize("case", [case for case in RULES if case != "submit_order again"])
def test_with_no_rule_broken_it_is_taken(case: str) -> None:
    """What the tables break is otherwise right."""
    relay = _prepared(case)
    taken(relay, _broken(relay, case, len(RULES[case])))


def test_every_listed_code_is_judged_in_a_case() -> None:
    """None is left out but the gate's, and what only a script or a look-up gives."""
    judged = {(case.partition(" ")[0], rule.code) for case, rules in RULES.items() for rule in rules}
    assert {pair for pair in PAIRS if pair[1] not in (100000, 104001, 104002)} - judged == {
        *(("get_account", 101001), ("get_account", 101002), ("submit_order", 102014), ("send_eth_tx", 104205)),
        *((name, 104208) for name in ("send_eth_tx", "get_token_balances", "get_allowances", "get_eth_balance")),
        *(("update_account", 102023), ("update_account", 102025)),
    }


@pytest.mark.parametrize("name", ["submit_withdrawal", "update_account"])
def test_a_repeat_comes_after_exchange_and_account_and_before_all_else(relay: Relay, name: str) -> None:
    """An open request is answered with its status although its time is over, its fee too low and no money is left."""
    request = valid_request(name).but(validUntil=START_S + 5)
    first = taken(relay, request)
    assert call(relay, request.but(exchange=SOME_ADDRESS)).code == 102001
    assert call(relay, request.but(owner=OWNER_B)).code == 102022
    left = inside(WITHDRAWAL.but(storageId=77), "token", volume=str(10_000 * E18 - E18 - 3 * 10**17))
    taken(relay, left)
    again = taken(relay, request)
    assert (again["hash"], again["isIdempotent"]) == (first["hash"], True)


def _malformed(row: Row) -> tuple[Request, str] | None:
    """A request with a field that surely has the shape code, and that field's name; None without such a field."""
    request = valid_request(row.name)
    for wrong in wrong_fields_of(request):
        if wrong.codes == {shape_code(row.name)}:
            return wrong.put_into(request), wrong.path[-1]
    return None


ASKED_FOR_A_KEY = {
    "ignore": {"get_order_id", "submit_order", "get_orders", "get_nft_data"},
    "ignore_all": {
        *("get_order_fee", "get_order_id", "submit_order", "get_orders", "submit_transfer", "submit_withdrawal"),
        *("get_block", "get_pending_requests", "deploy_nft_contract"),
    },
}


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
@pytest.mark.parametrize("option", ASKED_FOR_A_KEY)
def test_keys_that_are_asked_for_under_auth_key_on_unlisted(option: str, row: Row) -> None:
    """Under `ignore_all` reads that no account is named in need none, nftData included; a wrong one is not looked at."""
    relay, is_asked = world({"auth.key_on_unlisted": option}), row.name in ASKED_FOR_A_KEY[option]
    request = valid_request(row.name)
    assert (call(relay, request._replace(key=None)).code == 104001) == is_asked
    assert (call(relay, request._replace(key="nobody")).code == 104002) == is_asked


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_gate(row: Row) -> None:
    """Limiter before key before signature header before shape before a scripted code, at every endpoint."""
    relay = world(limits="spec")
    control(relay, "POST", "faults", {"on": row.name, "code": 777777, "times": 1000})
    malformed = _malformed(row)
    request = (malformed[0] if malformed else valid_request(row.name))._replace(key=None, signature=None)
    before = digest(relay)
    if row.limit is not None:
        for _ in range(row.limit):
            assert call(relay, request).status != 429
        refused(call(relay, request), 429, {100000})
        advance(relay, "1s")
    if row.key == "required":
        refused_call(call(relay, request), row.name, {104001})
        request = request._replace(key="nobody")
        refused_call(call(relay, request), row.name, {104002})
        request = request._replace(key="alice")
    if row.signature:
        refused_call(call(relay, request), row.name, {104004}, "X-API-SIG")
        request = request._replace(signature="x")
    if malformed:
        refused_call(call(relay, request), row.name, {shape_code(row.name)}, malformed[1])
        request = request._replace(fields=valid_request(row.name).fields)
    assert call(relay, request).code == 777777
    assert digest(relay) == before


def test_gate_has_a_wrong_field_of_every_endpoint_that_takes_fields() -> None:
    """The case above has a wrong field wherever there is a field."""
    assert [row.name for row in ROWS if _malformed(row) is None and REQUESTS[row.name]] == []
