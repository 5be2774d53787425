"""The handle's clock: durations in all their forms, and sleeping on the relayer's time."""

from __future__ import annotations

import asyncio
import math
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import ModuleType
from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.relay.commands import MoveClock
from mockrelay.testing import ControlError, RelayerHandle
from mockrelay.testing.client_time import on_clock

START_MS = 1_893_456_000_000  # 2030-01-01T00:00:00Z


@pytest.fixture
def relayer() -> RelayerHandle:
    relay = Relay.from_scenario("default", clock="frozen", limits="off")
    relay.execute(MoveClock(set_ms=START_MS))
    return RelayerHandle.of(relay)


ADVANCES_MS: dict[float | str | timedelta, int] = {
    15: 15_000,
    0: 0,
    0.1: 100,
    1.5: 1500,
    3 * 1.1: 3300,  # 3.3000000000000003
    0.0005: 1,
    0.0004: 0,
    "250ms": 250,
    "1.5s": 1500,
    "0.001s": 1,
    "1.5h": 5_400_000,
    "1h30m": 5_400_000,
    "1d2h3m4.005s": 93_784_005,
    "1d2h3m4s5ms": 93_784_005,
    "2m500ms": 120_500,
    timedelta(minutes=1, milliseconds=1): 60_001,
    timedelta(microseconds=1500): 2,
}


@pytest.mark.parametrize("by", ADVANCES_MS, ids=repr)
def test_advance_takes_seconds_durations_and_timedeltas(relayer: RelayerHandle, by: float | str | timedelta) -> None:
    relayer.clock.advance(by)
    assert relayer.clock.now_ms == START_MS + ADVANCES_MS[by]


def test_a_tenth_of_a_second_ten_times_is_a_second(relayer: RelayerHandle) -> None:
    for _ in range(10):
        relayer.clock.advance(0.1)
    assert relayer.clock.now_ms == START_MS + 1000


@pytest.mark.parametrize(
    "by",
    [
        *("", "15", "s", "1.5ms", "1.0005s", "1.s", ".5s", "1,5s", "1h 30m", "30m1h", "1s1s", "1.5h30m", "1H", "+1s"),
        *("-1s", "\u0661s", "1e3s", "1" * 16 + "s", True, -1, -0.5, 1e12, timedelta(seconds=-1)),
    ],
    ids=repr,
)
def test_advance_refuses_what_is_not_a_duration(relayer: RelayerHandle, by: float | str | timedelta) -> None:
    meant = r"meant: a duration such as 15s \(units ms, s, m, h, d\), or a number of seconds"
    with pytest.raises(ControlError, match=f"advance: found .*; {meant}"):
        relayer.clock.advance(by)
    assert relayer.clock.now_ms == START_MS


@pytest.mark.parametrize("by", [math.inf, math.nan])
def test_advance_refuses_what_is_not_a_json_number(relayer: RelayerHandle, by: float) -> None:
    with pytest.raises(ControlError, match="is not a JSON number"):
        relayer.clock.advance(by)
    assert relayer.clock.now_ms == START_MS


def test_time_is_the_relayers_in_seconds(relayer: RelayerHandle) -> None:
    relayer.clock.advance("1ms")
    assert relayer.clock.time() == 1_893_456_000.001


def test_sleep_moves_the_clock(relayer: RelayerHandle) -> None:
    relayer.clock.sleep(2.5)
    assert relayer.clock.now_ms == START_MS + 2500
    relayer.clock.sleep(0)
    assert relayer.clock.now_ms == START_MS + 2500
    relayer.clock.sleep(1e-9)
    assert relayer.clock.now_ms == START_MS + 2501, "a loop that waits for a moment must come to it"


@pytest.mark.parametrize("seconds", [-1, -0.001, math.nan, math.inf, 1e12, "15s", None])
def test_sleep_refuses_what_is_not_a_time(relayer: RelayerHandle, seconds: Any) -> None:
    with pytest.raises(
        (ValueError, TypeError), match="is not a time to sleep; meant: a number of seconds from 0 on, until the end"
    ):
        relayer.clock.sleep(seconds)


