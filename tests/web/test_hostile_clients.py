"""Clients that do what no client should, over a socket: each has its answer in shape or a clean end, and nobody else waits."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator

import pytest

from mockrelay.relay import Relay
from mockrelay.web import Serving, serve
from tests.conformance.transcript import ROWS
from tests.support.answer import Answer
from tests.support.answer_shapes import ERROR, REQUEST_ID, is_refused, settled, value_of
from tests.support.calls import order
from tests.support.client import done, post
from tests.support.connection import Connection, connected, many
from tests.support.worlds import world
from tests.web.cases import AMBIGUOUS, CHUNKED, GET, ODD, POST

ORDER = json.dumps(order().fields).encode()
TOKENS = b"GET /api/v2/exchange/tokens HTTP/1.1\r\nHost: localhost\r\n\r\n"
BEHIND = b"GET /behind HTTP/1.1\r\nHost: localhost\r\n\r\n"


@pytest.fixture(scope="module")
def relay() -> Relay:
    return world()


@pytest.fixture(scope="module")
def server(relay: Relay) -> Iterator[Serving]:
    with serve(relay) as server:
        yield server


@pytest.fixture(autouse=True)
def lives_on(relay: Relay, server: Serving, caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Whatever a test sent: the server answers the next client at once, has logged nothing, and is in the same state."""
    done(relay, "POST", "reset", {})
    before = settled(relay)
    yield
    with connected(server.url) as wire:
        assert not refused(wire.ask("GET", "/api/v2/exchange/tokens", "X-API-KEY: key-a"))
    assert settled(relay) == before
    assert caplog.records == []
    assert [problem for problem in relay.problems() if problem.kind == "inner_failure"] == []


def refused(answer: Answer) -> bool:
    return is_refused(answer.status, answer.headers, answer.body)


def all_answers(wire: Connection) -> list[Answer]:
    """What comes until the server ends the connection."""
    answers: list[Answer] = []
    while True:
        try:
            answers.append(wire.read())
        except EOFError as end:
            left_over = str(end)
            break
    assert left_over.endswith("b''")
    return answers


# Two ways to read one request


@pytest.mark.parametrize("sent", AMBIGUOUS.values(), ids=AMBIGUOUS.keys())
def test_what_can_be_read_in_two_ways_is_refused_and_ends_the_connection(
    server: Serving, monkeypatch: pytest.MonkeyPatch, sent: bytes
) -> None:
    """In one answer: what stands behind it is nobody's request."""
    monkeypatch.setattr("mockrelay.web.connection.LINGER_S", 0.05)
    with connected(server.url) as wire:
        wire.send(sent + BEHIND)
        (answer,) = all_answers(wire)
    assert (answer.status, answer.headers["connection"]) == (400, "close")
    assert refused(answer)


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("behind", [b"", b"GET /", TOKENS], ids=["nothing", "the next one begun", "the next one whole"])
def test_a_trailer_is_no_header_of_the_next_request(server: Serving, at_once: bool, behind: bytes) -> None:
    """Here it would give a request a key that it has not; behind a proxy it would be another client's request."""
    with connected(server.url) as wire:
        sent = POST + CHUNKED + b"\r\n2\r\n{}\r\n0\r\nX-API-KEY: key-a\r\nOrigin: http://evil.test\r\n\r\n" + behind
        for piece in [sent] if at_once else [sent[at : at + 1] for at in range(len(sent))]:
            wire.send(piece)
        answer = wire.read()
        assert refused(answer)
        assert "connection" not in answer.headers
        wire.send(TOKENS.removeprefix(behind))
        assert wire.read().refusal_code == 104001  # the key is empty


# Odd, and answered


@pytest.mark.parametrize(("sent", "status"), ODD.values(), ids=ODD.keys())
def test_what_is_odd_has_an_answer_in_shape(server: Serving, sent: bytes, status: int) -> None:
    with connected(server.url) as wire:
        wire.send(sent)
        answer = wire.read()
        assert answer.status == status
        refused(answer)
        if status != 404 or b" /api/" in sent:
            assert REQUEST_ID in answer.headers


