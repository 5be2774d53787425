"""A project's settings: `mockrelay.toml` or `[tool.mockrelay]`, below the command line and the environment."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from mockrelay._project import SECTIONS, find_project
from mockrelay.cli import COMMANDS
from tests.support.command import run_command
from tests.support.connection import connected
from tests.support.processes import serving

TOML = """
clock = "frozen"
limits = "off"
set = {"http.error_status" = 400, "order.dust" = "keep"}

[serve]
port = 0
worlds = 7
scenario = "worlds/mine.yaml"
output-dir = "reports"
cors = ["http://localhost:3000", "http://localhost:5173"]
overwrite = true
token = "sesame"
fail-on = "error"

[sweep]
jobs = 2
only = ["rate", "http"]

[pytest]
strict = true
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project, in a folder of which the command runs."""
    tmp_path.joinpath("mockrelay.toml").write_text(TOML, encoding="utf-8")
    tmp_path.joinpath("worlds").mkdir()
    tmp_path.joinpath("worlds", "mine.yaml").write_text("format: 1\nname: mine\nextends: default\n", encoding="utf-8")
    tmp_path.joinpath("sub", "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "sub" / "deep")
    return tmp_path


def shown(*args: object, **env: str) -> Any:
    done = run_command(*args, "--format", "json", env=env)
    assert done.exit_code == 0, done.stderr
    return json.loads(done.stdout)


def test_the_sections_are_commands_and_pytest() -> None:
    assert set(SECTIONS) - {"pytest"} <= set(COMMANDS)


def test_what_holds_is_shown_with_its_source(folder: Path) -> None:
    file = str(folder / "mockrelay.toml")
    value = shown("config", MOCKRELAY_CLOCK="60")
    assert value["file"] == file
    serve = {name: (row["value"], row["from"]) for name, row in value["serve"].items()}
    assert serve["port"] == (0, file)
    assert serve["host"] == ("127.0.0.1", "default")
    assert serve["clock"] == ("60", "env var: 'MOCKRELAY_CLOCK'")
    assert serve["limits"] == ("off", file)
    assert serve["set"] == ({"http.error_status": "400", "order.dust": "keep"}, file)
    assert serve["worlds"] == (7, file)
    assert serve["scenario"] == (str(folder / "worlds" / "mine.yaml"), file)
    assert serve["output-dir"] == (str(folder / "reports"), file)
    assert serve["cors"] == ("http://localhost:3000,http://localhost:5173", file)
    assert serve["overwrite"] == (True, file)
    assert serve["token"] == ("***", file)
    assert serve["record"] == (None, "default")
    sweep = {name: row["value"] for name, row in value["sweep"].items()}
    assert (sweep["jobs"], sweep["clock"], len(sweep["only"])) == (2, "60", 2)
    assert value["pytest"] == {
        "clock": {"value": "frozen", "from": f"{file}: clock"},
        "limits": {"value": "off", "from": f"{file}: limits"},
        "set": {"value": {"http.error_status": 400, "order.dust": "keep"}, "from": f"{file}: set"},
        "strict": {"value": True, "from": f"{file}: pytest.strict"},
    }


def test_one_command_can_be_asked_for_and_the_text_is_a_table(folder: Path) -> None:
    done = run_command("config", "serve")
    head, empty, columns, *rows = done.stdout.splitlines()
    assert head == f"settings: {folder / 'mockrelay.toml'}"
    assert (empty, columns.split()) == ("", ["serve", "value", "from"])
    assert rows[1].split() == ["port", "0", str(folder / "mockrelay.toml")]


def test_values_are_shown_as_settings_have_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is written as it is read, but for what is equal to it: a table of options, a duration in one unit."""
    sections = {
        "serve": {
            "set": '{"http.error_status" = "400"}',
            "worlds": '"explicit"',
            "worlds-idle": '"90m"',
            "overwrite": "true",
        },
        "sweep": {"only": '["rate", "http.error_status=400"]', "timeout": "90", "env": '["API_URL"]'},
        "pytest": {"coverage": '["term", "out.json"]', "set": '{"order.dust" = "keep"}', "start": '{"at" = [1, 0.5]}'},
    }
    lines = [f"[{name}]\n" + "\n".join(map(" = ".join, rows.items())) for name, rows in sections.items()]
    (tmp_path / "mockrelay.toml").write_text("\n".join(lines), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for name, rows in sections.items():
        lines = run_command("config", name).stdout.splitlines()
        for setting, written in rows.items():
            line = next(line for line in lines if line.startswith(f"{setting} "))
            assert line.removeprefix(setting).rpartition(str(tmp_path))[0].strip() == written.strip('"')


def test_without_settings_all_is_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    value = shown("config")
    assert (value["file"], value["pytest"]) == (None, {})
    assert {row["from"] for row in value["serve"].values()} == {"default"}


@pytest.mark.parametrize("given", ["option", "variable"])
def test_another_file_or_none_can_be_named(folder: Path, tmp_path: Path, given: str) -> None:
    other = tmp_path / "other.toml"
    other.write_text("[serve]\nport = 5\n", encoding="utf-8")
    for named, port in ((str(other), 5), ("none", 4627)):
        args = ("--config", named) if given == "option" else ()
        env = {"MOCKRELAY_CONFIG": named} if given == "variable" else {}
        assert shown(*args, "config", "serve", **env)["serve"]["port"]["value"] == port


def test_a_pyproject_counts_where_it_has_the_table(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "pyproject.toml").write_text('[tool.mockrelay]\nclock = "frozen"\n', encoding="utf-8")
    (inner / "pyproject.toml").write_text('[project]\ndependencies = ["mockrelay"]\n', encoding="utf-8")
    found = find_project(inner)
    assert (found.file, dict(found.top)) == (tmp_path / "pyproject.toml", {"clock": "frozen"})
    (tmp_path / "mockrelay.toml").write_text('clock = "real"\n', encoding="utf-8")
    assert find_project(tmp_path).file == tmp_path / "mockrelay.toml"
    (inner / "pyproject.toml").write_text("[tool.mockrelay]\n", encoding="utf-8")
    assert find_project(inner).file == inner / "pyproject.toml"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("clock = ", "mockrelay.toml: is not TOML: "),
        ("\x00", "mockrelay.toml: is not TOML: "),
        ("clok = 'frozen'", "mockrelay.toml: 'clok': there is no such setting; meant: 'clock'"),
        ("serve = 1", "mockrelay.toml: serve is not a table; meant: [serve]"),
        ("[serve]\nprot = 1", "mockrelay.toml: serve.prot: there is no such setting; meant: 'port'"),
        ("[serve]\nport = 'x'", "mockrelay.toml): 'x' is not a valid integer range."),
        ("[serve]\nport = true", "mockrelay.toml: serve.port: true is not a text or a number"),
        ("[serve]\noverwrite = 'yes'", 'mockrelay.toml: serve.overwrite: "yes" is neither true nor false'),
        ("set = 1", "mockrelay.toml: set: 1 is not a list"),
        ("set = {order = {dust = 'keep'}}", "mockrelay.toml): order: found no choice of this name"),
        ("limits = {submit_order = 1}", 'mockrelay.toml: limits: {"submit_order" = 1} is not a text or a number'),
        ("[serve]\nscenario = 'none.yaml'", "none.yaml"),
        ("[serve]\ntls-cert = 'none.pem'", "mockrelay.toml)"),
    ],
)
def test_a_wrong_setting_is_exit_code_2_and_names_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, says: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mockrelay.toml").write_text(text, encoding="utf-8")
    done = run_command("serve", "-H", "127.0.0.1")
    assert done.exit_code == 2
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_that_is_named_has_to_be_there(tmp_path: Path) -> None:
    for named, says in ((tmp_path / "no.toml", "No such file"), (tmp_path / "bytes.toml", "is not UTF-8")):
        (tmp_path / "bytes.toml").write_bytes(b"\xff")
        done = run_command("--config", named, "serve")
        assert (done.exit_code, says in done.stderr) == (2, True)
    (tmp_path / "pyproject.toml").write_text("[project]\n", encoding="utf-8")
    done = run_command("--config", tmp_path / "pyproject.toml", "serve")
    assert "there is no table [tool.mockrelay]" in done.stderr


def test_commands_without_settings_do_not_read_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mockrelay.toml").write_text("clock = ", encoding="utf-8")
    assert run_command("guide").exit_code == 0


@pytest.mark.slow
def test_serve_does_what_the_project_says_and_the_command_line_goes_over_it(folder: Path) -> None:
    with serving("--limits", "spec", cwd=folder) as server, connected(server.url) as wire:
        state = wire.ask("GET", "/__mockrelay/state", "Authorization: Bearer sesame").json
        assert (state["scenario"], state["limits"]) == ("mine", "spec")
        assert state["choices"]["http.error_status"] == "400"
        assert server.end(signal.SIGTERM) == 0
    assert (folder / "reports" / "findings.json").exists()
