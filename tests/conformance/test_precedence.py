"""Which no comes first: each rule broken together with every later one, and only its own code answers.

The order is the one of the design's third part: limiter, key, signature header, shape, then the endpoint's own rules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from mockrelay.relay import Relay
from tests.conformance.checks import error_status, refused, refused_call, shape_code
from tests.conformance.fields import REQUESTS
from tests.conformance.flaws import LEFT_OUT, flaws_of
from tests.conformance.transcript import PAIRS, REQUESTS_OF_FUNDS, ROWS, Row
from tests.support.bodies import E18
from tests.support.calls import FIELD, Request, accepted, bid, call, order, valid_request
from tests.support.client import advance, control, digest, done
from tests.support.worlds import START_S, world


def _spoilt(row: Row) -> tuple[Request, str] | None:
    """A request with a flaw that surely has the shape code, and the flawed field; None without such a field."""
    request = valid_request(row.name)
    for flaw in flaws_of(request):
        if flaw.codes == {shape_code(row.name)}:
            return flaw.spoil(request), flaw.path[-1]
    return None


GATED = [row.name for row in ROWS]


@pytest.mark.parametrize("row", ROWS, ids=GATED)
def test_gate(row: Row) -> None:
    """Limiter before key before signature header before shape before a scripted code, at every endpoint."""
    relay = world(limits="spec")
    control(relay, "POST", "faults", {"on": row.name, "code": 777777, "times": 1000})
    spoilt = _spoilt(row)
    request = (spoilt[0] if spoilt else valid_request(row.name))._replace(key=None, signature=None)
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
    if spoilt:
        refused_call(call(relay, request), row.name, {shape_code(row.name)}, spoilt[1])
        request = request._replace(fields=valid_request(row.name).fields)
    assert call(relay, request).code == 777777
    assert digest(relay) == before


def test_gate_spoils_every_endpoint_that_takes_fields() -> None:
    """The case above has a shape flaw wherever there is a field to spoil."""
    assert [row.name for row in ROWS if _spoilt(row) is None and REQUESTS[row.name]] == []


class Breaker(NamedTuple):
    """One rule of submit_order, how a request breaks it, and what the refusal says."""

    rule: str
    code: int
    fields: dict[str, Any]
    named: tuple[str, ...] = ()
    key: str | None = ""
    """A key other than the account's own; empty: the key is right."""
    freezes: bool = False


_UNKNOWN_KEY = "nobody"
SUBMIT_ORDER: tuple[Breaker, ...] = (
    Breaker("no key", 104001, {}, key=None),
    Breaker("unknown key", 104002, {}, key=_UNKNOWN_KEY),
    Breaker("shape", 102120, {"amountB": "x"}, ("amountB",)),
    Breaker("exchange", 102001, {"exchangeId": 3}, ("exchangeId",)),
    Breaker("account unknown", 102003, {"accountId": 99999}, ("accountId",)),
    Breaker("account of another", 104003, {}, ("accountId",), key="bob"),
    Breaker("account frozen", 102027, {}, freezes=True),
    Breaker("token", 102002, {"tokenSId": 77}, ("tokenSId",)),
    Breaker("market", 102005, {"tokenBId": 1}),
    Breaker("order id", 102004, {"orderId": 500}, ("orderId",)),
    Breaker("signature absent", 102010, {"signatureS": LEFT_OUT}, ("signatureS",)),
    Breaker("signature blank", 104004, {"signatureRy": "0"}, ("signatureRy",)),
    Breaker("signature wrong", 104005, {"signatureRx": str(FIELD)}, ("signatureRx",)),
    Breaker("fee", 102006, {"maxFeeBips": 64}, ("maxFeeBips",)),
    Breaker("expired", 102008, {"validUntil": START_S}, ("validUntil",)),
    Breaker("not valid", 102120, {"label": 65536, "allOrNone": "true"}),
    Breaker("too small", 102012, {"amountS": "1", "amountB": "1"}, ("amountS",)),
    Breaker("too large", 102020, {"amountS": str(10**30 + 1), "amountB": str(10**30)}, ("amountS",)),
    Breaker("balance", 102011, {"amountS": str(10_000 * E18), "amountB": str(1_000 * E18)}, ("amountS",)),
    Breaker("would take", 102120, {"orderType": "MAKER_ONLY"}, ("orderType",)),
)
"""In the order of judgement. `too large` and `too small` cannot hold together; the earlier one wins the field."""


