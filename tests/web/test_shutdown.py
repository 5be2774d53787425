"""The end of a server comes at once whatever is connected, and the next server has the port at once."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic
from typing import Any

import httpx
import pytest
import requests

from mockrelay.web import Serving, serve
from mockrelay.wire.http import Response
from tests.support.client import account, control, done
from tests.support.connection import Connection, connected
from tests.support.processes import PATIENCE_S, serving
from tests.support.worlds import relay_from
from tests.web.fake import FakeRelay

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")
FIXTURE_S_MAX, PROCESS_S_MAX = 0.5, 2.0
BROKER, GAS, HEALTH = "/api/v3/getAvailableBroker", "/api/v2/recommendedGasPrice", "/__mockrelay/health"
NAMESPACE = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child")


class Load:
    """Five idle connections that were used and stay open, one request that waits for a minute, and one that is half sent."""

    def __init__(self, url: str, key: str, stack: ExitStack) -> None:
        self.idle = [stack.enter_context(connected(url)) for _ in range(5)]
        for wire in self.idle:
            assert wire.ask("GET", BROKER).status == 200
        self.half = stack.enter_context(connected(url))
        self.half.send(b"POST /api/v3/order HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n{")
        assert self.half.read(body_follows=False).status == 100  # so it is being read
        self.late = stack.enter_context(connected(url))
        done(self.idle[0], "POST", "faults", {"on": "get_gas_price", "delay": "60s"})
        self.late.send(f"GET {GAS} HTTP/1.1\r\nHost: a\r\nX-API-KEY: {key}\r\n\r\n".encode())
        while control(self.idle[0], "GET", "requests", endpoint="get_gas_price").json["total"] < 6:
            pass  # until it has come in, where it waits for the clock

    def ended_cleanly(self) -> None:
        """No connection was reset; the one whose answer was delayed has got it."""
        assert self.late.read().status == 200
        for wire in (*self.idle, self.late):
            assert wire.at_end()


@contextmanager
def loaded(url: str) -> Iterator[Load]:
    with ExitStack() as stack:
        yield Load(url, str(account(stack.enter_context(connected(url)), "alice")["apiKey"]), stack)


# ---- In the process of the tests.


@pytest.mark.slow
def test_a_server_beside_the_tests_stops_in_half_a_second() -> None:
    server = serve(relay_from())
    with loaded(server.url) as load:
        began = monotonic()
        server.stop()
        assert monotonic() - began < FIXTURE_S_MAX
        load.ended_cleanly()
        server.stop()
        with serve(relay_from(), port=server.port) as second, connected(second.url) as wire:
            assert wire.ask("GET", HEALTH).status == 200


def test_many_that_stop_it_at_once_all_come_back() -> None:
    server = serve(relay_from())
    with loaded(server.url) as load:
        threads = [threading.Thread(target=server.stop) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
            assert not thread.is_alive()
        load.ended_cleanly()


def test_what_waited_was_done_once_and_is_not_done_again() -> None:
    """The stop sends the answer early; the world is as if it had come in time."""
    relay = relay_from()
    server = serve(relay)
    with loaded(server.url):
        before = done(relay, "GET", "requests")["total"]
        server.stop()
    assert done(relay, "GET", "requests")["total"] == before
    assert done(relay, "GET", "problems") == []


class TestPools:
    """A pool of idle connections sees a clean close, so its next call opens a new one, on the same port."""

    def servers(self) -> Iterator[Serving]:
        server = serve(relay_from())
        yield server
        for _ in range(3):
            server.stop()
            server = serve(relay_from(), port=server.port)
            yield server
        server.stop()

    def test_requests(self) -> None:
        with requests.Session() as pool:
            for server in self.servers():
                for _ in range(3):
                    assert pool.get(server.url + BROKER, timeout=PATIENCE_S).status_code == 200

    def test_httpx(self) -> None:
        with httpx.Client(timeout=PATIENCE_S) as pool:
            for server in self.servers():
                for _ in range(3):
                    assert pool.get(server.url + BROKER).status_code == 200


# ---- As a process.


@pytest.mark.slow
@posix_only
@pytest.mark.parametrize(("number", "clock"), [(signal.SIGTERM, "frozen"), (signal.SIGINT, "real")])
def test_a_signal_ends_the_process_and_the_next_one_has_its_port(number: int, clock: str) -> None:
    """With a pool that lives through it, and where the clock stands still, so that a delay of a minute would never be over."""
    with requests.Session() as pool:
        with serving("-p", "0", "--clock", clock) as first, loaded(first.url) as load:
            url = first.url
            assert pool.get(url + BROKER, timeout=PATIENCE_S).status_code == 200
            began = monotonic()
            assert first.end(number) == 0
            assert monotonic() - began < PROCESS_S_MAX
            load.ended_cleanly()
            assert first.errors() == ""
        with serve(relay_from(), port=int(url.rpartition(":")[2])) as second:
            assert second.url == url
            assert pool.get(url + BROKER, timeout=PATIENCE_S).status_code == 200


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare to make a process 1")
@pytest.mark.slow
@pytest.mark.parametrize("name", ["TERM", "INT"])
def test_as_process_1_it_ends_as_quickly(name: str) -> None:
    """Where a signal without a handler is ignored."""
    if subprocess.run([*NAMESPACE, "true"], capture_output=True, timeout=PATIENCE_S, check=False).returncode != 0:
        pytest.skip("this machine does not allow a process 1")
    with (
        serving("-p", "0", command=(*NAMESPACE, sys.executable, "-m", "mockrelay")) as server,
        loaded(server.url) as load,
    ):
        children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
        inner = children.read_text().split()[0]
        began = monotonic()
        subprocess.run(["kill", f"-{name}", inner], timeout=PATIENCE_S, check=True)
        assert server.process.wait(PATIENCE_S) == 0
        assert monotonic() - began < PROCESS_S_MAX
        load.ended_cleanly()
        assert server.errors() == ""


POORER = """
import asyncio, os, signal, socket, sys

