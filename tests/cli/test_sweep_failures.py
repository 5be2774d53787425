"""The tests that failed, by what their runners print. `runner_outputs` has what each printed of two tests that failed and one
that passed; `tests/tools/test_runners.py` has the present runners print it again.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from mockrelay.cli.sweep.failures import FailedTest, failed_in_files, failed_in_junit, failed_tests, stamps
from mockrelay.cli.sweep.one_run import without_colours

OUTPUTS = Path(__file__).parent / "runner_outputs"
BALANCE, CODE = "AssertionError: the balance is wrong", "TypeError: code of undefined"
FAILED_BY_RUNNER = {
    "node_tap": {"the balance is read": "the balance is wrong", "the code is read": "code of undefined"},
    "node_spec": {
        "the balance is read": "AssertionError [ERR_ASSERTION]: the balance is wrong",
        "the code is read": "TypeError [Error]: code of undefined",
    },
    "vitest": {
        "vitest/a.test.mjs > orders > the balance is read": BALANCE,
        "vitest/a.test.mjs > orders > the code is read": CODE,
    },
    # What Jest makes of `assert.equal` has its message further below.
    "jest": {
        "orders \u203a the balance is read": "assert.strictEqual(received, expected)",
        "orders \u203a the code is read": CODE,
    },
    "mocha": {
        "orders > the balance is read": "AssertionError [ERR_ASSERTION]: the balance is wrong",
        "orders > the code is read": CODE,
    },
    "playwright": {
        "playwright/a.spec.mjs:7:5 \u203a orders \u203a the balance is read": BALANCE,
        "playwright/a.spec.mjs:8:5 \u203a orders \u203a the code is read": CODE,
    },
    "go": {"TestBalance": "the balance is wrong: got 1, want 2", "TestCodes/read": "code of nil"},
    "go_v": {"TestBalance": "the balance is wrong: got 1, want 2", "TestCodes/read": "code of nil"},
    "cargo": {
        "tests::the_balance_is_read": "assertion `left == right` failed: the balance is wrong",
        "tests::the_code_is_read": "code of none",
    },
    "unittest": {
        "test_balance (ut.TestOrders.test_balance)": "AssertionError: 1 != 2 : the balance is wrong",
        "test_code (ut.TestOrders.test_code)": "TypeError: code of None",
    },
    "pytest": {"test_pt.py::test_balance": BALANCE, "test_pt.py::test_code": "TypeError: code of None"},
}


@pytest.mark.parametrize("runner", FAILED_BY_RUNNER)
def test_the_failed_tests_are_named_with_the_first_line_of_what_was_wrong(runner: str) -> None:
    output = OUTPUTS.joinpath(f"{runner}.txt").read_text(encoding="utf-8")
    found = dict(failed_tests(without_colours(output)))
    assert found == FAILED_BY_RUNNER[runner]


def test_a_message_that_pytest_left_out_of_its_summary_is_read_in_the_part_of_the_test() -> None:
    output = "____ TestX.test_a[1] ____\n>   assert 1 == 2\nE   assert 1 == 2\n\n____ test_b ____\nE   wrong\nFAILED a/t.py::TestX::test_a[1]\n"
    assert failed_tests(output) == (FailedTest("a/t.py::TestX::test_a[1]", "assert 1 == 2"),)


def test_an_output_of_an_unknown_runner_names_none() -> None:
    assert failed_tests("1 of 3 checks failed\n  1) the first: it was wrong\n\u2716 a (1ms)\n") == ()


JUNIT = """<testsuites><testsuite>
<testcase classname="orders" name="the balance is read"><failure message="1 is not 2&#10;more">text</failure></testcase>
<testcase classname="test" name="alone"><error>  first line
second</error></testcase>
<testcase classname="a.test.mjs" name="a.test.mjs > named"><failure/></testcase>
<testcase name="passed"/>
<testcase name="skipped"><skipped message="why"/></testcase>
</testsuite></testsuites>"""


def test_junit_names_them() -> None:
    assert failed_in_junit(JUNIT) == (
        FailedTest("orders > the balance is read", "1 is not 2"),
        FailedTest("alone", "first line"),
        FailedTest("a.test.mjs > named", ""),
    )
    assert failed_in_junit("no XML") == ()


def test_only_files_that_a_run_has_written_count(tmp_path: Path) -> None:
    globs = [str(tmp_path / "**" / "*.xml")]
    (tmp_path / "old.xml").write_text(JUNIT)
    before = stamps(globs)
    assert failed_in_files(globs, before) == ()
    new = tmp_path / "reports" / "new.xml"
    new.parent.mkdir()
    new.write_text('<testsuite><testcase name="new"><failure message="wrong"/></testcase></testsuite>')
    assert failed_in_files(globs, before) == (FailedTest("new", "wrong"),)
