"""What a start takes: of a server up to its first answer, of the help, and of a pytest run that has the plugin."""

from __future__ import annotations

import os
import socket
import subprocess
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.benchmarks.effort import Effort
from tests.benchmarks.measured import Figures, Measured, compiled_kept, cpu_s, python, ratio
from tests.benchmarks.servers import ended, started
from tests.support.processes import ROOT

SERVERS = {
    "bare": (("-m", "tests.benchmarks.bare", "400"), "/"),
    "serve": (("-m", "mockrelay", "serve", "-p", "0"), "/__mockrelay/health"),
}
COMMANDS = {"pass": ("-c", "pass"), "help": ("-c", "from mockrelay.cli import main; main()", "--help")}
OTHERS = (
    "cacheprovider",
    "anyio",
    "aiohttp",
    "asyncio",
    "hypothesispytest",
    "pytest_httpserver",
    "schemathesis",
    "xdist",
)
INI = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"


class _Took(NamedTuple):
    wall_s: float
    cpu_s: float | None


def servers(effort: Effort) -> Figures:
    """From nothing to the first answer, the product and the bare server in turn."""
    took: dict[str, list[_Took]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        # One more, which compiles what is not compiled yet.
        for _ in range(effort.starts + 1):
            for name, (command, target) in SERVERS.items():
                took[name].append(_to_first_answer(folder, command, target))
    return {"serve-start": _compared(took["serve"], took["bare"])}


def commands(effort: Effort) -> Figures:
    """The help text, and Python that does nothing, in turn."""
    took: dict[str, list[_Took]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(effort.starts + 1):
            for name, command in COMMANDS.items():
                took[name].append(_to_its_end(folder, python(*command)))
    return {"help": _compared(took["help"], took["pass"])}


def plugin(effort: Effort) -> Figures:
    """What a run without relayers pays for having the plugin installed, in CPU: the least of many runs each.

    Without the other plugins, of which some take thirty times as long: so much is lost in how long they take.
    """
    took: dict[str, list[float]] = defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pytest.ini").write_text("[pytest]\n")
        Path(folder, "test_it.py").write_text("def test_it(): pass\n")
        for _ in range(effort.starts + 1):
            for name, off in {"with": OTHERS, "without": (*OTHERS, "mockrelay")}.items():
                options = [word for plugin in off for word in ("-p", f"no:{plugin}")]
                run = _to_its_end(folder, python("-m", "pytest", "-q", *options), folder)
                assert run.cpu_s is not None
                took[name].append(run.cpu_s * 1e3)
    with_it, without = (min(took[name][1:]) for name in ("with", "without"))
    return {"plugin-unused": Measured(with_it - without, None, f"{with_it:.0f} and {without:.0f} ms of CPU")}


def pytest_run(*options: str) -> list[str]:
    """A run of pytest without plugins that take long to import and are not asked about."""
    quiet = ("-q", "-s", "-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:xdist")
    return python("-m", "pytest", *quiet, *options)


def _to_first_answer(folder: str, command: tuple[str, ...], target: str) -> _Took:
    began = time.perf_counter()
    process = started(folder, *command)
    with ended(process):
        assert process.stdout is not None
        port = int(process.stdout.readline().split()[-1].rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port), timeout=30) as client:
            client.sendall(f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            answer = client.recv(1 << 16)
        took = _Took(time.perf_counter() - began, cpu_s(process.pid))
        assert answer.startswith(b"HTTP/1.1 200"), answer
    return took


def _to_its_end(folder: str, command: list[str], cwd: str | Path = ROOT) -> _Took:
    began = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, cwd=cwd, env=compiled_kept(folder))
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return _Took(time.perf_counter() - began, usage.ru_utime + usage.ru_stime)


def _compared(ours: list[_Took], theirs: list[_Took]) -> Measured:
    ours, theirs = ours[1:], theirs[1:]
    wall = [[one.wall_s * 1e3 for one in took] for took in (ours, theirs)]
    cpu = [[one.cpu_s * 1e3 for one in took if one.cpu_s is not None] for took in (ours, theirs)]
    by_cpu = ratio(*cpu) if cpu[0] and len(cpu[0]) == len(cpu[1]) else None
    return Measured(ratio(*wall), by_cpu, f"{median(wall[0]):.0f} and {median(wall[1]):.0f} ms")