def refuse(*_):
    raise NotImplementedError

asyncio.AbstractEventLoop.add_signal_handler = refuse
asyncio.SelectorEventLoop.add_signal_handler = refuse
for name in ("SIGHUP", "SIGUSR1", "SIGUSR2", "SIGKILL", "SIGALRM", "SIGCHLD", "SIGQUIT", "SIGPIPE"):
    delattr(signal, name)
for name in ("fork", "getuid", "geteuid", "uname", "sched_getaffinity", "register_at_fork", "set_blocking"):
    if hasattr(os, name):
        delattr(os, name)
if hasattr(socket, "SO_REUSEPORT"):
    del socket.SO_REUSEPORT
from mockrelay.cli import main
sys.exit(main(prog_name="mockrelay"))
"""


@posix_only
def test_nothing_is_asked_of_a_platform_that_some_do_not_have() -> None:
    """No signal handler of the event loop, no signal or call that Windows lacks; Ctrl-C still ends it."""
    with serving("-p", "0", command=(sys.executable, "-c", POORER)) as server, loaded(server.url) as load:
        assert server.end(signal.SIGINT) == 0
        load.ended_cleanly()
        assert server.errors() == ""


def test_a_server_of_a_program_is_not_stopped_by_a_call(wire: Connection) -> None:
    refused = wire.ask("POST", "/__mockrelay/shutdown")
    assert (refused.status, refused.json["meant"]) == (409, "a server of `mockrelay serve`")
    assert wire.ask("GET", "/__mockrelay/state").status == 200


def test_a_stop_does_not_wait_for_a_control_call_under_way() -> None:
    begun, goes_on, ended = threading.Event(), threading.Event(), threading.Event()

    class Slow(FakeRelay):
        def control(self, *args: Any, **options: Any) -> Response:
            begun.set()
            goes_on.wait(PATIENCE_S)
            ended.set()
            return super().control(*args, **options)

    with serve(Slow()) as server, connected(server.url) as wire:
        wire.send(b"POST /__mockrelay/load HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx")
        assert begun.wait(PATIENCE_S)
        server.stop()
        assert not ended.is_set()
        goes_on.set()
