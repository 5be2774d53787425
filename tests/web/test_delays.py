"""Waiting for the relayer's clock, without a socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from itertools import count

import pytest

from mockrelay.clock import Clock, ClockState
from mockrelay.web.delays import DelayedResponse, DelayQueue
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.http1 import target_of
from mockrelay.wire.http import RawRequest
from tests.support.client import done
from tests.support.worlds import relay_from

PATIENCE_S = 10


class Waiting:
    """One wait for the moment 60000 of a clock, under way."""

    def __init__(self, clock: Clock, generation: int = 0) -> None:
        self.holding = DelayQueue()
        self.clock = clock
        self.task = asyncio.create_task(self.holding.until(clock, 60_000, generation))

    async def goes_on(self) -> bool:
        """Whether it still waits once the loop has done all that there is to do."""
        for _ in range(10):
            await asyncio.sleep(0)
        return not self.task.done()

    async def ends(self) -> bool:
        """Wait for its end; whether it has left nothing behind."""
        await asyncio.wait_for(self.task, PATIENCE_S)
        return self.is_forgotten

    @property
    def is_forgotten(self) -> bool:
        return not self.clock._watchers and not self.holding._moves


@pytest.fixture
async def waiting() -> AsyncIterator[Waiting]:
    """A wait for a frozen clock that stands at 0."""
    waiting = Waiting(Clock(0))
    assert await waiting.goes_on()
    yield waiting
    assert waiting.task.done()


@pytest.mark.parametrize("move", [Clock.advance, Clock.set])
async def test_a_frozen_clock_ends_it_when_it_is_moved_to_the_moment(
    waiting: Waiting, move: Callable[[Clock, int], None]
) -> None:
    move(waiting.clock, 60_000)
    assert await waiting.ends()


async def test_a_move_that_stops_short_does_not_end_it(waiting: Waiting) -> None:
    waiting.clock.advance(59_999)
    assert await waiting.goes_on()
    waiting.clock.advance(1)
    assert await waiting.ends()


async def test_the_clock_may_be_moved_in_another_thread(waiting: Waiting) -> None:
    await asyncio.to_thread(waiting.clock.advance, 60_000)
    assert await waiting.ends()


@pytest.mark.parametrize("now_ms", [0, 1_000, 70_000])
async def test_a_restore_ends_it_wherever_the_clock_stands_then(waiting: Waiting, now_ms: int) -> None:
    waiting.clock.restore(ClockState(now_ms, 0))
    assert await waiting.ends()


async def test_a_moment_of_an_earlier_generation_is_not_waited_for() -> None:
    clock = Clock(0)
    clock.restore(ClockState(0, 0))
    assert await Waiting(clock, generation=0).ends()


async def test_a_moment_that_has_passed_is_not_waited_for() -> None:
    assert await Waiting(Clock(60_000)).ends()


async def test_release_ends_it_and_all_that_come_later(waiting: Waiting) -> None:
    waiting.holding.release()
    assert await waiting.ends()
    await asyncio.wait_for(waiting.holding.until(waiting.clock, 60_000, 0), PATIENCE_S)


async def test_a_wait_that_is_cancelled_leaves_nothing_behind(waiting: Waiting) -> None:
    waiting.task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting.task
    assert waiting.is_forgotten


async def test_a_running_clock_ends_it_by_itself() -> None:
    # Real time that makes a millisecond at each look: a thousandth of the wait is enough.
    assert await Waiting(Clock(0, 20_000, count().__next__)).ends()


async def test_a_running_clock_that_is_moved_ends_it_before_its_time() -> None:
    waiting = Waiting(Clock(0, 1, lambda: 0))
    assert await waiting.goes_on()
    waiting.clock.advance(60_000)
    assert await waiting.ends()


async def test_a_new_rate_makes_it_reckon_anew() -> None:
    ticks = count()
    waiting = Waiting(Clock(0, 0, ticks.__next__))
    assert await waiting.goes_on()
    waiting.clock.rate = 1e-9
    assert await waiting.goes_on()
    waiting.clock.rate = 20_000
    assert await waiting.ends()


async def test_one_move_ends_many() -> None:
    clock, holding = Clock(0), DelayQueue()
    tasks = [asyncio.create_task(holding.until(clock, 100 * at, 0)) for at in range(200)]
    await asyncio.sleep(0)
    clock.advance(9_900)
    await asyncio.wait_for(asyncio.gather(*tasks[:100]), PATIENCE_S)
    assert not any(task.done() for task in tasks[100:])
    holding.release()
    await asyncio.wait_for(asyncio.gather(*tasks), PATIENCE_S)


def test_a_move_that_comes_too_late_for_a_closed_loop_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Callable[[], None]] = []

    def on_move(_: Clock, watcher: Callable[[], None]) -> Callable[[], None]:
        told.append(watcher)
        return told.clear

    monkeypatch.setattr(Clock, "on_move", on_move)
    kept: list[Callable[[], None]] = []

    async def flow() -> None:
        waiting = Waiting(Clock(0))
        assert await waiting.goes_on()
        kept.extend(told)
        waiting.holding.release()
        assert await waiting.ends()

    asyncio.run(flow())
    (watcher,) = kept
    watcher()


@pytest.mark.parametrize("rate", [0, 1], ids=["frozen", "running"])
async def test_an_answer_that_waits_for_a_clock_that_stands_still_says_so_with_its_fault_and_what_to_do(
    rate: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("mockrelay.web.delays.WARN_AFTER_S", 0)
    relay = relay_from()
    done(relay, "POST", "faults", {"name": "slow", "on": "get_broker", "delay": "1h"})
    done(relay, "POST", "clock", {"rate": rate})
    path, key = "/api/v3/getAvailableBroker", done(relay, "GET", "accounts/alice")["apiKey"]
    sent = f"{path}?of={key}"
    raw = RawRequest("GET", path, sent, (("of", key),), {}, b"", "http", "localhost", "127.0.0.1")
    held = Dispatcher(relay).answer(raw, target_of(sent))
    assert isinstance(held, DelayedResponse)
    waiting = asyncio.create_task(held.due(lambda: False))
    for _ in range(10):
        await asyncio.sleep(0)
    told = capsys.readouterr().err
    if rate:
        assert told == ""
    else:
        assert told == (
            f"mockrelay: r1 GET {path}?of=(masked) -> no answer before 2026-01-01T01:00:00Z (fault slow: held for 1h); "
            "the relayer's clock stands still: advance it (clock.advance) or let it run\n"
        )
    relay.clock.advance(3_600_000)
    assert (await asyncio.wait_for(waiting, PATIENCE_S)).status == 200
