"""The relay as an aiohttp application, under pytest-aiohttp's client."""

from __future__ import annotations

import io
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
        await (await client.get("/")).read()
    first, second = (raw.connection for raw in relay.seen)
    assert first == second != 0


async def test_control_calls_pass_the_same_guard(aiohttp_client: Any) -> None:
    client = await aiohttp_client(create_app(FakeRelay()))
    assert (await client.get("/__mockrelay/health")).status == 200
    assert (await client.get("/__mockrelay/health", headers={"Host": "evil.test"})).status == 403
    assert (await client.get("/__mockrelay/health", headers={"Origin": "http://evil.test"})).status == 403


async def test_a_body_that_is_too_long_is_not_read_and_the_connection_ends(aiohttp_client: Any) -> None:
    relay = FakeRelay()
    client = await aiohttp_client(create_app(relay))
    answer = await client.post("/api/v3/order", data=io.BytesIO(b"x" * (4 << 20)))
    assert relay.seen[0].body == b""
    assert answer.headers["Connection"] == "close"


async def test_a_client_that_asks_before_it_sends_is_told_to_go_on(aiohttp_client: Any) -> None:
    relay = FakeRelay()
    client = await aiohttp_client(create_app(relay))
    assert (await client.post("/", data=b"ok", expect100=True)).status == 200
    assert relay.seen[0].body == b"ok"


async def test_a_failure_behind_is_a_500_in_the_shape_of_the_api(aiohttp_client: Any) -> None:
    relay = FakeRelay()
    client = await aiohttp_client(create_app(relay))
    with relay.failing(KeyError("inside")):
        answer = await client.get("/api/v2/ticker")
    assert answer.status == 500
    assert (await answer.json())["resultInfo"]["code"] == 100000
