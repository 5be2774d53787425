"""The relay as an aiohttp application, under pytest-aiohttp's client."""

from __future__ import annotations

from typing import Any

from mockrelay.web import create_app
from mockrelay.wire.http import Response
from tests.web.fake import JSON_TYPE, FakeRelay


async def test_the_application_answers_what_the_relay_answers(relay: FakeRelay, aiohttp_client: Any) -> None:
    relay.response = Response(400, (JSON_TYPE, ("Retry-After", "1")), b'{"a":1}')
    client = await aiohttp_client(create_app(relay))
    answer = await client.post("/api/v3/order?x=%41", data=b'{"b":2}', headers={"X-API-KEY": "k"})
    assert (answer.status, answer.headers["Retry-After"], await answer.read()) == (400, "1", b'{"a":1}')
    assert answer.content_type == "application/json"
    (raw,) = relay.seen
    assert (raw.method, raw.path, raw.query, raw.body) == ("POST", "/api/v3/order", (("x", "A"),), b'{"b":2}')
    assert raw.headers["x-api-key"] == "k"
