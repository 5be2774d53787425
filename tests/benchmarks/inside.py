"""Without a socket: what a call costs in itself, and what a full book does to it."""

from __future__ import annotations

import gc
import json
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time

import yaml

from mockrelay.relay import Relay
from mockrelay.scenario import load_text
from mockrelay.wire.messages import Response
from tests.benchmarks.calls import LRC_WEI, ORDER_PATH, Orders, raw, scenario_text

BATCH = 400
RUNS = 7

Show = Callable[[str, float, str], None]


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


def memory(show: Show, size: int = 20_000) -> None:
    """What an order that rests costs, everything included that is kept for it."""
    book = Book()
    book.fill(2000)  # past the journal's length and what is made on first use
    bodies = [book.orders.resting() for _ in range(size)]
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for body, key in bodies:
        book.submit(body, key)
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    show("memory a resting order", kept / size, "bytes")


def coarse_depth(show: Show, sizes: tuple[int, ...]) -> None:
    """Ten rows of depth right after a change, where many orders share each row: at a full book over at a small one."""
    took_us: dict[int, float] = {}
    book = Book()
    for size in sizes:
        book.fill(size)
        costs = []
        for _ in range(20):
            accepted(book.submit(*book.orders.resting()))
            started = perf_counter()
            book.ask("/api/v2/depth?market=LRC-ETH&level=2&limit=10")
            costs.append((perf_counter() - started) * 1e6)
        took_us[size] = median(costs)
    first = sizes[0]
    for size in sizes[1:]:
        ratio = took_us[size] / took_us[first]
        show(f"depth of few rows at {size:,} orders / at {first:,}", ratio, "x time")
    for size in sizes:
        show(f"  depth of few rows at {size:,}", took_us[size], "us")


def copies(show: Show) -> None:
    """A copy of the default world and a second one back, as a snapshot and its return take; and a reset."""
    relay = Relay.from_scenario("default", clock="frozen")
    times = 200

    def ms(work: Callable[[], object]) -> float:
        runs = []
        for _ in range(RUNS):
            started = perf_counter()
            for _ in range(times):
                work()
            runs.append((perf_counter() - started) / times * 1e3)
        return median(runs)

    show("copy and copy back, default world", ms(lambda: relay.world.clone().clone()), "ms")
    show("reset, default world", ms(relay.reset), "ms")


def scenarios(show: Show) -> None:
    """A scenario read, checked and with its lines known, over the same YAML read by the plain C loader."""
    for name, orders, runs in (("50 KB", 500, RUNS), ("5 MB", 50_000, 1)):
        rows = [
            f'  - {{account: alice, market: LRC-ETH, side: SELL, size: "{LRC_WEI}", volume: "{10**16 + number}", '
            f"clientOrderId: a{number}}}\n"
            for number in range(orders)
        ]
        text = scenario_text() + "orders:\n" + "".join(rows)
        plain_s = median(_seconds(lambda: yaml.load(text, yaml.CSafeLoader)) for _ in range(runs))  # noqa: B023
        checked_s = median(_seconds(lambda: load_text(text)) for _ in range(runs))  # noqa: B023
        show(f"scenario of {name} / CSafeLoader", checked_s / plain_s, "x time")
        show(f"  scenario of {name}", checked_s * 1e3, "ms")


def _seconds(work: Callable[[], object]) -> float:
    started = process_time()
    work()
    return process_time() - started


def growth(show: Show, sizes: tuple[int, ...]) -> None:
    """What a call costs at a full book over what it costs at a small one."""
    took_us: dict[tuple[str, int], float] = {}
    book = Book()
    for size in sizes:
        book.fill(size)
        gc.collect()
        gc.freeze()
        for name, us in _costs(book).items():
            took_us[name, size] = us
    first = sizes[0]
    for name in dict.fromkeys(name for name, _ in took_us):
        for size in sizes[1:]:
            ratio = took_us[name, size] / took_us[name, first]
            show(f"{name} at {size:,} orders / at {first:,}", ratio, "x time")
        for size in sizes:
            show(f"  {name} at {size:,}", took_us[name, size], "us")


def _costs(book: Book) -> dict[str, float]:
    costs: dict[str, list[float]] = {}

    def timed(name: str, work: Callable[[], object], times: int) -> None:
        started = perf_counter()
        work()
        costs.setdefault(name, []).append((perf_counter() - started) / times * 1e6)

    account_id = book.relay.accounts()[0]["accountId"]
    views = {
        "depth 50": "/api/v2/depth?market=LRC-ETH&level=0&limit=50",
        "orders page": f"/api/v2/orders?accountId={account_id}&limit=50",
        "ticker": "/api/v2/ticker?market=LRC-ETH",
    }
    for _ in range(RUNS):
        bodies = [book.orders.resting() for _ in range(BATCH)]
        hashes: list[str] = []
        timed("submit", lambda: hashes.extend(accepted(book.submit(*body)) for body in bodies), BATCH)  # noqa: B023
        cancels = [f"orders/{order_hash}/cancel" for order_hash in hashes]
        timed("cancel", lambda: [book.relay.control("POST", path, (), b"{}") for path in cancels], BATCH)  # noqa: B023
        for _ in range(20):
            # Each view is asked for right after a change, so that nothing kept can answer.
            accepted(book.submit(*book.orders.pair()[0]))
            for name, target in views.items():
                timed(name, lambda: book.ask(target), 1)  # noqa: B023
        sweep = [book.orders.pair()[1] for _ in range(20)]
        timed("match", lambda: [accepted(book.submit(*body)) for body in sweep], 20)  # noqa: B023
    return {name: median(values) for name, values in costs.items()}
