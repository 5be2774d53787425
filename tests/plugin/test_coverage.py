"""At the end of a run: what of the spec its relayers have met, over tests, workers, runs and processes."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.web import serve
from tests.plugin.conftest import Run

OF_ALL = 398
"""Endpoints, their successes, listed pairs, fields and words, moves, readings and limits."""

TWO_TESTS = """
    from api import call, orders, sell

    def test_orders(relayer):
        assert orders(relayer)["data"]["totalNum"] == 0

    def test_sale(make_relayer):
        one, other = make_relayer(), make_relayer(choices={"http.error_status": "400"})
        other.fault("submit_order", code=102014)
        assert sell(one)["resultInfo"]["code"] == 0
        assert sell(other)["resultInfo"]["code"] == 102014
"""
SHARED = """
    import pytest
    from api import call

    @pytest.fixture(scope="session")
    def shared(make_session_relayer):
        return make_session_relayer()

    @pytest.mark.parametrize("target", ["/api/v2/exchange/tokens", "/api/v2/exchange/info"])
    def test_it(shared, target):
        with shared.fresh() as relayer:
            call(relayer.url, "GET", target, relayer.account("alice").headers)
"""
SPREAD = """
    import pytest
    from api import call

    TARGETS = ["exchange/tokens", "exchange/info", "recommendedGasPrice", "ticker?market=LRC-ETH"]

    @pytest.mark.parametrize("target", TARGETS)
    def test_it(relayer, target):
        call(relayer.url, "GET", "/api/v2/" + target, relayer.account("alice").headers)
"""
ONE_CALL = """
    from api import call

    def test_it(relayer):
        call(relayer.url, "GET", "/api/v2/exchange/{}", relayer.account("alice").headers)
