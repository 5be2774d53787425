"""A cloned world is whole and shares nothing that changes: both live on as if the other were not there."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest
from sortedcontainers import SortedDict, SortedList

from mockrelay.core.call import Encodable
from mockrelay.core.world import World, digest_all
from mockrelay.relay import Relay
from mockrelay.relay.commands import MoveClock
from tests.properties.fuzzers.random_calls import Day, made, written

SEEDS = (11, 12, 13)
CALLS = 250
CONTAINERS = (dict, list, set, deque, SortedDict, SortedList)


def lived(seed: int) -> tuple[Relay, Day]:
    """A relay in the middle of a day, with limits, faults, findings and all."""
    relay = made()
    day = Day(relay, seed)
    day.play(CALLS)
    return relay, day


def twin_of(relay: Relay, day: Day) -> tuple[Relay, Day]:
    """Another relay with a clone of the world, at the same moment, in the middle of the same day."""
    twin = made()
    twin.execute(MoveClock(set_ms=relay.now_ms()))
    twin.world = relay.world.clone()
    # Its findings name requests by their numbers.
    twin.request_count = relay.request_count
    same_day = Day(twin, 0)
    same_day.draw.setstate(day.draw.getstate())
    same_day.hashes = day.hashes.copy()
    return twin, same_day


@pytest.mark.parametrize("seed", SEEDS)
def test_a_clone_has_the_same_digest(seed: int) -> None:
    relay, _ = lived(seed)
    assert digest_all(relay.world.clone()) == digest_all(relay.world)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_one_lives_through_leaves_the_other_alone(seed: int) -> None:
    relay, day = lived(seed)
    twin, twin_day = twin_of(relay, day)
    before = digest_all(relay.world)
    twin_day.play(CALLS)
    assert digest_all(relay.world) == before
    assert digest_all(twin.world) != before
    after = digest_all(twin.world)
    day.draw.seed(seed + 1)
    day.play(CALLS)
    assert digest_all(twin.world) == after


@pytest.mark.parametrize("seed", SEEDS)
def test_both_answer_the_same_to_the_same_calls(seed: int) -> None:
    """Nothing is missing in a clone: answers are the same from then on, and so is where both end."""
    relay, day = lived(seed)
    twin, twin_day = twin_of(relay, day)
    mine, theirs = (written(one.play(CALLS)) for one in (day, twin_day))
    assert mine == theirs
    assert digest_all(relay.world) == digest_all(twin.world)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_container_is_shared(seed: int) -> None:
    """Records never change and may be shared; what holds them may not."""
    relay, _ = lived(seed)
    first, second = (dict(changeable(world)) for world in (relay.world, relay.world.clone()))
    assert {first[key] for key in first.keys() & second.keys()} == set()
    assert len(first) > len(World.FIELDS) // 2


def changeable(thing: Any, path: str = "world") -> Iterator[tuple[int, str]]:
    """Everything inside that can change, as (identity, where it is). What a scenario fixes for good is left out."""
    if isinstance(thing, CONTAINERS):
        yield id(thing), path
        inside = thing.items() if isinstance(thing, dict) else enumerate(thing)
        for key, value in inside:
            yield from changeable(value, f"{path}[{key!r}]")
    elif type(thing).__module__.startswith("mockrelay.core") and not isinstance(thing, (tuple, str, Encodable)):
        yield id(thing), path
        for name in type(thing).__slots__:
            if name != "config":
                yield from changeable(getattr(thing, name), f"{path}.{name}")
