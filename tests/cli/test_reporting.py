"""`serve --output-dir DIR`: what every client of the server did wrong is there at its end, in files that are whole."""

from __future__ import annotations

import json
import signal
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from mockrelay.cli.options import CliError
from mockrelay.cli.serve.files import Conclusion, log_to, open_log
from mockrelay.journal import secrets
from mockrelay.journal.masking import MASK
from mockrelay.relay import Relay
from mockrelay.report.forms import REPORT_FILES
from mockrelay.web import Serving
from mockrelay.web.dispatch import AnsweredRequest, Dispatcher
from mockrelay.web.server import bind
from mockrelay.web.server_report import ServerReport
from mockrelay.wire.http import RawRequest, Response
from tests.report.test_formats import log_of
from tests.support.calls import call, order
from tests.support.client import ask, done, send
from tests.support.command import run_command
from tests.support.connection import connected
from tests.support.processes import serving
from tests.support.worlds import START_S, world

FINDINGS = ["findings.json", "findings.junit.xml", "findings.sarif", "findings.txt"]


def found(folder: Path) -> list[tuple[str, str, str]]:
    """Rule, world and call of each finding."""
    value = json.loads((folder / "findings.json").read_text(encoding="utf-8"))
    return [(each["rule"], each["world"], each["asked"]) for each in value["findings"]]


