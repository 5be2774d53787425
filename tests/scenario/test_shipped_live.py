"""The shipped scenarios for published clients: what such a client checks when it starts."""

from __future__ import annotations

import pytest

from mockrelay.scenario import load
from tests.scenario.shipped_client import Client
from tests.support.client import account


def test_live_v3_has_the_ids_and_contracts_of_the_main_net() -> None:
    client = Client("live_v3")
    info = client.get("v3/exchange/info").json
    assert (info["chainId"], info["exchangeAddress"]) == (1, "0x0BABA1Ad5bE3a5C0a66E7ac838a129Bf948f1eA4")
    assert {token["symbol"]: token["tokenId"] for token in client.get("v3/exchange/tokens").json} == {
        "ETH": 0,
        "LRC": 1,
        "USDT": 3,
        "DAI": 5,
    }
    # What the contract's factory, owner and base make, by the protocol's own formula.
    asked = {"nftOwner": "0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A", "nftBaseUri": ""}
    factory = {"nftFactory": "0xc852aC7aAe4b0f0a0Deb9e8A391ebA2047d80026"}
    found = client.get("v3/nft/info/computeTokenAddress", **asked, **factory).json["tokenAddress"]
    assert found.lower() == "0xb05c174bcc99a687375970c50a5f3271518a405a"
    assert load("live_v3").start_ms == 1_685_577_600_000  # 2023-06-01
    assert client.get("wallet/v3/resolveEns", fullName="alice.eth").data == account(client.relay, "alice")["owner"]


def test_live_v2_has_exchange_2_and_lrc_as_token_2() -> None:
    client = Client("live_v2")
    info = client.get("v2/exchange/info").data
    assert (info["exchangeId"], info["exchangeAddress"]) == (2, "0x944644Ea989Ec64c2Ab9eF341D383cEf586A5777")
    assert [token["tokenId"] for token in client.get("v2/exchange/tokens").data if token["symbol"] == "LRC"] == [2]
    assert load("live_v2").start_ms == 1_598_918_400_000  # 2020-09-01


@pytest.mark.parametrize("name", ["live_v3", "live_v2"])
def test_prices_are_those_that_the_scenario_sets(name: str) -> None:
    prices = {row["symbol"]: row["price"] for row in Client(name).get("v2/price", legal="USD").data}
    assert prices == {"ETH": "1800", "LRC": "0.3", "USDT": "1", "DAI": "1"}
