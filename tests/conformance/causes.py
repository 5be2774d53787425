"""For every (endpoint, code) pair of reads and orders: what a client does, or what the world is, to be answered it.

A cause arranges the world and gives back the request that must be refused; nothing in it scripts a code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mockrelay.relay import Relay
from tests.conformance.transcript import NFT_SPECIFIC, ROWS
from tests.support.bodies import E18
from tests.support.calls import FIELD, Request, accepted, call, order, valid_request
from tests.support.client import done
from tests.support.worlds import START_S

NOBODY = "0x" + "de" * 20
ON_LAYER_1_ONLY = "0x" + "11" * 20


class Cause(NamedTuple):
    """One natural cause of one pair."""

    name: str
    code: int
    how: str
    arrange: Callable[[Relay], Request]
    named: tuple[str, ...] = ()
    choices: tuple[tuple[str, str], ...] = ()
    limits: str = "off"
    status: int | None = None
    """Where it is not the endpoint's usual one."""

    @property
    def id(self) -> str:
        """A readable test id."""
        return f"{self.name}-{self.code}-{self.how}"


def just(request: Request) -> Callable[[Relay], Request]:
    return lambda _: request


def _layer1(state: str, request: Request) -> Callable[[Relay], Request]:
    def arrange(relay: Relay) -> Request:
        done(relay, "POST", "layer1", {"state": state})
        return request

    return arrange


def _order(code: int, how: str, request: Request, *named: str) -> Cause:
    return Cause("submit_order", code, how, just(request), named)


def _too_often(name: str) -> Callable[[Relay], Request]:
    def arrange(relay: Relay) -> Request:
        row = next(row for row in ROWS if row.name == name)
        for _ in range(row.limit or 0):
            assert call(relay, valid_request(name)).status != 429
        return valid_request(name)

    return arrange


def _after(first: Request, then: Request) -> Callable[[Relay], Request]:
    def arrange(relay: Relay) -> Request:
        accepted(relay, first)
        return then

    return arrange


def _known_on_layer_1(relay: Relay) -> Request:
    done(relay, "POST", "layer1", {"balances": {ON_LAYER_1_ONLY: {"ETH": "5"}}})
    return Request("get_account", {"owner": ON_LAYER_1_ONLY})


def _frozen(relay: Relay) -> Request:
    done(relay, "POST", "accounts/10001/freeze", {"frozen": True})
    return order()


def _keys(name: str) -> tuple[Cause, ...]:
    request = valid_request(name)
    return (
        Cause(name, 104001, "no key", just(request._replace(key=None))),
        Cause(name, 104001, "empty key", just(request._replace(key=""))),
        Cause(name, 104002, "nobody's key", just(request._replace(key="nobody"))),
        Cause(name, 104003, "another's key", just(request._replace(key="bob")), ("accountId",)),
    )


def _node(name: str) -> tuple[Cause, ...]:
    request = valid_request(name)
    return (
        Cause(name, 104202 if name == "send_eth_tx" else 104205, "node down", _layer1("down", request)),
        Cause(name, 104208, "node in error", _layer1("error", request)),
    )


_DAI, _ETH, _LRC, _UNKNOWN = 5, 0, 1, 77
_MS = 1000

