"""`python -m tests.benchmarks [--full]`: ratios of the product over bare aiohttp, measured side by side in one run.

Only the ratios mean anything beyond this machine. `--full` also fills a book with a million orders, which takes minutes.
"""

from __future__ import annotations

import sys

from tests.benchmarks import fixture, inside, wire


def _show(name: str, value: float, unit: str) -> None:
    print(f"{name:<62}{value:>10.2f} {unit}", flush=True)


def _main(*, full: bool) -> None:
    print(wire.machine())
    wire.start_up(_show)
    fixture.start_up(_show)
    fixture.fixtures(_show)
    wire.throughput(_show)
    wire.handle_cpu(_show)
    inside.memory(_show)
    inside.copies(_show)
    inside.scenarios(_show)
    sizes = (1_000, 100_000, 1_000_000) if full else (1_000, 100_000)
    inside.growth(_show, sizes)
    inside.coarse_depth(_show, sizes)
    wire.latency(_show, (1_000, 100_000))


if __name__ == "__main__":
    _main(full="--full" in sys.argv[1:])
