"""`mockrelay coverage`: files and servers added up, told in four forms, and judged."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from mockrelay.cli.coverage import FORMATS
from mockrelay.client.control import over_http
from mockrelay.control import handle_control
from mockrelay.relay import Relay
from mockrelay.report.coverage_text import FORMS
from mockrelay.web import serve
from tests.support.client import send
from tests.support.command import run_command
from tests.support.worlds import relay_from


def called(*paths: str) -> Relay:
    relay = relay_from()
    for path in paths:
        send(relay, "GET", f"/api/v2/{path}")
    return relay


def written(folder: Path, name: str, relay: Relay) -> Path:
    """What `GET coverage` answers, in a file."""
    file = folder / name
    file.write_bytes(handle_control(relay, "GET", "coverage", (), b"").body)
    return file


@pytest.fixture
def jobs(tmp_path: Path) -> tuple[Path, Path]:
    """Two jobs, one with two successes and one with one of them and another endpoint's refusal."""
    one = written(tmp_path, "one.json", called("exchange/tokens", "exchange/info"))
    return one, written(tmp_path, "two.json", called("exchange/tokens", "depth"))


def of_kind(result: Result, kind: str) -> Any:
    return json.loads(result.stdout)["kinds"][kind]


def test_its_forms_are_those_of_the_control_api() -> None:
    """The command names them itself, since its help imports nothing of the report."""
    assert FORMATS == FORMS


def test_options_can_come_from_the_environment(jobs: tuple[Path, Path]) -> None:
    env = {"MOCKRELAY_COVERAGE_FORMAT": "json", "MOCKRELAY_COVERAGE_FAIL_UNDER": "100"}
    output = run_command("coverage", jobs[0], env=env)
    assert output.exit_code == 1
    assert of_kind(output, "endpoints")["of"] == 29


def test_files_are_added_up(jobs: tuple[Path, Path]) -> None:
    result = run_command("coverage", *jobs, "--format", "json")
    assert result.exit_code == 0
    assert of_kind(result, "endpoints")["met"] == ["get_tokens", "get_exchange_info", "get_depth"]
    assert of_kind(result, "successes")["met"] == ["get_tokens", "get_exchange_info"]


def test_what_it_writes_it_reads_again(jobs: tuple[Path, Path], tmp_path: Path) -> None:
    both = tmp_path / "both.json"
    assert run_command("coverage", *jobs, "--format", "json", "--output", both).stdout == ""
    assert run_command("coverage", both, "--format", "json").stdout == both.read_text(encoding="utf-8")


def test_a_server_that_is_up_and_its_worlds_are_asked() -> None:
    with serve(called("exchange/tokens"), token="sesame") as server:
        over_http(server.url, "sesame")("POST", "worlds/job7", {})
        sources = (server.url, f"{server.url}/w/job7")
        result = run_command("coverage", *sources, "--format", "json", "--token", "sesame")
        assert of_kind(result, "endpoints")["met"] == ["get_tokens"]
        unknown = run_command("coverage", f"{server.url}/w/job8", "--token", "sesame")
        assert over_http(server.url, "sesame")("GET", "worlds")[0]["name"] == "job7"
        refused = run_command("coverage", server.url)
    assert (unknown.exit_code, refused.exit_code) == (2, 2)
    assert "/w/job8: there is no such world; meant: job7" in unknown.stderr
    assert "asks for its token" in refused.stderr


def test_the_text_counts_and_names(jobs: tuple[Path, Path]) -> None:
    """3 of 29 endpoints are 10.3 per cent; ways are told on request."""
    text = run_command("coverage", *jobs).stdout
    assert "endpoints       3 of   29    10.3 %" in text
    assert "called, and never answered with success: get_depth" in text
    assert "what takes a fault or a command:" not in text
    assert "what takes a fault or a command:" in run_command("coverage", *jobs, "--format", "text-missing").stdout


def test_too_little_is_exit_code_1(jobs: tuple[Path, Path]) -> None:
    assert run_command("coverage", *jobs, "--fail-under", "endpoints=10.3").exit_code == 0
    result = run_command("coverage", *jobs, "--fail-under", "endpoints=10.4", "--fail-under", "90")
    assert result.exit_code == 1
    assert "10.3 % of the endpoints were met (3 of 29), and 10.4 % must be" in result.stderr
    assert "of the spec was met" in result.stderr


def test_thresholds_are_cases_of_the_junit_form(jobs: tuple[Path, Path]) -> None:
    result = run_command(
        "coverage", *jobs, "--format", "junit", "--fail-under", "pairs=50", "--fail-under", "endpoints=10"
    )
    cases = ET.fromstring(result.stdout).findall(".//testcase[@classname='mockrelay.coverage.fail-under']")
    output = [(case.get("name"), case.find("failure") is not None) for case in cases]
    assert output == [("pairs=50", True), ("endpoints=10", False)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no JSON (Expecting value: line 1 column 1 (char 0)); meant: what `GET coverage` answers"),
        ("[" * 100_000, "no JSON ("),
        ("[]", "meant: what `GET coverage` answers"),
        ('{"format": 2}', "an object with format 1"),
        ('{"format": 1, "kinds": {"endpoints": {"met": [1]}}}', "kinds.endpoints.met is not a list of names"),
        ('{"format": 1}', "kinds.endpoints.met is not a list of names"),
    ],
)
def test_what_is_no_coverage_is_exit_code_2(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "odd.json"
    file.write_text(text, encoding="utf-8")
    result = run_command("coverage", file)
    assert result.exit_code == 2
    assert str(file) in result.stderr
    assert said in result.stderr


def test_a_file_that_is_not_there_and_a_threshold_that_is_none_are_exit_code_2(jobs: tuple[Path, Path]) -> None:
    assert run_command("coverage", "nowhere.json").exit_code == 2
    result = run_command("coverage", *jobs, "--fail-under", "most")
    assert result.exit_code == 2
    assert "--fail-under: 'most' is not a threshold; meant: PERCENT or KIND=PERCENT" in result.stderr
