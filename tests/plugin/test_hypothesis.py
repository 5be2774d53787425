"""Property tests: a world of its own for each example, with no health check suppressed."""

from __future__ import annotations

from tests.plugin.conftest import Run

SOURCE = """
import pytest
from api import call
from hypothesis import given, settings, strategies as st

seen = {{"examples": 0, "hashes": set()}}


@pytest.fixture(scope="session")
def shared(make_session_relayer):
    return make_session_relayer()


@settings(max_examples=50, deadline=None, derandomize=True, database=None)
@given(amount=st.integers(1, 10**30), advance=st.integers(0, 10**6))
def test_it(shared, amount, advance):
    with shared.fresh() as relayer:
        seen["examples"] += 1
        alice = relayer.account("alice")
        assert alice.balances["LRC"].free == 20_000_000 * 10**18
        assert relayer.requests.total == 0
        alice.deposit("LRC", amount)
        relayer.clock.advance(f"{{advance}}ms")
        {body}


def test_all_were_run(shared):
    assert seen["examples"] >= 50
    assert shared.orders == [] and shared.account("alice").balances["LRC"].free == 20_000_000 * 10**18
"""


def test_many_examples_each_with_a_reset(run: Run) -> None:
    """The default health checks are on; a function-scoped fixture would have met one."""
    run(SOURCE.format(body="assert alice.balances['LRC'].free == 20_000_000 * 10**18 + amount")).assert_outcomes(
        passed=2
    )


def test_an_example_that_leaves_a_problem_fails_and_is_shrunk(run: Run) -> None:
    """`fresh` checks each example as the plugin checks a test, so Hypothesis finds the smallest one."""
    body = "amount > 1000 and print('told', amount, relayer.fault('get_code', code=7))"
    result = run(SOURCE.format(body=body), "-s", "test_it.py::test_it")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*AssertionError: unfired_fault: *on get_code never fired*"])
    told = [line for line in result.outlines if "told " in line]
    assert told[-1].endswith("told 1001 <fault f1 on get_code, fired 0 of 1 times>")


def test_an_example_may_call_over_http(run: Run) -> None:
    body = "assert 'resultInfo' not in call(relayer.url, 'GET', '/api/v3/getAvailableBroker')"
    run(SOURCE.format(body=body)).assert_outcomes(passed=2)