"""
NO_RELAYER = "def test_it(): pass"


def told(pytester: pytest.Pytester, name: str = "met.json") -> Any:
    return json.loads(pytester.path.joinpath(name).read_text(encoding="utf-8"))


def met(pytester: pytest.Pytester, kind: str) -> list[str]:
    found: list[str] = told(pytester)["kinds"][kind]["met"]
    return found


def test_all_relayers_of_a_run_are_added_up(pytester: pytest.Pytester, run: Run) -> None:
    """Those of `relayer` and of `make_relayer`, each taken when its test ends."""
    result = run(TWO_TESTS, "--mockrelay-coverage=met.json")
    result.assert_outcomes(passed=2)
    assert met(pytester, "endpoints") == ["submit_order", "get_orders"]
    assert met(pytester, "successes") == ["submit_order", "get_orders"]
    assert met(pytester, "pairs") == ["submit_order 102014"]
    assert "http.error_status=400" in met(pytester, "options")
    assert result.ret == 0


def test_a_relayer_of_the_session_counts_over_its_resets(pytester: pytest.Pytester, run: Run) -> None:
    run(SHARED, "--mockrelay-coverage=met.json").assert_outcomes(passed=2)
    assert met(pytester, "endpoints") == ["get_tokens", "get_exchange_info"]


def test_a_run_that_stops_early_counts_what_it_met(pytester: pytest.Pytester, run: Run) -> None:
    """Also where a relayer of the session is let go only when the run has ended."""
    source = SHARED + "        assert False\n"
    run(source, "-x", "--mockrelay-coverage=met.json").assert_outcomes(failed=1)
    assert met(pytester, "endpoints") == ["get_tokens"]


@pytest.mark.parametrize(("floor", "ret"), [("13.7", pytest.ExitCode.OK), ("13.8", pytest.ExitCode.TESTS_FAILED)])
def test_workers_are_added_up(pytester: pytest.Pytester, run: Run, floor: str, ret: pytest.ExitCode) -> None:
    """4 of 29 successes are 13.79 per cent, whichever worker had them."""
    options = (
        "--mockrelay-coverage=met.json",
        "--mockrelay-coverage",
        f"--mockrelay-coverage-fail-under=successes={floor}",
    )
    result = run(SPREAD, "-n2", *options, apart=True, plugins=("xdist",))
    result.assert_outcomes(passed=4)
    assert result.ret == ret
    error = "ERROR: mockrelay fail-under: 13.7 % of the successes were met (4 of 29)*"
    if ret is pytest.ExitCode.OK:
        result.stdout.no_fnmatch_line(error)
    else:
        result.stdout.fnmatch_lines([error])
    assert met(pytester, "successes") == ["get_tokens", "get_exchange_info", "get_gas_price", "get_ticker"]
    result.stdout.fnmatch_lines(["successes *4 of *29 *13.7 %"])


def test_a_worker_that_dies_is_told(run: Run) -> None:
    source = """
        import os
        import pytest

        @pytest.mark.parametrize("number", range(2))
        def test_it(relayer, number):
            if number:
                os._exit(3)
    """
    result = run(source, "-n1", "--mockrelay-coverage=term", apart=True, plugins=("xdist",))
    result.stdout.fnmatch_lines(["the worker gw0 ended early: what its tests met is not counted"])


def test_the_short_text_names_what_was_never_tried(run: Run) -> None:
    """A count for each kind, and names; codes only of the endpoints that were called."""
    result = run(TWO_TESTS, "--mockrelay-coverage")
    result.stdout.fnmatch_lines(
        [
            "*mockrelay: what the spec has, and what was met of it*",
            "endpoints *2 of *29 *6.8 %",
            "pairs *1 of *86 *1.1 %",
            f"all * of *{OF_ALL} *%",
            "never called: get_tokens, get_exchange_info,*",
            "*get_orders: 104001, 104002, 107001, 104003, 100000",
            "never sent, to the endpoints that were called:",
            "*get_orders: market, start, end, fromHash, limit, offset, side=SELL, side=BUY, status=waiting,*",
            "*transfer: none of 4",
        ]
    )
    result.stdout.no_fnmatch_line("*get_depth: 1*")
    result.stdout.no_fnmatch_line("*102011*more than the account has*")


def test_the_long_text_says_how_to_reach_it(run: Run) -> None:
    result = run(TWO_TESTS, "--mockrelay-coverage=term-missing")
    result.stdout.fnmatch_lines(
        [
            "what a client reaches*",
            "*submit_order 102011 Insufficient user balance: an order that sells more than the account has; or the fault *",
            "what takes another option of a choice:",
            "what takes a fault or a command:",
            '*transfer: processing -> failed: * the fault {"on": "submit_transfer", "outcome": "failed"}',
        ]
    )


def test_files_have_the_form_that_their_names_end_in(pytester: pytest.Pytester, run: Run) -> None:
    options = [f"--mockrelay-coverage=out/met.{end}" for end in ("json", "xml", "txt")]
    run(TWO_TESTS, *options, "--mockrelay-coverage-fail-under=pairs=1").assert_outcomes(passed=2)
    suite = ET.parse(pytester.path / "out" / "met.xml").getroot()
    assert suite.get("tests") == str(OF_ALL + 1)
    assert suite.get("failures") == "0"
    assert int(suite.get("skipped", "")) == OF_ALL - told(pytester, "out/met.json")["total"]["met"]
    assert "never called: get_tokens" in Path(pytester.path / "out" / "met.txt").read_text(encoding="utf-8")


def test_runs_are_added_up_with_append(pytester: pytest.Pytester, run: Run) -> None:
    """The first finds no file; without the option a file is written anew."""
    into = "--mockrelay-coverage=met.json"
    run(ONE_CALL.replace("{}", "tokens"), into, "--mockrelay-coverage-append")
    run(ONE_CALL.replace("{}", "info"), into, "--mockrelay-coverage-append")
    assert met(pytester, "endpoints") == ["get_tokens", "get_exchange_info"]
    run(NO_RELAYER, into, "--mockrelay-coverage-append")
    assert met(pytester, "endpoints") == ["get_tokens", "get_exchange_info"]
    run(ONE_CALL.replace("{}", "info"), into)
    assert met(pytester, "endpoints") == ["get_exchange_info"]


@pytest.mark.parametrize("option", ["--mockrelay-coverage-fail-under", "--mockrelay-fail-under"])
def test_too_little_fails_the_run(run: Run, option: str) -> None:
    """2 of 29 endpoints are 6.8 per cent. The second is the old spelling."""
    result = run(TWO_TESTS, f"{option}=endpoints=7")
    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(
        ["ERROR: mockrelay fail-under: 6.8 % of the endpoints were met (2 of 29), and 7 % must be"]
    )


def test_enough_passes_in_silence(run: Run) -> None:
    result = run(TWO_TESTS, "--mockrelay-coverage-fail-under=endpoints=6.8", "--mockrelay-coverage-fail-under=1")
    assert result.ret == 0
    result.stdout.no_fnmatch_line("*fail-under:*")


def test_without_a_relayer_nothing_was_met(run: Run) -> None:
    result = run(NO_RELAYER, "--mockrelay-coverage-fail-under=1", "--mockrelay-coverage")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["no relayer was used", "*0.0 % of the spec was met*; no relayer was used"])
    assert run(NO_RELAYER, "--mockrelay-coverage-fail-under=1", "--collect-only").ret == 0


def test_a_run_that_fails_anyhow_keeps_its_exit_code(run: Run) -> None:
    result = run(
        "def test_it(relayer): raise KeyboardInterrupt",
        "--mockrelay-coverage-fail-under=100",
        apart=True,
        plugins=("xdist",),
    )
    assert result.ret == pytest.ExitCode.INTERRUPTED


@pytest.mark.parametrize("setting", ["mockrelay_coverage_fail_under", "mockrelay_fail_under"])
def test_the_ini_file_can_ask_for_it(pytester: pytest.Pytester, run: Run, setting: str) -> None:
    ini = pytester.path.joinpath("tox.ini")
    more = f"\nmockrelay_coverage = met.json term\nmockrelay_coverage_append = true\n{setting} = pairs=90 1\n"
    ini.write_text(ini.read_text(encoding="utf-8") + more, encoding="utf-8")
    result = run(TWO_TESTS)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert met(pytester, "endpoints") == ["submit_order", "get_orders"]
    result.stdout.fnmatch_lines(
        ["endpoints *2 of *29*", "ERROR: mockrelay fail-under: 1.1 % of the pairs were met (1 of 86)*"]
    )


def test_the_ini_file_asks_to_append_for_runs_that_write_a_file(pytester: pytest.Pytester, run: Run) -> None:
    ini = pytester.path.joinpath("tox.ini")
    ini.write_text(ini.read_text(encoding="utf-8") + "\nmockrelay_coverage_append = true\n", encoding="utf-8")
    run(ONE_CALL.replace("{}", "tokens"), "--mockrelay-coverage=met.json")
    run(ONE_CALL.replace("{}", "info"), "--mockrelay-coverage=met.json")
    assert met(pytester, "endpoints") == ["get_tokens", "get_exchange_info"]
    run(ONE_CALL.replace("{}", "info"), "--mockrelay-coverage=term").stdout.fnmatch_lines(["endpoints *1 of *29*"])
    run(NO_RELAYER).assert_outcomes(passed=1)


def test_nothing_is_told_unless_asked_for(run: Run) -> None:
    result = run(TWO_TESTS)
    result.stdout.no_fnmatch_line("*what was met of it*")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ["--mockrelay-coverage", "test_it.py"],
            "--mockrelay-coverage=test_it.py: meant: term, term-missing, or a file*",
        ),
        (["--mockrelay-coverage-fail-under=pears=4"], "*found the kind 'pears'; meant: 'pairs'*"),
        (["--mockrelay-coverage-fail-under=101"], "*'101' is not a threshold; meant: PERCENT or KIND=PERCENT*"),
        (["--mockrelay-coverage-append"], "*--mockrelay-coverage-append: to what?*"),
        (["--mockrelay-coverage=odd.json", "--mockrelay-coverage-append"], "*odd.json: no coverage; meant: *"),
    ],
)
def test_what_cannot_be_is_told_at_the_start(
    pytester: pytest.Pytester, run: Run, options: list[str], said: str
) -> None:
    pytester.path.joinpath("odd.json").write_text("[]", encoding="utf-8")
    result = run(NO_RELAYER, *options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{said}"])


def test_a_server_elsewhere_tells_of_its_worlds(
    pytester: pytest.Pytester, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each world is asked before it is removed."""
    with serve(Relay.from_scenario("default")) as serving:
        monkeypatch.setenv("MOCKRELAY_URL", serving.url)
        run(TWO_TESTS, "--mockrelay-coverage=met.json").assert_outcomes(passed=2)
    assert met(pytester, "endpoints") == ["submit_order", "get_orders"]
    assert met(pytester, "pairs") == ["submit_order 102014"]
