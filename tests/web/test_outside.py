"""The address that clients call, where a proxy or a container stands before the server."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.web import Serving
from mockrelay.web.access import Address, Outside
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.server import bind
from tests.support.answer import Answer
from tests.support.connection import connected
from tests.web.fake import FakeRelay

PUBLIC = Address("https", "relayer.test:8443")
HEALTH = "/__mockrelay/health"


@pytest.mark.parametrize(
    ("url", "scheme", "host"),
    [
        ("https://relayer.test", "https", "relayer.test"),
        ("http://relayer.test:80/", "http", "relayer.test:80"),
        ("https://[::1]:8443", "https", "[::1]:8443"),
    ],
)
def test_an_address_has_a_scheme_and_a_host(url: str, scheme: str, host: str) -> None:
    assert Address.of_url(url) == (scheme, host)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "relayer.test",
        "ftp://relayer.test",
        "https://",
        "https://relayer.test/path",
        "https://relayer.test?a=1",
        "https://relayer.test#a",
        "https://user@relayer.test",
        "https://relayer.test:port",
        "https://relayer.test:1234567",
        "https://[::1",
        "https://rel\u00e4yer.test",
        "https://a b",
        "https://a\r\nb",
    ],
)
def test_no_other_text_is_an_address(url: str) -> None:
    with pytest.raises(ValueError, match="meant: http://HOST"):
        Address.of_url(url)


def asked(outside: Outside, *headers: str, target: str = "/api/v2/ticker") -> tuple[FakeRelay, Answer]:
    relay = FakeRelay()
    with Serving(Dispatcher(relay, outside=outside), bind("127.0.0.1", 0)) as server, connected(server.url) as wire:
        return relay, wire.ask("GET", target, *headers, host="127.0.0.1:4627")


@pytest.mark.parametrize(
    ("outside", "headers", "address"),
    [
        (Outside(), ("X-Forwarded-Host: a.test",), ("http", "127.0.0.1:4627")),
        (Outside(PUBLIC), (), PUBLIC),
        (Outside(PUBLIC, trusts_proxy=True), ("X-Forwarded-Host: a.test",), PUBLIC),
        (Outside(trusts_proxy=True), (), ("http", "127.0.0.1:4627")),
        (Outside(trusts_proxy=True), ("X-Forwarded-Proto: HTTPS",), ("https", "127.0.0.1:4627")),
        (Outside(trusts_proxy=True), ("X-Forwarded-Host: a.test:81",), ("http", "a.test:81")),
        (
            Outside(trusts_proxy=True),
            ("X-Forwarded-Host: a.test, b.test", "X-Forwarded-Proto: https,http"),
            ("https", "a.test"),
        ),
        *(
            (
                Outside(trusts_proxy=True),
                (f"X-Forwarded-Host: {host}", "X-Forwarded-Proto: gopher"),
                ("http", "127.0.0.1:4627"),
            )
            for host in ("", "a b", "a@b", "http://a", "a:123456", "a/b", "[::1")
        ),
    ],
)
def test_the_relayer_sees_the_address_that_the_client_called(
    outside: Outside, headers: tuple[str, ...], address: tuple[str, str]
) -> None:
    relay, _ = asked(outside, *headers)
    (raw,) = relay.seen
    assert (raw.scheme, raw.host) == address


def test_a_request_is_signed_for_the_address_that_clients_call() -> None:
    """Of a call whose signature covers the whole address: reading the API key under the profile live is one."""
    relay = Relay.from_scenario("default", profile="live", clock="frozen", limits="off")
    with (
        Serving(Dispatcher(relay, outside=Outside(PUBLIC)), bind("127.0.0.1", 0)) as server,
        connected(server.url) as wire,
    ):
        for url, code in (("https://relayer.test:8443", 0), (server.url, 104005)):
            ask = {
                "account": "alice",
                "endpoint": "get_api_key_v3",
                "body": {"accountId": 10001},
                "url": url,
            }
            signed: Any = wire.ask("POST", "/__mockrelay/sign", body=json.dumps(ask).encode()).json
            headers = [f"{name}: {value}" for name, value in signed["headers"].items()]
            answer = wire.ask(signed["method"], signed["path"], *headers, body=signed["text"].encode())
            assert answer.code == code, answer.json


FORWARDED = Outside(trusts_proxy=True)


@pytest.mark.parametrize(
    ("outside", "headers", "status"),
    [
        (FORWARDED, ("X-Forwarded-Host: localhost:8443",), 200),
        (FORWARDED, ("X-Forwarded-Host: evil.test",), 403),
        (FORWARDED, ("X-Forwarded-Host: localhost", "Origin: http://evil.test"), 403),
        (
            FORWARDED,
            ("X-Forwarded-Host: localhost:8443", "X-Forwarded-Proto: https", "Origin: https://localhost:8443"),
            200,
        ),
        (FORWARDED, ("Origin: http://127.0.0.1:4627",), 200),
        (Outside(), ("X-Forwarded-Host: localhost:8443", "Origin: http://localhost:8443"), 403),
        (Outside(PUBLIC), (), 200),
        (Outside(PUBLIC), ("Origin: https://relayer.test:8443",), 200),
        (Outside(PUBLIC), ("Origin: http://relayer.test:8443",), 403),
    ],
)
def test_a_proxy_opens_the_control_api_to_nobody(outside: Outside, headers: tuple[str, ...], status: int) -> None:
    assert asked(outside, *headers, target=HEALTH)[1].status == status


def test_a_page_cannot_pass_a_foreign_host_off_as_this_machine() -> None:
    """DNS rebinding: the page is of the host's own origin, and may send any header."""
    with (
        Serving(Dispatcher(FakeRelay(), outside=FORWARDED), bind("127.0.0.1", 0)) as server,
        connected(server.url) as wire,
    ):
        answer = wire.ask("GET", HEALTH, "X-Forwarded-Host: localhost", host="evil.test")
        assert (answer.status, answer.json["field"]) == (403, "header Host")
