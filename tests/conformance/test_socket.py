"""Rows 11 and 25 of the trouble list through a real socket: what only the transport can spoil."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import pytest

from tests.support.calls import OWNER_A, order
from tests.support.worlds import W

TIMEOUT_S = 10


class Server:
    """`mockrelay serve` in a process of its own."""

    def __init__(self, port: int) -> None:
        self.port = port

    def raw(self, head: str | bytes, body: bytes = b"") -> tuple[int, dict[str, str], bytes]:
        """Send bytes as they stand on a connection of their own; status, headers and body of the answer."""
        sent = head.encode("latin-1") if isinstance(head, str) else head
        with closing(socket.create_connection(("127.0.0.1", self.port), timeout=TIMEOUT_S)) as connection:
            # The answer may come before all of a body that is too large is read.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.sendall(sent.replace(b"\n", b"\r\n") + b"\r\n" + body)
            return _read(connection)

    def control(self, path: str, fields: Any) -> Any:
        """A control verb that must succeed."""
        body = json.dumps(fields).encode()
        head = f"POST /__mockrelay/{path} HTTP/1.1\nHost: 127.0.0.1:{self.port}\nContent-Type: application/json\n"
        status, _, answer = self.raw(head + f"Content-Length: {len(body)}\n", body)
        assert status == 200, answer
        return json.loads(answer)


def _read(connection: socket.socket) -> tuple[int, dict[str, str], bytes]:
    with connection.makefile("rb") as stream:
        status = int(stream.readline().split()[1])
        headers: dict[str, str] = {}
        while (line := stream.readline().strip()) != b"":
            name, _, value = line.decode("latin-1").partition(":")
            headers[name.lower()] = value.strip()
        return status, headers, stream.read(int(headers["content-length"]))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """World W with the limiter off, stopped at the end after it was found to be healthy still."""
    options = ("--scenario", str(W), "--clock", "frozen", "-p", "0")
    process = subprocess.Popen(
        [sys.executable, "-m", "mockrelay", "serve", *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    try:
        found = Server(_port(process))
        found.control("reset", {"limits": "off"})
        yield found
        status, _, _ = found.raw(f"GET /__mockrelay/health HTTP/1.1\nHost: 127.0.0.1:{found.port}\n")
        assert status == 200
    finally:
        process.terminate()
        output, _ = process.communicate(timeout=TIMEOUT_S)
    assert b"Traceback" not in output, output.decode()


def _port(process: subprocess.Popen[bytes]) -> int:
    """The port in the address that the start prints."""
    assert process.stdout is not None
    said = b""
    for line in process.stdout:
        said += line
        if address := re.search(rb"http://127\.0\.0\.1:(\d+)", line):
            return int(address[1])
    raise AssertionError(f"the server told no address: {said.decode()}")


def _refused(answer: tuple[int, dict[str, str], bytes], *statuses: int) -> str:
    """A coded refusal in the API's shape, as valid UTF-8 JSON; its message."""
    status, headers, body = answer
    assert status in statuses, (status, body)
    assert headers["content-type"].startswith("application/json"), headers
    parsed = json.loads(body.decode("utf-8"))
    assert set(parsed) == {"resultInfo"}, parsed
    assert type(parsed["resultInfo"]["code"]) is int
    assert parsed["resultInfo"]["code"] != 0
    message = parsed["resultInfo"]["message"]
    assert isinstance(message, str)
    return message


def _accepted(answer: tuple[int, dict[str, str], bytes]) -> None:
    status, _, body = answer
    assert status == 200
    assert json.loads(body)["resultInfo"]["code"] == 0, body


HEAD = "POST /api/v3/order HTTP/1.1\nHost: 127.0.0.1\nX-API-KEY: key-a\n"
LOOK = "GET /api/v2/account?owner={} HTTP/1.1\nHost: 127.0.0.1\nX-API-KEY: key-a\n"


def _body(order_id: int) -> bytes:
    return json.dumps(order(order_id).fields).encode()


def test_chunked_body_is_a_body(server: Server) -> None:
    """An order in chunks of ten bytes is taken."""
    body = _body(1)
    chunks = [body[start : start + 10] for start in range(0, len(body), 10)]
    sent = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    _accepted(server.raw(HEAD + "Content-Type: application/json\nTransfer-Encoding: chunked\n", sent))


