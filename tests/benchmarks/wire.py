"""Through the socket: the product beside a bare aiohttp handler, run by run in turn."""

from __future__ import annotations

import gc
import json
import os
import pickle
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from tests.benchmarks.calls import ORDER_PATH, Orders, batches, on_the_wire, raw, scenario_text
from tests.benchmarks.inside import Book, Show
from tests.processes import ROOT, environment

CONNECTIONS = 16
BATCH = 3_200
RUNS = 5


class Bare:
    """A bare server in a process of its own."""

    def __init__(self, size: int) -> None:
        self.process = _python("-m", "tests.benchmarks.bare", str(size))
        self.port = int(self._line())

    def cpu_s(self) -> float:
        """CPU seconds used so far."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self._line())

    def _line(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()


def _python(*args: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment()
    )


@contextmanager
def _ended(process: subprocess.Popen[str]) -> Iterator[None]:
    try:
        yield
    finally:
        process.terminate()
        process.communicate()


def _load(port: int, requests: list[bytes]) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.benchmarks.load", str(port), str(CONNECTIONS)],
        input=pickle.dumps(requests),
        stdout=subprocess.PIPE,
        cwd=ROOT,
        check=True,
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def _get(url: str, key: str = "") -> bytes:
    with urllib.request.urlopen(urllib.request.Request(url, headers={"X-API-KEY": key}), timeout=30) as answer:
        body: bytes = answer.read()
        return body


@contextmanager
def _served() -> Iterator[dict[str, Any]]:
    """A server of the benchmark's scenario: what it writes into its ready file."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        scenario, ready_file = folder / "benchmark.yaml", folder / "ready.json"
        scenario.write_text(scenario_text())
        product = _python(
            "-m", "mockrelay", "serve", "-p", "0", "--scenario", str(scenario), "--ready-file", str(ready_file)
        )
        stack.enter_context(_ended(product))
        while not ready_file.exists():
            assert product.poll() is None, "the server has ended"
            time.sleep(0.01)
        yield json.loads(ready_file.read_text())


