"""The server with TLS: `serve(relay, ssl=…)` and `serve --tls-cert FILE --tls-key FILE`."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import ssl
import sys
from collections.abc import Iterator
from contextlib import closing, nullcontext, suppress
from pathlib import Path
from time import monotonic
from urllib.parse import urlsplit

import pytest
from click.testing import CliRunner

from mockrelay.cli import main
from mockrelay.web import Serving, serve
from tests.support.processes import PATIENCE_S, serving
from tests.web.certificates import Certificate, self_signed
from tests.web.fake import FakeRelay

STOP_S_MAX = 10.0
"""Far below the half minute that asyncio waits for the end of TLS."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return self_signed(tmp_path_factory.mktemp("certificate"))


@pytest.fixture
def server(relay: FakeRelay, files: Certificate) -> Iterator[Serving]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    with serve(relay, ssl=context) as server:
        yield server


def client(url: str, files: Certificate) -> http.client.HTTPSConnection:
    """A connection that trusts this certificate and checks the address."""
    context = ssl.create_default_context(cafile=str(files.cert))
    return http.client.HTTPSConnection(urlsplit(url).netloc, timeout=PATIENCE_S, context=context)


def test_requests_of_both_lanes_are_answered_on_one_connection(
    relay: FakeRelay, server: Serving, files: Certificate
) -> None:
    connection = client(server.url, files)
    for body, chunked in ((b"plain", False), (iter([b"in ", b"chunks"]), True), (b"x" * (1 << 20), False)):
        connection.request("POST", "/api/v3/order", body, encode_chunked=chunked)
        answer = connection.getresponse()
        assert (answer.status, answer.read()) == (200, relay.response.body)
    connection.close()
    assert server.url == f"https://127.0.0.1:{server.port}"
    assert [(raw.scheme, len(raw.body)) for raw in relay.seen] == [("https", 5), ("https", 9), ("https", 1 << 20)]
    assert len({raw.connection for raw in relay.seen}) == 1


def test_what_is_no_http_inside_tls_is_refused_behind_what_came_before(server: Serving, files: Certificate) -> None:
    context = ssl.create_default_context(cafile=str(files.cert))
    plain = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
    with context.wrap_socket(plain, server_hostname="127.0.0.1") as wire:
        wire.sendall(b"GET /a HTTP/1.1\r\nHost: a\r\n\r\nrubbish\r\n\r\n")
        answers = b"".join(iter(lambda: wire.recv(1 << 16), b"")).split(b"HTTP/1.1 ")
    assert [answer[:3] for answer in answers] == [b"", b"200", b"400"]


def test_stop_ends_idle_connections_and_handshakes_that_never_come(server: Serving, files: Certificate) -> None:
    with (
        closing(client(server.url, files)) as idle,
        socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S) as silent,
    ):
        idle.request("GET", "/a")
        assert idle.getresponse().read()
        started = monotonic()
        server.stop()
        assert monotonic() - started < PATIENCE_S
        with suppress(ConnectionResetError):
            assert silent.recv(1) == b""


def test_the_command_serves_https_and_its_own_client_trusts_what_the_system_is_told_to(files: Certificate) -> None:
    with serving("-p", "0", "--tls-cert", str(files.cert), "--tls-key", str(files.key)) as server:
        assert server.url.startswith("https://127.0.0.1:")
        wait = ("wait", server.url, "--timeout", "0")
        assert CliRunner().invoke(main, wait, env={"SSL_CERT_FILE": str(files.cert)}).exit_code == 0
        refused = CliRunner().invoke(main, wait)
    assert refused.exit_code == 1
    assert "certificate verify failed" in refused.output


