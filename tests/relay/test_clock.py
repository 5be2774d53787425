"""The clock, over a real time that the test itself turns."""

from __future__ import annotations

import math

import pytest

from mockrelay.clock import Clock, ClockState, _Real


class Real:
    """A source of real time that stands where it is put."""

    def __init__(self, ms: int = 5_000) -> None:
        self.ms = ms

    def __call__(self) -> int:
        return self.ms


@pytest.fixture
def real() -> Real:
    return Real()


@pytest.mark.parametrize(
    ("rate", "real_ms", "clock_ms"), [(0, 86_400_000, 0), (1, 250, 250), (60, 1_000, 60_000), (0.5, 3, 1)]
)
def test_time_goes_by_at_the_rate_in_whole_milliseconds(real: Real, rate: float, real_ms: int, clock_ms: int) -> None:
    """At rate 0 it stands still, whatever real time does."""
    clock = Clock(1_000, rate, real)
    real.ms += real_ms
    assert clock.now_ms() == 1_000 + clock_ms
    assert type(clock.now_ms()) is int


@pytest.mark.parametrize("rate", [0, 1, 60])
def test_advance_adds_to_the_time_that_has_passed(real: Real, rate: int) -> None:
    clock = Clock(1_000, rate, real)
    real.ms += 10
    clock.advance(500)
    assert clock.now_ms() == 1_000 + rate * 10 + 500
    real.ms += 1
    assert clock.now_ms() == 1_000 + rate * 11 + 500


def test_set_moves_to_a_moment_and_time_goes_on_from_there(real: Real) -> None:
    clock = Clock(1_000, 1, real)
    clock.set(9_000)
    real.ms += 7
    assert clock.now_ms() == 9_007


def test_setting_the_present_is_no_move_back(real: Real) -> None:
    clock = Clock(1_000, 0, real)
    clock.set(1_000)
    assert clock.now_ms() == 1_000


def test_a_moment_that_has_passed_is_refused_and_nothing_moves(real: Real) -> None:
    clock = Clock(1_000, 0, real)
    with pytest.raises(ValueError, match=r"backwards: it is 1000, asked to set 999 \(1 ms earlier\)"):
        clock.set(999)
    assert clock.now_ms() == 1_000


def test_a_negative_advance_is_refused(real: Real) -> None:
    clock = Clock(1_000, 0, real)
    with pytest.raises(ValueError, match="backwards"):
        clock.advance(-1)
    assert clock.now_ms() == 1_000


def test_a_new_rate_holds_from_now_on_and_does_not_jump(real: Real) -> None:
    clock = Clock(0, 1, real)
    real.ms += 100
    clock.rate = 10
    assert clock.now_ms() == 100
    real.ms += 100
    assert clock.now_ms() == 1_100
    clock.rate = 0
    real.ms += 100
    assert (clock.now_ms(), clock.rate) == (1_100, 0)


@pytest.mark.parametrize("rate", [-1, -0.5, math.inf, math.nan])
def test_a_rate_that_no_clock_can_have_is_refused(real: Real, rate: float) -> None:
    with pytest.raises(ValueError, match="rate"):
        Clock(0, rate, real)
    clock = Clock(0, 1, real)
    with pytest.raises(ValueError, match="rate"):
        clock.rate = rate
    assert clock.rate == 1


def test_restore_goes_back_to_where_the_state_was_taken_and_on_at_its_rate(real: Real) -> None:
    clock = Clock(1_000, 2, real)
    state = clock.state()
    assert state == ClockState(1_000, 2)
    clock.advance(10_000)
    clock.rate = 0
    clock.restore(state)
    real.ms += 5
    assert clock.now_ms() == 1_010


def test_time_never_goes_back_over_changes_of_rate(real: Real) -> None:
    clock = Clock(0, 0.3, real)
    seen = []
    for rate in (0.7, 3, 0, 0.1, 1):
        real.ms += 13
        seen.append(clock.now_ms())
        clock.rate = rate
        seen.append(clock.now_ms())
    assert seen == sorted(seen)


