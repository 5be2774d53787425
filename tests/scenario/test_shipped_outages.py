"""The shipped scenarios in which something around the relayer is out of order, and the one of other options."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mockrelay.scenario import load
from mockrelay.spec.choices import CHOICES
from mockrelay.spec.endpoints import ENDPOINTS
from tests.scenario.shipped_client import Client
from tests.support.bodies import E18
from tests.support.client import account

LRC_ADDRESS = "0xbbbbca6a901c926f240b89eacb641d8aec7aeafd"


def test_layer1_down_refuses_what_asks_it_for_five_minutes() -> None:
    client = Client("layer1_down")
    owner = account(client.relay, "alice")["owner"]

    def codes() -> list[int]:
        return [
            client.post("v2/sendEthTx", {"data": "0x00"}).code,
            client.get("v2/tokenBalances", owner=owner, token=LRC_ADDRESS).code,
            client.get("v2/allowances", owner=owner, token=LRC_ADDRESS).code,
            client.get("v2/ethBalances", owner=owner).code,
            client.get("v2/recommendedGasPrice").code,
        ]

    # Spec, Errors: no node; an error in the request to it, three times; no gas price.
    assert codes() == [104202, 104205, 104205, 104205, 105001]
    assert client.order("SELL", 10, E18).code == 0
    client.advance("299s")
    assert codes() == [104202, 104205, 104205, 104205, 105001]
    client.advance("1s")
    assert codes() == [0] * 5


def test_gas_oracle_down_refuses_the_gas_price_alone_for_ever() -> None:
    client = Client("gas_oracle_down")
    owner = account(client.relay, "alice")["owner"]
    for _ in range(50):
        assert client.get("v2/recommendedGasPrice").code == 105001
        client.advance("1h")
    assert client.get("v2/ethBalances", owner=owner).data == str(50 * E18)
    assert client.post("v2/sendEthTx", {"data": "0x00"}).code == 0


def test_tight_limits_are_one_a_second_for_every_endpoint() -> None:
    client = Client("tight_limits", limits=None)
    assert set(load("tight_limits").config.limits) == {row.name for row in ENDPOINTS}
    assert [client.get("v2/exchange/info").status for _ in range(3)] == [200, 429, 429]
    client.advance("1s")
    assert client.get("v2/exchange/info").status == 200
    # The specification has no limit for this one.
    codes = [client.post("v3/delegator/getCode", {"address": LRC_ADDRESS}).status for _ in range(2)]
    assert codes == [200, 429]


def test_tight_limits_ban_who_goes_on_for_a_minute() -> None:
    client = Client("tight_limits", limits=None)
    for _ in range(11):
        client.get("v2/exchange/info")
    client.advance("59s")
    assert client.get("v2/exchange/info").status == 429
    client.advance("2m")
    assert client.get("v2/exchange/info").status == 200


def test_broken_answers_are_followed_by_right_ones() -> None:
    client = Client("broken_answers")
    depth = [client.get("v2/depth", market="LRC-ETH", level=0) for _ in range(4)]
    ticker = [client.get("v2/ticker", market="LRC-ETH") for _ in range(3)]
    assert [answer.status for answer in depth] == [503, 200, 200, 200]
    assert depth[1].body.lower().startswith(b"<")
    assert ticker[1].body == b""
    for broken in (depth[1], depth[2], ticker[0], ticker[1]):
        with pytest.raises(json.JSONDecodeError):
            json.loads(broken.body)
    assert (depth[3].code, ticker[2].code) == (0, 0)


def test_second_options_takes_each_choice_at_its_second_option() -> None:
    """A choice that is added to the table belongs into the scenario too."""
    assert load("second_options").choices == {choice.key: choice.options[1] for choice in CHOICES}


def test_second_options_differs_from_the_default_in_what_it_answers() -> None:
    client, usual = Client("second_options"), Client("default")
    assert client.get("v2/ticker", market="LRC-ETH").data[0][4] == ""
    assert usual.get("v2/ticker", market="LRC-ETH").data[0][4] == "0"
    refused: dict[str, Any] = {"market": "LRC-NONE", "level": 0}
    assert (client.get("v2/depth", **refused).status, usual.get("v2/depth", **refused).status) == (400, 200)
