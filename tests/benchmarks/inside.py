"""Without a socket: what a call, an order, a snapshot and a scenario cost in themselves."""

from __future__ import annotations

import gc
import json
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import process_time

import yaml

from mockrelay.control import handle_control
from mockrelay.relay import Relay
from mockrelay.scenario import load_text
from mockrelay.wire.http import Response
from tests.benchmarks.calls import LRC_WEI, ORDER_PATH, Orders, on_the_wire, raw, scenario_text
from tests.benchmarks.effort import Effort
from tests.benchmarks.measured import Figures, Measured, least_ms, ratio
from tests.benchmarks.servers import Bare, ended, load

_KIB = 1024
_REMEMBERED = 2_000
"""Calls after which the journal is full, and all is made that is made once."""


class Book:
    """A relay, and orders for it."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            scenario = Path(folder, "benchmark.yaml")
            scenario.write_text(scenario_text())
            self.relay = Relay.from_scenario(scenario, clock="frozen")
        self.now_ms = self.relay.now_ms()
        self.orders = Orders(self.relay.accounts(), self.now_ms // 1000)
        self.resting = 0

    def submit(self, body: bytes, key: str) -> Response:
        """Submit an order, which must be taken."""
        return self.relay.handle(raw("POST", ORDER_PATH, key, body=body), self.now_ms)

    def fill(self, size: int) -> None:
        """Let orders rest until there are so many."""
        while self.resting < size:
            accepted(self.submit(*self.orders.resting()))
            self.resting += 1

    def ask(self, target: str) -> Response:
        """A GET as alice."""
        path, _, query = target.partition("?")
        pairs = dict(pair.split("=") for pair in query.split("&"))
        return self.relay.handle(raw("GET", path, self.relay.accounts()[0]["apiKey"], pairs), self.now_ms)


def accepted(response: Response) -> str:
    """The order's hash; whatever else was answered ends the run."""
    answer = json.loads(response.body)
    assert answer["resultInfo"]["code"] == 0, answer
    order_hash: str = answer["data"]["orderHash"]
    return order_hash


def handle_cpu(effort: Effort) -> Figures:
    """CPU of a call without a socket over that of a bare request, in turn, so that both meet the same machine."""
    book = Book()
    book.fill(effort.small)
    ours_us: list[float] = []
    bare_us: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        bare = Bare(len(book.submit(*book.orders.resting()).body), folder)
        with ended(bare.process):
            for _ in range(effort.rounds):
                bodies = [book.orders.resting() for _ in range(effort.batch)]
                before = bare.cpu_s()
                load(bare.port, [on_the_wire("POST", ORDER_PATH, key, body) for body, key in bodies])
                bare_us.append((bare.cpu_s() - before) / effort.batch * 1e6)
                requests = [raw("POST", ORDER_PATH, key, body=body) for body, key in bodies]
                gc.collect()
                gc.freeze()
                before = process_time()
                for request in requests:
                    book.relay.handle(request, book.now_ms)
                ours_us.append((process_time() - before) / effort.batch * 1e6)
    value = ratio(ours_us, bare_us)
    return {"handle-cpu": Measured(value, value, f"{median(ours_us):.0f} and {median(bare_us):.0f} us")}


def memory(effort: Effort) -> Figures:
    """What an order that rests costs, everything included that is kept for it."""
    size = effort.batch * 4
    book = Book()
    tracemalloc.start()
    # All is traced that fills what is bounded, so that what takes its place later does not count as more.
    book.fill(_REMEMBERED)
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    book.fill(_REMEMBERED + size)
    gc.collect()
    stored = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return {"memory": Measured(stored / size / _KIB, None, f"{stored / size:.0f} bytes")}


def snapshot(effort: Effort) -> Figures:
    """A snapshot taken and gone back to, by the verbs of the control API."""
    relay = Relay.from_scenario("default", clock="frozen")

    def there_and_back() -> None:
        assert handle_control(relay, "POST", "snapshots", (), b'{"name": "start"}').status == 200
        assert handle_control(relay, "POST", "snapshots/start/restore", (), b"").status == 200

    return {"snapshot": Measured(least_ms(there_and_back, 100, effort.rounds))}


def scenarios(effort: Effort) -> Figures:
    """A scenario read, checked and with its lines known, over the same YAML read by the plain C loader."""
    small = effort.rows_of_large // 100
    return {
        "scenario-small": _scenario(small, effort.rounds),
        "scenario-large": _scenario(effort.rows_of_large, max(effort.rounds // 3, 1)),
    }


def _scenario(orders: int, rounds: int) -> Measured:
    rows = [
        f'  - {{account: alice, market: LRC-ETH, side: SELL, size: "{LRC_WEI}", volume: "{10**16 + number}", '
        f"clientOrderId: a{number}}}\n"
        for number in range(orders)
    ]
    text = scenario_text() + "orders:\n" + "".join(rows)
    plain_s: list[float] = []
    checked_s: list[float] = []
    for _ in range(rounds):
        plain_s.append(_cpu_s(lambda: yaml.load(text, yaml.CSafeLoader)))
        checked_s.append(_cpu_s(lambda: load_text(text)))
    value = ratio(checked_s, plain_s)
    return Measured(value, value, f"{median(checked_s) * 1e3:.0f} and {median(plain_s) * 1e3:.0f} ms")


def _cpu_s(work: Callable[[], object]) -> float:
    gc.collect()
    started = process_time()
    work()
    return process_time() - started