def test_sleeps_of_threads_at_the_same_time_are_not_added_up(
    relayer: RelayerHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both have read the time before either moves the clock."""
    both_ready = threading.Barrier(2)
    move_to = relayer.clock._move_to

    def wait_and_move(at_ms: int) -> None:
        both_ready.wait()
        move_to(at_ms)

    monkeypatch.setattr(relayer.clock, "_move_to", wait_and_move)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(relayer.clock.sleep, (3, 5)))
    assert relayer.clock.now_ms == START_MS + 5000


def test_asleep_moves_the_clock_and_gives_its_result(relayer: RelayerHandle) -> None:
    assert asyncio.run(relayer.clock.asleep(2.5, "done")) == "done"
    assert relayer.clock.now_ms == START_MS + 2500
    asyncio.run(relayer.clock.asleep(-1))  # as asyncio.sleep takes it
    assert relayer.clock.now_ms == START_MS + 2500


def test_tasks_that_sleep_together_go_on_in_the_order_of_their_times(relayer: RelayerHandle) -> None:
    woken: list[tuple[str, int]] = []

    async def nap(name: str, *seconds: float) -> None:
        for each in seconds:
            await relayer.clock.asleep(each)
            woken.append((name, relayer.clock.now_ms - START_MS))

    async def naps() -> None:
        await asyncio.gather(nap("slow", 5, 5), nap("quick", 2, 2, 2))

    asyncio.run(naps())
    assert woken == [("quick", 2000), ("quick", 4000), ("slow", 5000), ("quick", 6000), ("slow", 10_000)]


def test_a_cancelled_sleep_holds_up_no_other(relayer: RelayerHandle) -> None:
    async def naps() -> None:
        first = asyncio.create_task(relayer.clock.asleep(1))
        await asyncio.sleep(0)
        first.cancel()
        await relayer.clock.asleep(10)

    asyncio.run(naps())
    assert relayer.clock.now_ms == START_MS + 10_000


def test_asleep_for_ever_leaves_the_clock(relayer: RelayerHandle) -> None:
    async def wait_for_ever() -> None:
        task = asyncio.create_task(relayer.clock.asleep(math.inf))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not task.done()
        task.cancel()

    asyncio.run(wait_for_ever())
    assert relayer.clock.now_ms == START_MS


def client_of(source: str, name: str = "bot") -> ModuleType:
    module = ModuleType(name)
    exec(source, vars(module))
    return module


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import time", {"time"}),
        ("import time as t, asyncio", {"t", "asyncio"}),
        ("from time import sleep, time", {"sleep", "time"}),
        ("from time import monotonic as m, time_ns, strftime", {"m", "time_ns"}),
        ("from asyncio import sleep as nap, gather", {"nap"}),
    ],
)
def test_a_modules_names_of_the_time_are_found(relayer: RelayerHandle, source: str, names: set[str]) -> None:
    assert on_clock(relayer.clock, client_of(source)).keys() == names


def test_functions_of_time_and_asyncio_are_on_the_relayers_clock(relayer: RelayerHandle) -> None:
    found = on_clock(relayer.clock, client_of("import time, asyncio"))
    on_time, on_asyncio = found["time"], found["asyncio"]
    on_time.sleep(1)
    asyncio.run(on_asyncio.sleep(0.5))
    seconds, nanoseconds = START_MS / 1000 + 1.5, (START_MS + 1500) * 10**6
    assert on_time.time() == on_time.monotonic() == on_time.perf_counter() == seconds
    assert on_time.time_ns() == on_time.monotonic_ns() == on_time.perf_counter_ns() == nanoseconds
    assert on_time.gmtime is time.gmtime
    assert on_asyncio.gather is asyncio.gather


def test_a_module_without_the_time_is_told_so(relayer: RelayerHandle) -> None:
    with pytest.raises(
        ValueError, match=r"^bot: found neither `time` nor `asyncio` in it; meant: the module of the client"
    ):
        on_clock(relayer.clock, client_of("import json"))


def test_a_package_without_the_time_is_told_its_modules_with_it(
    relayer: RelayerHandle, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, source in (("bot.poll", "import time"), ("bot.names", ""), ("bots.poll", "import time")):
        monkeypatch.setitem(sys.modules, name, client_of(source, name))
    with pytest.raises(ValueError, match=r"neither `time` nor `asyncio` in it; meant: bot\.poll$"):
        on_clock(relayer.clock, client_of(""))
