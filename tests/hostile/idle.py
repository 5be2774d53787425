"""Connections that stay open and ask for nothing: as many as a server may have, and it answers as before."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator

from tests.benchmarks.measured import cpu_s
from tests.support.connection import connected, many
from tests.support.processes import serving

GET = "/api/v2/exchange/tokens"
CALLS = 200
STOP_S_MAX = 2.0


def run(size: int, _seed: int) -> str:
    """So many connections, the one that asks among them."""
    with _files(2 * size), serving("-p", "0", "--limits", "off") as server:
        pid = server.process.pid
        with many(server.url, size - 1) as wires:
            for wire in wires:
                assert wire.ask("GET", GET).status == 200
            with connected(server.url) as another:
                before_s = cpu_s(pid) or 0.0
                for _ in range(CALLS):
                    assert another.ask("GET", GET).status == 200
                call_us = ((cpu_s(pid) or 0.0) - before_s) / CALLS * 1e6
            for wire in wires:
                assert wire.ask("GET", GET).status == 200
            before_s = (cpu_s(pid) or 0.0) + _ended_s()
            assert server.end(signal.SIGTERM) == 0
            stop_s = _ended_s() - before_s
            for wire in wires:
                assert wire.at_end()
    assert stop_s < STOP_S_MAX, stop_s
    return f"{size:,} connections stay open; a call costs {call_us:.0f} us of CPU meanwhile, the stop {stop_s:.2f} s"


def _ended_s() -> float:
    """CPU seconds of all processes that this one has started and that have ended: a busy machine stretches them little."""
    times = os.times()
    return times.children_user + times.children_system


@contextlib.contextmanager
def _files(count: int) -> Iterator[None]:
    """So many files that this process, and what it starts, may have open: a server fills half of them with connections."""
    import resource  # noqa: PLC0415 - Windows has none

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = max(soft, count)
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