def test_every_answer_of_the_api_has_an_id_whoever_gave_it(server: Serving) -> None:
    """Those that no relayer has given have one of the server's own."""
    with connected(server.url) as wire:
        for target, *headers in (
            ("/api/v2/depth",),
            ("/w/%20/api/v2/depth",),
            ("/api/v2/depth", "Origin: http://a.test", "Access-Control-Request-Method: GET"),
        ):
            method = "OPTIONS" if headers else "GET"
            assert wire.ask(method, target, *headers).headers[REQUEST_ID][0] in "rs"
        wire.send(POST + CHUNKED + b"\r\n")
        with connected(server.url) as another:
            another.ask("GET", "/api/v2/depth")
        wire.send(b"zz\r\n")
        assert wire.read().headers[REQUEST_ID][0] == "s"


# Slow, half and gone


def test_every_endpoint_byte_by_byte_in_turn_with_all_others(server: Serving) -> None:
    """Twenty-nine senders, each of whom sends a byte when the others have: all are answered as if they were quick."""
    sent = [
        b"%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}" % (row.method.encode(), row.path.encode())
        for row in ROWS
    ]
    with many(server.url, len(sent)) as wires:
        for at in range(max(map(len, sent))):
            for wire, data in zip(wires, sent, strict=True):
                wire.send(data[at : at + 1])
        for wire in wires:
            answer = wire.read()
            value_of(answer.headers, answer.body)
            assert answer.status < 500


@pytest.mark.parametrize("at", [1, 20, len(POST), len(POST) + 30, len(POST) + 60])
@pytest.mark.parametrize("how", ["end", "reset"])
def test_a_client_that_is_gone_before_its_request_is_whole_has_asked_nothing(
    server: Serving, at: int, how: str
) -> None:
    sent = POST + b"Content-Length: %d\r\n\r\n" % len(ORDER) + ORDER
    for _ in range(5):
        with connected(server.url) as wire:
            wire.send(sent[:at])
            if how == "reset":
                wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            else:
                wire.sock.shutdown(socket.SHUT_WR)
                assert wire.at_end()


@pytest.mark.slow
def test_a_thousand_connections_at_once_are_all_answered(server: Serving) -> None:
    """Some of them idle, some half-way, some twice; the relayer is asked by each in the end."""
    with many(server.url, 1_000) as wires:
        for number, wire in enumerate(wires):
            wire.send(GET + (b"\r\n" if number % 3 == 0 else b"X: y"))
        for number, wire in enumerate(wires):
            if number % 3:
                wire.send(b"\r\n\r\n")
            assert wire.read().status == 200
        assert wires[-1].ask("GET", "/api/v2/depth?market=LRC-ETH&level=0").status == 200


def test_many_requests_in_one_packet_are_answered_in_order(server: Serving) -> None:
    with connected(server.url) as wire:
        wire.send((GET + b"\r\n") * 3_000)
        ids = [int(wire.read().headers[REQUEST_ID][1:]) for _ in range(3_000)]
    assert ids == list(range(ids[0], ids[0] + 3_000))


def test_who_does_not_read_a_large_answer_keeps_nobody_waiting(relay: Relay, server: Serving) -> None:
    """The journal is some megabytes; its readers read last."""
    for _ in range(3):
        post(relay, "/api/v3/order", b'{"surplus":"' + b"x" * 900_000 + b'"}')
    with many(server.url, 8) as wires:
        for wire in wires:
            wire.send(b"GET /__mockrelay/requests HTTP/1.1\r\nHost: localhost\r\n\r\n")
        with connected(server.url) as another:
            assert another.ask("GET", "/api/v2/depth?market=LRC-ETH&level=0").status == 200
        answers = [wire.read() for wire in wires]
        assert len(answers[0].body) > 900_000
        assert all(answer.status == 200 for answer in answers)


# Too much


@pytest.mark.parametrize("target", ["/api/v3/order", "/__mockrelay/reset", "/w/%20/api/v3/order"])
def test_a_body_that_is_too_long_is_refused_in_the_shape_of_what_was_asked(server: Serving, target: str) -> None:
    size = 65 << 20 if "__" in target else 2 << 20
    with connected(server.url) as wire:
        wire.send(f"POST {target} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n\r\n".encode())
        piece = b"[" * (1 << 20)
        for _ in range(size >> 20):
            wire.send(piece)
        answer = wire.read()
    assert answer.headers["connection"] == "close"
    if "__" in target:
        assert (answer.status, set(answer.json)) == (413, ERROR)
    else:
        assert answer.status in (404, 413)
        assert refused(answer)