def test_the_report_is_written_at_the_end(tmp_path: Path) -> None:
    """Of the main relayer, of its worlds, of one that was removed, and of what was before a reset; both findings and
    coverage, of which the JSON can be added up with others.
    """
    folder = tmp_path / "new" / "report"
    with serving("-p", "0", "--output-dir", str(folder)) as server:
        url = server.url
        ask(f"{url}/api/v2/exchange/token")
        ask(f"{url}/__mockrelay/reset", "POST", {})
        ask(f"{url}/api/v2/exchange/info")
        ask(f"{url}/w/one/api/v2/ticker?market=LRC-ETH&markt=1")
        ask(f"{url}/w/gone/api/v2/exchange/tokens", "DELETE")
        ask(f"{url}/w/gone/api/v2/exchange/tokens")
        ask(f"{url}/__mockrelay/worlds/gone", "DELETE")
        assert list(folder.iterdir()) == []
        assert server.end(signal.SIGTERM) == 0
        with suppress(EOFError):
            while True:
                server.line()
    assert server.output[-1] == f"report in {folder}: 3 findings"
    assert set(FINDINGS) <= {path.name for path in folder.iterdir()} == set(REPORT_FILES)
    assert found(folder) == [
        ("foreign-path", "", "GET /api/v2/exchange/token"),
        ("foreign-path", "gone", "DELETE /api/v2/exchange/tokens"),
        ("unknown-field", "one", "GET /api/v2/ticker?market=LRC-ETH&markt=1"),
    ]
    assert (folder / "findings.txt").read_text(encoding="utf-8").endswith("\n3 findings\n")
    assert ET.parse(folder / "findings.junit.xml").getroot().get("failures") == "3"
    assert len(log_of((folder / "findings.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]) == 3
    added_up = json.loads(run_command("coverage", folder / "coverage.json", "--format", "json").stdout)
    assert added_up["kinds"]["endpoints"]["met"] == ["get_tokens", "get_exchange_info", "get_ticker"]
    assert "never called: send_eth_tx," in (folder / "coverage.txt").read_text(encoding="utf-8")
    assert ET.parse(folder / "coverage.junit.xml").getroot().get("failures") == "0"


def test_a_check_of_the_server_leaves_no_trace(tmp_path: Path) -> None:
    """Its calls are wrong on purpose, and no client's: no world of its is told of, nor is anything held to be tried."""
    with serving("-p", "0", "--output-dir", str(tmp_path)) as server:
        ask(f"{server.url}/w/one/api/v2/exchange/token")
        checked = run_command("check", server.url, "--only", "get_ticker")
        assert checked.exit_code == 0, checked.stdout
        assert server.end(signal.SIGTERM) == 0
    assert found(tmp_path) == [("foreign-path", "one", "GET /api/v2/exchange/token")]
    covered = json.loads((tmp_path / "coverage.json").read_text(encoding="utf-8"))
    assert covered["kinds"]["endpoints"]["met"] == []


def test_a_folder_that_cannot_be_written_is_told_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    ended = run_command("serve", "-p", "0", "--output-dir", tmp_path / "file" / "report")
    assert ended.exit_code == 2
    assert f"--output-dir {tmp_path / 'file' / 'report'}: Not a directory" in ended.stderr
    assert "listening" not in ended.stdout


def test_an_older_report_is_replaced_and_no_draft_is_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    relay = world()
    for total in (0, 1):
        assert Conclusion(tmp_path, None).draw(relay.whole_report) is None
        said = capsys.readouterr().out
        assert said == f"report in {tmp_path}: {total or 'no'} finding{'' if total == 1 else 's'}\n"
        assert {path.name for path in tmp_path.iterdir()} == set(REPORT_FILES)
        call(relay, order(1, validUntil=START_S + 60))


def test_what_cannot_be_written_any_more_is_told(tmp_path: Path) -> None:
    conclusion = Conclusion(tmp_path / "report", None)
    (tmp_path / "report").rmdir()
    with pytest.raises(CliError, match=r"--output-dir .*report: No such file or directory"):
        conclusion.draw(world().whole_report)


def test_secrets_of_all_worlds_are_masked_in_every_file(tmp_path: Path) -> None:
    report = ServerReport()
    main, gone = world(), world()
    for relay, secret in ((main, 'Tom&"Jerry"<of-nobody>'), (gone, 'Ann&"Mary"<of-nobody>')):
        send(relay, "GET", f"/api/{secret}", key=secret)
    send(main, "GET", '/api/Ann&"Mary"<of-nobody>', key=None)
    report.add(ServerReport.of("gone", gone))
    Conclusion(tmp_path, None).draw(lambda: report.whole([("", main)]))
    for path in tmp_path.iterdir():
        text = path.read_text(encoding="utf-8")
        assert text.count(f"GET /api/{MASK}") >= 3 * path.name.startswith("findings.")
        assert "Tom" not in text
        assert "Ann" not in text


def test_the_log_masks_the_keys_of_the_relayer_that_was_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Private keys are not derived anew for each request, but an API key is masked from the moment that it is set."""
    path = "/api/a-key-of-the-other"
    raw = RawRequest("GET", path, path, (), {}, b"", "http", "localhost", "127.0.0.1")
    main, other = world(), world()
    done(other, "POST", "accounts/alice/keys", {"apiKey": "a-key-of-the-other"})
    with open_log(tmp_path / "log") as file:
        log = log_to(file, tmp_path / "log")
        for relay in (main, other):
            log(AnsweredRequest(raw, Response(404, (), b""), 5, relay))
        monkeypatch.setattr(secrets, "eddsa_private", None)
        call(other, order(1))
        log(AnsweredRequest(raw, Response(404, (), b""), 6, other))
    assert (tmp_path / "log").read_text(encoding="utf-8").splitlines() == [
        "5 GET /api/a-key-of-the-other 404",
        f"5 GET /api/{MASK} 404",
        f"6 GET /api/{MASK} 404",
    ]


def test_the_log_masks_what_earlier_requests_were_sent_with(tmp_path: Path) -> None:
    signature, relay = "0x" + "ab" * 65, world()

    def asked(path: str, **headers: str) -> RawRequest:
        return RawRequest("GET", path, path, (), headers, b"", "http", "localhost", "127.0.0.1")

    with open_log(tmp_path / "log") as file:
        log = log_to(file, tmp_path / "log")
        for raw in (asked("/api/x", **{"x-api-sig": signature}), asked(f"/api/{signature}")):
            log(AnsweredRequest(raw, Response(404, (), b""), 5, relay))
    assert (tmp_path / "log").read_text(encoding="utf-8").splitlines() == ["5 GET /api/x 404", f"5 GET /api/{MASK} 404"]


def test_the_log_has_a_line_for_each_request_of_several_threads(tmp_path: Path) -> None:
    relay, interval = world(), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with open_log(tmp_path / "log") as file, ThreadPoolExecutor(4) as threads:
            log = log_to(file, tmp_path / "log")

            def note(number: int) -> None:
                headers = {"x-api-key": f"key-number-{number}"}
                raw = RawRequest("GET", "/api/x", "/api/x", (), headers, b"", "http", "localhost", "127.0.0.1")
                log(AnsweredRequest(raw, Response(404, (), b""), number, relay))

            list(threads.map(note, range(4000)))
    finally:
        sys.setswitchinterval(interval)
    lines = (tmp_path / "log").read_text(encoding="utf-8").splitlines()
    assert sorted(lines) == sorted(f"{number} GET /api/x 404" for number in range(4000))


def test_the_log_says_what_the_client_meets(tmp_path: Path) -> None:
    raw = RawRequest("GET", "/api/x", "/api/x", (), {}, b"", "http", "localhost", "127.0.0.1")
    with open_log(tmp_path / "log") as file:
        log = log_to(file, tmp_path / "log")
        for response in (
            Response(200, (), b"{}"),
            Response(200, (), b"{}", drop=True),
            Response(503, (), b"", not_before_ms=30_005),
            Response(200, (), b"", drop=True, not_before_ms=30_005),
        ):
            log(AnsweredRequest(raw, response, 5, world()))
    assert (tmp_path / "log").read_text(encoding="utf-8").splitlines() == [
        "5 GET /api/x 200",
        "5 GET /api/x no answer",
        "5 GET /api/x 503 at 30005",
        "5 GET /api/x no answer",
    ]


def test_worlds_that_came_and_went_under_one_name_are_told_together(tmp_path: Path) -> None:
    report = ServerReport()
    for _ in range(3):
        relay: Relay = world()
        call(relay, order(1, validUntil=START_S + 60))
        report.add(ServerReport.of("job", relay))
    Conclusion(tmp_path, None).draw(lambda: report.whole([]))
    assert report.whole([]).findings.total == 3
    assert [world for _, world, _ in found(tmp_path)] == ["job"] * 3


def test_the_log_in_json_has_all_that_is_known_of_a_call(tmp_path: Path) -> None:
    """In worlds too; a control call has no endpoint, and an answer that a fault drops has no status."""
    path = tmp_path / "log"
    with open_log(path) as file:
        dispatcher = Dispatcher(world(), log=log_to(file, path, "json"))
        with Serving(dispatcher, bind("127.0.0.1", 0)) as server, connected(server.url) as wire:
            wire.ask("GET", "/w/a/api/v2/exchange/tokens?x=%22")
            fault = {"on": "get_broker", "name": "mine", "drop": True}
            wire.ask("POST", "/__mockrelay/faults", body=json.dumps(fault).encode())
            with pytest.raises(EOFError):
                wire.ask("GET", "/api/v3/getAvailableBroker")
        lines = [json.loads(line) for line in path.read_text(encoding="ascii").splitlines()]
    assert all(0 <= line.pop("duration_ms") < 60_000 for line in lines)
    call = {"ms": START_S * 1000, "method": "GET", "fault": None}
    assert lines == [
        {
            **call,
            "world": "a",
            "request": "r1",
            "target": "/w/a/api/v2/exchange/tokens?x=%22",
            "endpoint": "get_tokens",
            "status": 200,
            "code": 104001,
        },
        {
            **call,
            "world": "",
            "request": None,
            "method": "POST",
            "target": "/__mockrelay/faults",
            "endpoint": None,
            "status": 200,
            "code": None,
        },
        {
            **call,
            "world": "",
            "request": "r1",
            "target": "/api/v3/getAvailableBroker",
            "endpoint": "get_broker",
            "status": None,
            "code": None,
            "fault": "mine",
        },
    ]


@pytest.mark.slow
def test_the_log_can_go_to_standard_output() -> None:
    with serving("-p", "0", "--log", "-", "--log-format", "json") as server:
        with connected(server.url) as wire:
            wire.ask("GET", "/api/nowhere")
        while not (line := server.line()).startswith("{"):
            pass
        assert json.loads(line)["target"] == "/api/nowhere"
