"""freezegun and time-machine move a client's time, and neither the relayer's real clock nor its delays."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import Any

import pytest

from mockrelay.clock import Clock, monotonic_s
from tests.plugin.conftest import Run

DAY_MS = 86_400_000
MOMENT = "2001-01-01T00:00:00+00:00"
SPINS_MAX = 10**8
TOOLS = {
    "freezegun": "import freezegun\nmoved = freezegun.freeze_time",
    "time_machine": "import functools\nimport time_machine\nmoved = functools.partial(time_machine.travel, tick=False)",
}


@pytest.fixture(params=TOOLS)
def tool(request: pytest.FixtureRequest) -> str:
    """The source that imports a tool, as `moved`; skipped where it is not installed."""
    pytest.importorskip(request.param, reason=f"{request.param} cannot be had here")
    return TOOLS[request.param]


@pytest.fixture
def moved(tool: str) -> Callable[[str], AbstractContextManager[Any]]:
    """A context in which time stands at a moment."""
    names: dict[str, Any] = {}
    exec(tool, names)
    found: Callable[[str], AbstractContextManager[Any]] = names["moved"]
    return found


def test_a_real_clock_starts_at_the_real_time(moved: Callable[[str], AbstractContextManager[Any]]) -> None:
    before_ms = Clock.real().now_ms()
    with moved(MOMENT):
        assert datetime.now(UTC).year == 2001  # noqa: TID251 - the client's time
        moved_ms = Clock.real().now_ms()
    # Not the very order of the two: the machine's time may be set back a little at any moment.
    assert abs(moved_ms - before_ms) < DAY_MS


def test_a_real_clock_goes_on(moved: Callable[[str], AbstractContextManager[Any]]) -> None:
    clock = Clock.real()
    with moved(MOMENT):
        start_ms, start_s = clock.now_ms(), monotonic_s()
        has_moved = (clock.now_ms() > start_ms and monotonic_s() > start_s for _ in range(SPINS_MAX))
        assert any(has_moved)


def test_a_delayed_answer_comes_in_its_time(run: Run, tool: str) -> None:
    """30 seconds of the relayer's clock are 8 ms."""
    source = f"""
import time
import pytest
from api import call
{tool}

@pytest.mark.relayer(clock=3600)
def test_it(relayer):
    relayer.fault("get_broker", delay="30s")
    with moved("{MOMENT}"):
        assert time.time() == 978307200
        began_ms = relayer.clock.now_ms
        call(relayer.url, "GET", "/api/v3/getAvailableBroker")
        assert relayer.clock.now_ms >= began_ms + 30_000
    assert relayer.clock.now.year > 2001

def test_a_frozen_clock(relayer, make_relayer):
    with moved("{MOMENT}"):
        assert make_relayer().clock.now_ms == relayer.clock.now_ms > 1_700_000_000_000
        relayer.clock.advance("15s")
        relayer.clock.set(relayer.clock.now)
        relayer.reset()

@moved("{MOMENT}")
def test_of_a_test_that_is_moved_as_a_whole(relayer):
    assert relayer.clock.now_ms > 1_700_000_000_000
    assert call(relayer.url, "GET", "/api/v3/getAvailableBroker")
"""
    run(source, plugins=()).assert_outcomes(passed=3)