def _broken(first: int) -> Request:
    """A request that breaks rule number `first` and every later one."""
    changes: dict[str, Any] = {}
    key: str | None = "alice"
    for breaker in reversed(SUBMIT_ORDER[first:]):
        changes.update(breaker.fields)
        key = key if breaker.key == "" else breaker.key
    request = order(6, amountS=str(E18), amountB=str(E18))
    gone = [name for name, value in changes.items() if value is LEFT_OUT]
    return request.but(**changes).without(*gone)._replace(key=key)


def _prepared(first: int) -> Relay:
    """World W where order id 500 is used and has all of alice's LRC, bob bids 5 ETH a LRC, and she may be frozen."""
    relay = world()
    if first <= _at("balance"):
        accepted(relay, order(500, amountS=str(10_000 * E18), amountB=str(10**7 * E18)))
    accepted(relay, bid(1, lrc=E18, eth=5 * E18))
    if first <= _at("account frozen"):
        done(relay, "POST", "accounts/10001/freeze", {"frozen": True})
    return relay


def _at(rule: str) -> int:
    return [breaker.rule for breaker in SUBMIT_ORDER].index(rule)


@pytest.mark.parametrize("first", range(len(SUBMIT_ORDER)), ids=[breaker.rule for breaker in SUBMIT_ORDER])
def test_submit_order(first: int) -> None:
    """The rule wins over all later ones, which are broken too; the world does not change."""
    relay, rule = _prepared(first), SUBMIT_ORDER[first]
    before = digest(relay)
    refused_call(call(relay, _broken(first)), "submit_order", {rule.code}, *rule.named)
    assert digest(relay) == before


def test_submit_order_with_no_rule_broken_is_taken() -> None:
    """What the table breaks is otherwise right: the request it starts from is accepted."""
    relay = _prepared(len(SUBMIT_ORDER))
    assert call(relay, _broken(len(SUBMIT_ORDER))).data["status"] == "NEW_ACTIVED"


_AGAIN: tuple[Breaker, ...] = (
    Breaker("no key", 104001, {}, key=None),
    Breaker("unknown key", 104002, {}, key=_UNKNOWN_KEY),
    Breaker("shape", 102120, {"orderType": "FOO"}, ("orderType",)),
    Breaker("account of another", 104003, {}, ("accountId",), key="bob"),
    Breaker("account frozen", 102027, {}, freezes=True),
    Breaker("same order again", 102007, {}),
)


@pytest.mark.parametrize("first", range(len(_AGAIN)), ids=[breaker.rule for breaker in _AGAIN])
def test_same_order_again(first: int) -> None:
    """102007 yields to the rules before it and wins over all after it: id, signature, expiry, balance, taking."""
    relay = world()
    once = order(6, amountS=str(10_000 * E18), amountB=str(50_000 * E18), validUntil=START_S + 60)
    accepted(relay, once)
    done(relay, "POST", f"orders/{_hash(relay)}/cancel", {})
    accepted(relay, order(7, amountS=str(10_000 * E18), amountB=str(10**7 * E18)))
    accepted(relay, bid(1, lrc=E18, eth=5 * E18))
    advance(relay, "61s")
    changes: dict[str, Any] = {"orderType": "MAKER_ONLY", "signatureRx": str(FIELD), "signatureRy": "0"}
    key: str | None = "alice"
    for breaker in reversed(_AGAIN[first:]):
        changes.update(breaker.fields)
        key = key if breaker.key == "" else breaker.key
        if breaker.freezes:
            done(relay, "POST", "accounts/10001/freeze", {"frozen": True})
    before = digest(relay)
    answer = call(relay, once.but(**changes).without("signatureS")._replace(key=key))
    refused_call(answer, "submit_order", {_AGAIN[first].code}, *_AGAIN[first].named)
    assert digest(relay) == before


