"""`python -m tests.soak [--calls N]`: a million calls, and what memory they take while they go on.

Most go to a front and its worlds without a socket, some through one, and in between servers come and go. The curve has the
memory of the process, the objects that the garbage collector knows, and the bytes that hang on the front. It ends with 1
where the process is more than a tenth larger at the end of a part than after its first quarter.
"""

from __future__ import annotations

import argparse
import gc
import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path

from mockrelay.web import serve
from mockrelay.web.dispatch import Dispatcher
from tests.soak.size import bytes_of
from tests.soak.work import direct_calls, open_servers, socket_calls
from tests.support.worlds import world

SAMPLES = 40
WIDTH = 40
GROWTH_MAX = 1.10


def _resident_bytes() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _show(part: str, made: int, front: Dispatcher) -> int:
    gc.collect()
    resident, own = _resident_bytes(), bytes_of(front)
    bar = "#" * round(resident / (256 << 20) * WIDTH)
    numbers = f"{resident / 2**20:8.1f} MiB {own / 2**20:7.1f} MiB {len(gc.get_objects()):9,}"
    print(f"{part:<10}{made:>10,} {numbers} {bar}", flush=True)
    return resident


def _part(name: str, steps: Iterable[int], front: Dispatcher) -> bool:
    """Run a part and show its curve; whether it stays flat after its first quarter."""
    curve = [_show(name, made, front) for made in steps]
    warm = max(curve[: len(curve) // 4 + 1])
    print(f"{name}: {warm / 2**20:.1f} MiB after the first quarter, {curve[-1] / 2**20:.1f} MiB at the end", flush=True)
    return curve[-1] <= warm * GROWTH_MAX


def main() -> int:
    """Run all parts."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak")
    parser.add_argument("--calls", type=int, default=1_000_000)
    calls: int = parser.parse_args().calls
    front = Dispatcher(world())
    print(f"{platform.python_implementation()} {platform.python_version()}, {platform.platform()}")
    print(f"{'part':<10}{'calls':>10} {'process':>12} {'front':>11} {'objects':>9}")
    _show("start", 0, front)
    through = calls // 20
    flat = _part("direct", direct_calls(front, calls - through, max((calls - through) // SAMPLES, 1)), front)
    with serve(dict(front.relays())[""]) as server:
        flat &= _part("socket", socket_calls(through, max(through * 4 // SAMPLES, 1), server), front)
    for _ in range(2):
        open_servers(front, 200)
        _show("servers", 200, front)
    print("flat" if flat else "NOT FLAT")
    return 0 if flat else 1


if __name__ == "__main__":
    sys.exit(main())
