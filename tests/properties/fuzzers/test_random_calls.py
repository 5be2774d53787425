"""The same scenario and the same calls give the same bytes: in any process, after a reset, and in any copy of a world."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import pytest
from sortedcontainers import SortedDict, SortedList

from mockrelay.core.call import Encodable
from mockrelay.core.saving import restore_world, save_world
from mockrelay.core.world import World, digest_all
from mockrelay.relay import Relay
from mockrelay.relay.commands import MoveClock
from tests.properties.fuzzers.random_calls import RandomCalls, lines_of, market_relay
from tests.support.client import digest, done
from tests.support.processes import PATIENCE_S, ROOT, environment

CALLS = 200
SEEDS = (1, 2, 3)
CONTAINERS = (dict, list, set, deque, SortedDict, SortedList)


def through_json(world: World) -> World:
    """A world that is saved and restored."""
    return restore_world(json.loads(json.dumps(save_world(world))), world.config)


COPIES: dict[str, Callable[[World], World]] = {"cloned": World.clone, "saved and restored": through_json}


@cache
def lines_here() -> bytes:
    return b"".join(b"\n".join(lines_of(RandomCalls(market_relay(), seed).play(CALLS))) for seed in SEEDS)


@pytest.mark.parametrize("hash_seed", ["0", "4242"])
def test_a_process_with_another_hash_seed_answers_the_same_bytes(hash_seed: str) -> None:
    finished = subprocess.run(
        [sys.executable, "-m", "tests.properties.fuzzers.random_calls", str(CALLS), *map(str, SEEDS)],
        cwd=ROOT,
        env=environment({"PYTHONHASHSEED": hash_seed}),
        capture_output=True,
        timeout=PATIENCE_S,
        check=True,
    )
    assert finished.stdout == lines_here()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_same_calls_after_a_reset_get_the_same_answers(seed: int) -> None:
    relay = market_relay()
    start = digest(relay)
    rounds = []
    for _ in range(2):
        rounds.append(lines_of(RandomCalls(relay, seed).play(CALLS), request_ids=False))
        assert digest(relay) != start
        done(relay, "POST", "reset", {})
        assert digest(relay) == start
    assert rounds[0] == rounds[1]


def test_the_calls_trade_are_refused_are_held_and_end_in_each_way() -> None:
    """Otherwise they would prove nothing."""
    relay = market_relay("off")
    for seed in SEEDS:
        RandomCalls(relay, seed).play(CALLS)
    world = done(relay, "GET", "state")
    assert {"processing", "processed", "cancelled", "expired"} <= {order["status"] for order in world["orders"]}
    assert {"SpotTrade", "Deposit"} == {tx["txType"] for tx in world["pending"]}
    assert any(order["held"] or order["failed"] for order in world["orders"])


def relay_after_calls(seed: int) -> tuple[Relay, RandomCalls]:
    """A relay with limits, faults, findings and all."""
    relay = market_relay()
    calls = RandomCalls(relay, seed)
    calls.play(CALLS)
    return relay, calls


def twin_of(relay: Relay, calls: RandomCalls, copy: Callable[[World], World]) -> tuple[Relay, RandomCalls]:
    """Another relay with a copy of the world, at the same moment, and the same calls ahead."""
    twin = market_relay()
    twin.execute(MoveClock(set_ms=relay.now_ms()))
    twin.world = copy(relay.world)
    # Its findings name requests by their numbers.
    twin.request_count = relay.request_count
    same_calls = RandomCalls(twin, 0)
    same_calls.draw.setstate(calls.draw.getstate())
    same_calls.hashes = calls.hashes.copy()
    return twin, same_calls


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("copy", COPIES)
def test_a_copy_answers_the_same_to_the_same_calls(copy: str, seed: int) -> None:
    """Nothing is missing in it: answers are the same from then on, and so is the world at the end."""
    relay, calls = relay_after_calls(seed)
    twin, twin_calls = twin_of(relay, calls, COPIES[copy])
    assert digest_all(relay.world) == digest_all(twin.world)
    assert lines_of(calls.play(CALLS)) == lines_of(twin_calls.play(CALLS))
    assert digest_all(relay.world) == digest_all(twin.world)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_clone_shares_no_container_and_neither_world_changes_the_other(seed: int) -> None:
    """Records never change and may be shared; what holds them may not."""
    relay, calls = relay_after_calls(seed)
    twin, twin_calls = twin_of(relay, calls, World.clone)
    first, second = (dict(mutable_parts(one.world)) for one in (relay, twin))
    assert {first[key] for key in first.keys() & second.keys()} == set()
    assert len(first) > len(World.FIELDS) // 2
    before = digest_all(relay.world)
    twin_calls.play(CALLS)
    assert digest_all(relay.world) == before
    assert digest_all(twin.world) != before
    after = digest_all(twin.world)
    calls.draw.seed(seed + 1)
    calls.play(CALLS)
    assert digest_all(twin.world) == after


def mutable_parts(value: Any, path: str = "world") -> Iterator[tuple[int, str]]:
    """Everything inside that can change, as (identity, path). What a scenario fixes for good is left out."""
    if isinstance(value, CONTAINERS):
        yield id(value), path
        inside = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in inside:
            yield from mutable_parts(inner, f"{path}[{key!r}]")
    elif type(value).__module__.startswith("mockrelay.core") and not isinstance(value, (tuple, str, Encodable)):
        yield id(value), path
        for name in type(value).__slots__:
            if name != "config":
                yield from mutable_parts(getattr(value, name), f"{path}.{name}")
