"""Who may use the control API."""

from __future__ import annotations

import pytest

from mockrelay.web import serve
from mockrelay.web.guard import is_loopback
from tests.web.fake import FakeRelay
from tests.web.raw import Answer, connected

CONTROL = "/__mockrelay/health"
TOKEN = "s3cret"


def ask(*headers: str, host: str | None = "127.0.0.1:4627", token: str | None = None, target: str = CONTROL) -> Answer:
    with serve(FakeRelay(), token=token) as server, connected(server.url) as wire:
        return wire.ask("GET", target, *headers, host=host)


def refused(answer: Answer, status: int, field: str) -> None:
    assert answer.status == status
    assert answer.headers["content-type"] == "application/json"
    assert set(answer.json) == {"error", "field", "meant"}
    assert answer.json["field"] == field


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:1", "LOCALHOST", "127.0.0.1", "127.9.9.9:80", "[::1]", "[::1]:80", "a.localhost:80"],
)
def test_a_host_that_means_this_machine_is_let_in(host: str) -> None:
    assert ask(host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.test",
        "evil.test:4627",
        "127.0.0.1.evil.test",
        "localhost.evil.test",
        "192.168.0.7",
        "[fe80::1]",
        "0.0.0.0",
    ],
)
def test_a_foreign_host_is_refused(host: str) -> None:
    refused(ask(host=host), 403, "header Host")


def test_the_page_of_another_origin_is_refused() -> None:
    for origin in ("http://evil.test", "null", "http://127.0.0.1:8000", "https://127.0.0.1:4627", ""):
        refused(ask(f"Origin: {origin}"), 403, "header Origin")


def test_the_server_s_own_origin_is_let_in() -> None:
    assert ask("Origin: http://127.0.0.1:4627").status == 200


@pytest.mark.parametrize(
    "header", ["", "Authorization: s3cret", "Authorization: Bearer", "Authorization: Bearer wrong"]
)
def test_with_a_token_whoever_lacks_it_is_refused(header: str) -> None:
    answer = ask(*([header] if header else []), token=TOKEN)
    refused(answer, 401, "header Authorization")
    assert answer.headers["www-authenticate"] == "Bearer"
    assert TOKEN not in answer.body.decode()


def test_with_its_token_any_host_and_origin_are_let_in() -> None:
    assert ask(f"Authorization: Bearer {TOKEN}", "Origin: http://ci.test", host="ci.test", token=TOKEN).status == 200


def test_a_token_beyond_ascii_does_no_harm() -> None:
    assert ask("Authorization: Bearer päss", token="päss").status == 200
    assert ask("Authorization: Bearer pass", token="päss").status == 401


@pytest.mark.parametrize("token", [None, TOKEN])
def test_the_api_itself_is_open_to_every_host_and_origin(token: str | None) -> None:
    answer = ask("Origin: http://evil.test", host="evil.test", token=token, target="/api/v2/ticker")
    assert answer.json == {"name": "fake"}


@pytest.mark.parametrize("target", ["/%5f_mockrelay/health", "/__mockrelay%2Fhealth", "http://x/__mockrelay/health"])
def test_no_other_spelling_of_the_path_goes_round_the_guard(target: str) -> None:
    refused(ask(host="evil.test", target=target), 403, "header Host")


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7"])
def test_without_a_token_nothing_beyond_loopback_is_bound(host: str) -> None:
    with pytest.raises(ValueError, match="token"):
        serve(FakeRelay(), host)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("localhost", True), ("127.0.0.1", True), ("::1", True), ("0.0.0.0", False), ("", False), ("example.test", False)],
)
def test_what_counts_as_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback
