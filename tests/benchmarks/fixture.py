"""What the pytest plugin costs a test, over a fixture that does nothing and against another server for tests.

Each figure comes from pytest itself in a process of its own, the runs taking turns.
"""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.benchmarks.effort import Effort
from tests.benchmarks.measured import Figures, Measured, compiled_kept
from tests.benchmarks.start import INI, pytest_run


class _Cost(NamedTuple):
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

"""

BODIES = {
    "nothing": "def test_it(nothing, number): pass",
    "relayer": "def test_it(relayer, number): pass",
    "relayer and a call": "def test_it(relayer_get, number): relayer_get()",
    "pytest-httpserver and a call": "def test_it(httpserver_get, number): httpserver_get()",
}


def fixtures(effort: Effort) -> Figures:
    """The cost of a test by the wall and, since a busy machine stretches that, in CPU, each within its round."""
    took: dict[str, list[_Cost]] = {name: [] for name in BODIES}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "pytest.ini").write_text(INI)
        Path(folder, "conftest.py").write_text(CONFTEST)
        for _ in range(effort.rounds):
            for name, body in BODIES.items():
                took[name].append(_a_test(folder, body, effort.tests))
    wall, cpu = ({name: [cost[kind] for cost in costs] for name, costs in took.items()} for kind in (0, 1))
    return {
        "fixture-reset": Measured(_reset(wall), _reset(cpu), f"{median(wall['nothing']):.2f} ms without"),
        "fixture-call": Measured(_against(wall), _against(cpu)),
    }


def _over(took: dict[str, list[float]], name: str) -> list[float]:
    return [cost - base for cost, base in zip(took[name], took["nothing"], strict=True)]


def _reset(took: dict[str, list[float]]) -> float:
    return median(_over(took, "relayer"))


def _against(took: dict[str, list[float]]) -> float:
    pairs = zip(_over(took, "relayer and a call"), _over(took, "pytest-httpserver and a call"), strict=True)
    return median(ours / theirs for ours, theirs in pairs)


def _a_test(folder: str, body: str, tests: int) -> _Cost:
    source = f"import pytest\n\n@pytest.mark.parametrize('number', range({tests}))\n{body}\n"
    Path(folder, "test_it.py").write_text(source)
    done = subprocess.run(
        pytest_run(), cwd=folder, env=compiled_kept(folder), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    wall_s, cpu_s = done.stdout.partition("took_s ")[2].split()[:2]
    return _Cost(float(wall_s) / (tests - 1) * 1e3, float(cpu_s) / (tests - 1) * 1e3)
