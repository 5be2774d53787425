"""Old spellings of options and variables work for one release: each gives the same as the new one, and no help names it."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from mockrelay.cli import COMMANDS, main
from mockrelay.cli.options import Option
from mockrelay.web import serve
from tests.support.worlds import relay_from

URL = "http://127.0.0.1:9"
HERE = __file__

OPTIONS: tuple[tuple[str, Sequence[str], Sequence[str], Sequence[str]], ...] = (
    ("serve", (), ("--report", "r"), ("--output-dir", "r")),
    ("check", (URL,), ("--report", "r"), ("--output-dir", "r")),
    ("check", (URL,), ("--account", HERE), ("--account-file", HERE)),
    ("spec", ("codes",), ("--json",), ("--format", "json")),
    ("scenarios", (), ("--json",), ("--format", "json")),
    ("validate", (HERE,), ("--json",), ("--format", "json")),
    ("openapi", (), ("--yaml",), ("--format", "yaml")),
    ("sign", ("submit_order",), ("--json", HERE), ("--body", HERE)),
    ("sign", ("submit_order",), ("--curl",), ("--format", "curl")),
    ("replay", (HERE,), ("--out", "o"), ("--output", "o")),
)
"""Command, arguments, and what follows them in the old and in the new spelling."""

VARIABLES: tuple[tuple[str, Sequence[str], str, str], ...] = (
    ("serve", (), "MOCKRELAY_REPORT=r", "MOCKRELAY_OUTPUT_DIR=r"),
    ("check", (URL,), "MOCKRELAY_CHECK_REPORT=r", "MOCKRELAY_CHECK_OUTPUT_DIR=r"),
    ("check", (URL,), f"MOCKRELAY_CHECK_ACCOUNT={HERE}", f"MOCKRELAY_CHECK_ACCOUNT_FILE={HERE}"),
    ("spec", (), "MOCKRELAY_JSON=1", "MOCKRELAY_SPEC_FORMAT=json"),
    ("spec", (), "MOCKRELAY_JSON=0", "MOCKRELAY_SPEC_FORMAT=text"),
    ("scenarios", (), "MOCKRELAY_JSON=true", "MOCKRELAY_SCENARIOS_FORMAT=json"),
    ("scenarios", (), "MOCKRELAY_SCHEMA=1", "MOCKRELAY_SCENARIOS_SCHEMA=1"),
    ("validate", (HERE,), "MOCKRELAY_JSON=yes", "MOCKRELAY_VALIDATE_FORMAT=json"),
    ("openapi", (), "MOCKRELAY_YAML=1", "MOCKRELAY_OPENAPI_FORMAT=yaml"),
    ("sign", ("submit_order",), "MOCKRELAY_CURL=1", "MOCKRELAY_SIGN_FORMAT=curl"),
    ("sign", ("submit_order",), "MOCKRELAY_ACCOUNT=bob", "MOCKRELAY_SIGN_ACCOUNT=bob"),
    ("sign", ("submit_order",), "MOCKRELAY_SCHEME=ecdsa", "MOCKRELAY_SIGN_SCHEME=ecdsa"),
    ("sign", ("submit_order",), "MOCKRELAY_FAMILY=python", "MOCKRELAY_SIGN_FAMILY=python"),
    ("sign", ("submit_order",), "MOCKRELAY_FORM=bare", "MOCKRELAY_SIGN_FORM=bare"),
    ("wait", (URL,), "MOCKRELAY_TIMEOUT=2", "MOCKRELAY_WAIT_TIMEOUT=2"),
    ("replay", (HERE,), "MOCKRELAY_REPLAY_OUT=o", "MOCKRELAY_REPLAY_OUTPUT=o"),
)
"""Command, arguments, and the old and the new variable with a value."""


def command_named(name: str) -> click.Command:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    return command


def parameters(name: str, args: Sequence[str]) -> Mapping[str, Any]:
    """What a command's function is called with; of an open file its name."""
    with command_named(name).make_context(name, list(args)) as ctx:
        return {key: getattr(value, "name", value) for key, value in ctx.params.items()}


