"""Through the socket: the product beside a bare aiohttp handler, round by round in turn."""

from __future__ import annotations

import json
import tempfile
import time
import urllib.request
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from statistics import median
from typing import Any, NamedTuple

from tests.benchmarks.calls import ORDER_PATH, Orders, batches, on_the_wire
from tests.benchmarks.effort import Effort
from tests.benchmarks.measured import Figures, Measured, ratio
from tests.benchmarks.servers import Bare, ended, load, load_and_cpu, served


class _Turn(NamedTuple):
    """What both did in a round: requests a second, and CPU microseconds of one."""

    ours: float
    bare: float
    ours_us: float | None
    bare_us: float | None


def throughput(effort: Effort) -> Figures:
    """Requests a second of the product over those of the bare server, the answers being of the same size."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        ready = stack.enter_context(served(folder))
        orders = Orders(ready["accounts"], int(time.time()))
        resting = batches(orders, effort.batch)
        load(ready["port"], next(resting))  # Enough levels for a full page of depth, and warm.

        alice = ready["accounts"][0]
        targets = _targets(alice)
        sizes = {name: len(_ask(ready["url"] + target, alice["apiKey"])) for name, target in targets.items()}
        post_size = len(_ask(ready["url"] + ORDER_PATH, alice["apiKey"], orders.resting()[0]))
        bares = {size: Bare(size, folder) for size in {*sizes.values(), post_size}}
        for bare in bares.values():
            stack.enter_context(ended(bare.process))

        seen: dict[str, list[_Turn]] = defaultdict(list)

        def turn(name: str, size: int, requests: Sequence[bytes]) -> None:
            bare_rate, bare_us = load_and_cpu(bares[size].port, bares[size].pid, requests)
            our_rate, our_us = load_and_cpu(ready["port"], ready["pid"], requests)
            seen[name].append(_Turn(our_rate, bare_rate, our_us, bare_us))

        for _ in range(effort.rounds):
            turn("post-rests", post_size, next(resting))
            pairs = (pair for _ in range(effort.batch // 2) for pair in orders.pair())
            turn("post-matches", post_size, [on_the_wire("POST", ORDER_PATH, key, body) for body, key in pairs])
            for name, target in targets.items():
                turn(name, sizes[name], [on_the_wire("GET", target, alice["apiKey"])] * effort.batch)
    return {name: _figure(turns) for name, turns in seen.items()}


def _targets(alice: Mapping[str, Any]) -> dict[str, str]:
    return {
        "get-depth": "/api/v2/depth?market=LRC-ETH&level=0&limit=50",
        "get-ticker": "/api/v2/ticker?market=LRC-ETH",
        "get-candlestick": "/api/v2/candlestick?market=LRC-ETH&interval=1min",
        "get-account": f"/api/v2/account?owner={alice['owner']}",
        "get-order-id": f"/api/v2/orderId?accountId={alice['accountId']}&tokenSId=1",
        "get-orders": f"/api/v2/orders?accountId={alice['accountId']}&limit=50",
        "get-tokens": "/api/v2/exchange/tokens",
    }


def _figure(turns: Sequence[_Turn]) -> Measured:
    rates = ratio([turn.ours for turn in turns], [turn.bare for turn in turns])
    cpu = [(turn.bare_us, turn.ours_us) for turn in turns if turn.bare_us is not None and turn.ours_us is not None]
    if not cpu:
        return Measured(rates)
    bare_us, ours_us = zip(*cpu, strict=True)
    return Measured(rates, ratio(bare_us, ours_us), f"CPU {median(ours_us):.0f} and {median(bare_us):.0f} us")


def _ask(url: str, key: str, body: bytes | None = None) -> bytes:
    headers = {"X-API-KEY": key} | ({"Content-Type": "application/json"} if body else {})
    with urllib.request.urlopen(urllib.request.Request(url, body, headers), timeout=30) as answer:
        got: bytes = answer.read()
    # Whether there is a code at all depends on the endpoint.
    assert json.loads(got).get("resultInfo", {"code": 0})["code"] == 0, got
    return got


def latency(effort: Effort) -> Figures:
    """The slowest of a hundred orders at a full book over that at an almost empty one, in turn."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        p99_us: dict[int, list[float]] = {}
        ports = {}
        streams = {}
        for size in (effort.small, effort.crowded):
            ready = stack.enter_context(served(folder))
            ports[size] = ready["port"]
            orders = Orders(ready["accounts"], int(time.time()))
            for filling in _pieces(size, effort.batch):
                load(ready["port"], next(batches(orders, filling)))
            streams[size] = batches(orders, effort.batch // 4)
            p99_us[size] = []
        for _ in range(effort.rounds):
            for size, port in ports.items():
                p99_us[size].append(load(port, next(streams[size]))["p99_us"])
    # Against the median of the small book: a single p99 is a matter of luck.
    small, crowded = (median(p99_us[size]) for size in (effort.small, effort.crowded))
    return {"p99": Measured(crowded / small, None, f"{crowded:.0f} and {small:.0f} us")}


def _pieces(whole: int, piece: int) -> list[int]:
    return [*([piece] * (whole // piece)), *([whole % piece] if whole % piece else [])]