def _hash(relay: Relay) -> str:
    found: str = call(relay, valid_request("get_orders")).data["orders"][0]["hash"]
    return found


def _node_down(relay: Relay) -> None:
    done(relay, "POST", "layer1", {"state": "down"})


_NODE = ("send_eth_tx", "get_token_balances", "get_allowances", "get_eth_balance")
ROWS_OF_OTHERS: tuple[tuple[str, tuple[tuple[int, dict[str, Any]], ...], Callable[[Relay], None] | None], ...] = (
    ("get_depth", ((100000, {"limit": "x"}), (108000, {"market": "LRC-FOO"}), (108001, {"level": 99})), None),
    ("get_orders", ((100000, {"limit": -1}), (107001, {"accountId": LEFT_OUT})), None),
    ("get_orders", ((100000, {"limit": -1}), (104003, {"accountId": 10002})), None),
    ("get_order_id", ((100000, {"tokenSId": "x"}), (104003, {"accountId": 10002})), None),
    ("get_account", ((100000, {"owner": "0x12"}),), None),
    ("send_eth_tx", ((100000, {"data": "xyz"}), (104202, {})), _node_down),
    *((name, ((100000, {"owner": "0x12"}), (104205, {})), _node_down) for name in _NODE[1:]),
    ("get_gas_price", ((105001, {}),), _node_down),
    ("get_candlestick", ((100001, {"interval": "x", "market": "LRC-FOO"}),), None),
    ("get_ticker", ((100001, {"market": "LRC-FOO"}),), None),
)
"""Endpoint, its (code, what breaks it) in the order of judgement, and the state of the world that they need."""

_CASES = [(name, rules, first, prepare) for name, rules, prepare in ROWS_OF_OTHERS for first in range(len(rules))]


@pytest.mark.parametrize(
    ("name", "rules", "first", "prepare"), _CASES, ids=[f"{case[0]}-{case[1][case[2]][0]}" for case in _CASES]
)
def test_other_endpoints(
    name: str, rules: tuple[tuple[int, dict[str, Any]], ...], first: int, prepare: Callable[[Relay], None] | None
) -> None:
    """The same for every other endpoint that has codes of its own."""
    relay = world()
    if prepare:
        prepare(relay)
    changes: dict[str, Any] = {}
    for _, fields in reversed(rules[first:]):
        changes.update(fields)
    gone = [field for field, value in changes.items() if value is LEFT_OUT]
    request = valid_request(name).but(**changes).without(*gone)
    before = digest(relay)
    answer = call(relay, request)
    refused(answer, error_status(name), {rules[first][0]})
    assert digest(relay) == before


_ELSEWHERE = (*REQUESTS_OF_FUNDS, "get_nft_data")  # test_precedence_of_requests.py


def test_every_code_of_these_endpoints_is_judged_in_a_case() -> None:
    """No listed code of these endpoints is left out of the tables, but for what only a script or a look-up gives."""
    judged = {("submit_order", breaker.code) for breaker in (*SUBMIT_ORDER, *_AGAIN)}
    judged |= {(name, code) for name, rules, _ in ROWS_OF_OTHERS for code, _ in rules}
    gate = {100000, 104001, 104002}
    left = {pair for pair in PAIRS if pair[0] not in _ELSEWHERE and pair[1] not in gate} - judged
    assert left == {
        *(("get_account", 101001), ("get_account", 101002), ("submit_order", 102014)),
        *((name, 104208) for name in _NODE),
        ("send_eth_tx", 104205),
    }