@pytest.mark.parametrize(("name", "args", "old", "new"), OPTIONS, ids=str)
def test_an_old_option_is_the_new_one(name: str, args: Sequence[str], old: Sequence[str], new: Sequence[str]) -> None:
    without, result = parameters(name, args), parameters(name, [*args, *new])
    assert parameters(name, [*args, *old]) == result != without


@pytest.mark.parametrize(("name", "args", "old", "new"), VARIABLES, ids=str)
def test_an_old_variable_is_the_new_one(
    name: str, args: Sequence[str], old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for each in (old, new):
        variable, _, value = each.partition("=")
        with monkeypatch.context() as context:
            context.setenv(variable, value)
            found.append(parameters(name, args))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_every_old_spelling_is_in_a_table_above_and_in_no_help(name: str) -> None:
    old = {each for param in command_named(name).params if isinstance(param, Option) for each in param.old}
    tested = {option[0] for command, _, option, _ in OPTIONS if command == name}
    tested |= {variable.partition("=")[0] for command, _, variable, _ in VARIABLES if command == name}
    assert old == tested
    shown = CliRunner().invoke(main, [name, "--help"]).output.replace("\n", " ").split()
    assert not old & set(shown)


def test_a_wrong_value_of_an_old_variable_is_told_with_its_name() -> None:
    result = CliRunner().invoke(main, ["spec"], env={"MOCKRELAY_JSON": "perhaps"})
    assert (result.exit_code, "'perhaps'" in result.output) == (2, True)
    result = CliRunner().invoke(main, ["sign", "submit_order"], env={"MOCKRELAY_SCHEME": "all"}, input="{}")
    assert "'--scheme' (env var: 'MOCKRELAY_SCHEME'): 'all' is not one of" in result.output


def test_files_of_a_check_in_one_format_are_those_of_format_and_output(tmp_path: Path) -> None:
    """The old options print the text too, and several of them can be given."""
    formats = ("json", "junit", "sarif")
    with serve(relay_from()) as server:
        args = ["check", server.url, "--only", "get_broker"]
        text = CliRunner().invoke(main, [*args, *(f"--{name}={tmp_path / name}" for name in formats)])
        assert text.output == CliRunner().invoke(main, args).output
        for name in formats:
            new = tmp_path / "new"
            assert CliRunner().invoke(main, [*args, "--format", name, "--output", str(new)]).output == ""
            assert (tmp_path / name).read_bytes() == new.read_bytes()


def test_files_and_the_folder_of_a_sweep_are_those_of_format_and_output_dir(tmp_path: Path) -> None:
    args = ["sweep", "--own-relayers", "--only", "http.error_status=400"]
    command = [sys.executable, "-c", "print('done')"]
    old, new, again = (tmp_path / name for name in ("old", "new", "again.d"))
    files = [f"--json={tmp_path / 'json'}"]
    texts = [CliRunner().invoke(main, [*args, *files, f"--output={old}", *command])]
    texts += [CliRunner().invoke(main, [*args, f"--output-dir={new}", *command])]
    again.mkdir()
    texts += [CliRunner().invoke(main, [*args, "--format", "text", f"--output={again}", *command])]
    assert {(text.exit_code, text.stdout) for text in texts} == {(0, texts[0].stdout)}
    names = {path.name for path in new.iterdir()}
    assert names == {path.name for path in old.iterdir()} == {path.name for path in again.iterdir()}
    assert "0000-the_defaults.log" in names
    assert (tmp_path / "json").read_bytes() == (old / "sweep.json").read_bytes()


def test_a_sweep_leaves_the_options_of_its_command_alone() -> None:
    command = ["prove", "--json", "x", "--output", "y"]
    assert parameters("sweep", command)["command"] == tuple(command)
