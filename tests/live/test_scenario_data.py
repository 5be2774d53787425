"""What a scenario may say of tokens, markets and pools for the profile live alone (S9): shown as it is, and derived without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.scenario import ScenarioError, load_text
from tests.live.test_rows import ask
from tests.support.client import get
from tests.support.worlds import relay_from

OWN: dict[str, Any] = {
    "precisionForOrder": 6,
    "fastWithdrawLimit": "7000",
    "gasAmounts": {"distribution": "86000", "deposit": "110000"},
    "luckyTokenAmounts": {"minimum": "2", "maximum": "9", "dust": "3"},
}
SCENARIO = """format: 1
extends: live_v3
tokens:
  - symbol: LRC
    precisionForOrder: 6
    fastWithdrawLimit: "7000"
    gasAmounts: {distribution: "86000", deposit: "110000"}
    luckyTokenAmounts: {minimum: "2", maximum: "9", dust: "3"}
markets:
  - {market: LRC-ETH, precisionForPrice: 5, orderbookAggLevels: 2, createdAt: "2021-01-01T00:00:00Z"}
"""


def test_tokens_and_markets_show_what_the_scenario_says_e2_e4_s9(tmp_path: Path) -> None:
    """1609459200000 is the first moment of 2021. The specification's own view of the token has none of it."""
    path = tmp_path / "own.yaml"
    path.write_text(SCENARIO, encoding="utf-8")
    relay, plain = relay_from(path), relay_from("live_v3")
    tokens = {row["symbol"]: row for row in ask(relay, "get_tokens_v3").json}
    before = {row["symbol"]: row for row in ask(plain, "get_tokens_v3").json}
    assert tokens["LRC"] == before["LRC"] | OWN
    assert tokens["ETH"] == before["ETH"]
    markets = {row["market"]: row for row in ask(relay, "get_mix_markets").json["markets"]}
    assert {name: markets["LRC-ETH"][name] for name in ("precisionForPrice", "orderbookAggLevels", "createdAt")} == {
        "precisionForPrice": 5,
        "orderbookAggLevels": 2,
        "createdAt": "1609459200000",
    }
    assert markets["DAI-USDT"]["createdAt"] == str(relay.world.start_ms)
    spec = "/api/v2/exchange/tokens"
    assert get(relay, spec).body == get(plain, spec).body


POOLS = """format: 1
extends: live_v3
tokens:
  - {symbol: LP, tokenId: 9, decimals: 18, precision: 8, minOrderAmount: "1", maxOrderAmount: "1000000000000000000"}
pools:
  - {market: LRC-ETH, lpToken: LP}
  - {market: DAI-USDT, lpToken: LP, name: The pool, address: "0xABABABABABABABABABABABABABABABABABABABAB", version: "2.0",
     feeBips: 5, precisions: {price: 4, amount: 2}, createdAt: "2021-01-01T00:00:00Z", status: 1}
"""


def pools_relay(tmp_path: Path, text: str = POOLS) -> Relay:
    path = tmp_path / "pools.yaml"
    path.write_text(text, encoding="utf-8")
    return relay_from(path)


def test_pools_are_shown_e6_s9(tmp_path: Path) -> None:
    """Tokens of live_v3: ETH 0, LRC 1, USDT 3, DAI 5; a price of LRC-ETH has 8 decimals."""
    relay = pools_relay(tmp_path)
    first, second = ask(relay, "get_amm_pools").json["pools"]
    address = first.pop("address")
    assert len(bytes.fromhex(address.removeprefix("0x"))) == 20
    assert first == {
        "name": "AMM-LRC-ETH",
        "market": "AMM-LRC-ETH",
        "version": "1.0.0",
        "tokens": {"pooled": [1, 0], "lp": 9},
        "feeBips": 20,
        "precisions": {"price": 8, "amount": 8},
        "createdAt": str(relay.world.start_ms),
        "status": 7,
    }
    assert second == {
        "name": "The pool",
        "market": "AMM-DAI-USDT",
        "address": "0x" + "ab" * 20,
        "version": "2.0",
        "tokens": {"pooled": [5, 3], "lp": 9},
        "feeBips": 5,
        "precisions": {"price": 4, "amount": 2},
        "createdAt": "1609459200000",
        "status": 1,
    }


def test_pools_are_rows_among_the_markets_e4_s9(tmp_path: Path) -> None:
    """After the order books, with their tokens; both bits where a pair has both, that of the order book alone elsewhere."""
    rows = {row["market"]: row for row in ask(pools_relay(tmp_path), "get_mix_markets").json["markets"]}
    pools = ["AMM-LRC-ETH", "AMM-DAI-USDT"]
    assert list(rows)[-2:] == pools
    assert {name: row["status"] for name, row in rows.items() if row["status"] != 2} == dict.fromkeys(
        ("LRC-ETH", "DAI-USDT", *pools), 3
    )
    assert rows["AMM-LRC-ETH"] == {**rows["LRC-ETH"], "market": "AMM-LRC-ETH"}
    assert rows["AMM-DAI-USDT"] == {**rows["DAI-USDT"], "market": "AMM-DAI-USDT", "createdAt": "1609459200000"}


def test_a_pools_token_of_shares_has_storage_ids_e11(tmp_path: Path) -> None:
    """Some clients ask for them when they start."""
    relay = pools_relay(tmp_path)
    assert ask(relay, "get_storage_id", [("accountId", "10001"), ("sellTokenId", "9")]).json["orderId"] == 0


def test_pools_merge_by_market_s9(tmp_path: Path) -> None:
    (tmp_path / "base.yaml").write_text(POOLS, encoding="utf-8")
    relay = pools_relay(tmp_path, "format: 1\nextends: base.yaml\npools: [{market: LRC-ETH, feeBips: 7}]\n")
    assert [pool["feeBips"] for pool in ask(relay, "get_amm_pools").json["pools"]] == [7, 5]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("pools: [{market: LRC-ETC, lpToken: DAI}]", (3, 18)),
        ("pools: [{market: LRC-ETH, lpToken: LPT}]", (3, 36)),
        ("pools: [{market: LRC-ETH, lpToken: ETH}]", (3, 36)),
        ("pools: [{market: LRC-ETH}]", (3, 9)),
        ("pools: [{market: LRC-ETH, lpToken: DAI}, {market: LRC-ETH, lpToken: DAI}]", (3, 51)),
        ("pools: [{market: LRC-ETH, lpToken: DAI, feeBips: 10001}]", (3, 50)),
        ("pools: [{market: LRC-ETH, lpToken: DAI, price: 1}]", (3, 41)),
        ("tokens: [{symbol: LRC, gasAmounts: {deposit: '1'}}]", (3, 36)),
        ("tokens: [{symbol: LRC, fastWithdrawLimit: -1}]", (3, 43)),
        ("markets: [{market: LRC-ETH, createdAt: soon}]", (3, 40)),
    ],
)
def test_a_wrong_one_is_refused_at_its_place_s9(line: str, place: tuple[int, int]) -> None:
    with pytest.raises(ScenarioError) as refused:
        load_text(f"format: 1\nextends: live_v3\n{line}\n")
    assert (refused.value.line, refused.value.column) == place
