"""`mockrelay check`: its exit codes, what it prints and the files that it writes."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import Result

from mockrelay.web import serve
from tests.check.in_process import without_waiting
from tests.support.command import run_command
from tests.support.other_servers import foreign, plain
from tests.support.worlds import relay_from

REFUSES = plain(200, b'{"resultInfo":{"code":104001,"message":"Empty ApiKey"}}')
"""A relayer that asks everybody for a key."""
PAGE = plain(200, b"<html>\n <p>hello", "text/html")
"""No relayer, but a web page."""
BROKEN = {"not-json", "content-type", "http-status"}
"""What a web page does wrong that answers every call, also those of paths that there are not."""


def pages_for_brokers(handler: BaseHTTPRequestHandler) -> None:
    """A relayer that has a web page in place of one endpoint."""
    (PAGE if "getAvailableBroker" in handler.path else REFUSES)(handler)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    without_waiting(monkeypatch)


def check(*args: object, env: dict[str, str] | None = None) -> Result:
    return run_command("check", *args, env=env)


def test_a_mockrelay_passes_with_0() -> None:
    with serve(relay_from()) as server:
        result = check(server.url, "--only", "get_broker")
    assert result.exit_code == 0, result.output
    assert "a mockrelay, checked in a world of its own" in result.stdout
    assert "no findings" in result.stdout
    assert ["auth.key_on_silent", "ignore"] in [line.split() for line in result.stdout.splitlines()]


def test_findings_are_told_with_1_and_written_in_every_form(tmp_path: Path) -> None:
    with foreign(pages_for_brokers) as url:
        result = check(url, "--only", "get_broker", "--output-dir", str(tmp_path / "made" / "here"))
    assert result.exit_code == 1, result.output
    assert "error: not-json: The body is not JSON." in result.stdout
    assert "GET /api/v3/getAvailableBroker: get_broker Answers are JSON" in result.stdout
    assert "status 200, not one from 400 to 499: /api/v3/getAvailableBroker" in result.stdout
    folder = tmp_path / "made" / "here"
    assert {path.name for path in folder.iterdir()} == {"check.txt", "check.json", "check.junit.xml", "check.sarif"}
    value = json.loads((folder / "check.json").read_text(encoding="utf-8"))
    assert value["mockrelay"] is False
    assert value["url"] == url
    assert {finding["rule"] for finding in value["findings"]} == BROKEN
    assert value["total"] == len(value["findings"]) > 0
    suite = ET.parse(folder / "check.junit.xml").getroot()[0]
    failed = {case.attrib["name"].partition(" (")[0] for case in suite if case.find("failure") is not None}
    assert failed == {
        "Answers are JSON, wrapped as they should be, and fit their schema",
        "An unknown path or method is refused",
    }
    assert {case.attrib["classname"] for case in suite} == {"get_broker"}
    log = json.loads((folder / "check.sarif").read_text(encoding="utf-8"))
    assert {result["ruleId"] for result in log["runs"][0]["results"]} == BROKEN
    assert (folder / "check.txt").read_text(encoding="utf-8") == result.stdout


def test_single_forms_are_written_where_asked_for(tmp_path: Path) -> None:
    with serve(relay_from()) as server:
        files = {form: tmp_path / form for form in ("json", "junit", "sarif")}
        for form, path in files.items():
            result = check(server.url, "--only", "get_broker", "--format", form, "--output", str(path))
            assert (result.exit_code, result.stdout) == (0, "")
    value = json.loads(files["json"].read_text(encoding="utf-8"))
    assert value["findings"] == []
    assert value["readings"]["auth.key_on_silent"] == ["ignore"]
    assert value["skipped"] == []
    assert ET.parse(files["junit"]).getroot().attrib["failures"] == "0"
    assert json.loads(files["sarif"].read_text(encoding="utf-8"))["runs"][0]["results"] == []


def test_what_is_not_checked_is_told_with_the_reason() -> None:
    with foreign(REFUSES) as url:
        result = check(url, "--only", "submit_order")
    assert "submissions are made on a mockrelay only, or under --everything" in result.stdout


def test_a_server_that_is_not_there_ends_with_2() -> None:
    with foreign(REFUSES) as url:
        pass
    result = check(url)
    assert result.exit_code == 2
    assert result.stderr == f"mockrelay: {url} does not answer: the connection is refused\n"


def test_what_is_no_relayer_ends_with_2_and_one_sentence(tmp_path: Path) -> None:
    """The files that were asked for are written all the same."""
    with foreign(PAGE) as url:
        result = check(url, "--only", "get_tokens", "--output-dir", str(tmp_path))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"mockrelay: {url}: none of 3 calls was answered as a relayer would; is the address right? "
        "POST /api/v3/delegator/getCode: 200 <html> <p>hello\n"
    )
    assert (tmp_path / "check.txt").read_text(encoding="utf-8").startswith(f"{url}: none of 3 calls")
    assert json.loads((tmp_path / "check.json").read_text(encoding="utf-8"))["total"] > 0


def test_an_address_with_a_path_of_the_api_is_told_without_it() -> None:
    """A mockrelay answers there too, that it has no such path."""
    with serve(relay_from()) as server:
        result = check(f"{server.url}/api/v2", "--only", "get_tokens")
    assert result.exit_code == 2
    assert f"; is it {server.url}, without /api? POST /api/v3/delegator/getCode: 404 " in result.stderr


def test_one_right_answer_makes_a_relayer() -> None:
    """Also one of an endpoint whose answers show no outcome."""
    broker = json.dumps({"broker": "0x" + "b1" * 20}).encode()

    def only_brokers(handler: BaseHTTPRequestHandler) -> None:
        found = handler.path.partition("?")[0] == "/api/v3/getAvailableBroker"
        (plain(200, broker) if found else plain(404, b"no"))(handler)

    with foreign(only_brokers) as url:
        result = check(url, "--only", "get_broker")
    assert result.exit_code == 0, result.output
    assert f"{url}: not a mockrelay" in result.stdout


def test_the_market_must_be_one_that_a_mockrelay_has() -> None:
    with serve(relay_from()) as server:
        wrong = check(server.url, "--market", "LRC-USD", "--only", "get_broker")
        right = check(server.url, "--market", "LRC-USDT", "--only", "get_ticker")
    assert wrong.exit_code == 2
    assert wrong.stderr == "mockrelay: --market LRC-USD: there is no such market; meant: 'LRC-USDT'\n"
    assert right.exit_code == 0, right.output


def test_what_one_endpoint_does_not_show_is_not_listed() -> None:
    with serve(relay_from()) as server:
        result = check(server.url, "--only", "get_broker")
    assert "auth.key_on_silent" in result.stdout
    assert "not observed" not in result.stdout
    with foreign(REFUSES) as url:
        assert "not observed: " in check(url).stdout


def test_a_guarded_mockrelay_asks_for_its_token() -> None:
    with serve(relay_from(), token="open") as server:
        refused = check(server.url, "--only", "get_broker")
        let_in = check(server.url, "--only", "get_broker", env={"MOCKRELAY_TOKEN": "open"})
    assert refused.exit_code == 2
    assert "give its token with --token or MOCKRELAY_TOKEN" in refused.stderr
    assert let_in.exit_code == 0, let_in.output


def test_an_account_comes_from_a_file_or_from_options(tmp_path: Path) -> None:
    """`--everything` needs all of it."""
    file = tmp_path / "account.json"
    file.write_text(json.dumps({"accountId": 10001, "apiKey": "key"}), encoding="utf-8")
    with foreign(REFUSES) as url:
        partly = check(url, "--everything", "--account-file", str(file), "--only", "get_broker")
        whole = check(
            url, "--everything", "--account-file", str(file), "--owner", "0x" + "a1" * 20, "--only", "get_broker"
        )
    assert partly.exit_code == 2
    assert "needs --account-id, --owner and --api-key" in partly.stderr
    assert whole.exit_code in (0, 1)


@pytest.mark.parametrize("text", ["{", "[]", '{"accountId": "10001"}', '{"key": "x"}', '{"accountId": true}'])
def test_an_account_file_that_is_none_ends_with_2(tmp_path: Path, text: str) -> None:
    file = tmp_path / "account.json"
    file.write_text(text, encoding="utf-8")
    result = check("http://127.0.0.1:9", "--account-file", str(file))
    assert result.exit_code == 2
    assert str(file) in result.stderr


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("ftp://host",), "is not http://HOST:PORT"),
        (("http://",), "is not the address of a server"),
        (("http://[::1",), "is not the address of a server"),
        (("http://127.0.0.1:9", "--only", "get_tokns"), "there is no such endpoint; meant: 'get_tokens'"),
        (("http://127.0.0.1:9", "--api-key", "ä"), "a header cannot hold it"),
        (("http://127.0.0.1:9", "--timeout", "0"), "--timeout"),
    ],
)
def test_a_wrong_command_ends_with_2_and_a_sentence(args: tuple[str, ...], problem: str) -> None:
    result = check(*args)
    assert result.exit_code == 2
    assert problem in result.stderr


def test_a_report_that_cannot_be_written_ends_with_2(tmp_path: Path) -> None:
    """Before the check, not after it."""
    (tmp_path / "file").write_text("", encoding="utf-8")
    with serve(relay_from()) as server:
        result = check(server.url, "--only", "get_broker", "--output-dir", str(tmp_path / "file" / "below"))
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"--output-dir {tmp_path / 'file' / 'below'}: Not a directory" in result.stderr
