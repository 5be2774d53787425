"""A day of trading beside a second exchange, written from the rules alone, that foretells every answer and every balance."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from tests.properties.machines.test_market import MarketMachine
from tests.support.answer import Answer

STEPS = 80
EXAMPLES = 25
"""Days of one seed."""


def run(size: int, first_seed: int) -> str:
    """At least `size` calls by traders and by hand; the calls that only compare are not counted."""
    calls = days = 0

    class Counted(MarketMachine):
        def __init__(self) -> None:
            nonlocal days
            super().__init__()
            days += 1

        def api(self, method: str, path: str, body: Any = None, *, key: str = "alice", **query: Any) -> Answer:
            nonlocal calls
            calls += 1
            return super().api(method, path, body, key=key, **query)

        def control(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Answer:
            nonlocal calls
            calls += 1
            return super().control(method, path, body)

    number = first_seed
    while calls < size:
        run_state_machine_as_test(
            seed(number)(Counted),
            settings=settings(
                max_examples=EXAMPLES if size > EXAMPLES * STEPS else 2,
                stateful_step_count=STEPS,
                deadline=None,
                database=None,
                phases=[Phase.generate],
                suppress_health_check=list(HealthCheck),
            ),
        )
        number += 1
    return f"{calls:,} calls in {days:,} days, all orders, trades, balances, candles and books as foretold"