@pytest.mark.parametrize("case", ["key alone", "no file", "two certificates", "another key", "a password"])
def test_wrong_files_are_refused_before_anything_listens(case: str, files: Certificate, tmp_path: Path) -> None:
    cert, key = map(str, files)
    other, locked = tmp_path / "other", tmp_path / "locked"
    other.mkdir()
    locked.mkdir()
    args, found = {
        "key alone": (["--tls-key", key], "--tls-key alone: --tls-cert and --tls-key belong together"),
        "no file": (["--tls-cert", "none.pem", "--tls-key", key], "File 'none.pem' does not exist"),
        "two certificates": (
            ["--tls-cert", cert, "--tls-key", cert],
            "not both files are PEM, or the key has a password",
        ),
        "another key": (
            ["--tls-cert", cert, "--tls-key", str(self_signed(other).key)],
            "the key belongs to another certificate; meant: a certificate and its private key without a password",
        ),
        "a password": (
            ["--tls-cert", cert, "--tls-key", str(self_signed(locked, password="open").key)],
            "not both files are PEM, or the key has a password",
        ),
    }[case]
    result = CliRunner().invoke(main, ["serve", "-p", "0", *args])
    assert result.exit_code == 2
    assert found in result.output
    assert "listening" not in result.output


def test_a_client_that_does_not_close_its_side_holds_up_no_stop(relay: FakeRelay, files: Certificate) -> None:
    """It has got its last answer, and the server waits for the end of TLS that it does not send."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    with serve(relay, ssl=context) as server:
        plain = socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE_S)
        trusting = ssl.create_default_context(cafile=str(files.cert))
        with trusting.wrap_socket(plain, server_hostname="127.0.0.1") as wire:
            wire.sendall(b"GET /api HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            assert wire.recv(1 << 16).startswith(b"HTTP/1.1 200")
            begun_s = monotonic()
            server.stop()
            assert monotonic() - begun_s < STOP_S_MAX


@pytest.mark.slow
def test_a_certificate_is_made_whose_authority_lies_beside_the_ready_file(tmp_path: Path) -> None:
    ready_file = tmp_path / "ready.json"
    options = ("--tls", "self-signed", "--ready-file", str(ready_file), "--public-url", "https://relayer.test:8443")
    with serving("-p", "0", *options) as server:
        assert server.url == "https://relayer.test:8443"
        until_s = monotonic() + PATIENCE_S
        while not ready_file.exists():
            assert monotonic() < until_s
        ready = json.loads(ready_file.read_text(encoding="utf-8"))
        ca = Path(ready["ca"])
        assert (ready["url"], ca) == ("https://relayer.test:8443", tmp_path / "ready.ca.pem")
        assert any(line.startswith(f"certificate authority {ca}") for line in (server.line(), server.line()))
        context = ssl.create_default_context(cafile=str(ca))
        for name in ("localhost", "127.0.0.1", "relayer.test", "other.test"):
            plain = socket.create_connection(("127.0.0.1", ready["port"]), timeout=PATIENCE_S)
            is_named = name != "other.test"
            expected = nullcontext() if is_named else pytest.raises(ssl.SSLCertVerificationError)
            with plain, expected, context.wrap_socket(plain, server_hostname=name) as wire:
                wire.sendall(b"GET /__mockrelay/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
                with wire.makefile("rb") as answer:
                    assert b'"status":"ok"' in answer.read()
        assert "PRIVATE" not in ca.read_text(encoding="ascii")
        server.end(signal.SIGTERM)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--tls", "self-signed"), "meant: --ready-file too"),
        (("--tls", "self-signed", "--ready-file", "r", "--tls-cert", __file__), "one or the other"),
        (("--tls", "other"), "'other' is not 'self-signed'"),
        (("--public-url", "relayer.test"), "'relayer.test' is not such an address"),
        (("--public-url", "https://relayer.test/path"), "without a path"),
    ],
)
def test_tls_and_addresses_that_cannot_be_are_refused(options: tuple[str, ...], says: str) -> None:
    refused = CliRunner().invoke(main, ["serve", "-p", "0", *options])
    assert refused.exit_code == 2
    assert says in refused.output


def test_without_trustme_the_option_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trustme", None)
    refused = CliRunner().invoke(main, ["serve", "-p", "0", "--tls", "self-signed", "--ready-file", "r"])
    assert refused.exit_code == 2
    assert "pip install 'mockrelay[tls]'" in refused.output
