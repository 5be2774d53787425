"""More connections, or more bytes of half-sent bodies, than a server takes: which of them have to go."""

from __future__ import annotations

import socket

import pytest

from mockrelay.relay import Relay
from mockrelay.web import serve
from tests.support.answer_shapes import is_healthy
from tests.support.connection import connected, many
from tests.support.worlds import world


@pytest.fixture
def relay() -> Relay:
    return world()


def test_the_oldest_idle_connection_makes_room_for_a_new_one(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is closed cleanly, between two requests; those in a request stay."""
    monkeypatch.setattr("mockrelay.web.pool.CONNECTIONS_MAX", 3)
    with serve(relay) as server, many(server.url, 3) as wires:
        wires[0].send(b"GET /half HTTP/1.1\r\n")
        for wire in wires[1:]:
            assert wire.ask("GET", "/api/v2/depth").status == 200
        with connected(server.url) as another:
            assert another.ask("GET", "/api/v2/depth").status == 200
            assert wires[1].at_end()
            wires[0].send(b"Host: a\r\n\r\n")
            assert wires[0].read().status == 404
            assert wires[2].ask("GET", "/api/v2/depth").status == 200


def test_where_none_is_idle_the_oldest_half_request_goes(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockrelay.web.pool.CONNECTIONS_MAX", 20)
    with serve(relay) as server, many(server.url, 60) as wires:
        for wire in wires:
            wire.send(b"GET /a HTTP/1.1\r\nHost: a\r\nx: ")
        with connected(server.url) as another:
            assert another.ask("GET", "/api/v2/depth").status == 200
        gone = 0
        for wire in wires:
            wire.sock.setblocking(False)
            try:
                gone += wire.sock.recv(1) == b""
            except BlockingIOError:
                pass
            except OSError:
                gone += 1
        assert gone >= 40


def test_bodies_that_never_end_take_no_more_than_their_share_together(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whose body came first loses it."""
    monkeypatch.setattr("mockrelay.web.pool.BUFFERED_BYTES_MAX", 3_000_000)
    head = b"POST /api/v3/order HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
    with serve(relay) as server, many(server.url, 10) as wires:
        for wire in wires:
            wire.send(head + b"x" * 900_000)
            with connected(server.url) as another:
                assert another.ask("GET", "/api/v2/depth").status == 200
        wires[-1].send(b"x" * 100_000)
        assert wires[-1].read().status == 200
        with pytest.raises((EOFError, OSError)):
            wires[0].read()
        for wire in wires:
            wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
    assert is_healthy(relay)
