"""When a frozen clock starts: at the second of its own test, or for all tests at the moment of `--mockrelay-start`."""

from __future__ import annotations

import re

import pytest

from mockrelay.relay import Relay
from mockrelay.web import serve
from tests.plugin.conftest import Run

WALL_MS = 1_893_456_000_001  # 2030-01-01T00:00:00.001Z

WALL = """
import pytest

import mockrelay.clock


def wait(seconds):
    now_ms = mockrelay.clock._wall_ms() + round(seconds * 1000)
    mockrelay.clock._wall_ms = lambda: now_ms


def start_s(relayer):
    return (relayer.clock.now_ms - 1893456000000) / 1000
"""


@pytest.fixture(autouse=True)
def wall(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    """Real time, which the inner tests move by `wait`."""
    monkeypatch.setattr("mockrelay.clock._wall_ms", lambda: WALL_MS)
    pytester.path.joinpath("wall.py").write_text(WALL)


OWN = """
from pathlib import Path

import pytest
from api import sell
from wall import start_s, wait


def test_begins_at_its_second(relayer):
    assert start_s(relayer) == 0
    relayer.clock.advance("1h")
    wait(62)


def test_takes_an_order_with_the_real_time(relayer):
    # The client's time is real, and the relayer's clock stands.
    assert start_s(relayer) == 62
    assert sell(relayer)["resultInfo"]["code"] == 0
    assert relayer.orders[0].status == "processing"


@pytest.mark.parametrize("number", range(3))
def test_of_parameters(relayer, number):
    assert start_s(relayer) == 62 + number * 10
    wait(10)


def test_has_one_start(relayer, make_relayer):
    wait(5)
    assert start_s(relayer) == start_s(make_relayer()) == 92
    wait(5)
    relayer.clock.advance("1h")
    relayer.reset()
    assert start_s(relayer) == 92


@pytest.fixture
def slow(make_relayer):
    wait(100)


def test_that_first_waits(slow, relayer):
    assert start_s(relayer) == 202


def test_of_scenarios(relayer, make_relayer):
    own = make_relayer(scenario="own.yaml")
    assert own.clock.now_ms == 1924992000000
    relayer.reset(scenario="busy_market")
    assert start_s(relayer) == 202
    relayer.reset(scenario_text=Path("own.yaml").read_text())
    assert relayer.clock.now_ms == 1924992000000
    relayer.reset()
    assert start_s(relayer) == 202
    moment = make_relayer(clock="2031-01-01T00:00:00Z")
    moment.reset()
    assert moment.clock.now_ms == 1924992000000
"""


@pytest.fixture
def own_start(pytester: pytest.Pytester) -> None:
    """A scenario that says when its clock starts."""
    start = 'format: 1\nname: own\nextends: default\nclock: {start: "2031-01-01T00:00:00Z"}\n'
    pytester.path.joinpath("own.yaml").write_text(start)


@pytest.mark.usefixtures("own_start")
def test_a_clock_starts_at_the_second_of_its_test(run: Run) -> None:
    run(OWN).assert_outcomes(passed=8)


@pytest.mark.usefixtures("own_start")
def test_a_clock_of_a_world_starts_at_the_second_of_its_test(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(Relay.from_scenario("default")) as serving:
        monkeypatch.setenv("MOCKRELAY_URL", serving.url)
        run(OWN).assert_outcomes(passed=8)


def test_a_relayer_of_the_session_starts_anew_at_the_second_of_the_test(run: Run) -> None:
    run(
        """
        import pytest
        from wall import start_s, wait

        @pytest.fixture(scope="session")
        def shared(make_session_relayer):
            return make_session_relayer()

        @pytest.fixture(scope="module")
        def ahead(make_session_relayer):
            return make_session_relayer(clock="2031-01-01T00:00:00Z")

        def test_one(shared, ahead):
            assert start_s(shared) == 0
            wait(62)
            with shared.fresh():
                assert start_s(shared) == 0, "a test has one start"

        def test_two(shared, ahead):
            assert start_s(shared) == 0, "its state is that of the test before"
            for _ in range(2):
                with shared.fresh():
                    assert start_s(shared) == 62
                    wait(1)
            shared.reset(scenario="busy_market")
            assert start_s(shared) == 62
            with ahead.fresh():
                assert ahead.clock.now_ms == 1924992000000
        """
    ).assert_outcomes(passed=2)


FAILS = """
from api import sell
from wall import start_s, wait

def test_red(relayer):
    wait(62)
    print("start", start_s(relayer), sell(relayer)["data"]["orderHash"])
    assert False

def test_red_later(relayer):
    print("start", start_s(relayer), sell(relayer)["data"]["orderHash"])
    assert False
"""


def test_a_red_report_has_the_start_that_repeats_the_run(run: Run) -> None:
    result = run(FAILS)
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["mockrelay: each test's clock starts at its own second (--mockrelay-start)"])
    starts = re.findall(r"this run again: (\S+)", result.stdout.str())
    assert starts == ["--mockrelay-start=2030-01-01T00:00:00Z", "--mockrelay-start=2030-01-01T00:01:02Z"]
    again = run(FAILS, starts[1])
    again.stdout.fnmatch_lines(["mockrelay: clocks start at 2030-01-01T00:01:02Z (--mockrelay-start)"])
    first, second = ([line for line in each.outlines if line.startswith("start ")] for each in (result, again))
    assert [line.split()[1] for line in first + second] == ["0.0", "62.0", "62.0", "62.0"]
    assert second[1] == first[1]


def test_the_report_of_a_relayer_of_the_session_has_its_own_start(run: Run) -> None:
    result = run(
        """
        import pytest
        from api import call
        from wall import wait

        @pytest.fixture(scope="session")
        def shared(make_session_relayer):
            return make_session_relayer()

        def test_one(shared):
            wait(62)

        def test_red(shared, relayer):
            for each in (shared, relayer):
                call(each.url, "GET", "/api/v3/getAvailableBroker")
            assert False
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    starts = re.findall(r"this run again: --mockrelay-start=(\S+)", result.stdout.str())
    assert sorted(starts) == ["2030-01-01T00:00:00Z", "2030-01-01T00:01:02Z"]


def test_a_start_of_the_ini_file_is_that_of_all_tests(run: Run) -> None:
    source = """
        import pytest

        from wall import wait

        @pytest.mark.parametrize("number", range(4))
        def test_it(relayer, make_session_relayer, number):
            wait(62)
            assert relayer.clock.now_ms == make_session_relayer().clock.now_ms == 1893456000000
    """
    result = run(source, "-o", "mockrelay_start=2030-01-01T00:00:00Z")
    result.assert_outcomes(passed=4)
    result.stdout.fnmatch_lines(["mockrelay: clocks start at 2030-01-01T00:00:00Z (--mockrelay-start)"])


def test_all_runs_of_a_search_have_one_start(run: Run) -> None:
    """And the run that is reported has it too, so that its failure repeats."""
    result = run(
        """
        from api import call
        from mockrelay.testing import explore
        from wall import start_s, wait

        starts = []

        def test_before(relayer):
            wait(62)

        @explore(faults=0)
        def test_it(relayer, make_relayer):
            starts.append(start_s(relayer))
            wait(1)
            assert start_s(make_relayer()) == starts[0]
            call(relayer.url, "GET", "/api/v2/exchange/tokens")

        def test_after(relayer):
            assert len(starts) > 2 and set(starts) == {62}
            assert start_s(relayer) == 62 + len(starts)
        """
    )
    result.assert_outcomes(passed=3)
