"""Ports of servers: a free one with `-p 0`, an error where one is in use, and no port looked for by one socket and used by another.

Two hundred tests in eight workers, and fifty servers in one process: `tests/plugin/test_xdist.py` and `test_loops.py`.
"""

from __future__ import annotations

import ast
import contextlib
import json
import socket
import threading
from pathlib import Path
from time import monotonic

import pytest
from click.testing import CliRunner

import mockrelay
from mockrelay.cli import main
from mockrelay.web import serve
from tests.support.client import done
from tests.support.connection import connected
from tests.support.processes import PATIENCE_S, run, serving
from tests.support.worlds import relay_from


def test_the_port_of_serve_is_4627_unless_another_is_given() -> None:
    assert "default: 4627" in CliRunner().invoke(main, ["serve", "--help"]).output


@pytest.mark.slow
def test_a_port_in_use_is_exit_code_3_and_no_ready_file(tmp_path: Path) -> None:
    """It is not tried again. Nothing on standard output could be taken for an address."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ended = run("serve", "-p", port, "--clock", "frozen", "--worlds", "3", "--ready-file", str(tmp_path / "ready"))
    assert (ended.returncode, ended.stdout) == (3, "")
    (line,) = ended.stderr.splitlines()
    assert line.startswith(f"mockrelay: cannot listen on 127.0.0.1:{port}")
    assert list(tmp_path.iterdir()) == []


def test_port_0_is_printed_and_written_to_the_ready_file(tmp_path: Path) -> None:
    ready_file = tmp_path / "ready.json"
    with serving("-p", "0", "--ready-file", str(ready_file)) as server, connected(server.url) as wire:
        assert wire.ask("GET", "/__mockrelay/health").status == 200
        assert int(server.url.rpartition(":")[2]) > 0
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
