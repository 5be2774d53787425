"""The servers that are compared, each in a process of its own, and the load that is put on them."""

from __future__ import annotations

import json
import pickle
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from tests.benchmarks.calls import scenario_text
from tests.benchmarks.measured import compiled_kept, cpu_s, python
from tests.support.processes import ROOT

CONNECTIONS = 16


class Bare:
    """A bare server whose answers are of one size."""

    def __init__(self, size: int, folder: str) -> None:
        self.process = started(folder, "-m", "tests.benchmarks.bare", str(size))
        self.pid = self.process.pid
        self.port = int(self._line())

    def cpu_s(self) -> float:
        """CPU seconds used so far, as it says itself: so on every system."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self._line())

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()


def started(folder: str, *args: str) -> subprocess.Popen[str]:
    """A process of Python, of which compiled code is kept in a folder."""
    return subprocess.Popen(
        python(*args), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=compiled_kept(folder)
    )


@contextmanager
def ended(process: subprocess.Popen[str]) -> Iterator[None]:
    """Have a process end, whatever happens."""
    try:
        yield
    finally:
        process.terminate()
        process.communicate()


@contextmanager
def served(folder: str) -> Iterator[dict[str, Any]]:
    """A server of the benchmark's scenario: what it writes into its ready file."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        scenario, ready_file = place / "benchmark.yaml", place / "ready.json"
        scenario.write_text(scenario_text())
        files = ("--scenario", str(scenario), "--ready-file", str(ready_file))
        product = started(folder, "-m", "mockrelay", "serve", "-p", "0", *files)
        stack.enter_context(ended(product))
        while not ready_file.exists():
            assert product.poll() is None, "the server has ended"
            time.sleep(0.01)
        yield json.loads(ready_file.read_text())


def load(port: int, requests: Sequence[bytes]) -> dict[str, float]:
    """Send requests, some connections at a time: `per_second` and `p99_us`."""
    done = subprocess.run(
        python("-m", "tests.benchmarks.load", str(port), str(CONNECTIONS)),
        input=pickle.dumps(requests),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        check=True,
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def load_and_cpu(port: int, pid: int, requests: Sequence[bytes]) -> tuple[float, float | None]:
    """Requests a second, and CPU microseconds of the server for each."""
    before = cpu_s(pid)
    per_second = load(port, requests)["per_second"]
    after = cpu_s(pid)
    used_us = None if before is None or after is None else (after - before) / len(requests) * 1e6
    return per_second, used_us