@pytest.mark.parametrize(
    ("rate", "at_ms", "real_ms"),
    [
        (0, 1_000, 0),
        (0, 999, 0),
        (0, 1_001, None),
        (1, 1_000, 0),
        (1, 1_250, 250),
        (60, 61_000, 1_000),
        (60, 1_001, 1),
        (60, 1_061, 2),
        (0.5, 1_003, 6),
        (0.3, 1_003, 10),
        (1e-320, 2_000, None),
        (1, 10**400, None),
    ],
)
def test_how_long_until_a_moment_in_real_milliseconds_rounded_up(
    real: Real, rate: float, at_ms: int, real_ms: int | None
) -> None:
    assert Clock(1_000, rate, real).real_ms_until(at_ms) == real_ms


def test_what_has_passed_since_the_last_move_counts(real: Real) -> None:
    clock = Clock(0, 2, real)
    real.ms += 30
    assert clock.real_ms_until(100) == 20
    clock.advance(10)
    assert clock.real_ms_until(100) == 15
    real.ms += 15
    assert clock.real_ms_until(100) == 0


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.7, 1, 1.1, 3, 7.7, 60, 1_000, 12_345.678])
def test_a_wait_as_long_as_told_is_enough_and_a_millisecond_less_is_not(real: Real, rate: float) -> None:
    clock = Clock(0, rate, real)
    start_ms = real.ms
    for at_ms in range(1, 500):
        real.ms = start_ms
        wait_ms = clock.real_ms_until(at_ms)
        assert wait_ms is not None
        real.ms = start_ms + wait_ms - 1
        assert clock.now_ms() < at_ms
        real.ms += 1
        assert clock.now_ms() >= at_ms


def test_a_watcher_is_told_after_each_change_until_it_ends(real: Real) -> None:
    clock = Clock(0, 0, real)
    seen: list[tuple[int, float, int]] = []
    end = clock.on_move(lambda: seen.append((clock.now_ms(), clock.rate, clock.generation)))
    clock.advance(5)
    clock.set(7)
    clock.rate = 2
    clock.restore(ClockState(1, 0))
    assert seen == [(5, 0, 0), (7, 0, 0), (7, 2, 0), (1, 0, 1)]
    end()
    end()
    clock.advance(1)
    assert len(seen) == 4


def test_a_change_that_is_refused_is_told_to_nobody(real: Real) -> None:
    clock = Clock(1_000, 0, real)
    seen: list[int] = []
    clock.on_move(lambda: seen.append(clock.now_ms()))
    with pytest.raises(ValueError, match="backwards"):
        clock.set(999)
    assert seen == []


def test_a_watcher_may_end_itself_and_others_are_told_all_the_same(real: Real) -> None:
    clock = Clock(0, 0, real)
    calls = {"once": 0, "always": 0}

    def once() -> None:
        calls["once"] += 1
        end_once()

    def always() -> None:
        calls["always"] += 1

    end_once = clock.on_move(once)
    clock.on_move(always)
    clock.advance(1)
    clock.advance(1)
    assert calls == {"once": 1, "always": 2}


def test_an_era_ends_with_a_restore_even_to_the_same_moment_and_with_nothing_else(real: Real) -> None:
    clock = Clock(0, 0, real)
    clock.advance(1)
    clock.set(2)
    clock.rate = 1
    assert clock.generation == 0
    clock.restore(clock.state())
    assert clock.generation == 1


def test_a_frozen_clock_starts_where_it_is_told() -> None:
    assert Clock.frozen(1_767_225_600_000).now_ms() == 1_767_225_600_000


def test_the_real_clock_does_not_follow_the_machine_s_time_once_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    wall, monotonic = 1_767_225_600_000, 42_000
    monkeypatch.setattr("mockrelay.clock.REAL", _Real(float, lambda: monotonic * 1_000_000, lambda: wall * 1_000_000))
    clock = Clock.real()
    assert clock.now_ms() == 1_767_225_600_000
    wall -= 3_600_000
    monotonic += 1
    assert clock.now_ms() == 1_767_225_600_001


def test_a_running_clock_starts_at_the_wall_unless_told_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockrelay.clock.REAL", _Real(float, lambda: 0, lambda: 7_000_000))
    assert Clock.running(60).now_ms() == 7
    assert Clock.running(60, 500).now_ms() == 500
    assert Clock.frozen().now_ms() == 7
