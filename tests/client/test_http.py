"""Requests to a server: bounded in time and length, whatever the other side does."""

from __future__ import annotations

import importlib
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from mockrelay.cli import main
from mockrelay.client.call import ApiCall
from mockrelay.client.control import over_http
from mockrelay.client.http import CLOSED, HttpClient, HttpRequest, HttpResponse, InvalidAddress, send_once
from mockrelay.testing import RelayMachine
from mockrelay.testing.calling import send_over_http
from mockrelay.web import serve
from tests.support.other_servers import foreign, plain

GET = HttpRequest("GET", "/x", {})
PATIENT_MS, HASTY_MS = 30_000, 200


def asked(url: str, timeout_ms: int, sent: HttpRequest = GET) -> HttpResponse:
    return send_once(url, sent, timeout_ms)


def test_an_answer_comes_with_status_headers_and_body() -> None:
    with foreign(plain(418, b"short", "text/plain")) as url:
        got = asked(url, PATIENT_MS)
    assert (got.status, got.body, got.problem, got.headers["content-type"]) == (418, b"short", None, "text/plain")


def test_what_patches_http_client_does_not_see_the_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    """As vcrpy does it, also where this module is first imported in the meantime."""

    def record(*_: object, **__: object) -> None:
        raise AssertionError("recorded")

    for name in ("HTTPConnection", "HTTPSConnection"):
        monkeypatch.setattr(f"http.client.{name}", record)
    # Both places where an import puts a module are restored after the test.
    monkeypatch.setattr("mockrelay.client.http", sys.modules["mockrelay.client.http"])
    monkeypatch.delitem(sys.modules, "mockrelay.client.http")
    late: Any = importlib.import_module("mockrelay.client.http")
    with foreign(plain(200, b"{}")) as url:
        for send in (send_once, late.send_once):
            assert send(url, GET, PATIENT_MS).status == 200
            assert send(url.replace("http:", "https:"), GET, PATIENT_MS).problem is not None


def test_a_connection_is_kept_and_made_anew_where_the_server_has_closed_it() -> None:
    ports = []

    def closing(handler: BaseHTTPRequestHandler) -> None:
        ports.append(handler.client_address[1])
        plain(200, b"{}")(handler)
        handler.close_connection = len(ports) == 2

    with foreign(closing) as url:
        http = HttpClient(url, PATIENT_MS)
        assert [http(GET).status for _ in range(3)] == [200, 200, 200]
        http.close()
    assert ports[0] == ports[1] != ports[2]


def test_a_server_that_says_nothing_is_given_up() -> None:
    end = threading.Event()
    with foreign(lambda handler: end.wait(30)) as url:
        got = asked(url, HASTY_MS)
        end.set()
    assert (got.status, got.problem) == (0, "no whole answer within 0.2 s")


def test_a_server_that_trickles_is_given_up() -> None:
    """Each piece comes in time, the whole never."""
    end = threading.Event()

    def trickle(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "1000000")
        handler.end_headers()
        try:
            while not end.wait(0.01):
                handler.wfile.write(b"x")
        except OSError:
            handler.close_connection = True

    with foreign(trickle) as url:
        got = asked(url, HASTY_MS)
        end.set()
    assert got.problem == "no whole answer within 0.2 s"


def test_a_body_without_an_end_is_cut() -> None:

    def flood(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.close_connection = True
        try:
            for _ in range(10_000):
                handler.wfile.write(b"x" * 10_000)
        except OSError:
            return

    with foreign(flood) as url:
        got = send_once(url, GET, PATIENT_MS, body_bytes_max=100_000)
    assert got.problem == "the body is longer than 100000 bytes"
    assert len(got.body) <= 100_000 + (1 << 16)


def test_a_body_that_ends_too_soon_is_told() -> None:
    def short(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Content-Length", "10")
        handler.end_headers()
        handler.wfile.write(b"123")
        handler.close_connection = True

    with foreign(short) as url:
        got = asked(url, PATIENT_MS)
    assert got.problem == "the body ends 7 bytes before its Content-Length"


@pytest.mark.parametrize(
    "said", [b"nonsense\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 500]
)
def test_what_is_no_http_is_told(said: bytes) -> None:
    def raw(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(said)
        handler.close_connection = True

    with foreign(raw) as url:
        got = asked(url, PATIENT_MS)
    assert got.status == 0
    assert got.problem


def test_nobody_there_is_told() -> None:
    with foreign(plain(200, b"")) as url:
        pass
    assert asked(url, PATIENT_MS).problem == "the connection is refused"


def test_what_is_no_address_is_refused() -> None:
    for url in ("http://", "http://host:port", "http://host:0", "http://[::1", "host:1", "ftp://host"):
        with pytest.raises(InvalidAddress, match="is not the address of a server"):
            HttpClient(url, PATIENT_MS)


def test_a_connection_that_is_closed_without_an_answer_is_told_from_all_else() -> None:
    def closing(handler: BaseHTTPRequestHandler) -> None:
        handler.close_connection = True

    with foreign(closing) as url:
        assert asked(url, PATIENT_MS) == HttpResponse(0, {}, b"", CLOSED)


@pytest.fixture
def behind_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment with a proxy that nothing can pass."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{port}")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("behind_a_proxy")
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_no_proxy_is_used(host: str) -> None:
    with foreign(plain(200, b"{}")) as own:
        url = own.replace("127.0.0.1", host)
        assert asked(url, PATIENT_MS).status == 200
        assert send_over_http(url, ApiCall("get_tokens", {})).status == 200
        assert over_http(url)("GET", "health") == {}
        assert main(["wait", url], standalone_mode=False) is None


@pytest.mark.usefixtures("behind_a_proxy")
def test_a_machine_over_a_socket_works_behind_a_proxy() -> None:
    """Its client sends calls over HTTP."""

    class Served(RelayMachine):
        serve = staticmethod(serve)

    machine = Served()
    try:
        key = machine.relayer.account("alice").api_key
        assert machine.call(ApiCall("get_tokens", {}, key)).is_accepted
    finally:
        machine.teardown()


def test_after_a_call_that_was_broken_off_the_next_one_has_a_connection_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So a world can be removed after Ctrl-C."""

    def interrupted(self: HttpClient, response: object, late: object) -> HttpResponse:
        raise KeyboardInterrupt

    with foreign(plain(200, b"{}")) as url:
        http = HttpClient(url, PATIENT_MS)
        with monkeypatch.context() as patched:
            patched.setattr(HttpClient, "_read", interrupted)
            with pytest.raises(KeyboardInterrupt):
                http(GET)
        assert http(GET).status == 200
        http.close()
