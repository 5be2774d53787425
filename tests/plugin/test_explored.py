"""Tests under `explore` and the settings of the run: which of them hold, and what a report says to repeat a failure."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import mockrelay.testing.exploring  # noqa: F401 - before pytester takes note of what is imported
from tests.plugin.conftest import Run

FAILING = """
    import pytest
    from hypothesis import settings
    from api import call
    from mockrelay.testing import explore

    {marker}
    @explore(trouble=["status"], vary=[], settings=settings(max_examples=1){more})
    def test_it(relayer):
        assert relayer.state().limits == "{limits}"
        answer = call(relayer.url, 'GET', '/api/v2/ticker?market=LRC-ETH&more=1', relayer.account('alice').headers)
        assert "data" in answer
"""
REFUSED = "  r1 GET /api/v2/ticker[?]market=LRC-ETH&more=1 (get_ticker) -> 503*"
PASSING = FAILING.replace('["status"]', "[]").replace('"data" in', "")


def source(text: str = FAILING, *, marker: str = "", more: str = "", limits: str = "off") -> str:
    return text.format(marker=marker, more=more, limits=limits)


def again(result: pytest.RunResult) -> list[str]:
    """The arguments of the command that the report says makes the run again."""
    (command,) = re.findall(r"this run again: (.*)$", result.stdout.str(), re.MULTILINE)
    return shlex.split(command)[1:]


@pytest.mark.parametrize(
    ("options", "marker", "more"),
    [
        (["--mockrelay-limits=spec"], "", ""),
        ([], '@pytest.mark.relayer(limits="spec")', ""),
        ([], "", ', limits="spec"'),
        ([], "", ', limits={"get_ticker": 1}'),
        ([], "", ', scenario={"extends": "default", "limits": {"get_ticker": 1}}'),
    ],
    ids=["option", "marker", "argument", "argument by endpoint", "scenario"],
)
def test_a_failure_is_repeated_under_the_limits_that_it_had(
    run: Run, options: list[str], marker: str, more: str
) -> None:
    """By the command of the report, and by the marker that it names."""
    result = run(source(marker=marker, more=more, limits="spec"), *options)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*test_it fails when the first `get_ticker` is refused with status 503"])
    (named,) = re.findall(r"(@pytest\.mark\.relayer\(.*\)) runs the test under it", result.stdout.str())
    repeated = run(source(marker=marker, more=more, limits="spec"), *again(result))
    repeated.assert_outcomes(failed=1)
    repeated.stdout.fnmatch_lines([REFUSED])
    repeated.stdout.no_fnmatch_line("*flaky*")
    alone = re.sub(r"@explore\(.*\)\n", "\n", source(marker=named, limits="spec"))
    result = run(alone)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([REFUSED])


def test_a_failure_under_strict_is_repeated_under_strict(run: Run) -> None:
    result = run(source(PASSING), "--mockrelay-strict", "--mockrelay-allow=unfired_fault")
    result.assert_outcomes(failed=1)
    assert {"--mockrelay-strict", "--mockrelay-allow=unfired_fault"} < set(again(result))
    repeated = run(source(PASSING), *again(result))
    repeated.assert_outcomes(failed=1)
    repeated.stdout.fnmatch_lines(["*unknown-field [[]r1]: *"])


@pytest.mark.parametrize("clock", ["real", "60"])
def test_a_clock_that_moves_is_refused(run: Run, clock: str) -> None:
    """That of an explored relayer stands still, and no setting for it passes in silence; a moment it may have."""
    for result in (
        run(source(PASSING, marker=f'@pytest.mark.relayer(clock="{clock}")')),
        run(source(PASSING), f"--mockrelay-clock={clock}"),
    ):
        result.assert_outcomes(errors=1)
        result.stdout.fnmatch_lines(["*@explore: clock: found a rate of *; meant: *stands still*"])
    frozen = source(PASSING, marker='@pytest.mark.relayer(clock="2030-01-01T00:00:00Z")')
    run(frozen.replace("answer =", "assert relayer.clock.now_s == 1893456000; answer =")).assert_outcomes(passed=1)


def test_findings_of_the_search_are_not_counted(run: Run) -> None:
    """Nothing reports its runs; that of the run that is reported is."""
    result = run(source(PASSING))
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["mockrelay: 1 finding about the client (--mockrelay-strict fails): unknown-field 1"])


def test_two_tests_of_one_name_have_two_scenarios(run: Run, pytester: pytest.Pytester) -> None:
    test = """
