"""The three ways to measure a second, by hand."""

from __future__ import annotations

import pytest

from mockrelay.core.limiter import Limiter

START_MS = 1_000_000


def admitted(window: str, *at_ms: int, per_second: int = 3) -> list[bool]:
    """Which calls at these moments, in ms after a full second, are let in."""
    limiter = Limiter()
    return [limiter.admit("get_tokens", "account 1", per_second, window, START_MS + each) for each in at_ms]


def test_a_whole_second_of_the_clock_starts_anew() -> None:
    assert admitted("second", 0, 998, 999, 999, 1000, 1000, 1000, 1000) == [*[True] * 3, False, *[True] * 3, False]


def test_a_sliding_second_forgets_each_call_by_itself() -> None:
    """The call at 0 is out of the window from 1000 on, those at 500 and 900 are not."""
    assert admitted("sliding", 0, 500, 900, 999, 1000, 1001) == [True, True, True, False, True, False]
    assert admitted("sliding", 0, 500, 900, 1000, 1500, 1501) == [True, True, True, True, True, False]


def test_a_refused_call_takes_no_place_in_a_sliding_second() -> None:
    assert admitted("sliding", 0, 0, 999, 1000, per_second=2) == [True, True, False, True]


def test_a_bucket_gives_out_what_has_flowed_in() -> None:
    """Three at once; a third of a second later there is one more, and not a millisecond earlier."""
    assert admitted("bucket", 0, 0, 0, 333, 334, 667, 667) == [True, True, True, False, True, True, False]


@pytest.mark.parametrize("window", ["second", "sliding", "bucket"])
def test_endpoints_callers_and_windows_are_counted_apart(window: str) -> None:
    limiter = Limiter()
    for endpoint, caller in (("get_tokens", "a"), ("get_tokens", "b"), ("get_orders", "a")):
        assert limiter.admit(endpoint, caller, 1, window, START_MS)
        assert not limiter.admit(endpoint, caller, 1, window, START_MS)


def test_callers_of_past_seconds_are_forgotten() -> None:
    """Many callers fill no memory, and those of this second are still counted."""
    limiter = Limiter()
    for caller in range(25_000):
        assert limiter.admit("get_tokens", f"address {caller}", 1, "second", START_MS + caller // 100 * 1000)
    windows = limiter._windows
    assert len(windows) <= 20_000
    assert not limiter.admit("get_tokens", "address 24999", 1, "second", START_MS + 249 * 1000)


def test_callers_of_one_second_fill_no_memory() -> None:
    """Fifty thousand of them, each from an address of its own, on a second that never ends."""
    limiter = Limiter()
    for number in range(50_000):
        assert limiter.admit("get_depth", f"address {number}", 5, "second", START_MS)
        limiter.note_refused(f"address {number}", 60_000, START_MS)
    windows, runs = limiter._windows, limiter._runs
    assert len(windows) + len(runs) <= 20_000 + 1
    assert ("get_depth", "address 49999", "second") in windows
