"""A call over HTTP reads no file but those of `--allow-files`, and shows nothing of what is in one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mockrelay.control import handle_control
from mockrelay.recording.format import HEAD
from mockrelay.relay import Relay
from mockrelay.replay import load_into
from mockrelay.web import serve
from tests.support.client import done
from tests.support.connection import connected
from tests.support.worlds import relay_from

OTHER = "format: 1\nname: other\nextends: default\n"
SECRET = "password-of-the-machine"


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder beside the one that may be read, with a scenario and a file that is none."""
    folder = tmp_path / "outside"
    folder.mkdir()
    (folder / "other.yaml").write_text(OTHER, encoding="utf-8")
    (folder / "secret.yaml").write_text(f"format: 1\nextends: default\n{SECRET}: {SECRET}\n", encoding="utf-8")
    return folder


@pytest.fixture
def allowed(tmp_path: Path) -> Path:
    folder = tmp_path / "allowed"
    (folder / "below").mkdir(parents=True)
    (folder / "below" / "other.yaml").write_text(OTHER, encoding="utf-8")
    (folder / "wrong.yaml").write_text(f"format: 1\nextends: default\n{SECRET}: {SECRET}\n", encoding="utf-8")
    (folder / "base.yaml").write_text("format: 1\nextends: ../outside/secret.yaml\n", encoding="utf-8")
    return folder


def reset(folder: Path | None, scenario: str) -> tuple[int, str]:
    with serve(relay_from(), allow_files=folder) as server, connected(server.url) as wire:
        answer = wire.ask("POST", "/__mockrelay/reset", body=json.dumps({"scenario": scenario}).encode())
    return answer.status, answer.body.decode()


@pytest.mark.parametrize("name", ["other.yaml", "secret.yaml", "missing.yaml", ".", "../allowed/below/other.yaml"])
def test_a_server_reads_no_files_unless_they_are_allowed(outside: Path, name: str) -> None:
    status, body = reset(None, str(outside / name))
    assert status == 400
    assert json.loads(body)["field"] == "scenario"
    assert "--allow-files DIR" in json.loads(body)["meant"]
    assert SECRET not in body


def test_packaged_scenarios_are_no_files() -> None:
    assert reset(None, "busy_market")[0] == 200


def test_of_an_allowed_folder_all_files_may_be_read(allowed: Path) -> None:
    for scenario in ("below/other.yaml", str(allowed / "below" / "other.yaml"), "./below/../below/other.yaml"):
        status, body = reset(allowed, scenario)
        assert (status, json.loads(body)["scenario"]) == (200, "other")


def test_no_other_files_may_be_read_and_all_are_refused_alike(allowed: Path, outside: Path) -> None:
    """So that nobody learns which files there are."""
    (allowed / "link.yaml").symlink_to(outside / "other.yaml")
    names = ("../outside/other.yaml", "../outside/missing.yaml", "/etc/passwd.yaml", "link.yaml", "below/", "a\0.yaml")
    told = {
        (status, body.replace(json.dumps(name)[1:-1], "")) for name in names for status, body in [reset(allowed, name)]
    }
    assert {status for status, _ in told} == {400}
    assert len({json.loads(body)["meant"] for _, body in told}) == 1
    assert all("which is not a file in the folder" in body for _, body in told)


@pytest.mark.parametrize("name", ["wrong.yaml", "base.yaml"])
def test_nothing_of_a_file_that_is_no_scenario_is_shown(allowed: Path, outside: Path, name: str) -> None:
    status, body = reset(allowed, name)
    assert status == 400
    assert SECRET not in body
    assert "outside" not in body
    assert "mockrelay validate" in body


def test_a_record_that_is_loaded_reads_no_files(outside: Path) -> None:
    """Records have the texts of scenarios; one that names a file is made by hand."""
    relay, other = relay_from(), relay_from()
    lines = [json.loads(line) for line in relay.dump().splitlines()]
    assert lines[0]["kind"] == HEAD
    fields = {"scenario": str(outside / "other.yaml")}
    lines.append({"kind": "control", "now_ms": relay.now_ms(), "wall_ms": 0, "command": "reset", "fields": fields})
    record = "".join(json.dumps(line) + "\n" for line in lines).encode()
    handle_control(other, "POST", "load", (), record, load_into)
    assert done(other, "GET", "health")["scenario"] == "default"


def test_in_process_a_file_is_read_and_its_errors_are_told(relay: Relay, outside: Path) -> None:
    assert done(relay, "POST", "reset", {"scenario": str(outside / "other.yaml")})["scenario"] == "other"
    answer = handle_control(relay, "POST", "reset", (), json.dumps({"scenario": str(outside / "secret.yaml")}).encode())
    assert SECRET.encode() in answer.body
