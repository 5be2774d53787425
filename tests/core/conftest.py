"""A bench with two accounts that can trade."""

from __future__ import annotations

import pytest

from tests.core.bench import ALICE, BOB, UNIT, Bench


@pytest.fixture
def bench() -> Bench:
    """Alice and bob have 1,000 LRC and 10 ETH each."""
    bench = Bench()
    bench.fund(ALICE, LRC=1000 * UNIT, ETH=10 * UNIT)
    bench.fund(BOB, LRC=1000 * UNIT, ETH=10 * UNIT)
    return bench