def test_no_content_type(server: Server) -> None:
    """The body is read all the same."""
    body = _body(2)
    _accepted(server.raw(HEAD + f"Content-Length: {len(body)}\n", body))


@pytest.mark.parametrize("header", ["X-API-KEY: \xff\n", "X-Other: \xff\xfe\n", "User-Agent: \x80\n"], ids=ascii)
def test_header_byte_beyond_ascii(server: Server, header: str) -> None:
    """No server error: an unknown key, or a header that nobody reads."""
    status, _, body = server.raw(f"GET /api/v2/exchange/info HTTP/1.1\nHost: 127.0.0.1\n{header}")
    assert status == 200
    assert json.loads(body)["resultInfo"]["code"] in (104001, 104002)


@pytest.mark.parametrize("value", ["%ff", "%00", "%", "%zz", "%ed%a0%80", "a%20b", "+", "%F0%9F%98%80"])
def test_odd_percent_encoding_in_a_query(server: Server, value: str) -> None:
    """An owner that is no address, whatever its bytes are."""
    assert "owner" in _refused(server.raw(LOOK.format(value)), 200)


@pytest.mark.parametrize("path", ["/api/%ff", "/%00", "/api/v2/%", "//", "/api/v2/account%2f"])
def test_odd_percent_encoding_in_a_path(server: Server, path: str) -> None:
    """404 in shape."""
    _refused(server.raw(f"GET {path} HTTP/1.1\nHost: 127.0.0.1\n"), 404)


def test_percent_encoded_owner_is_the_owner(server: Server) -> None:
    """%30 is 0, as everywhere in a query."""
    _accepted(server.raw(LOOK.format("%30" + OWNER_A[1:])))


def test_body_of_two_megabytes(server: Server) -> None:
    """413 in shape, with and without a length told beforehand."""
    body = b" " * 2_000_000
    _refused(server.raw(HEAD + f"Content-Length: {len(body)}\n", body), 413)
    _refused(server.raw(HEAD + "Transfer-Encoding: chunked\n", b"1e8480\r\n" + body + b"\r\n0\r\n\r\n"), 413)


@pytest.mark.parametrize(
    "request_",
    [
        "GET /" + "a" * 20_000 + " HTTP/1.1\nHost: 127.0.0.1\n",
        "GET / HTTP/1.1\nHost: 127.0.0.1\nX-Long: " + "a" * 20_000 + "\n",
        "GET / HTTP/1.1\nHost: 127.0.0.1\nno colon here\n",
        "nonsense\n",
        "GET / HTTP/9.9\nHost: 127.0.0.1\n",
        "POST /api/v3/order HTTP/1.1\nHost: 127.0.0.1\nContent-Length: x\n",
        "GET /\x00 HTTP/1.1\nHost: 127.0.0.1\n",
    ],
    ids=["long target", "long header", "no colon", "nonsense", "version 9.9", "length x", "nul in the target"],
)
def test_request_that_is_no_http_is_refused_in_the_same_shape(server: Server, request_: str) -> None:
    """The transport's own 400 is JSON in the API's shape too."""
    _refused(server.raw(request_), 400, 404, 414, 431, 505)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "HEAD", "BREW", "get"])
def test_any_other_method(server: Server, method: str) -> None:
    """405 with the same headers; HEAD has no body."""
    head = f"{method} /api/v3/order HTTP/1.1\nHost: 127.0.0.1\n"
    if method == "HEAD":
        with closing(socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT_S)) as connection:
            connection.sendall(head.replace("\n", "\r\n").encode() + b"\r\n")
            assert b" 405 " in connection.recv(100)
    else:
        _refused(server.raw(head), 400, 405)


def test_every_answer_of_the_api_carries_a_request_id(server: Server) -> None:
    """Success, refusal and unknown path; each id is another."""
    paths = ("/api/v2/exchange/info", "/api/v2/account?owner=x", "/api/v2/nothing")
    answers = [server.raw(f"GET {path} HTTP/1.1\nHost: 127.0.0.1\nX-API-KEY: key-a\n") for path in paths]
    assert len({headers["x-mockrelay-request-id"] for _, headers, _ in answers}) == 3
