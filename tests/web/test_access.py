"""Who may use the control API."""

from __future__ import annotations

import pytest

from mockrelay.web import serve
from mockrelay.web.access import is_loopback
from tests.support.answer import Answer
from tests.support.connection import connected
from tests.web.fake import FakeRelay

CONTROL = "/__mockrelay/state"
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
    [
        "localhost",
        "localhost:1",
        "LOCALHOST",
        "localhost.",
        "localhost.:80",
        "localhost:",
        "127.0.0.1",
        "127.0.0.1.",
        "127.9.9.9:80",
        "[::1]",
        "[::1]:80",
        "[0:0:0:0:0:0:0:1]",
        "a.localhost:80",
    ],
)
def test_a_host_that_means_this_machine_is_let_in(host: str) -> None:
    assert ask(host=host).status == 200


def test_http_1_0_needs_no_host_and_comes_from_no_browser() -> None:
    with serve(FakeRelay()) as server:
        with connected(server.url) as wire:
            wire.send(f"GET {CONTROL} HTTP/1.0\r\n\r\n".encode())
            assert wire.read().status == 200
        with connected(server.url) as wire:
            wire.send(f"GET http://evil.test{CONTROL} HTTP/1.0\r\n\r\n".encode())
            refused(wire.read(), 403, "header Host")
        with connected(server.url) as wire:
            wire.send(f"GET {CONTROL} HTTP/1.0\r\nOrigin: http://\r\n\r\n".encode())
            refused(wire.read(), 403, "header Origin")


@pytest.mark.parametrize(
    "host",
    [
        "evil.test",
        "evil.test:4627",
        "127.0.0.1.evil.test",
        "localhost.evil.test",
        "192.168.0.7",
        "[fe80::1]",
        "[::]",
        "0.0.0.0",
        "2130706433",
        "127.1",
        "0x7f000001",
        "localhost..",
        "",
        # What one reader takes for this machine and another for a name or a user elsewhere.
        "localhost@evil.test",
        "localhost:80@evil.test",
        "127.0.0.1:4627@evil.test",
        "user@localhost",
        "[::1]evil.test",
        "[::1]:80.evil.test",
        "[::1%25evil.test]",
        "[::1",
        "::1",
        "[localhost]",
        "localhost:evil.test",
        "localhost:80:80",
        "localhost, evil.test",
        "localhost evil.test",
        "localhost/evil.test",
        "http://localhost",
        "localhost\\.evil.test",
        "loc\u0430lhost",
        "\uff11\uff12\uff17.0.0.1",
    ],
)
def test_a_foreign_host_is_refused(host: str) -> None:
    refused(ask(host=host), 403, "header Host")


def test_a_name_that_was_rebound_to_this_machine_stays_foreign() -> None:
    """DNS rebinding: the page's own name leads here, so its Origin fits its Host, and both are foreign."""
    for headers in ((), ("Origin: http://evil.test:4627",)):
        refused(ask(*headers, host="evil.test:4627"), 403, "header Host")


@pytest.mark.parametrize("hosts", [("localhost", "evil.test"), ("evil.test", "localhost"), ("localhost", "localhost")])
def test_two_hosts_are_broken_http(hosts: tuple[str, str]) -> None:
    answer = ask(*[f"Host: {host}" for host in hosts], host=None)
    assert (answer.status, answer.refusal_code) == (400, 100000)


@pytest.mark.parametrize(
    ("host", "authority", "let_in"),
    [
        ("localhost", "127.0.0.1:4627", True),
        ("localhost", "evil.test", False),
        ("evil.test", "localhost", False),
        ("localhost", "localhost@evil.test", False),
    ],
)
def test_a_host_in_the_target_must_mean_this_machine_too(host: str, authority: str, let_in: bool) -> None:
    for target in (f"http://{authority}{CONTROL}", f"HTTP://{authority}/w/a{CONTROL}"):
        answer = ask(host=host, target=target)
        if let_in:
            assert answer.status == 200
        else:
            refused(answer, 403, "header Host")


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


