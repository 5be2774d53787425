"""`mockrelay example`; the calls themselves are held by tests/openapi/test_right_calls.py."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner, Result

from mockrelay.cli import main


def say(*args: str) -> Result:
    return CliRunner().invoke(main, ["example", *args])


def test_a_curl_command_is_printed_unless_told_otherwise() -> None:
    assert say("get_depth").output == say("get_depth", "--as", "curl").output
    about, before, command, *_ = say("get_depth").output.splitlines()
    assert about.startswith("# get_depth: ")
    assert before == "# Before it: submit_order."
    assert command.startswith("curl --request GET --header 'X-API-KEY: ")
    assert command.endswith(" 'http://127.0.0.1:4627/api/v2/depth?market=LRC-ETH&level=0'")


def test_the_call_goes_to_the_address_that_is_given() -> None:
    value = json.loads(say("get_broker", "--as", "json", "--url", "http://relayer.test:80/w/a/").output)
    assert value["request"]["url"] == "http://relayer.test:80/w/a/api/v3/getAvailableBroker"


def test_format_is_another_name_and_output_a_file(tmp_path: Path) -> None:
    assert say("get_broker", "--format", "js", "--output", str(tmp_path / "broker.mjs")).output == ""
    assert (tmp_path / "broker.mjs").read_text(encoding="utf-8").startswith("// get_broker: ")


def test_an_unknown_endpoint_is_refused_with_the_nearest() -> None:
    refused = say("get_tiker")
    assert refused.exit_code == 2
    assert refused.output == "mockrelay: 'get_tiker' is not an endpoint; meant: 'get_ticker'\n"
