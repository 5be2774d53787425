"""`python -m tests.benchmarks.sockets [--seconds N]`: WebSockets under load, and one whose client does not read.

Each session is subscribed to book, trades and ticker of one market. Orders come at a steady rate, every second one is matched;
a lag is the time from the moment that a push tells of to the moment at which its client has it. Server, clients and orders are
processes of their own.
"""

from __future__ import annotations

import argparse
import json
import re
import selectors
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks.calls import ORDER_PATH, Orders, on_the_wire, scenario_text
from tests.benchmarks.measured import cpu_s, machine, python
from tests.benchmarks.servers import ended, started
from tests.support.client import done
from tests.support.connection import Connection, connected
from tests.support.processes import ROOT
from tests.web.frames import Wire

MARKET = "LRC-ETH"
TOPICS: list[dict[str, Any]] = [
    {"topic": "orderbook", "market": MARKET, "level": 0},
    {"topic": "trade", "market": MARKET},
    {"topic": "ticker", "market": MARKET},
]
WIDE = [{"topic": "ticker", "market": MARKET, "pad": f"{n:02}" + "x" * 60_000} for n in range(20)]
"""Topics whose pushes are long, since they repeat the topic."""
PUSHED = re.compile(rb'"ts":(\d+),')
TAIL = 40
"""Bytes that a push may need to be recognised by, which may come in two pieces."""


class Load(NamedTuple):
    sessions: int
    orders_per_second: int


LOADS = (Load(1_000, 5), Load(50, 100))


def main(args: list[str]) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.sockets", description=__doc__)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--read", nargs=2, type=int, help=argparse.SUPPRESS, metavar=("PORT", "SESSIONS"))
    asked = parser.parse_args(args)
    if asked.read:
        _read(*asked.read)
        return
    print(machine())
    for load in LOADS:
        with _served() as ready:
            print(_loaded(ready, load, asked.seconds), flush=True)
    with _served() as ready:
        print(_unread(ready))


@contextmanager
def _served() -> Iterator[dict[str, Any]]:
    with tempfile.TemporaryDirectory() as folder:
        scenario, ready_file = Path(folder, "benchmark.yaml"), Path(folder, "ready.json")
        scenario.write_text(scenario_text())
        options = ("--profile", "live", "--limits", "off", "--set", "signature.scheme=presence")
        files = ("--scenario", str(scenario), "--ready-file", str(ready_file))
        with ended(started(folder, "-m", "mockrelay", "serve", "-p", "0", *options, *files)) as _:
            while not ready_file.exists():
                time.sleep(0.01)
            yield json.loads(ready_file.read_text())


def _loaded(ready: dict[str, Any], load: Load, seconds: int) -> str:
    command = python("-m", "tests.benchmarks.sockets", "--read", str(ready["port"]), str(load.sessions))
    readers = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT)
    assert readers.stdout is not None
    assert readers.stdout.readline() == "ready\n"
    with connected(ready["url"]) as wire:
        before_s, began_s = cpu_s(ready["pid"]), time.perf_counter()
        count = _place(wire, ready, load.orders_per_second, seconds)
        after_s, took_s = cpu_s(ready["pid"]), time.perf_counter() - began_s
        done(wire, "GET", "health")
    found = json.loads(readers.communicate("\n")[0])
    share = "" if before_s is None or after_s is None else f", {(after_s - before_s) / took_s:.0%} of a processor"
    return (
        f"{load.sessions:,} sessions, {count / took_s:.0f} orders a second: {found['pushes'] / took_s:,.0f} pushes a second"
        f"{share}; lag {found['median_ms']:.0f} ms, of one in a hundred {found['p99_ms']:.0f} ms, at most {found['max_ms']:.0f} ms;"
        f" each session had {found['fewest']:,} to {found['most']:,}"
    )


def _place(wire: Connection, ready: dict[str, Any], per_second: int, seconds: int) -> int:
    """Place orders at a steady rate; how many."""
    orders, count = Orders(ready["accounts"], int(time.time())), per_second * seconds
    requests = [on_the_wire("POST", ORDER_PATH, key, body) for _ in range(count // 2) for body, key in orders.pair()]
    began_s = time.perf_counter()
    for number, request in enumerate(requests):
        wait_s = began_s + number / per_second - time.perf_counter()
        if wait_s > 0:
            time.sleep(wait_s)
        wire.send(request)
        answer = wire.read()
        assert answer.status == 200, answer
    return len(requests)


def _unread(ready: dict[str, Any]) -> str:
    orders = Orders(ready["accounts"], int(time.time()))
    with connected(ready["url"]) as wire:
        slow = Wire(ready["url"])
        session = slow.open()
        for topic in WIDE:
            slow.subscribe(topic)
            slow.message()
        before = _memory(ready["pid"])
        count = 0
        while done(wire, "GET", "ws")[-1]["state"] == "open":
            body, key = orders.resting()
            wire.send(on_the_wire("POST", ORDER_PATH, key, body))
            assert wire.read().status == 200
            count += 1
        (finding,) = [each for each in done(wire, "GET", "findings") if each["request"] == session]
        slow.close()
    return (
        f"a client that does not read: cut off after {count} orders, which pushed {count * 1.2:.0f} MB, with "
        f"{finding['rule']}; the server's memory was {before:.0f} MB before and {_memory(ready['pid']):.0f} MB at most"
    )


def _memory(pid: int) -> float:
    """The most memory that a process has had so far, in MB; 0 where the system does not say it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    return int(status.partition("VmHWM:")[2].split()[0]) / 1000


def _read(port: int, count: int) -> None:
    """Be so many clients, until a line comes."""
    wires = [_client(port) for _ in range(count)]
    counts, lags_ms = dict.fromkeys(wires, 0), []
    rests = dict.fromkeys(wires, b"")
    print("ready", flush=True)
    with selectors.DefaultSelector() as selector:
        for wire in wires:
            selector.register(wire, selectors.EVENT_READ, wire)
        selector.register(sys.stdin, selectors.EVENT_READ)
        ends_s = None
        while ends_s is None or time.time() < ends_s:
            for key, _ in selector.select(0.1):
                if key.fileobj is sys.stdin:
                    selector.unregister(sys.stdin)
                    ends_s = time.time() + 2
                    continue
                reader: socket.socket = key.data
                data = rests[reader] + reader.recv(1 << 18)
                now_ms, end = time.time() * 1000, 0
                for found in PUSHED.finditer(data):
                    lags_ms.append(now_ms - int(found[1]))
                    counts[reader] += 1
                    end = found.end()
                rests[reader] = data[end:][-TAIL:]
    print(
        json.dumps(
            {
                "pushes": len(lags_ms),
                "median_ms": statistics.median(lags_ms),
                "p99_ms": statistics.quantiles(lags_ms, n=100)[98],
                "max_ms": max(lags_ms),
                "fewest": min(counts.values()),
                "most": max(counts.values()),
            }
        )
    )


def _client(port: int) -> socket.socket:
    wire = Wire(f"http://127.0.0.1:{port}")
    wire.open()
    wire.subscribe(*TOPICS)
    assert wire.message()["topic"]["topic"] == "ticker"
    wire.sock.setblocking(False)
    return wire.sock


if __name__ == "__main__":
    main(sys.argv[1:])