@pytest.mark.parametrize(
    "target",
    [
        "/__mockrelay",
        "/__mockrelay?a=1",
        "/%5f_mockrelay/state",
        "/%5F%5Fmockrelay/state",
        "/__mockrelay%2Fstate",
        "/__mockrelay/../api/v3/order",
        "/__mockrelay//api",
        "http://x/__mockrelay/state",
        "/__mockrelay/worlds",
        "/w/a/__mockrelay/state",
        "/w/a/%5f_mockrelay/state",
        "/%77/a/__mockrelay/state",
        "/w/a%2F__mockrelay%2Fstate",
        "/w/a/__mockrelay/worlds",
        "/w/no~name/__mockrelay/state",
        "/w/../__mockrelay/state",
    ],
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE", "OPTIONS"])
def test_every_spelling_of_the_control_api_s_path_meets_the_guard_and_nothing_is_made(
    relay: FakeRelay, target: str, method: str
) -> None:
    with serve(relay) as server, connected(server.url) as wire:
        refused(wire.ask(method, target, host="evil.test"), 403, "header Host")
        refused(wire.ask(method, target, "Origin: null"), 403, "header Host" if "://" in target else "header Origin")
    with serve(relay, token=TOKEN) as server, connected(server.url) as wire:
        refused(wire.ask(method, target), 401, "header Authorization")
    assert (relay.seen, relay.siblings) == ([], [])


@pytest.mark.parametrize(
    "target",
    [
        "//__mockrelay/state",
        "/./__mockrelay/state",
        "/api/../__mockrelay/state",
        "/__MOCKRELAY/state",
        "/__mockrelay;a/state",
        "/__mockrelay%3Fa",
        "/__mockrelay%00/state",
        "/%255f_mockrelay/state",
        "/__mockrelay\\health",
        "/__mockrelayer",
        "/w/__mockrelay/state",
        "/w/a//__mockrelay/state",
        "/w/a/../__mockrelay/state",
        "/w/a/../../__mockrelay/state",
        "/w/a/w/b/__mockrelay/state",
    ],
)
def test_what_is_not_the_control_api_s_path_never_reaches_it(relay: FakeRelay, target: str) -> None:
    """Such a path is an unknown path of the API, whoever asks: it is not tidied up after it was judged."""
    with serve(relay) as server, connected(server.url) as wire:
        answer = wire.ask("GET", target, host="evil.test")
    assert answer.json["name"] in ("fake", "sibling 1 of fake")
    assert sum(len(one.seen) for one in (relay, *relay.siblings)) == 1


def test_on_an_address_beyond_loopback_the_token_alone_decides() -> None:
    bearer = f"Authorization: Bearer {TOKEN}"
    with serve(FakeRelay(), "0.0.0.0", token=TOKEN) as server, connected(server.url) as wire:
        for target in (CONTROL, "/w/a" + CONTROL):
            assert wire.ask("GET", target, bearer, host="mock.ci.test:4627").status == 200
            refused(wire.ask("GET", target, host="localhost"), 401, "header Authorization")
            refused(wire.ask("GET", target, "Origin: http://evil.test", host="evil.test"), 401, "header Authorization")
        for target in ("/api/v2/ticker", "/w/a/api/v2/ticker"):
            assert wire.ask("GET", target, "Origin: http://evil.test", host="mock.ci.test").status == 200


@pytest.mark.parametrize("host", ["evil.test", "localhost@evil.test", "", "[::1"])
@pytest.mark.parametrize("target", ["/api/v2/ticker", "/w/a/api/v2/ticker", "http://evil.test/api/v2/ticker"])
def test_the_api_takes_any_host(host: str, target: str) -> None:
    assert ask(host=host, target=target).status == 200


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


HEALTH = "/__mockrelay/health"
OTHER_SPELLINGS = [HEALTH + "/", "/%5f_mockrelay/health", "/__mockrelay%2Fhealth", "http://x/__mockrelay/health"]


@pytest.mark.parametrize("target", [HEALTH, f"{HEALTH}?a=1", *OTHER_SPELLINGS])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_whoever_lacks_the_token_learns_that_the_server_is_up_and_no_more(
    relay: FakeRelay, method: str, target: str
) -> None:
    with serve(relay, "0.0.0.0", token=TOKEN) as server, connected(server.url) as wire:
        answer = wire.ask(method, target, "Origin: http://evil.test", host="evil.test")
        assert answer.status == 200
        assert answer.body == (b"" if method == "HEAD" else b'{"status":"ok"}')
        assert answer.headers["content-length"] == "15"
        assert "access-control-allow-origin" not in answer.headers
    assert (relay.seen, relay.siblings) == ([], [])


def test_the_whole_health_is_for_those_who_give_the_token() -> None:
    with serve(FakeRelay(), token=TOKEN) as server, connected(server.url) as wire:
        assert wire.ask("GET", HEALTH, f"Authorization: Bearer {TOKEN}").json["path"] == "health"
        refused(wire.ask("GET", HEALTH, "Authorization: Bearer wrong"), 401, "header Authorization")
        refused(wire.ask("POST", HEALTH), 401, "header Authorization")
        refused(wire.ask("GET", f"/w/a{HEALTH}"), 401, "header Authorization")
        refused(wire.ask("GET", f"{HEALTH}/more"), 401, "header Authorization")


def test_without_a_token_health_is_as_open_as_the_rest() -> None:
    assert ask(target=HEALTH).json["path"] == "health"
    refused(ask(host="evil.test", target=HEALTH), 403, "header Host")