class Test{0}:
    @explore(settings=settings(max_examples=1))
    def test_it(self, relayer):
        assert not relayer.accounts
"""
    imports = "from hypothesis import settings\nfrom mockrelay.testing import explore\n"
    run(imports + test.format("A") + test.format("B")).assert_outcomes(failed=2)
    assert sorted(file.name for file in pytester.path.joinpath("explored").iterdir()) == [
        "test_it.py-TestA-test_it.yaml",
        "test_it.py-TestB-test_it.yaml",
    ]


FLAKY = """
    from hypothesis import settings
    from api import call
    from mockrelay.testing import explore

    RUNS = []

    @explore(trouble={trouble}, vary=[], settings=settings(max_examples=1))
    def test_it(relayer):
        path = {path}
        answer = call(relayer.url, 'GET', path, relayer.account('alice').headers)
        RUNS.append(relayer.requests[0].status)
        assert {holds}
"""


@pytest.mark.parametrize(
    ("trouble", "path", "holds", "plan", "passed"),
    [
        (
            "[]",
            "'/api/v2/exchange/tokens' if RUNS else '/api/v3/getAvailableBroker'",
            "len(RUNS) == 1",
            "fails with every decision at its default",
            "GET /api/v3/getAvailableBroker *-> 200*",
        ),
        (
            '["status"]',
            "'/api/v2/exchange/tokens'",
            "RUNS[-1] == 200 or RUNS.count(503) == 2",
            "fails when the first `get_tokens` is refused with status 503",
            "GET /api/v2/exchange/tokens *-> 503*",
        ),
    ],
    ids=["the search found nothing", "the search found it"],
)
def test_a_failure_of_the_reported_run_alone_shows_the_run_that_passed(
    run: Run, trouble: str, path: str, holds: str, plan: str, passed: str
) -> None:
    """Beside the one that failed, whose calls stand below."""
    result = run(FLAKY.format(trouble=trouble, path=path, holds=holds))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [f"E*flaky: another run under the same plan passed ({plan})", "E*the run that passed", f"E*  r1 {passed}"]
    )
    result.stdout.fnmatch_lines(["calls: 1, the last 1:", "  r1 GET /api/v2/exchange/tokens *"])


@pytest.mark.parametrize("base", ["default", "mine.yaml"])
def test_what_is_written_has_the_profile_and_the_limits_of_the_run(
    run: Run, pytester: pytest.Pytester, base: str
) -> None:
    """Beside the deviation and what it extends; so the marker alone repeats the failure, without the options of the run."""
    pytester.path.joinpath("mine.yaml").write_text("{format: 1, name: mine, extends: default}", encoding="utf-8")
    source = f"""
        import pytest
        from hypothesis import settings
        from api import call
        from mockrelay.testing import explore

        @explore(
            scenario="{base}", limits={{"get_tokens_v3": 7}}, trouble=["status"], vary=[], settings=settings(max_examples=1)
        )
        def test_it(relayer):
            answer = call(relayer.url, 'GET', '/api/v3/exchange/tokens')
            assert not isinstance(answer, dict)
    """
    result = run(source, "--mockrelay-profile=live")
    result.assert_outcomes(failed=1)
    (name,) = re.findall(r"written to (.*?);", result.stdout.str())
    text = Path(name).read_text(encoding="utf-8")
    assert f"extends: {base}\n" in text
    assert "profile: live" in text
    assert "limits: {get_tokens_v3: 7}" in text
    assert len(text.splitlines()) < 10
    (named,) = re.findall(r"(@pytest\.mark\.relayer\(.*\)) runs the test under it", result.stdout.str())
    alone = re.sub(r"@explore\((?s:.*?)\n +\)\n +", "", source).replace("def test_it", f"{named}\n        def test_it")
    result = run(alone)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["  r1 GET /api/v3/exchange/tokens (get_tokens_v3) -> 503*"])
