"""Starting and stopping: ports, threads, loops and connections in every state."""

from __future__ import annotations

import asyncio
import errno
import gc
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from time import monotonic

import aiohttp
import pytest

from mockrelay.web import serve
from mockrelay.web.server import bind
from tests.support.connection import PATIENCE_S, Connection, connected
from tests.web.fake import FakeRelay


def test_stop_ends_idle_half_sent_and_running_requests() -> None:
    relay = FakeRelay()
    server = serve(relay)
    idle = [Connection(server.url) for _ in range(5)]
    for wire in idle:
        assert wire.ask("GET", "/a").status == 200
    fresh, half_head, half_body = Connection(server.url), Connection(server.url), Connection(server.url)
    half_head.send(b"GET /a HTTP/1.1\r\nHos")
    half_body.send(b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\nabc")
    assert half_body.read(body_follows=False).status == 100  # so its handler is waiting for the rest
    started = monotonic()
    server.stop()
    assert monotonic() - started < PATIENCE_S
    for wire in [*idle, fresh, half_head]:
        assert wire.at_end()
    for wire in [*idle, fresh, half_head, half_body]:
        wire.close()
    assert [raw.method for raw in relay.seen] == ["GET"] * 5


def test_stop_gives_up_on_an_answer_that_nobody_reads() -> None:
    relay = FakeRelay()
    relay.response = replace(relay.response, body=b"x" * (16 << 20))
    with serve(relay) as server, connected(server.url) as wire:
        wire.send(b"GET /a HTTP/1.1\r\nHost: a\r\n\r\n")
        assert relay.handled.wait(10)
        started = monotonic()
        server.stop()
        assert monotonic() - started < PATIENCE_S


def test_stopping_twice_does_nothing_the_second_time() -> None:
    server = serve(FakeRelay())
    server.stop()
    server.stop()
    with server:
        pass


def test_stop_leaves_no_thread_and_no_open_socket() -> None:
    before = threading.active_count()
    with serve(FakeRelay()) as server, connected(server.url) as wire:
        wire.ask("GET", "/a")
    gc.collect()  # a socket or transport left open would be a ResourceWarning here, and so an error
    assert threading.active_count() == before
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port), timeout=10)


# A loop of asyncio that fails in its own constructor cannot be closed, and says so when it is collected: here.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_what_keeps_the_thread_from_running_is_raised_at_once_by_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sockets that a test tool forbids, no descriptors left. The port is free afterwards, and no thread is left."""

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    before = threading.active_count()
    bound = [bind("127.0.0.1", 0)]
    monkeypatch.setattr("mockrelay.web.server.bind", lambda *_: bound[0])
    monkeypatch.setattr(socket, "socketpair", refuse)
    with pytest.raises(OSError, match="Too many open files"):
        serve(FakeRelay())
    assert bound[0].fileno() == -1
    gc.collect()
    assert threading.active_count() == before


def test_the_port_is_free_at_once_and_the_same_client_pool_goes_on() -> None:
    async def flow() -> None:
        async with aiohttp.ClientSession() as client:
            first = await asyncio.to_thread(serve, FakeRelay("first"))
            async with client.get(f"{first.url}/a") as answer:
                assert await answer.json() == {"name": "first"}
            await asyncio.to_thread(first.stop)
            second = await asyncio.to_thread(serve, FakeRelay("second"), port=first.port)
            async with client.get(f"{second.url}/a") as answer:
                assert await answer.json() == {"name": "second"}
            await asyncio.to_thread(second.stop)

    asyncio.run(flow())


def test_fifty_servers_in_one_process_have_ports_and_relays_of_their_own() -> None:
    servers = [serve(FakeRelay(str(number))) for number in range(50)]
    assert len({server.port for server in servers}) == 50
    for number, server in enumerate(servers):
        with connected(server.url) as wire:
            assert wire.ask("GET", "/a").json == {"name": str(number)}
    for server in servers:
        server.stop()


def test_a_busy_port_is_an_error_at_once() -> None:
    with serve(FakeRelay()) as server, pytest.raises(OSError, match=r"[Aa]ddress already in use"):
        serve(FakeRelay(), port=server.port)


async def test_it_can_be_started_and_stopped_inside_a_running_loop() -> None:
    with serve(FakeRelay()) as server:
        async with aiohttp.ClientSession() as client, client.get(server.url) as answer:
            assert answer.status == 200


def test_one_server_outlives_many_loops_of_its_clients() -> None:
    async def ask(url: str) -> int:
        async with aiohttp.ClientSession() as client, client.get(url) as answer:
            return answer.status

    with serve(FakeRelay()) as server:
        assert [asyncio.run(ask(server.url)) for _ in range(2)] == [200, 200]


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 on this machine")
def test_an_ipv6_address_gives_a_url_that_works() -> None:
    try:
        server = serve(FakeRelay(), "::1")
    except OSError:
        pytest.skip("no IPv6 loopback on this machine")
    with server, connected(server.url) as wire:
        assert server.url == f"http://[::1]:{server.port}"
        assert wire.ask("GET", "/a").status == 200


def test_many_clients_at_once_each_get_their_answer() -> None:
    statuses: list[int] = []

    def client(url: str) -> None:
        with connected(url) as wire:
            statuses.extend(wire.ask("GET", "/a").status for _ in range(50))

    with serve(FakeRelay()) as server, ThreadPoolExecutor(16) as pool:
        list(pool.map(client, [server.url] * 16))
    assert statuses == [200] * 800
