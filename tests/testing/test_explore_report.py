"""The report of tests under `explore`: one failure each, of the failing run and no other, with what repeats it."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from mockrelay.core.faults import ScriptedEffect
from mockrelay.relay import Relay
from mockrelay.scenario import load
from mockrelay.web import serve
from tests.support.processes import environment

SUITE = Path(__file__).with_name("explored_suite.py")
START = "2026-01-02T03:04:05Z"
SLOW = pytest.mark.slow
REFUSED = "fails when the first `get_eth_balance` is refused with status 503"
NOTHING = "explore: the test made no call to the explored relayer"
DEFAULT = "fails with every decision at its default"
_SECTION = re.compile(r"^_+ (?:ERROR at \w+ of )?(?:Test\w+\.)?(test_\S+) _+$", re.MULTILINE)


def run_suite(folder: Path, *arguments: str, more: Mapping[str, str] | None = None) -> str:
    """The report of pytest on the suite, with no plugins but those that it needs."""
    plugins = (f"-p{name}" for name in ("mockrelay.pytest_plugin", "_hypothesis_pytestplugin", "pytest_asyncio.plugin"))
    command = [sys.executable, "-m", "pytest", "-q", *plugins, "-pno:cacheprovider", "-rA", "-Werror", *arguments]
    return subprocess.run(
        command,
        check=False,
        cwd=folder,
        env=environment({"COLUMNS": "300", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **(more or {})}),
        capture_output=True,
        text=True,
    ).stdout


def written(folder: Path, section: str) -> Path:
    """The scenario that a section of the report names."""
    (file,) = re.findall(r"written to (.*?);", section)
    return folder / str(file)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("suite")
    shutil.copy(SUITE, folder / "test_it.py")
    ini = "[pytest]\nasyncio_mode = strict\nasyncio_default_fixture_loop_scope = function\n"
    (folder / "pytest.ini").write_text(ini, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def report(folder: Path) -> dict[str, str]:
    """The section of the report about each test that failed, by its name, and the summary under an empty name."""
    text = run_suite(folder, f"--mockrelay-start={START}")
    before, *parts = _SECTION.split(text.partition("= short test summary")[0])
    del before
    return {"": text.partition("= short test summary")[2], **dict(zip(parts[::2], parts[1::2], strict=True))}


FAILURES = [
    ("test_of_a_fixture_that_takes_relayer", REFUSED, 1),
    ("test_without_a_call", NOTHING, 0),
    ("test_of_another_relayer", f"{NOTHING} (its calls went to another relayer)", 1),
    ("test_of_two_relayers", "explore: the test called a relayer too that is not explored", 1),
    ("test_that_calls_without_end", f"test_that_calls_without_end {DEFAULT}", 30),
    ("test_whose_setup_calls_without_end", f"test_whose_setup_calls_without_end {DEFAULT}", 30),
    ("test_whose_threads_call_without_end", f"test_whose_threads_call_without_end {DEFAULT}", 30),
    ("test_that_sleeps_without_end", "the run took longer than 1 s, after 1 calls", 1),
    ("test_that_is_async", REFUSED, 1),
    ("test_whose_setup_fails", REFUSED, 1),
    ("test_that_fails_with_a_problem", REFUSED, 2),
    ("test_of_an_overridden_relayer", f"{NOTHING} (its calls went to another relayer)", 1),
    ("test_that_leaves_its_fault_unfired", f"test_that_leaves_its_fault_unfired {DEFAULT}", 1),
    ("test_of_a_parameter[1]", REFUSED, 1),
    ("test_of_a_parameter[2]", REFUSED, 1),
]

"""What each failure says, and how many calls its run shows."""


@SLOW
@pytest.mark.parametrize(("test", "sentence", "calls"), FAILURES, ids=[test for test, *_ in FAILURES])
def test_a_failure_is_that_of_the_simplest_run(report: dict[str, str], test: str, sentence: str, calls: int) -> None:
    assert sentence in report[test]
    assert f"clock: {START}" in report[test]
    shown = [int(count) for count in re.findall(r"^calls: (\d+)", report[test], re.MULTILINE)]
    assert calls in shown
    assert shown[1:] == ([1] if "two_relayers" in test else [])


@SLOW
def test_output_is_that_of_the_reported_run(report: dict[str, str]) -> None:
    assert report["test_of_a_fixture_that_takes_relayer"].count("\none run\n") == 1


@SLOW
def test_calls_without_end_begin_with_why_they_were_ended(report: dict[str, str]) -> None:
    ended = set(re.findall(r"::(\S+) - EndlessClient: (.{20})", report[""]))
    assert ended == {
        ("test_that_calls_without_end", "the client made 30 c"),
        ("test_whose_threads_call_without_end", "the client made 30 c"),
        ("test_that_sleeps_without_end", "the run took longer "),
        ("test_whose_setup_calls_without_end", "the client made 30 c"),
    }


@SLOW
def test_a_failure_that_does_not_repeat_is_flaky_and_shows_both_runs(report: dict[str, str]) -> None:
    section = report["test_that_fails_once"]
    assert f"FlakyTest: flaky: of two runs under the same plan ({REFUSED}) one failed and one passed" in section
    assert re.search(r"the run that failed, with AssertionError: the first time\n.*\n.* r1 GET .* -> 503", section)
    assert re.search(r"the run that passed\n.* r1 GET .* -> 503", section)
    assert "mockrelay-explored" not in section


@SLOW
def test_a_failure_of_a_teardown_is_that_of_the_simplest_run(folder: Path, report: dict[str, str]) -> None:
    """It is called flaky neither there nor in the run that its file repeats, of which there was no other."""
    name = "test_whose_teardown_fails"
    again = run_suite(folder, f"test_it.py::{name}", f"--mockrelay-explored={written(folder, report[name])}")
    for text in (report[name], again):
        assert "HTTP Error 503" in text
        assert "flaky" not in text.lower()
    assert f"{name} {REFUSED}" in report[name]


@SLOW
def test_others_pass_or_are_skipped(report: dict[str, str]) -> None:
    assert "PASSED test_it.py::test_that_passes" in report[""]
    assert "SKIPPED" in report[""]
    assert "XFAIL test_it.py::test_that_is_expected_to_fail" in report[""]
    assert "14 failed, 4 passed, 1 skipped, 1 xfailed, 3 errors" in report[""]


@SLOW
@pytest.mark.parametrize("test", ["test_of_a_parameter[2]", "test_whose_setup_fails"])
def test_the_command_of_the_report_makes_the_run_again(folder: Path, report: dict[str, str], test: str) -> None:
    """Once, in the scenario that was written, at the same moment."""
    (command,) = re.findall(r"this run again: pytest (\S+) (--\S+) (--\S+)$", report[test], re.MULTILINE)
    again = run_suite(folder, command[0].strip("'"), *command[1:])
    assert "HTTP Error 503" in again
    assert f"clock: {START}" in again
    assert "calls: 1," in again
    written = folder / command[1].partition("=")[2]
    assert load(written).faults[0].effect == ScriptedEffect("status", 503)
    lines = [line for line in written.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    assert "extends: default" in lines
    assert len(lines) <= 10, "it has more than the deviations"


@SLOW
def test_explored_tests_are_skipped_where_relayers_are_worlds_of_a_server(folder: Path) -> None:
    with serve(Relay.from_scenario()) as server:
        report = run_suite(folder, "-k", "passes or fixture", more={"MOCKRELAY_URL": server.url})
    assert "2 skipped" in report
    assert "explore draws the decisions of a relayer in the test's process" in report
