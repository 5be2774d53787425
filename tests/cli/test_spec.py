"""`mockrelay spec`: the tables of the specification."""

from __future__ import annotations

import json

import pytest

from tests.support.command import run_command


@pytest.mark.parametrize(("what", "rows"), [("endpoints", 29), ("codes", 37), ("limits", 21)], ids=str)
def test_spec_has_a_line_for_each_fact_below_its_head(what: str, rows: int) -> None:
    done = run_command("spec", what)
    assert done.exit_code == 0
    assert len(done.output.splitlines()) == rows + 1
    assert len(json.loads(run_command("spec", what, "--format", "json").output)) == rows


def test_spec_shows_endpoints_unless_told_otherwise() -> None:
    assert run_command("spec").output == run_command("spec", "endpoints").output


def test_spec_gives_a_code_with_the_meaning_that_the_spec_gives_it() -> None:
    assert {"code": 102011, "meaning": "Insufficient user balance"} in json.loads(
        run_command("spec", "codes", "--format", "json").output
    )
    assert "102011  Insufficient user balance" in run_command("spec", "codes").output.splitlines()


def test_spec_limits_gives_requests_a_second() -> None:
    limits = {
        row["name"]: row["per_second"] for row in json.loads(run_command("spec", "limits", "--format", "json").output)
    }
    assert limits["submit_order"] == 3
    assert "get_code" not in limits


def test_spec_choices_shows_the_options_of_each_silence() -> None:
    rows = {row["key"]: row for row in json.loads(run_command("spec", "choices", "--format", "json").output)}
    assert rows["http.error_status"]["options"] == ["split", "400", "200"]
    assert rows["http.error_status"]["default"] == "split"
    line = next(
        line for line in run_command("spec", "choices").output.splitlines() if line.startswith("http.error_status ")
    )
    assert line.split(maxsplit=2) == ["http.error_status", "split", "split, 400, 200"]


def test_spec_transitions_has_each_move_once() -> None:
    rows = json.loads(run_command("spec", "transitions", "--format", "json").output)
    filled = {"machine": "order", "state": "processing", "trigger": "filled", "becomes": "processed"}
    assert rows.count(filled) == 1
