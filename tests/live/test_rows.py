"""What holds for each row that the profile adds: no key, its own limit, faults, the journal, and no share of the spec."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.spec.live_endpoints import LIVE_ENDPOINTS
from tests.support.answer import Answer
from tests.support.client import done, send
from tests.support.worlds import relay_from

LRC_ETH = ("market", "LRC-ETH")
LRC = "0xbbbbca6a901c926f240b89eacb641d8aec7aeafd"
NOBODY = ("owner", "0x" + "0" * 39 + "1")
RIGHT: dict[str, list[tuple[str, str]]] = {
    "get_account_v3": [("accountId", "10001")],
    "get_depth_v3": [LRC_ETH],
    "get_mix_depth": [LRC_ETH],
    "get_ticker_v3": [LRC_ETH],
    "get_mix_ticker": [LRC_ETH],
    "get_candlestick_v3": [LRC_ETH, ("interval", "1min")],
    "get_mix_candlestick": [LRC_ETH, ("interval", "1min")],
    "get_prices_v3": [("legal", "USD")],
    "get_prices_v2": [("legal", "USD")],
    "get_eth_balance_v3": [NOBODY],
    "get_token_balances_v3": [NOBODY, ("token", LRC)],
    "get_allowances_v3": [NOBODY, ("token", LRC)],
    "resolve_ens": [("fullName", "alice.eth")],
    "get_wallet_type": [("wallet", LRC)],
    "get_counterfactual_info": [("accountId", "10001")],
}
"""The queries of right calls, where one is due."""
REFUSED: list[tuple[str, list[tuple[str, str]], int]] = [
    ("get_account_v3", [], 100001),
    ("get_account_v3", [NOBODY], 101002),
    ("get_account_v3", [("accountId", "7")], 101002),
    ("get_account_v3", [("accountId", "10001"), ("owner", "0x6c34d0617dc405740cb6d9cd3c27d7430d031d8b")], 100001),
    ("get_depth_v3", [("market", "LRC-X")], 108000),
    ("get_ticker_v3", [("market", "LRC-ETH,LRC-X")], 108000),
    ("get_candlestick_v3", [("market", "LRC-X"), ("interval", "1min")], 108000),
    ("get_candlestick_v3", [LRC_ETH, ("interval", "1m")], 100001),
    ("get_prices_v3", [("legal", "XAU")], 100001),
    ("get_token_balances_v3", [NOBODY, ("token", "LRC")], 100001),
    ("resolve_ens", [("fullName", "bob.eth")], 100001),
    ("get_counterfactual_info", [("accountId", "7")], 101002),
]
ROWS = pytest.mark.parametrize("row", LIVE_ENDPOINTS, ids=lambda row: row.name)


def ask(relay: Relay, name: str, query: list[tuple[str, str]] | None = None, key: str | None = None) -> Answer:
    row = next(each for each in LIVE_ENDPOINTS if each.name == name)
    pairs = RIGHT.get(name, []) if query is None else query
    return send(relay, row.method, row.path, query=pairs, key=key)


@ROWS
def test_it_is_answered_with_any_key_and_with_none(row: Any) -> None:
    relay = relay_from("live_v3")
    answers = [ask(relay, row.name, key=key) for key in (None, "alice", "no key of anybody")]
    assert [answer.status for answer in answers] == [200, 200, 200]
    assert answers[0].body == answers[1].body == answers[2].body
    assert ("resultInfo" in answers[0].body.decode()) == row.enveloped
    assert [entry["endpoint"] for entry in done(relay, "GET", "requests")["requests"]] == [row.name] * 3
    assert done(relay, "GET", "findings") == []


@ROWS
def test_its_limit_is_5_a_second_or_3_for_the_second_generation(row: Any) -> None:
    relay = relay_from("live_v3", limits="spec")
    often = {"E": 5, "F": 3}[row.section[0]]
    statuses = [ask(relay, row.name).status for _ in range(often + 1)]
    assert statuses == [200] * often + [429]


@ROWS
def test_a_fault_answers_in_its_place(row: Any) -> None:
    relay = relay_from("live_v3")
    done(relay, "POST", "faults", {"on": row.name, "code": 100000})
    assert ask(relay, row.name).code == 100000
    assert ask(relay, row.name).code == 0


@pytest.mark.parametrize(
    ("name", "query", "code"), REFUSED, ids=lambda value: value if isinstance(value, str) else None
)
def test_a_refusal_has_its_code(name: str, query: list[tuple[str, str]], code: int) -> None:
    answer = ask(relay_from("live_v3"), name, query)
    assert answer.refusal_code == code
    assert answer.status == (200 if name == "resolve_ens" else 400)


def test_calls_beside_the_spec_count_for_nothing_of_it() -> None:
    relay = relay_from("live_v3")
    before = done(relay, "GET", "coverage")
    for row in LIVE_ENDPOINTS:
        ask(relay, row.name)
    after = done(relay, "GET", "coverage")
    assert {kind: one["met"] for kind, one in after["kinds"].items() if kind != "options"} == {
        kind: one["met"] for kind, one in before["kinds"].items() if kind != "options"
    }
    assert after["outside"] == before["outside"]
