"""Figures and how they are come by on a machine that may be busy with other things."""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import process_time
from typing import NamedTuple


class Measured(NamedTuple):
    """A row's figure."""

    value: float
    by_cpu: float | None = None
    """The same from CPU time in place of the clock on the wall, where there is such a figure: others on the machine
    stretch that less.
    """
    detail: str = ""
    """What it was made of."""


Figures = Mapping[str, Measured]
"""By the name of the row."""


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Ours over theirs: the median over the rounds, so that a machine that slows down does so for both."""
    return median(one / other for one, other in zip(ours, theirs, strict=True))


def least_ms(work: Callable[[], object], times: int, rounds: int, before: Callable[[], object] | None = None) -> float:
    """CPU milliseconds of one call: the least of some rounds, since nothing makes it faster than it is."""
    least = float("inf")
    for _ in range(rounds):
        if before is not None:
            before()
        started = process_time()
        for _ in range(times):
            work()
        least = min(least, process_time() - started)
    return least / times * 1e3


def cpu_s(pid: int) -> float | None:
    """CPU seconds that the threads of a process have used so far; None where the system does not say it finely."""
    try:
        threads = list(Path(f"/proc/{pid}/task").iterdir())
        return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9
    except (OSError, IndexError, ValueError):
        return None


def machine() -> str:
    """What the figures were measured on."""
    implementation = f"{platform.python_implementation()} {platform.python_version()}"
    return f"{_processor()}, {os.cpu_count()} processors, {implementation}, {platform.system()}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return " ".join(models[0].split()) if models else platform.processor() or platform.machine()


def compiled_kept(folder: str) -> dict[str, str]:
    """The environment of this process without settings of mockrelay, and where compiled code is kept from run to run:
    as it is wherever something is installed and started twice.
    """
    environment = {
        name: value
        for name, value in os.environ.items()
        if name not in ("PYTHONDONTWRITEBYTECODE", "PYTHONWARNINGS") and not name.startswith("MOCKRELAY_")
    }
    return environment | {"PYTHONPYCACHEPREFIX": str(Path(folder, "compiled"))}


def python(*args: str) -> list[str]:
    """A command of this Python."""
    return [sys.executable, *args]
