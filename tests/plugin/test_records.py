"""`--mockrelay-record-failures DIR`: what the relayers of failed tests did, as records."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest

from mockrelay.recording.format import read_record
from mockrelay.replay.stepping import Stepper
from mockrelay.testing import RelayerHandle
from tests.plugin.conftest import Run

SOURCE = """
import pytest
from api import call

TICKER = "/api/v2/ticker?market=LRC-ETH"

def test_passes(relayer):
    call(relayer.url, "GET", TICKER)

@pytest.mark.parametrize("what", ["a/b", "a b"])
def test_fails(relayer, what):
    call(relayer.url, "GET", TICKER, relayer.account("alice").headers)
    relayer.clock.advance("15s")
    call(relayer.url, "GET", TICKER, relayer.account("alice").headers)
    assert what == "c"

def test_two(relayer, make_relayer):
    make_relayer(scenario="busy_market")
    assert not relayer.orders
    pytest.fail("as it should")

def test_ends_badly(relayer, request):
    request.addfinalizer(lambda: 1 / 0)
"""
OPTION = "--mockrelay-record-failures=failed"


def texts(file: Path) -> list[str]:
    return [position.text for position in Stepper(read_record(file.read_bytes())).positions]


def test_each_relayer_of_a_failed_test_has_a_record_that_can_be_stepped_through(
    run: Run, pytester: pytest.Pytester
) -> None:
    result = run(SOURCE, OPTION)
    result.assert_outcomes(passed=2, failed=3, errors=1)
    folder = pytester.path / "failed"
    assert sorted(file.name for file in folder.iterdir()) == [
        "test_it.py-test_ends_badly.jsonl",
        "test_it.py-test_fails-a-b-v2.jsonl",
        "test_it.py-test_fails-a-b.jsonl",
        "test_it.py-test_two-2.jsonl",
        "test_it.py-test_two.jsonl",
    ]
    called = ["the state at the start", "r1 GET /api/v2/ticker?market=LRC-ETH", "command clock"]
    for name in ("test_it.py-test_fails-a-b", "test_it.py-test_fails-a-b-v2"):
        file = folder / f"{name}.jsonl"
        assert texts(file) == [*called, "r2 GET /api/v2/ticker?market=LRC-ETH"]
        result.stdout.fnmatch_lines([f"mockrelay ui {file}"])
        if sys.platform != "win32":
            assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_the_ini_file_may_name_the_folder_and_without_one_nothing_is_written(
    run: Run, pytester: pytest.Pytester
) -> None:
    run(SOURCE).assert_outcomes(passed=2, failed=3, errors=1)
    assert not list(pytester.path.rglob("*.jsonl"))
    run(SOURCE, "-o", "mockrelay_record_failures=elsewhere", "-k", "test_two").assert_outcomes(failed=1, deselected=4)
    assert len(list((pytester.path / "elsewhere").iterdir())) == 2


def test_of_a_server_elsewhere_there_is_the_state_at_the_failure(
    run: Run, pytester: pytest.Pytester, server: RelayerHandle
) -> None:
    run(SOURCE, OPTION, "-k", "test_two").assert_outcomes(failed=1, deselected=4)
    files = sorted((pytester.path / "failed").iterdir())
    assert [texts(file) for file in files] == [["the state at the start"]] * 2
