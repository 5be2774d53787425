"""A client built on requests, and its tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import requests

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mockrelay.testing import RelayerHandle


class Client:
    """The client under test: it tries again where the relayer says that it is called too often."""

    def __init__(self, base: str, api_key: str) -> None:
        self._base = base
        self._session = requests.Session()
        self._session.headers["X-API-KEY"] = api_key

    def get(self, path: str, **query: Any) -> requests.Response:
        for _ in range(3):
            answer = self._session.get(self._base + path, params=query, timeout=5)
            if answer.status_code != 429:
                break
        return answer

    def close(self) -> None:
        self._session.close()


@pytest.fixture
def client(relayer: RelayerHandle) -> Iterator[Client]:
    client = Client(relayer.url, relayer.account("alice").api_key)
    yield client
    client.close()


def test_a_new_account_has_no_orders(client: Client, relayer: RelayerHandle) -> None:
    assert client.get("/api/v2/orders", accountId=10001).json()["data"]["totalNum"] == 0
    relayer.assert_called("get_orders", times=1, query={"accountId": 10001})


def test_the_client_tries_again(client: Client, relayer: RelayerHandle) -> None:
    relayer.fault("get_tokens", status=429, times=2)
    assert client.get("/api/v2/exchange/tokens").status_code == 200
    relayer.assert_called("get_tokens", times=3)


def test_another_account_is_refused(client: Client, relayer: RelayerHandle) -> None:
    answer = client.get("/api/v2/orders", accountId=10002)
    assert answer.json()["resultInfo"]["code"] == 104003
    assert relayer.why(answer).refusal.code == 104003
