"""Five tests of a client."""

import json
import time
from collections.abc import Callable
from http.client import RemoteDisconnected
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from mockrelay.testing import RelayerHandle


class Client:
    """The client under test: it asks once more where an answer is lost, and after a pause where its status is an error."""

    def __init__(self, url: str, api_key: str, sleep: Callable[[float], object] = time.sleep) -> None:
        self.url = url
        self.api_key = api_key
        self.sleep = sleep

    def get(self, path: str) -> Any:
        request = Request(self.url + path, headers={"X-API-KEY": self.api_key})
        try:
            answer = urlopen(request)
        except HTTPError as refusal:
            with refusal:
                self.sleep(float(refusal.headers.get("Retry-After", 1)))
            answer = urlopen(request)
        except RemoteDisconnected:
            answer = urlopen(request)
        with answer:
            return json.load(answer)


@pytest.fixture
def client(relayer: RelayerHandle) -> Client:
    return Client(relayer.url, relayer.account("alice").api_key, relayer.clock.sleep)  # no real time passes


def test_plain(relayer: RelayerHandle, client: Client) -> None:
    assert client.get("/api/v2/orders?accountId=10001")["data"]["totalNum"] == 0
    relayer.assert_called("get_orders", times=1, query={"accountId": 10001})


def test_a_fault(relayer: RelayerHandle, client: Client) -> None:
    relayer.fault("get_depth", code=108000)
    assert client.get("/api/v2/depth?market=LRC-ETH&level=0")["resultInfo"]["code"] == 108000


@pytest.mark.relayer(scenario="layer1_down")
def test_the_clock(relayer: RelayerHandle, client: Client) -> None:
    assert client.get("/api/v2/recommendedGasPrice")["resultInfo"]["code"] == 105001
    relayer.clock.advance("5m")
    assert client.get("/api/v2/recommendedGasPrice")["resultInfo"]["code"] == 0


def test_429(relayer: RelayerHandle, client: Client) -> None:
    relayer.fault("get_ticker", status=429, at="instead")
    before_ms = relayer.clock.now_ms
    assert client.get("/api/v2/ticker?market=LRC-ETH")["resultInfo"]["code"] == 0
    assert relayer.clock.now_ms >= before_ms + 1000
    relayer.assert_called("get_ticker", times=2)


def test_a_lost_answer(relayer: RelayerHandle, client: Client) -> None:
    relayer.fault("get_order_id", drop=True)
    assert client.get("/api/v2/orderId?accountId=10001&tokenSId=1")["data"] == "0"
    relayer.assert_called("get_order_id", times=2)
