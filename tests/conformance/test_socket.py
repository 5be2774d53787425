"""What only the transport can spoil: bytes that are sent as they stand to a running server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress

import pytest

from mockrelay.web import serve
from tests.support import bodies
from tests.support.answer import Answer
from tests.support.bodies import E18
from tests.support.calls import OWNER_A, call, order, place, valid_request
from tests.support.client import done, get
from tests.support.connection import connected
from tests.support.processes import PATIENCE_S, serving
from tests.support.worlds import W, world

HEAD = "POST /api/v3/order HTTP/1.1\nHost: 127.0.0.1\nX-API-KEY: key-a\n"
LOOK = "GET /api/v2/account?owner={} HTTP/1.1\nHost: 127.0.0.1\nX-API-KEY: key-a\n"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """World W without limits in a process of its own, which is healthy still at the end and has written no traceback."""
    with serving("--scenario", str(W), "--clock", "frozen", "--limits", "off", "-p", "0") as server:
        yield server.url
        with connected(server.url) as connection:
            done(connection, "GET", "health")
        server.process.terminate()
        server.process.wait(PATIENCE_S)
        assert server.errors() == ""


def raw(url: str, head: str, body: bytes = b"") -> Answer:
    """Send a head and a body on a connection of their own; lines of the head end in LF."""
    with connected(url) as connection:
        # The answer may come before all of a body that is too large is read.
        with suppress(BrokenPipeError, ConnectionResetError):
            connection.send(head.encode("latin-1").replace(b"\n", b"\r\n") + b"\r\n" + body)
        return connection.read(body_follows=not head.startswith("HEAD"))


def refused(answer: Answer, *statuses: int) -> str:
    """A coded refusal in the API's shape; its message."""
    assert answer.status in statuses, answer
    assert answer.refusal_code != 0
    return answer.message


def body_of(order_id: int) -> bytes:
    return json.dumps(bodies.W.order(order_id)).encode()


def test_a_chunked_body_is_a_body(url: str) -> None:
    """An order in chunks of ten bytes is taken."""
    body = body_of(1)
    chunks = [body[start : start + 10] for start in range(0, len(body), 10)]
    sent = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks) + b"0\r\n\r\n"
    assert raw(url, HEAD + "Content-Type: application/json\nTransfer-Encoding: chunked\n", sent).code == 0


def test_a_body_without_content_type_is_read(url: str) -> None:
    body = body_of(2)
    assert raw(url, HEAD + f"Content-Length: {len(body)}\n", body).code == 0


@pytest.mark.parametrize("header", ["X-API-KEY: \xff\n", "X-Other: \xff\xfe\n", "User-Agent: \x80\n"], ids=ascii)
def test_a_header_byte_beyond_ascii_is_no_server_error(url: str, header: str) -> None:
    """An unknown key, or a header that nobody reads."""
    answer = raw(url, f"GET /api/v2/exchange/info HTTP/1.1\nHost: 127.0.0.1\n{header}")
    assert answer.status == 200
    assert answer.code in (104001, 104002)


@pytest.mark.parametrize("value", ["%ff", "%00", "%", "%zz", "%ed%a0%80", "a%20b", "+", "%F0%9F%98%80"])
def test_odd_percent_encoding_in_a_query_is_not_an_address(url: str, value: str) -> None:
    assert "owner" in refused(raw(url, LOOK.format(value)), 200)


@pytest.mark.parametrize("path", ["/api/%ff", "/%00", "/api/v2/%", "//", "/api/v2/account%2f"])
def test_odd_percent_encoding_in_a_path_is_404(url: str, path: str) -> None:
    refused(raw(url, f"GET {path} HTTP/1.1\nHost: 127.0.0.1\n"), 404)


def test_a_percent_encoded_owner_is_the_owner(url: str) -> None:
    """%30 is 0, as everywhere in a query."""
    assert raw(url, LOOK.format("%30" + OWNER_A[1:])).code == 0


def test_a_body_of_two_megabytes_is_413(url: str) -> None:
    """With and without a length given beforehand."""
    body = b" " * 2_000_000
    refused(raw(url, HEAD + f"Content-Length: {len(body)}\n", body), 413)
    refused(raw(url, HEAD + "Transfer-Encoding: chunked\n", b"1e8480\r\n" + body + b"\r\n0\r\n\r\n"), 413)


@pytest.mark.parametrize(
    "head",
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
def test_what_is_not_http_is_refused_in_the_same_shape(url: str, head: str) -> None:
    """The transport's own 400 is JSON in the API's shape too."""
    refused(raw(url, head), 400, 404, 414, 431, 505)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "HEAD", "BREW", "get"])
def test_any_other_method_is_405(url: str, method: str) -> None:
    """HEAD has no body."""
    answer = raw(url, f"{method} /api/v3/order HTTP/1.1\nHost: 127.0.0.1\n")
    if method == "HEAD":
        assert (answer.status, answer.body) == (405, b"")
    else:
        refused(answer, 400, 405)


def test_every_answer_of_the_api_has_a_request_id_of_its_own(url: str) -> None:
    """Success, refusal and unknown path."""
    with connected(url) as connection:
        paths = ("/api/v2/exchange/info", "/api/v2/account", "/api/v2/nothing")
        answers = [get(connection, path) for path in paths]
    assert len({answer.headers["x-mockrelay-request-id"] for answer in answers}) == 3


def test_a_thousand_calls_over_one_connection_are_a_thousand_answers() -> None:
    """None is lost, late, doubled or another's."""
    with serve(world()) as server, connected(server.url) as connection:
        for number in range(500):
            assert call(connection, valid_request("get_order_id")).data == str(number)
            place(connection, order(number, amountS=str(E18)))
