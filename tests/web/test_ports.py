"""Ports of servers: no port is looked for by one socket and used by another.

`-p 0` and a port in use: tests/cli. Two hundred tests in eight workers, and fifty servers in one process:
tests/plugin/test_xdist.py and test_loops.py.
"""

from __future__ import annotations

import ast
import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import mockrelay
from mockrelay.web import serve
from tests.support.client import ask, done
from tests.support.processes import PATIENCE_S
from tests.support.worlds import relay_from


def test_servers_that_are_opened_at_the_same_moment_have_ports_and_worlds_of_their_own() -> None:
    """Eight threads, ten servers each, all open together; each world knows its own id."""
    found: list[tuple[int, str, str]] = []
    together = threading.Barrier(8)

    def work(number: int) -> None:
        with contextlib.ExitStack() as stack:
            relays = [relay_from() for _ in range(10)]
            together.wait(PATIENCE_S)
            servers = [stack.enter_context(serve(relay)) for relay in relays]
            for index, relay in enumerate(relays):
                done(relay, "POST", "snapshots", {"name": f"{number}-{index}"})
            together.wait(PATIENCE_S)
            for index, server in enumerate(servers):
                (own,) = ask(f"{server.url}/__mockrelay/snapshots").json
                found.append((server.port, own["name"], f"{number}-{index}"))
            together.wait(PATIENCE_S)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    assert len({port for port, _, _ in found}) == 80
    assert all(name == own_name for _, name, own_name in found)


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
