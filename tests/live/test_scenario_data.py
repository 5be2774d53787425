"""What a scenario may say of tokens and markets for the profile live alone (S9): shown as it is, and derived without it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

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


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("tokens: [{symbol: LRC, gasAmounts: {deposit: '1'}}]", (3, 36)),
        ("tokens: [{symbol: LRC, fastWithdrawLimit: -1}]", (3, 43)),
        ("markets: [{market: LRC-ETH, createdAt: soon}]", (3, 40)),
    ],
)
def test_a_wrong_one_is_refused_at_its_place_s9(line: str, place: tuple[int, int]) -> None:
    with pytest.raises(ScenarioError) as refused:
        load_text(f"format: 1\nextends: live_v3\n{line}\n")
    assert (refused.value.line, refused.value.column) == place
