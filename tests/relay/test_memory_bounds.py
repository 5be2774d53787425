"""Nothing grows without bound: what is looked at or refused leaves as much behind after a million calls as after a thousand."""

from __future__ import annotations

import json
import socket
from itertools import islice

import pytest

from mockrelay.core.commands.settings import FAULTS_MAX
from mockrelay.core.context import CALL, Trace
from mockrelay.core.limiter import WINDOWS_MAX, Limiter
from mockrelay.journal.journal import BYTES_MAX, ENTRIES_MAX, Entry, Journal
from mockrelay.relay import Relay
from mockrelay.web import serve
from mockrelay.wire.http import RawRequest, Response
from mockrelay.wire.json_body import parse_body
from tests.soak.calls import calls
from tests.soak.size import bytes_of
from tests.support.answer_shapes import is_healthy
from tests.support.client import control, done
from tests.support.connection import connected, many
from tests.support.worlds import relay_from, world

WARM_UP, MORE = 3_000, 3_000
SLACK_BYTES = 100_000
"""What the last thousand calls may take more than those that were kept before."""


def test_calls_with_ever_other_keys_peers_targets_and_bodies_take_no_more_memory_once_all_is_full() -> None:
    """With a clock that stands still, so that nothing ever becomes old."""
    relay = world()
    numbered = calls()
    sizes = []
    for count in (WARM_UP, MORE):
        for raw in islice(numbered, count):
            relay.handle(raw, relay.now_ms())
        sizes.append(bytes_of((relay.world, relay.journal)))
    assert sizes[1] < sizes[0] + SLACK_BYTES
    assert len(relay.journal) == ENTRIES_MAX


def test_callers_that_nobody_knows_fill_no_memory() -> None:
    """Fifty thousand of them, each from an address of its own, on a second that never ends."""
    limiter = Limiter()
    for number in range(50_000):
        assert limiter.admit("get_depth", f"address {number}", 5, "second", 1_000)
        limiter.note_refused(f"address {number}", 60_000, 1_000)
    windows, runs = limiter._windows, limiter._runs
    assert len(windows) + len(runs) <= WINDOWS_MAX + 1
    assert ("get_depth", "address 49999", "second") in windows


def test_unknown_keys_from_one_address_are_one_caller() -> None:
    relay = relay_from("default", limits="spec")
    for number in range(2_000):
        headers = {"host": "localhost", "x-api-key": f"key {number}"}
        path = "/api/v2/exchange/tokens"
        relay.handle(RawRequest("GET", path, path, (), headers, b"", "http", "localhost", "127.0.0.1"), relay.now_ms())
    windows = relay.world.limiter._windows
    assert len(windows) == 1


@pytest.mark.parametrize("value", [b'{"":0}', b'{"":{}}', '{"\u00e9":"\U0001f600"}'.encode()])
def test_what_the_journal_keeps_is_no_more_than_it_says(value: bytes) -> None:
    """Bodies whose values take up to thirty times their text once they are read."""
    journal = Journal()
    for number in range(16):
        body = b'{"surplus%d":[%s]}' % (number, b",".join([value] * 5_000))
        raw = RawRequest("POST", "/", "/", (), {}, body, "http", "localhost", "127.0.0.1")
        fields = parse_body(body)
        assert isinstance(fields, dict)
        response = Response(200, (), b"{}")
        trace = Trace(CALL, f"r{number + 1}")
        trace.args, trace.code = fields, 0
        journal.add(Entry(f"r{number + 1}", 0, raw, response, trace))
    assert 1 < len(journal) < 16
    assert BYTES_MAX / 10 < bytes_of(list(journal)) <= BYTES_MAX


def test_large_heads_and_targets_count_too() -> None:
    relay, path = world(), "/api/v2/nothing"
    query = tuple((f"name{n}", "\U0001f600") for n in range(600))
    for number in range(300):
        headers = {f"x-{number}-{n}": f"{n}" + "\u6f22" * 90 for n in range(80)}
        raw = RawRequest("GET", path, path + "?" + "x" * 8_000, query, headers, b"", "http", "localhost", "127.0.0.1")
        relay.handle(raw, relay.now_ms())
    assert len(relay.journal) < 300
    assert bytes_of(list(relay.journal)) <= BYTES_MAX


def test_findings_and_problems_are_kept_in_number() -> None:
    relay = world()
    for number in range(1_050):
        body = json.dumps({f"surplus{number}": 1}).encode()
        raw = RawRequest(
            "POST", f"/api/{number}", "/", (), {"host": "localhost"}, body, "http", "localhost", "127.0.0.1"
        )
        relay.handle(raw, relay.now_ms())
        relay.handle(raw._replace(path="/api/v3/order"), relay.now_ms())
    assert len(done(relay, "GET", "problems")) == 100
    assert len(relay.world.findings) <= 1_000


def test_one_fault_too_many_is_refused() -> None:
    relay = world()
    for _ in range(FAULTS_MAX):
        done(relay, "POST", "faults", {"on": "get_depth", "code": 1, "nth": 99})
    answer = control(relay, "POST", "faults", {"on": "get_depth", "code": 1})
    assert (answer.status, set(answer.json)) == (409, {"error", "field", "meant"})
    done(relay, "DELETE", "faults/f1")
    done(relay, "POST", "faults", {"on": "get_depth", "code": 1})


def test_one_snapshot_too_many_is_refused() -> None:
    relay = world()
    for number in range(100):
        done(relay, "POST", "snapshots", {"name": f"{number}"})
    assert control(relay, "POST", "snapshots", {"name": "another"}).status == 409
    done(relay, "POST", "snapshots", {"name": "7"})  # replaces one


# Connections


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
            wire.send(b"GET / HTTP/1.1\r\nHost: a\r\nx: ")
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
