"""The same with asyncio and aiohttp."""

import aiohttp
import pytest

from mockrelay.testing import RelayerHandle

TICKER = {"topic": "ticker", "market": "LRC-ETH"}


@pytest.mark.relayer(scenario="busy_market", profile="live")
async def test_pushes_come_in_order_however_late(relayer: RelayerHandle) -> None:
    async with aiohttp.ClientSession(relayer.url) as session, session.ws_connect("/v2/ws") as socket:
        assert await socket.receive_str(timeout=10) == "ping"
        await socket.send_str("pong")
        await socket.send_json({"op": "sub", "sequence": 1, "topics": [TICKER]})
        assert (await socket.receive_json(timeout=10))["result"] == {"status": "OK"}
        assert (await socket.receive_json(timeout=10))["topic"] == TICKER
        with relayer.ws.hold():
            relayer.orders[0].cancel()
            relayer.clock.advance("30s")
            assert await socket.receive_str(timeout=10) == "ping"
        assert (await socket.receive_json(timeout=10))["topic"] == TICKER
        assert relayer.ws.sessions[0].pongs == 1
