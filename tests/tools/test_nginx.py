"""The configuration of nginx in the guide, before two servers: each world stays in one of them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from socket import create_server
from time import monotonic
from typing import Any, NamedTuple

import pytest

from tests.support.connection import connected
from tests.support.processes import PATIENCE_S, ROOT, Server, environment, run, serving
from tests.tools.conftest import run_tool

pytestmark = pytest.mark.tools
CONFIG = ROOT / "tests" / "examples" / "ci" / "nginx.conf"
WORLDS = [f"job-{number}" for number in range(30)]
BROKER = "api/v3/getAvailableBroker"


class Proxied(NamedTuple):
    """Two servers, and the proxy before them."""

    url: str
    servers: tuple[Server, Server]


def free_ports(count: int) -> list[int]:
    with ExitStack() as stack:
        return [stack.enter_context(create_server(("127.0.0.1", 0))).getsockname()[1] for _ in range(count)]


@pytest.fixture(scope="module")
def nginx() -> str:
    # Debian has it where the path of users does not lead.
    found = shutil.which("nginx", path=f"{os.environ['PATH']}{os.pathsep}/usr/sbin")
    if found is None or run_tool([found, "-v"]).returncode:
        pytest.skip("this machine has no nginx that runs")
    return found


@pytest.fixture
def proxied(nginx: str, tmp_path: Path) -> Iterator[Proxied]:
    """The configuration as it stands in the guide, but for the ports and for folders that anybody may write."""
    first, second, own = free_ports(3)
    folders = "".join(
        f"{kind}_temp_path {tmp_path / kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    text = CONFIG.read_text(encoding="utf-8").replace("http {", f"http {{\naccess_log off;\n{folders}", 1)
    for old, new in ((4701, first), (4702, second), (4627, own)):
        text = text.replace(f"127.0.0.1:{old}", f"127.0.0.1:{new}")
    config = tmp_path / "nginx.conf"
    config.write_text(f"pid {tmp_path / 'nginx.pid'};\nerror_log stderr;\ndaemon off;\n{text}", encoding="utf-8")
    assert run_tool([nginx, "-t", "-e", "stderr", "-c", str(config)]).returncode == 0
    with serving("-p", str(first), "--trust-proxy") as one, serving("-p", str(second), "--trust-proxy") as other:
        process = subprocess.Popen(
            [nginx, "-e", "stderr", "-c", str(config)], env=environment(), stderr=subprocess.PIPE
        )
        try:
            assert all(server.url for server in (one, other))
            wait_for(own)
            yield Proxied(f"http://127.0.0.1:{own}", (one, other))
        finally:
            process.send_signal(signal.SIGTERM)
            process.communicate(timeout=PATIENCE_S)


def wait_for(port: int) -> None:
    until_s = monotonic() + PATIENCE_S
    while True:
        try:
            with connected(f"http://127.0.0.1:{port}"):
                return
        except ConnectionRefusedError:
            assert monotonic() < until_s


def status(url: str, path: str, method: str = "GET") -> int:
    with connected(url) as wire:
        return wire.ask(method, f"/{path}", host=url.removeprefix("http://")).status


def worlds_of(url: str) -> dict[str, int]:
    """The number of requests by world."""
    with connected(url) as wire:
        listed: Any = wire.ask("GET", "/__mockrelay/worlds", host=url.removeprefix("http://")).json
    return {world["name"]: world["requests"] for world in listed}


def test_each_world_stays_in_one_process_however_its_path_is_spelt(proxied: Proxied) -> None:
    for name in WORLDS:
        for path in (f"w/{name}/{BROKER}", f"%77/{name}/{BROKER}", f"w/{name.replace('j', '%6A')}/{BROKER}"):
            assert status(proxied.url, path) == 200
    one, other = (worlds_of(server.url) for server in proxied.servers)
    assert one.keys().isdisjoint(other)
    assert one | other == dict.fromkeys(WORLDS, 3)
    assert min(len(one), len(other)) >= len(WORLDS) // 10


def test_a_world_is_made_and_removed_where_it_is(proxied: Proxied) -> None:
    for name in WORLDS:
        assert status(proxied.url, f"__mockrelay/worlds/{name}", "POST") == 200
        assert status(proxied.url, f"w/{name}/{BROKER}") == 200
    one, other = (worlds_of(server.url) for server in proxied.servers)
    assert one | other == dict.fromkeys(WORLDS, 1)
    assert len(one) + len(other) == len(WORLDS)
    assert {status(proxied.url, f"__mockrelay/worlds/{name}", "DELETE") for name in WORLDS} == {200}
    assert [worlds_of(server.url) for server in proxied.servers] == [{}, {}]


def test_a_process_that_is_killed_takes_only_its_own_worlds_with_it(proxied: Proxied) -> None:
    for name in WORLDS:
        assert status(proxied.url, f"w/{name}/{BROKER}") == 200
    killed, other = proxied.servers
    lost, kept = set(worlds_of(killed.url)), set(worlds_of(other.url))
    killed.end(signal.SIGKILL)
    for name in WORLDS:
        assert status(proxied.url, f"w/{name}/{BROKER}") == (502 if name in lost else 200)
    assert worlds_of(other.url) == dict.fromkeys(kept, 2)
    with serving("-p", killed.url.rpartition(":")[2], "--trust-proxy") as again:
        assert again.url == killed.url
        assert {status(proxied.url, f"w/{name}/{BROKER}") for name in WORLDS} == {200}
        assert worlds_of(again.url) == dict.fromkeys(lost, 1)


def test_a_report_of_all_processes_is_one_of_their_addresses(proxied: Proxied) -> None:
    for name in WORLDS:
        assert status(proxied.url, f"w/{name}/api/nowhere") == 404
    ended = run("findings", *(server.url for server in proxied.servers), "--format", "json", "--fail-on", "problem")
    assert ended.returncode == 1
    found = json.loads(ended.stdout)
    assert (found["total"], found["problemCounts"]) == (len(WORLDS), {"unknown_path": len(WORLDS)})
    assert {each["world"] for each in found["findings"]} == set(WORLDS)


def test_events_and_the_address_that_was_called_come_through(proxied: Proxied) -> None:
    host = proxied.url.removeprefix("http://")
    with connected(proxied.url) as wire:
        wire.send(f"GET /w/a/__mockrelay/events HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        assert wire.read(body_follows=False).headers["content-type"].startswith("text/event-stream")
    with connected(proxied.url) as wire:
        foreign = wire.ask("GET", "/w/a/__mockrelay/state", host="evil.test")
        assert (foreign.status, re.search("evil.test", foreign.json["error"]) is not None) == (403, True)
