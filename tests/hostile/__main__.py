"""`python -m tests.hostile [--long] [--seed N] [--python PATH]... [PART ...]`: an attacker's work, at an attacker's sizes.

Each part prints what it did and how long it took; without `--long` the sizes are those of the test suite. The exit code is 1
where a part failed.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from tests.hostile import calls, concurrency, exchange, http_bytes, idle, records, sockets, waits


class Part(NamedTuple):
    """One kind of attack."""

    size: int
    long_size: int
    run: Callable[[int, int], str]
    """From the size and the seed: what was done, in figures. AssertionError where something did not hold."""


PARTS: dict[str, Part] = {
    "calls": Part(100, 190_000, calls.run),
    "bytes": Part(60, 8_300, http_bytes.run),
    "sockets": Part(100, 5_000, sockets.run),
    "exchange": Part(150, 30_000, exchange.run),
    "concurrency": Part(1, 20, concurrency.run),
    "idle": Part(500, 10_000, idle.run),
    "waits": Part(2, 538, waits.run),
    "kills": Part(2, 36, records.kill),
    "disks": Part(4, 400, records.fill_disks),
    "writers": Part(1, 20, records.start_two_writers),
}


def main() -> int:
    """Run the parts that were asked for, or all."""
    parser = argparse.ArgumentParser(prog="python -m tests.hostile", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"any of: {', '.join(PARTS)}, pythons")
    parser.add_argument("--long", action="store_true", help="the sizes of an attacker: about half an hour")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--python", action="append", default=[], help="an interpreter in which mockrelay is installed")
    asked = parser.parse_args()
    work = {name: partial(part.run, part.long_size if asked.long else part.size) for name, part in PARTS.items()}
    work["pythons"] = partial(records.replay_elsewhere, asked.python)
    unknown = [name for name in asked.parts if name not in work]
    if unknown:
        parser.error(f"found the part {unknown[0]!r}; meant one of {', '.join(work)}")
    failed = False
    for name in asked.parts or work:
        start_s = time.monotonic()
        try:
            done = work[name](asked.seed)
        except Exception:  # noqa: BLE001 - every part runs, whatever became of the one before
            failed, done = True, "FAILED\n" + traceback.format_exc()
        print(f"{name:<12} {time.monotonic() - start_s:7.1f} s  {done}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
