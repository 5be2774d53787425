"""The exchange with a server: bounded in time and length, whatever the other side does."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler

import pytest

from mockrelay.check import Http, Sent, Unreachable, asking
from tests.check.foreign import foreign, plain

GET = Sent("GET", "/x", {})
PATIENT_MS, HASTY_MS = 30_000, 200


def asked(url: str, timeout_ms: int, sent: Sent = GET) -> asking.Got:
    http = Http(url, timeout_ms)
    try:
        return http(sent)
    finally:
        http.close()


def test_an_answer_comes_with_status_headers_and_body() -> None:
    with foreign(plain(418, b"short", "text/plain")) as url:
        got = asked(url, PATIENT_MS)
    assert (got.status, got.body, got.problem, got.headers["content-type"]) == (418, b"short", None, "text/plain")


def test_a_connection_is_kept_and_made_anew_where_the_server_has_closed_it() -> None:
    ports = []

    def closing(handler: BaseHTTPRequestHandler) -> None:
        ports.append(handler.client_address[1])
        plain(200, b"{}")(handler)
        handler.close_connection = len(ports) == 2

    with foreign(closing) as url:
        http = Http(url, PATIENT_MS)
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


def test_a_body_without_an_end_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "BODY_BYTES_MAX", 100_000)

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
        got = asked(url, PATIENT_MS)
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
    for url in ("http://", "http://host:port", "http://[::1"):
        with pytest.raises(Unreachable, match="is no address"):
            Http(url, PATIENT_MS)


def test_a_proxy_of_the_environment_is_used_for_others_and_never_for_the_machine_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    targets = []

    def proxy(handler: BaseHTTPRequestHandler) -> None:
        targets.append(handler.path)
        plain(200, b"{}")(handler)

    with foreign(proxy) as url, foreign(plain(204, b"")) as own:
        monkeypatch.setenv("http_proxy", url)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert asked("http://relayer.invalid:81/base/", PATIENT_MS).status == 200
        assert asked(own, PATIENT_MS).status == 204
        assert asked(own.replace("127.0.0.1", "localhost"), PATIENT_MS).status == 204
    assert targets == ["http://relayer.invalid:81/base/x"]


def test_after_a_call_that_was_broken_off_the_next_one_has_a_connection_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """So a world can be removed after Ctrl-C."""

    def interrupted(self: Http, response: object, late: object) -> asking.Got:
        raise KeyboardInterrupt

    with foreign(plain(200, b"{}")) as url:
        http = Http(url, PATIENT_MS)
        with monkeypatch.context() as patched:
            patched.setattr(Http, "_read", interrupted)
            with pytest.raises(KeyboardInterrupt):
                http(GET)
        assert http(GET).status == 200
        http.close()
