"""The files that a server serves beside its relayers."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from mockrelay import Relay, serve
from mockrelay._files import javascript_client
from mockrelay.openapi import control_document, relayer_document
from mockrelay.web.server import Serving
from tests.support.connection import connected


@pytest.fixture(scope="module")
def server() -> Iterator[Serving]:
    with serve(Relay.from_scenario("default", clock="frozen"), token="secret") as serving:
        yield serving


@pytest.mark.parametrize(
    ("name", "media_type", "text"),
    [
        ("client.mjs", "text/javascript", javascript_client()["client.mjs"]),
        ("client.d.mts", "text/plain", javascript_client()["client.d.mts"]),
        ("openapi.json", "application/json", json.dumps(control_document(), indent=2) + "\n"),
        ("relayer.openapi.json", "application/json", json.dumps(relayer_document(), indent=2) + "\n"),
    ],
)
@pytest.mark.parametrize("world", ["", "/w/one"])
def test_a_document_is_served_as_the_command_prints_it_and_makes_no_world(
    server: Serving, world: str, name: str, media_type: str, text: str
) -> None:
    path, token = f"{world}/__mockrelay/{name}", "Authorization: Bearer secret"
    with connected(server.url) as wire:
        answer = wire.ask("GET", path, token)
        assert (answer.status, answer.headers["content-type"]) == (200, f"{media_type}; charset=utf-8")
        assert answer.body.decode() == text
        assert wire.ask("GET", "/__mockrelay/worlds", token).json == []


def test_a_document_is_for_those_who_may_use_the_control_api_and_is_only_read(server: Serving) -> None:
    with connected(server.url) as wire:
        assert wire.ask("GET", "/__mockrelay/openapi.json").status == 401
        refused = wire.ask("DELETE", "/__mockrelay/openapi.json", "Authorization: Bearer secret")
    assert (refused.status, refused.headers["allow"]) == (405, "GET, HEAD")


def test_the_relayers_document_is_that_of_the_servers_profile() -> None:
    with serve(Relay.from_scenario("live_v3", clock="frozen")) as server, connected(server.url) as wire:
        assert wire.ask("GET", "/__mockrelay/relayer.openapi.json").json == relayer_document("live")