def throughput(show: Show) -> None:
    """Requests a second of the product over those of the bare server, the answers being of the same size."""
    with ExitStack() as stack:
        ready = stack.enter_context(_served())
        url = ready["url"]
        orders = Orders(ready["accounts"], int(time.time()))
        alice = ready["accounts"][0]
        key = alice["apiKey"]
        batch = batches(orders, BATCH)
        _load(ready["port"], next(batch))  # Enough levels for a full page of depth, and warm.

        targets = {
            "GET depth, 50 levels": "/api/v2/depth?market=LRC-ETH&level=0&limit=50",
            "GET ticker": "/api/v2/ticker?market=LRC-ETH",
            "GET candlestick": "/api/v2/candlestick?market=LRC-ETH&interval=1min",
            "GET account": f"/api/v2/account?owner={alice['owner']}",
            "GET orderId": f"/api/v2/orderId?accountId={alice['accountId']}&tokenSId=1",
            "GET orders, page of 50": f"/api/v2/orders?accountId={alice['accountId']}&limit=50",
            "GET tokens": "/api/v2/exchange/tokens",
        }
        sizes = {name: len(_get(url + target, key)) for name, target in targets.items()}
        post_body, _ = orders.resting()
        answer = json.loads(_post(url + ORDER_PATH, key, post_body))
        assert answer["resultInfo"]["code"] == 0, answer
        bares = {size: Bare(size) for size in {*sizes.values(), len(json.dumps(answer))}}
        for bare in bares.values():
            stack.enter_context(_ended(bare.process))
        bare_post = bares[len(json.dumps(answer))]

        seen: dict[str, list[float]] = defaultdict(list)
        for _ in range(RUNS):
            requests = next(batch)
            bare_rate = _load(bare_post.port, requests)["per_second"]
            seen["POST order, rests"].append(_load(ready["port"], requests)["per_second"] / bare_rate)
            matching = [
                on_the_wire("POST", ORDER_PATH, whose, body) for _ in range(BATCH // 2) for body, whose in orders.pair()
            ]
            seen["POST order, half of them match"].append(_load(ready["port"], matching)["per_second"] / bare_rate)
            for name, target in targets.items():
                gets = [on_the_wire("GET", target, key)] * BATCH
                bare_rate = _load(bares[sizes[name]].port, gets)["per_second"]
                seen[name].append(_load(ready["port"], gets)["per_second"] / bare_rate)
        for name, ratios in seen.items():
            show(f"{name} / bare", median(ratios), "x rate")


def handle_cpu(show: Show) -> None:
    """CPU of a call without a socket over that of a bare request, in turn, so that both meet the same machine."""
    book = Book()
    book.fill(1000)
    bare = Bare(len(book.submit(*book.orders.resting()).body))
    seen: dict[str, list[float]] = defaultdict(list)
    with _ended(bare.process):
        for _ in range(RUNS):
            bodies = [book.orders.resting() for _ in range(BATCH)]
            started = bare.cpu_s()
            _load(bare.port, [on_the_wire("POST", ORDER_PATH, key, body) for body, key in bodies])
            bare_us = (bare.cpu_s() - started) / BATCH * 1e6
            requests = [raw("POST", ORDER_PATH, key, body=body) for body, key in bodies]
            gc.collect()
            gc.freeze()
            started = time.process_time()
            for request in requests:
                book.relay.handle(request, book.now_ms)
            handle_us = (time.process_time() - started) / BATCH * 1e6
            for name, value in (("ratio", handle_us / bare_us), ("handle", handle_us), ("bare", bare_us)):
                seen[name].append(value)
    show("CPU of Relay.handle, POST order / bare POST", median(seen["ratio"]), "x CPU")
    show("  Relay.handle, POST order", median(seen["handle"]), "us")
    show("  bare POST", median(seen["bare"]), "us")


def _post(url: str, key: str, body: bytes) -> bytes:
    headers = {"X-API-KEY": key, "Content-Type": "application/json"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=30) as answer:
        sent: bytes = answer.read()
        return sent


def start_up(show: Show) -> None:
    """From nothing to the first answer, and the help text, over the same of what they are made of."""
    commands: dict[str, tuple[list[str], str]] = {
        "bare": (["-m", "tests.benchmarks.bare", "400"], "/"),
        "serve": (["-m", "mockrelay", "serve", "-p", "0"], "/__mockrelay/health"),
    }
    took: dict[str, list[float]] = defaultdict(list)
    for _ in range(2 * RUNS):
        for name, (command, target) in commands.items():
            started = time.perf_counter()
            process = _python(*command)
            with _ended(process):
                assert process.stdout is not None
                port = process.stdout.readline().split()[-1].rpartition(":")[2]
                _get(f"http://127.0.0.1:{port}{target}")
                took[name].append(time.perf_counter() - started)
        for name, code in {"pass": "pass", "help": "from mockrelay.cli import main; main()"}.items():
            started = time.perf_counter()
            subprocess.run([sys.executable, "-c", code, "--help"], stdout=subprocess.DEVNULL, cwd=ROOT, check=True)
            took[name].append(time.perf_counter() - started)
    show("serve to first answer / bare aiohttp server", median(took["serve"]) / median(took["bare"]), "x time")
    show("mockrelay --help / python -c pass", median(took["help"]) / median(took["pass"]), "x time")
    for name, times in took.items():
        show(f"  {name}", median(times) * 1000, "ms")


def latency(show: Show, sizes: tuple[int, ...]) -> None:
    """The slowest of a hundred orders at a full book over that at an almost empty one."""
    p99_us: dict[int, float] = {}
    for size in sizes:
        with _served() as ready:
            orders = Orders(ready["accounts"], int(time.time()))
            batch = batches(orders, BATCH)
            for _ in range(max(size // BATCH, 1)):
                _load(ready["port"], next(batch))
            p99_us[size] = median(_load(ready["port"], next(batch))["p99_us"] for _ in range(RUNS))
    first = sizes[0]
    for size in sizes[1:]:
        show(f"POST order p99 at {size:,} orders / at {first:,}", p99_us[size] / p99_us[first], "x time")
    for size in sizes:
        show(f"  POST order p99 at {size:,}", p99_us[size], "us")


def machine() -> str:
    """What the figures were measured on."""
    return f"Python {sys.version.split()[0]}, {os.cpu_count()} processors"
