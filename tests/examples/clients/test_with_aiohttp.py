"""A client built on aiohttp, against the fixture's port and, without one, through pytest-aiohttp."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest

from mockrelay.web import create_app

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from aiohttp.test_utils import TestClient

    from mockrelay.testing import RelayerHandle


async def test_many_calls_at_once(relayer: RelayerHandle) -> None:
    headers = relayer.account("alice").headers
    async with aiohttp.ClientSession(relayer.url, headers=headers) as session:

        async def ask() -> int:
            async with session.get("/api/v2/exchange/info") as answer:
                return answer.status

        assert await asyncio.gather(*(ask() for _ in range(10))) == [200] * 10
    relayer.assert_called("get_exchange_info", times=10)


async def test_an_answer_is_lost_although_the_call_was_made(relayer: RelayerHandle) -> None:
    """A GET aiohttp would send again by itself."""
    relayer.fault("get_code", drop=True)
    async with aiohttp.ClientSession(relayer.url, headers=relayer.account("alice").headers) as session:
        with pytest.raises(aiohttp.ServerDisconnectedError):
            await session.post("/api/v3/delegator/getCode", json={"address": "0x" + "1" * 40})
    relayer.assert_called("get_code", times=1)


async def test_without_a_port(
    relayer: RelayerHandle, aiohttp_client: Callable[..., Coroutine[Any, Any, TestClient[Any, Any]]]
) -> None:
    client = await aiohttp_client(create_app(relayer.relay))
    answer = await client.get("/api/v2/exchange/tokens", headers=relayer.account("bob").headers)
    assert answer.status == 200
    relayer.assert_called("get_tokens", times=1, code=0)
