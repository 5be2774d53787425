"""What the pytest plugin costs a test, over a fixture that does nothing and against other fixtures; and what it costs a
run that never uses it.

Each figure comes from pytest itself in a process of its own, the runs taking turns.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import NamedTuple

TESTS = 500
ROUNDS = 7
START_UPS = 15

Show = Callable[[str, float, str], None]

INI = "[pytest]\nasyncio_mode = auto\nasyncio_default_fixture_loop_scope = function\n"


class Cost(NamedTuple):
    """What a test took, in milliseconds."""

    wall: float
    cpu: float


CONFTEST = """
import http.client
import time

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session):
    # From the end of the first test, which pays for what is imported and started once.
    result = yield
    wall_s, cpu_s = session.config.began
    print("\\ntook_s", time.perf_counter() - wall_s, time.process_time() - cpu_s)
    return result


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item):
    if not hasattr(item.config, "began"):
        item.config.began = time.perf_counter(), time.process_time()


@pytest.fixture
def nothing():
    yield


def get(port, path, headers={}):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    assert answer.status == 200 and answer.read()
    connection.close()


@pytest.fixture
def httpserver_get(httpserver):
    httpserver.expect_request("/thing").respond_with_json({"a": 1})
    return lambda: get(httpserver.port, "/thing")


@pytest.fixture
def relayer_get(relayer):
    return lambda: get(int(relayer.url.rpartition(":")[2]), "/api/v3/getAvailableBroker")


@pytest.fixture
async def aiohttp_get(aiohttp_client):
    from aiohttp import web

    async def answer(request):
        return web.json_response({"a": 1})

    app = web.Application()
    app.router.add_get("/thing", answer)
    return await aiohttp_client(app)
"""

BODIES = {
    "nothing": "def test_it(nothing, number): pass",
    "relayer": "def test_it(relayer, number): pass",
    "relayer and its port": "def test_it(relayer, number): relayer.url",
    "relayer and a call": "def test_it(relayer_get, number): relayer_get()",
    "pytest-httpserver and a call": "def test_it(httpserver_get, number): httpserver_get()",
    "aiohttp_client and a call": (
        "async def test_it(aiohttp_get, number):\n    assert await (await aiohttp_get.get('/thing')).text()"
    ),
}


def fixtures(show: Show) -> None:
    """The cost of a test, by fixture: by the wall and, since a busy machine stretches that, in CPU."""
    took_ms: dict[str, list[Cost]] = {name: [] for name in BODIES}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pytest.ini").write_text(INI)
        Path(folder, "conftest.py").write_text(CONFTEST)
        for _ in range(ROUNDS):
            for name, body in BODIES.items():
                took_ms[name].append(_ms_a_test(folder, body))
    for kind in Cost._fields:
        runs = {name: [getattr(cost, kind) for cost in costs] for name, costs in took_ms.items()}
        # Within a round, so that a machine that slows down does so for both.
        over = {name: [run - base for run, base in zip(of, runs["nothing"], strict=True)] for name, of in runs.items()}
        show(f"fixture, {kind}: relayer, over a fixture that does nothing", median(over["relayer"]), "ms")
        show(f"fixture, {kind}: the same, its port opened and closed", median(over["relayer and its port"]), "ms")
        for other in ("pytest-httpserver", "aiohttp_client"):
            pairs = zip(over["relayer and a call"], over[f"{other} and a call"], strict=True)
            ratio = median(ours / theirs for ours, theirs in pairs)
            show(f"fixture, {kind}: relayer and a call / {other} and a call", ratio, "x time")
        for name, of in runs.items():
            show(f"  {kind}: a test with {name}", median(of), "ms")


def start_up(show: Show) -> None:
    """What a run without relayers pays for having the plugin installed, in CPU: the least of many runs each."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "test_it.py").write_text("def test_it(): pass\n")
        runs: dict[tuple[str, ...], list[float]] = {(): [], ("-p", "no:mockrelay"): []}
        for _ in range(START_UPS):
            for options, took in runs.items():
                took.append(_cpu_ms(folder, options))
    with_it, without = (min(took[1:]) for took in runs.values())
    show("plugin: added to a run that never uses it", with_it - without, "ms")


def _environment(folder: str) -> dict[str, str]:
    """Ours, with compiled code kept from run to run, as it is wherever tests are run twice."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return environment | {"PYTHONPYCACHEPREFIX": str(Path(folder, "compiled"))}


def _pytest(*options: str) -> list[str]:
    quiet = ("-q", "-s", "-p", "no:cacheprovider", "-p", "no:schemathesis", "-p", "no:xdist")
    return [sys.executable, "-m", "pytest", *quiet, *options]


def _ms_a_test(folder: str, body: str) -> Cost:
    source = f"import pytest\n\n@pytest.mark.parametrize('number', range({TESTS}))\n{body}\n"
    Path(folder, "test_it.py").write_text(source)
    done = subprocess.run(_pytest(), cwd=folder, env=_environment(folder), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    wall_s, cpu_s = done.stdout.partition("took_s ")[2].split()[:2]
    return Cost(float(wall_s) / (TESTS - 1) * 1e3, float(cpu_s) / (TESTS - 1) * 1e3)


def _cpu_ms(folder: str, options: tuple[str, ...]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(_pytest(*options), cwd=folder, env=_environment(folder), capture_output=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1e3
