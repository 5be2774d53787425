"""A client built on httpx, sync and async, and its tests."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from mockrelay.testing import RelayerHandle


def order(relayer: RelayerHandle) -> dict[str, Any]:
    """An order that sells 100 LRC for 0.05 ETH."""
    now_s = relayer.clock.now_s
    return {
        "exchangeId": 2,
        "accountId": 10001,
        "orderId": 0,
        "tokenSId": 1,
        "tokenBId": 0,
        "amountS": "100000000000000000000",
        "amountB": "50000000000000000",
        "buy": "false",
        "validSince": now_s,
        "validUntil": now_s + 60 * 86_400,
        "maxFeeBips": 63,
        "label": 211,
        "signatureRx": "1",
        "signatureRy": "2",
        "signatureS": "3",
    }


def test_an_order_expires_without_waiting(relayer: RelayerHandle) -> None:
    alice = relayer.account("alice")
    with httpx.Client(base_url=relayer.url, headers=alice.headers) as client:
        order_hash = client.post("/api/v3/order", json=order(relayer)).json()["data"]["orderHash"]
        assert alice.balances["LRC"].frozen == 100 * 10**18
        relayer.clock.advance("61d")
        assert relayer.order(order_hash).status == "expired"
        assert client.get("/api/v2/orders", params={"accountId": alice.id}).json()["data"]["totalNum"] == 1
    assert alice.balances["LRC"].frozen == 0


async def test_a_fill_is_seen(relayer: RelayerHandle) -> None:
    alice = relayer.account("alice")
    async with httpx.AsyncClient(base_url=relayer.url, headers=alice.headers) as client:
        answer = await client.post("/api/v3/order", json=order(relayer))
        relayer.order(answer.json()["data"]["orderHash"]).fill("1000")
        listed = (await client.get("/api/v2/orders", params={"accountId": alice.id})).json()["data"]["orders"]
    assert listed[0]["filledSize"] == "1000"
    assert "accepted" in str(relayer.why(answer))
    relayer.assert_sequence("submit_order", "get_orders")