CAUSES: tuple[Cause, ...] = (
    *(
        Cause(row.name, 100000, "too often", _too_often(row.name), limits="spec", status=429)
        for row in ROWS
        if row.name not in NFT_SPECIFIC
    ),
    *_node("send_eth_tx"),
    *_node("get_token_balances"),
    *_node("get_allowances"),
    *_node("get_eth_balance"),
    Cause("get_gas_price", 105001, "node down", _layer1("down", Request("get_gas_price", {}))),
    Cause("get_gas_price", 105001, "node in error", _layer1("error", Request("get_gas_price", {}))),
    Cause("get_account", 101001, "known nowhere", just(Request("get_account", {"owner": NOBODY})), ("owner",)),
    Cause("get_account", 101002, "known on layer 1 only", _known_on_layer_1, ("owner",)),
    Cause("get_depth", 108000, "no such market", just(valid_request("get_depth").but(market="LRC-FOO")), ("market",)),
    Cause("get_depth", 108000, "turned round", just(valid_request("get_depth").but(market="ETH-LRC")), ("market",)),
    Cause("get_depth", 108001, "level too large", just(valid_request("get_depth").but(level=3)), ("level",)),
    Cause("get_depth", 108001, "level negative", just(valid_request("get_depth").but(level=-1)), ("level",)),
    *(
        Cause("get_candlestick", 100001, how, just(valid_request("get_candlestick").but(**{field: value})), (field,))
        for how, field, value in (
            ("no such market", "market", "LRC-FOO"),
            ("two markets", "market", "LRC-ETH,LRC-USDT"),
            ("interval", "interval", "3min"),
        )
    ),
    Cause(
        *("get_candlestick", 100001, "start after end"),
        just(valid_request("get_candlestick").but(start=START_S * _MS + 1, end=START_S * _MS)),
        ("start",),
    ),
    *(
        Cause("get_ticker", 100001, how, just(Request("get_ticker", {"market": markets})), ("market",))
        for how, markets in (("no such market", "LRC-FOO"), ("one of two unknown", "LRC-ETH,LRC-FOO"), ("empty", ""))
    ),
    *_keys("get_order_id"),
    *_keys("get_orders"),
    *_keys("submit_order"),
    *(
        Cause(name, 104003, "no such account", just(valid_request(name).but(accountId=99999)), ("accountId",))
        for name in ("get_order_id", "get_orders")
    ),
    Cause(
        *("get_orders", 100000, "no such market"),
        just(valid_request("get_orders").but(market="LRC-FOO")),
        ("market",),
    ),
    Cause(
        "get_orders", 107001, "no account id", just(valid_request("get_orders").without("accountId")), ("accountId",)
    ),
    _order(102001, "another exchange", order(exchangeId=3), "exchangeId"),
    _order(102001, "negative", order(exchangeId=-1), "exchangeId"),
    _order(102002, "sold token", order(tokenSId=_UNKNOWN), "tokenSId"),
    _order(102002, "bought token", order(tokenBId=_UNKNOWN), "tokenBId"),
    _order(102002, "negative", order(tokenSId=-1), "tokenSId"),
    _order(102003, "no such account", order(accountId=99999), "accountId"),
    _order(102003, "negative", order(accountId=-1), "accountId"),
    _order(102004, "negative", order(-1), "orderId"),
    _order(102004, "beyond 32 bits", order(2**32), "orderId"),
    Cause("submit_order", 102004, "used", _after(order(5), order(5, amountS=str(99 * E18))), ("orderId",)),
    _order(102005, "no such market", order(tokenSId=_DAI, tokenBId=_ETH)),
    _order(102005, "same token twice", order(tokenBId=_LRC)),
    *(_order(102006, f"maxFeeBips {bips}", order(maxFeeBips=bips), "maxFeeBips") for bips in (0, 64, -1, "x")),
    _order(102006, "no maxFeeBips", order().without("maxFeeBips"), "maxFeeBips"),
    Cause("submit_order", 102007, "again", _after(order(5), order(5))),
    Cause("submit_order", 102007, "again, signed anew", _after(order(5), order(5, signatureRx="112"))),
    _order(102008, "now", order(validUntil=START_S, validSince=START_S - 60), "validUntil"),
    _order(102008, "past", order(validUntil=START_S - 1, validSince=START_S - 60), "validUntil"),
    *(
        _order(102010, f"no {part}", order().without(part), part)
        for part in ("signatureRx", "signatureRy", "signatureS")
    ),
    _order(102010, "no part", order().without("signatureRx", "signatureRy", "signatureS"), "signature"),
    _order(102011, "one wei more than there is", order(amountS=str(10_000 * E18 + 1)), "amountS"),
    _order(102012, "one wei below the minimum", order(amountS="1", amountB="2"), "amountS"),
    _order(102012, "zero", order(amountS="0"), "amountS"),
    _order(102020, "one wei above the maximum", order(amountS=str(10**30 + 1)), "amountS"),
    Cause("submit_order", 102027, "frozen", _frozen),
    Cause("submit_order", 102014, "frozen, by choice", _frozen, choices=(("order.frozen_account", "102014"),)),
    Cause("submit_order", 102120, "frozen, by choice", _frozen, choices=(("order.frozen_account", "102120"),)),
    _order(102120, "all or none", order(allOrNone="true"), "allOrNone"),
    _order(102120, "label", order(label=65536), "label"),
    _order(102120, "valid since its end", order(validSince=START_S + 90, validUntil=START_S + 90), "validSince"),
    _order(102120, "milliseconds", order(validUntil=(START_S + 60 * 86_400) * _MS), "validUntil"),
    _order(102120, "since in milliseconds", order(validSince=START_S * _MS), "validSince"),
    _order(102120, "2^32", order(validUntil=2**32), "validUntil"),
    _order(102120, "an amount that is no number", order(amountB="x"), "amountB"),
    *(_order(104004, f"blank {value!r}", order(signatureRy=value), "signatureRy") for value in ("", " ", "0")),
    *(_order(104005, how, order(signatureS=value), "signatureS") for how, value in (("field", str(FIELD)), ("x", "x"))),
)

SCRIPTED_ONLY: frozenset[tuple[str, int]] = frozenset(
    {("send_eth_tx", 104205), ("update_account", 102023), ("update_account", 102025)}
)
"""A node that is down or in error says 104202 or 104208; an update has no receiver and moves no token."""
OF_THE_NODE: frozenset[int] = frozenset({104202, 104205, 104208, 105001})
