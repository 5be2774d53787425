"""What the relay gets to see of a request."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockrelay.web.http1 import parse_query
from tests.support.connection import Connection, connected
from tests.web.cases import WAYS
from tests.web.fake import FakeRelay


@pytest.mark.parametrize(
    ("query", "pairs"),
    [
        ("", ()),
        ("a=1&b=2", (("a", "1"), ("b", "2"))),
        ("a=1&a=2&a=1", (("a", "1"), ("a", "2"), ("a", "1"))),
        ("a=&b", (("a", ""), ("b", ""))),
        ("a=b=c", (("a", "b=c"),)),
        ("&&a=1&", (("a", "1"),)),
        ("a=1+2&b%20c=%2B", (("a", "1 2"), ("b c", "+"))),
        ("a=%E2%82%AC", (("a", "€"),)),
        ("a=%FF", (("a", "\ufffd"),)),
        ("a=%zz&b=%", (("a", "%zz"), ("b", "%"))),
        ("a;b=1", (("a;b", "1"),)),
    ],
)
def test_a_query_is_read_as_a_form(query: str, pairs: tuple[tuple[str, str], ...]) -> None:
    assert parse_query(query) == pairs


@given(st.lists(st.tuples(st.text(min_size=1), st.text())))
def test_every_pair_that_can_be_encoded_comes_back(pairs: list[tuple[str, str]]) -> None:
    pairs = [
        (name.encode("utf-8", "replace").decode(), value.encode("utf-8", "replace").decode()) for name, value in pairs
    ]
    query = urlencode(pairs)
    assert list(parse_query(query)) == pairs == parse_qsl(query, keep_blank_values=True)


def test_a_get_is_handed_on_with_everything_that_was_sent(relay: FakeRelay, wire: Connection) -> None:
    wire.ask("GET", "/api/v2/depth?market=LRC-ETH&level=2&x=%41+b", "X-API-KEY: abc", host="relay.test:1234")
    (raw,) = relay.seen
    assert raw.method == "GET"
    assert raw.path == "/api/v2/depth"
    assert raw.raw_target == "/api/v2/depth?market=LRC-ETH&level=2&x=%41+b"
    assert raw.query == (("market", "LRC-ETH"), ("level", "2"), ("x", "A b"))
    assert raw.headers == {"host": "relay.test:1234", "x-api-key": "abc"}
    assert raw.body == b""
    assert (raw.scheme, raw.host, raw.remote) == ("http", "relay.test:1234", "127.0.0.1")


@pytest.mark.parametrize("way", WAYS)
def test_connections_are_told_apart(relay: FakeRelay, url: str) -> None:
    """By a number of each; what was sent ahead of an answer has none, since its client has not read that answer."""
    with connected(url) as one, connected(url) as other:
        for wire in (one, one, other):
            wire.ask("GET", "/a")
        one.send(b"GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n" * 2)
        one.read()
        one.read()
    first, second, apart, ahead, behind = (raw.connection for raw in relay.seen)
    assert first == second == ahead != apart != 0
    assert first != 0 == behind


def test_a_path_is_decoded_and_its_target_is_not(relay: FakeRelay, wire: Connection) -> None:
    wire.ask("GET", "/api/v2%2Forders/%E2%82%AC?a=1")
    assert relay.seen[0].path == "/api/v2/orders/€"
    assert relay.seen[0].raw_target == "/api/v2%2Forders/%E2%82%AC?a=1"


def test_of_a_repeated_header_the_first_counts(relay: FakeRelay, wire: Connection) -> None:
    wire.ask("GET", "/a", "X-Api-Key: one", "x-api-key: two")
    assert relay.seen[0].headers["x-api-key"] == "one"


def test_a_header_byte_that_is_not_text_arrives_as_a_replacement(relay: FakeRelay, wire: Connection) -> None:
    wire.send(b"GET /a HTTP/1.1\r\nHost: a\r\nX-API-KEY: k\xffy\r\n\r\n")
    assert wire.read().status == 200
    assert relay.seen[0].headers["x-api-key"] == "k\ufffdy"


def test_a_body_arrives_whole_in_pieces_and_in_chunks(relay: FakeRelay, wire: Connection) -> None:
    head = b"POST /api/v3/order HTTP/1.1\r\nHost: a\r\n"
    wire.send(head + b"Content-Length: 6\r\n\r\nabc")
    wire.send(b"def")
    assert wire.read().status == 200
    wire.send(head + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n")
    wire.send(b"3\r\ndef\r\n0\r\n\r\n")
    assert wire.read().status == 200
    assert [raw.body for raw in relay.seen] == [b"abcdef", b"abcdef"]


def test_a_body_of_one_mebibyte_arrives_whole(relay: FakeRelay, wire: Connection) -> None:
    answer = wire.ask("POST", "/api/v3/order", body=b"x" * (1 << 20))
    assert len(relay.seen[0].body) == 1 << 20
    assert "connection" not in answer.headers


def test_a_body_that_is_declared_longer_is_not_read_and_the_connection_ends(relay: FakeRelay, wire: Connection) -> None:
    answer = wire.ask("POST", "/api/v3/order", body=b"x" * (8 << 20))
    assert relay.seen[0].body == b""
    assert relay.seen[0].headers["content-length"] == str(8 << 20)
    assert answer.headers["connection"] == "close"
    assert wire.at_end()


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("http://relay.test/api/v2/orders?a=1", "/api/v2/orders"),
        ("http://relay.test", "/"),
        ("http://relay.test?a=1", "/"),
        ("*", "*"),
    ],
)
def test_a_target_in_another_form_gives_its_path(relay: FakeRelay, wire: Connection, target: str, path: str) -> None:
    wire.ask("OPTIONS" if target == "*" else "POST", target)
    assert relay.seen[0].path == path
