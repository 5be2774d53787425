"""What only the transport can spoil in a call of the API: percent-encoding and methods, as bytes to a running server."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from mockrelay.web import serve
from tests.support.answer import Answer
from tests.support.calls import OWNER_A
from tests.support.connection import connected
from tests.support.worlds import world

LOOK = "GET /api/v2/account?owner={} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-KEY: key-a\r\n\r\n"


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serve(world()) as server:
        yield server.url


@pytest.fixture(autouse=True)
def nothing_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    yield
    assert caplog.records == []


def raw(url: str, head: str) -> Answer:
    """The answer to a request without a body, on a connection of its own."""
    with connected(url) as connection:
        connection.send(head.encode())
        return connection.read(body_follows=not head.startswith("HEAD"))


def refused(answer: Answer, *statuses: int) -> str:
    """A coded refusal in the API's shape; its message."""
    assert answer.status in statuses, answer
    assert answer.refusal_code != 0
    return answer.message


@pytest.mark.parametrize("value", ["%ff", "%00", "%", "%zz", "%ed%a0%80", "a%20b", "+", "%F0%9F%98%80"])
def test_odd_percent_encoding_in_a_query_is_not_an_address(url: str, value: str) -> None:
    assert "owner" in refused(raw(url, LOOK.format(value)), 200)


@pytest.mark.parametrize("path", ["/api/%ff", "/%00", "/api/v2/%", "//", "/api/v2/account%2f"])
def test_odd_percent_encoding_in_a_path_is_404(url: str, path: str) -> None:
    refused(raw(url, f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"), 404)


def test_a_percent_encoded_owner_is_the_owner(url: str) -> None:
    """%30 is 0, as everywhere in a query."""
    assert raw(url, LOOK.format("%30" + OWNER_A[1:])).code == 0


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "HEAD", "BREW", "get"])
def test_any_other_method_is_405(url: str, method: str) -> None:
    """HEAD has no body."""
    answer = raw(url, f"{method} /api/v3/order HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    if method == "HEAD":
        assert (answer.status, answer.body) == (405, b"")
    else:
        refused(answer, 400, 405)
