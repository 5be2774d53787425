"""What a full book does to a call: its cost there over its cost at a small one, in turn."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable
from statistics import median
from time import process_time

from mockrelay.control import handle_control
from tests.benchmarks.effort import Effort
from tests.benchmarks.inside import Book, accepted
from tests.benchmarks.measured import Figures, Measured, ratio

_VIEWS = 20
"""How often each view is asked for in a round, and how many orders are matched."""

Costs = dict[str, float]
"""CPU microseconds of a call, by name."""


def growth(effort: Effort) -> Figures:
    """Submit, cancel, match, and the views right after a change, so that nothing kept can answer."""
    books = {size: Book() for size in (effort.small, effort.large)}
    for size, book in books.items():
        book.fill(size)
    gc.collect()
    gc.freeze()
    seen: dict[int, dict[str, list[float]]] = {size: defaultdict(list) for size in books}
    for _ in range(effort.rounds):
        for size, book in books.items():
            for name, cost_us in _costs(book, effort.batch // 8).items():
                seen[size][name].append(cost_us)
    small, large = (seen[size] for size in books)
    return {
        f"growth-{name}": Measured(
            value := ratio(large[name], small[name]),
            value,
            f"{median(large[name]):.0f} and {median(small[name]):.0f} us",
        )
        for name in small
    }


def _costs(book: Book, batch: int) -> Costs:
    account_id = book.relay.accounts()[0]["accountId"]
    views = {
        "depth": "/api/v2/depth?market=LRC-ETH&level=0&limit=50",
        "orders": f"/api/v2/orders?accountId={account_id}&limit=50",
        "ticker": "/api/v2/ticker?market=LRC-ETH",
    }
    bodies = [book.orders.resting() for _ in range(batch)]
    hashes: list[str] = []
    costs = {"submit": _us(lambda: hashes.extend(accepted(book.submit(*body)) for body in bodies), batch)}
    cancels = [f"orders/{order_hash}/cancel" for order_hash in hashes]
    costs["cancel"] = _us(lambda: [handle_control(book.relay, "POST", path, (), b"{}") for path in cancels], batch)
    takers = []
    asked: dict[str, list[float]] = defaultdict(list)
    for _ in range(_VIEWS):
        maker, taker = book.orders.pair()
        accepted(book.submit(*maker))
        takers.append(taker)
        for name, target in views.items():
            asked[name].append(_us(lambda: book.ask(target), 1))  # noqa: B023 - called at once
    costs |= {name: median(values) for name, values in asked.items()}
    costs["match"] = _us(lambda: [accepted(book.submit(*taker)) for taker in takers], _VIEWS)
    return costs


def _us(work: Callable[[], object], times: int) -> float:
    started = process_time()
    work()
    return (process_time() - started) / times * 1e6
