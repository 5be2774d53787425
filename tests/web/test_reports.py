"""Reports over all worlds of a server, removed ones included: `worlds=all` and `POST report`."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator

import pytest

from mockrelay.report.forms import REPORT_FILES
from mockrelay.web import serve
from tests.support.client import control, done, get
from tests.support.connection import Connection, connected
from tests.support.worlds import world

TICKER = {"on": "get_ticker", "status": 503}


@pytest.fixture
def wire() -> Iterator[Connection]:
    """A server with an unknown path in the main relayer, and a fault that never fired in a world that is gone."""
    with serve(world()) as server, connected(server.url) as wire:
        wire.ask("GET", "/api/nowhere")
        wire.ask("GET", "/w/one/api/v2/exchange/info?x=1")
        wire.ask("POST", "/w/gone/__mockrelay/faults", body=json.dumps(TICKER).encode())
        wire.ask("DELETE", "/__mockrelay/worlds/gone")
        yield wire


def test_findings_of_all_worlds_name_theirs(wire: Connection) -> None:
    report = control(wire, "GET", "findings", worlds="all").json
    assert [(each["rule"], each["world"]) for each in report["findings"]] == [
        ("foreign-path", ""),
        ("unknown-field", "one"),
    ]
    assert report["problemCounts"] == {"unknown_path": 1, "unfired_fault": 1}
    text = control(wire, "GET", "findings", worlds="all", format="text")
    assert text.body.decode().endswith("2 findings, 1 other problem\n")
    markdown = control(wire, "GET", "findings", worlds="all", format="markdown")
    assert markdown.headers["content-type"] == "text/markdown; charset=utf-8"


def test_problems_of_all_worlds_are_listed(wire: Connection) -> None:
    found = control(wire, "GET", "problems", worlds="all").json
    assert [(each["kind"], each["world"]) for each in found] == [("unknown_path", ""), ("unfired_fault", "gone")]
    assert set(done(wire, "GET", "problems")[0]) == {"kind", "request", "reason", "meant"}


def test_coverage_of_all_worlds_is_one_sum(wire: Connection) -> None:
    assert done(wire, "GET", "coverage")["kinds"]["endpoints"]["met"] == []
    assert control(wire, "GET", "coverage", worlds="all").json["kinds"]["endpoints"]["met"] == ["get_exchange_info"]
    assert control(wire, "GET", "coverage", worlds="all", format="junit").body.startswith(b"<?xml")


@pytest.mark.parametrize("verb", ["findings", "coverage", "problems"])
def test_worlds_can_only_be_all_and_only_of_a_server(wire: Connection, verb: str) -> None:
    for value in ("one", "", "1", "ALL"):
        refused = control(wire, "GET", verb, worlds=value)
        assert (refused.status, refused.json["field"], refused.json["meant"]) == (400, "worlds", "one of all")
    in_world = wire.ask("GET", f"/w/one/__mockrelay/{verb}?worlds=all")
    assert (in_world.status, in_world.json["error"]) == (404, "a world has no worlds")
    twice = wire.ask("GET", f"/__mockrelay/{verb}?worlds=all&worlds=all")
    assert twice.status == 400


def test_a_relay_without_a_server_is_all_there_is() -> None:
    relay = world()
    get(relay, "/api/nowhere")
    assert [each["kind"] for each in control(relay, "GET", "problems", worlds="all").json] == ["unknown_path"]


def test_the_whole_report_is_a_zip_of_its_files(wire: Connection) -> None:
    answer = wire.ask("POST", "/__mockrelay/report")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/zip")
    with zipfile.ZipFile(io.BytesIO(answer.body)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == list(REPORT_FILES)
        assert json.loads(archive.read("findings.json")) == control(wire, "GET", "findings", worlds="all").json
        assert b"never fired" in archive.read("findings.txt")
        assert b'failures="3"' in archive.read("findings.junit.xml")
    assert wire.ask("POST", "/__mockrelay/report").body == answer.body


def test_the_zip_is_asked_for_as_it_is_given(wire: Connection) -> None:
    for method, path, body, status, field in (
        ("GET", "report", b"", 405, "method"),
        ("POST", "report?format=zip", b"", 400, "format"),
        ("POST", "report", b'{"format": "zip"}', 400, "format"),
        ("POST", "report/all", b"", 404, "path"),
    ):
        answer = wire.ask(method, f"/__mockrelay/{path}", body=body)
        assert (answer.status, answer.json["field"]) == (status, field)
    assert wire.ask("POST", "/w/one/__mockrelay/report").json["error"] == "a world has no report"
