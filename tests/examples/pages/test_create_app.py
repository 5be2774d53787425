"""The relay as an aiohttp application."""

from pytest_aiohttp.plugin import AiohttpClient

from mockrelay import Relay, create_app


async def test_four_calls_in_a_second_are_one_too_many(aiohttp_client: AiohttpClient) -> None:
    relay = Relay.from_scenario("default", clock="frozen")
    client = await aiohttp_client(create_app(relay))
    headers = {"X-API-KEY": relay.accounts()[0]["apiKey"]}
    statuses = [(await client.get("/api/v2/exchange/tokens", headers=headers)).status for _ in range(4)]
    assert statuses == [200, 200, 200, 429]
    relay.advance(1000)
    assert (await client.get("/api/v2/exchange/tokens", headers=headers)).status == 200
