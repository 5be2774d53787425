"""`mockrelay findings` and `serve --fail-on`: what clients did wrong decides over the exit code."""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest

from mockrelay.cli.findings import FORMATS
from mockrelay.cli.findings import LEVELS as CHOICES
from mockrelay.cli.serve import serve as serve_command
from mockrelay.report.fail_on import FAIL_ON
from mockrelay.report.forms import FORMS
from mockrelay.web import serve
from tests.support.calls import call, order
from tests.support.client import ask, done
from tests.support.command import run_command
from tests.support.processes import Server, serving
from tests.support.worlds import START_S, world


def test_the_options_are_those_of_the_report() -> None:
    assert FORMATS == FORMS
    assert tuple(CHOICES.choices) == FAIL_ON
    (fail_on,) = (param for param in serve_command.params if param.name == "fail_on")
    assert tuple(fail_on.type.choices) == FAIL_ON  # type: ignore[attr-defined]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A report with a warning and an unfired fault."""
    relay = world()
    call(relay, order(1, validUntil=START_S + 60))
    done(relay, "POST", "faults", {"on": "get_ticker", "status": 503})
    path = tmp_path / "findings.json"
    path.write_text(get_json(relay), encoding="utf-8")
    return path


def get_json(relay: object) -> str:
    from mockrelay.report.forms import format_report  # noqa: PLC0415

    report = relay.whole_report()  # type: ignore[attr-defined]
    return format_report(report.findings, report.problems, "json")


@pytest.mark.parametrize(
    ("fail_on", "exit_code", "says"),
    [
        ((), 0, ""),
        (("--fail-on", "error"), 1, "1 finding (unfired-fault 1) of level error"),
        (
            ("--fail-on", "warning"),
            1,
            "2 findings (unfired-fault 1, validity-under-a-month 1) of level error or warning",
        ),
        (("--fail-on", "problem"), 1, "1 problem (unfired_fault 1)"),
        (("--fail-on", "fatal"), 2, "'fatal' is not one of 'error', 'warning', 'note', 'problem'"),
    ],
)
def test_a_level_decides_over_the_exit_code(file: Path, fail_on: tuple[str, ...], exit_code: int, says: str) -> None:
    ended = run_command("findings", file, *fail_on)
    assert ended.exit_code == exit_code
    assert says in ended.stderr
    assert ended.stdout.endswith("1 finding, 1 other problem\n") is (exit_code != 2)


def test_files_are_added_up_and_a_variable_gives_the_level(file: Path, tmp_path: Path) -> None:
    added = run_command("findings", file, file, "--format", "json", "--output", tmp_path / "both.json")
    assert (added.exit_code, added.stdout) == (0, "")
    value = json.loads((tmp_path / "both.json").read_text(encoding="utf-8"))
    assert (value["total"], value["problemCounts"]) == (2, {"unfired_fault": 2})
    red = run_command("findings", file, env={"MOCKRELAY_FINDINGS_FAIL_ON": "problem"})
    assert red.exit_code == 1


def test_what_cannot_be_read_is_exit_code_2(tmp_path: Path) -> None:
    (tmp_path / "no.json").write_text("[1]", encoding="utf-8")
    for source, says in (
        (tmp_path / "none.json", "No such file or directory"),
        (tmp_path / "no.json", "no report of findings; meant: what `GET findings?format=json`"),
        ("http://127.0.0.1:1", "does not answer"),
        ("http://", "is not the address of a server"),
    ):
        ended = run_command("findings", source)
        assert (ended.exit_code, ended.stdout) == (2, "")
        assert says in ended.stderr


def test_a_server_shows_all_its_worlds_or_those_that_are_named() -> None:
    relay = world()
    with serve(relay, token="sesame") as server:
        ask(f"{server.url}/api/nowhere")
        ask(f"{server.url}/w/one/api/v2/exchange/info?a=1&a=1")
        ask(f"{server.url}/w/gone/api/v2/exchange/tokens", "DELETE")
        token = ("--token", "sesame", "--format", "json")

        def rules(*options: str, at: str = "") -> list[tuple[str, str]]:
            ended = run_command("findings", server.url + at, *token, *options)
            assert ended.exit_code == 0, ended.stderr
            return [(each["rule"], each["world"]) for each in json.loads(ended.stdout)["findings"]]

        assert rules() == [
            ("foreign-path", ""),
            ("foreign-path", "gone"),
            ("repeated-parameter", "one"),
            ("unknown-field", "one"),
        ]
        assert rules("--world", "one") == rules(at="/w/one/") == [("repeated-parameter", ""), ("unknown-field", "")]
        assert rules("--world", "", "--world", "gone") == [("foreign-path", "")] * 2
        for options, says in (
            ((server.url, "--world", "two"), "--world two: "),
            ((f"{server.url}/w/one", "--world", "one"), "is a world itself"),
        ):
            wrong = run_command("findings", *options, *token)
            assert wrong.exit_code == 2
            assert says in wrong.stderr
        assert "asks for its token" in run_command("findings", server.url).stderr


def read_to_the_end(server: Server) -> None:
    while True:
        server.line()


@pytest.mark.slow
def test_serve_ends_with_1_for_what_fail_on_names_and_says_why(tmp_path: Path) -> None:
    """The fault of a start that was reset since, which nothing but the report can show."""
    for options, shows in (((), "error: unfired-fault: "), (("--output-dir", str(tmp_path)), "report in ")):
        with serving("-p", "0", "--fail-on", "error", *options) as server:
            ask(f"{server.url}/__mockrelay/faults", "POST", {"on": "get_ticker", "status": 503})
            ask(f"{server.url}/__mockrelay/reset", "POST", {})
            assert server.end(signal.SIGTERM) == 1
            with pytest.raises(EOFError, match=r"1: mockrelay: 1 finding \(unfired-fault 1\) of level error\n$"):
                read_to_the_end(server)
            assert any(line.startswith(shows) for line in server.output)
    assert "never fired: it was not called" in (tmp_path / "findings.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_serve_ends_with_0_where_nothing_is_as_heavy() -> None:
    with serving("-p", "0", "--fail-on", "problem") as server:
        ask(f"{server.url}/api/v2/ticker?market=LRC-ETH&x=1")
        assert server.end(signal.SIGTERM) == 0
