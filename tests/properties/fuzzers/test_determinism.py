"""The same scenario and the same calls give the same bytes: in any process, and again after a reset."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.properties.fuzzers.random_calls import Day, made, written
from tests.support.client import digest, done
from tests.support.processes import PATIENCE_S, ROOT, environment

CALLS = 200
SEEDS = (1, 2, 3)


@pytest.mark.parametrize("seed", SEEDS)
def test_processes_with_different_hash_seeds_answer_the_same_bytes(seed: int) -> None:
    here = b"\n".join(written(Day(made(), seed).play(CALLS)))
    for hash_seed in ("0", "4242"):
        finished = subprocess.run(
            [sys.executable, "-m", "tests.properties.fuzzers.random_calls", str(seed), str(CALLS)],
            cwd=ROOT,
            env=environment({"PYTHONHASHSEED": hash_seed}),
            capture_output=True,
            timeout=PATIENCE_S,
            check=True,
        )
        assert finished.stdout == here


@pytest.mark.parametrize("seed", SEEDS)
def test_a_day_after_a_reset_is_the_same_day(seed: int) -> None:
    relay = made()
    start = digest(relay)
    days = []
    for _ in range(3):
        days.append(written(Day(relay, seed).play(CALLS), request_ids=False))
        assert digest(relay) != start
        done(relay, "POST", "reset", {})
        assert digest(relay) == start
    assert days[0] == days[1] == days[2]


def test_the_script_meets_the_exchange_from_all_sides() -> None:
    """It is no proof of anything unless orders trade, are refused, are held and end in each way."""
    relay = made("off")
    for seed in SEEDS:
        Day(relay, seed).play(CALLS)
    world = done(relay, "GET", "state")
    assert {"processing", "processed", "cancelled", "expired"} <= {order["status"] for order in world["orders"]}
    assert {"SpotTrade", "Deposit"} == {tx["txType"] for tx in world["pending"]}
    assert any(order["held"] or order["failed"] for order in world["orders"])


def test_request_ids_go_on_after_a_reset() -> None:
    """An id names one request for good, so that a late look at the journal finds the right one."""
    relay = made()
    first = Day(relay, 1).play(CALLS)
    done(relay, "POST", "reset", {})
    second = Day(relay, 1).play(CALLS)
    ids = [
        answer.headers["x-mockrelay-request-id"]
        for answer in first + second
        if "x-mockrelay-request-id" in answer.headers
    ]
    assert len(set(ids)) == len(ids)
