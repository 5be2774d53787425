"""Row 18 of the trouble list: nobody looks for a free port and loses it again, whoever else runs.

Two hundred tests in eight workers, and fifty servers in one process: `tests/plugin/test_xdist.py` and `test_loops.py`.
"""

from __future__ import annotations

import ast
import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest

import mockrelay
from mockrelay.web import serve
from tests.support.client import done
from tests.support.connection import connected
from tests.support.processes import PATIENCE_S, run, serving
from tests.support.worlds import relay_from

DEFAULT_PORT = 4627
LATER_S_MAX = 1.0


@pytest.fixture
def default_port_taken() -> Iterator[None]:
    """Something listens on the port of `mockrelay serve`: this test, or whoever has it already."""
    with socket.socket() as taken:
        with contextlib.suppress(OSError):
            taken.bind(("127.0.0.1", DEFAULT_PORT))
            taken.listen()
        yield


@pytest.mark.parametrize("args", [(), ("-p", str(DEFAULT_PORT)), ("--clock", "frozen", "--worlds", "3")], ids=str)
def test_a_port_that_is_taken_is_told_in_one_line(default_port_taken: None, args: tuple[str, ...]) -> None:
    """Exit code 3, and nothing on standard output that a script could take for an address."""
    told = run("serve", *args)
    assert (told.returncode, told.stdout) == (3, "")
    (line,) = told.stderr.splitlines()
    assert line.startswith(f"mockrelay: cannot listen on 127.0.0.1:{DEFAULT_PORT}")


def test_it_is_told_at_once(default_port_taken: None, tmp_path: Path) -> None:
    """Within a second of the time that a start takes: it does not try again. No ready file tells of it.

    A busy machine may spoil one look at the watch, hardly three.
    """
    ready_file = tmp_path / "ready.json"
    began = monotonic()
    with serving("-p", "0") as server:
        assert server.url
        start_s = monotonic() - began

    def takes_no_longer() -> bool:
        began = monotonic()
        assert run("serve", "--ready-file", str(ready_file)).returncode == 3
        return monotonic() - began < start_s + LATER_S_MAX

    assert any(takes_no_longer() for _ in range(3))
    assert list(tmp_path.iterdir()) == []


def test_port_0_is_told_in_two_ways_that_a_program_can_read(default_port_taken: None, tmp_path: Path) -> None:
    """The first line of output, and the ready file; both before anybody could have had another answer there."""
    ready_file = tmp_path / "ready.json"
    with serving("-p", "0", "--ready-file", str(ready_file)) as server, connected(server.url) as wire:
        health = wire.ask("GET", "/__mockrelay/health")
        assert health.status == 200
        assert server.url.rpartition(":")[2] not in ("0", str(DEFAULT_PORT))
        while not server.line().startswith("account 10003"):
            pass
        deadline = monotonic() + PATIENCE_S
        while not ready_file.exists() and monotonic() < deadline:
            pass
        assert json.loads(ready_file.read_text())["url"] == server.url


def test_servers_that_are_opened_at_the_same_moment_have_ports_and_worlds_of_their_own() -> None:
    """Eight threads, ten servers each, all open together; each world knows its own id."""
    found: list[tuple[int, str, str]] = []
    wrong: list[BaseException] = []
    together = threading.Barrier(8)

    def work(number: int) -> None:
        try:
            with contextlib.ExitStack() as stack:
                relays = [relay_from() for _ in range(10)]
                together.wait(PATIENCE_S)
                servers = [stack.enter_context(serve(relay)) for relay in relays]
                for index, relay in enumerate(relays):
                    done(relay, "POST", "snapshots", {"name": f"{number}-{index}"})
                together.wait(PATIENCE_S)
                for index, server in enumerate(servers):
                    with connected(server.url) as wire:
                        (own,) = wire.ask("GET", "/__mockrelay/snapshots").json
                        found.append((server.port, own["name"], f"{number}-{index}"))
                together.wait(PATIENCE_S)
        except BaseException as error:  # noqa: BLE001  # a thread's error is told by the test
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len({port for port, _, _ in found}) == 80
    assert all(told == meant for _, told, meant in found)


def test_a_socket_is_bound_in_one_place_and_listens_there() -> None:
    """The kind of the mistake: a port that is looked for by one socket and used by another."""
    files = {file.name: file.read_text(encoding="utf-8") for file in Path(mockrelay.__file__).parent.rglob("*.py")}
    calls = [
        name
        for name, text in files.items()
        if ".bind(" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "bind"
    ]
    assert calls == ["server.py"]
