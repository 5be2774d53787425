"""The relay as an aiohttp application, under pytest-aiohttp's client."""

from __future__ import annotations

from typing import Any

from mockrelay.web import create_app
from mockrelay.wire.http import Response
from tests.web.fake import JSON_TYPE, FakeRelay


async def test_the_application_answers_what_the_relay_answers(aiohttp_client: Any) -> None:
    relay = FakeRelay()
    relay.response = Response(400, (JSON_TYPE, ("Retry-After", "1")), b'{"a":1}')
    client = await aiohttp_client(create_app(relay))
    answer = await client.post("/api/v3/order?x=%41", data=b'{"b":2}', headers={"X-API-KEY": "k"})
    assert (answer.status, answer.headers["Retry-After"], await answer.read()) == (400, "1", b'{"a":1}')
    assert answer.content_type == "application/json"
    (raw,) = relay.seen
    assert (raw.method, raw.path, raw.query, raw.body) == ("POST", "/api/v3/order", (("x", "A"),), b'{"b":2}')
    assert raw.headers["x-api-key"] == "k"


async def test_connections_are_told_apart(aiohttp_client: Any) -> None:
    """A client that keeps its connection comes with the same number again."""
    relay = FakeRelay()
    client = await aiohttp_client(create_app(relay))
    for _ in range(2):
        await (await client.get("/a")).read()
    first, second = (raw.connection for raw in relay.seen)
    assert first == second != 0


async def test_a_failure_behind_is_a_500_in_the_shape_of_the_api(aiohttp_client: Any) -> None:
    relay = FakeRelay()
    client = await aiohttp_client(create_app(relay))
    with relay.failing(KeyError("inside")):
        answer = await client.get("/api/v2/ticker")
    assert answer.status == 500
    assert (await answer.json())["resultInfo"]["code"] == 100000
