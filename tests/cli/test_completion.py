"""What a shell completes: values, and the script of each shell, run by that shell."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete

from mockrelay.cli import main
from mockrelay.cli.completion import VARIABLE
from mockrelay.spec.choices import BY_KEY
from tests.support.command import run_command
from tests.support.processes import environment

COMPLETE = ShellComplete(main, {}, "mockrelay", VARIABLE)


def completed(*words: str) -> list[str]:
    """What the last word is completed by."""
    return [item.value for item in COMPLETE.get_completions(list(words[:-1]), words[-1])]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("sw",), ["sweep"]),
        (("serve", "--scenario", "slow_"), ["slow_deployment"]),
        (("scenarios", "tight"), ["tight_limits"]),
        (("serve", "--set", "http.error"), ["http.error_status="]),
        (("serve", "--set", "http.error_status="), [f"http.error_status={each}" for each in ("split", "400", "200")]),
        (("serve", "--set", "no.choice="), []),
        (("sweep", "--only", "rate.sta"), ["rate.status"]),
        (("sweep", "--only", "pending"), ["pending", "pending.shape"]),
        (("sweep", "--only", "rate.status=2"), ["rate.status=200"]),
        (("serve", "--clock", ""), ["real", "frozen"]),
        (("serve", "--limits", "o"), ["off"]),
        (("example", "get_can"), ["get_candlestick"]),
        (("check", "http://x", "--only", "submit_o"), ["submit_order"]),
        (("sign", "submit_order", "--account", ""), ["alice", "bob", "carol"]),
        (("guide", "fin"), ["findings-and-coverage"]),
        (("guide", "control-api", "prob"), ["problems"]),
        (("spec", "codes", "10201"), ["102010", "102011", "102012", "102014"]),
        (("spec", "choices", "ticker."), [key for key in BY_KEY if key.startswith("ticker.")]),
        (("coverage", "--fail-under", "pa"), ["pairs="]),
    ],
    ids=" ".join,
)
def test_a_value_is_completed(words: tuple[str, ...], expected: list[str]) -> None:
    assert completed(*words) == expected


def test_what_is_no_packaged_scenario_may_be_a_file() -> None:
    (item,) = COMPLETE.get_completions(["validate"], "./mine")
    assert (item.value, item.type) == ("./mine", "file")


def test_a_row_of_a_table_is_printed_alone() -> None:
    head, row = run_command("spec", "codes", "102014").output.splitlines()
    assert (head.split(), row.split()[0]) == (["code", "meaning"], "102014")
    refused = run_command("spec", "choices", "http.error_statu")
    assert (refused.exit_code, refused.output) == (
        2,
        "mockrelay: the table choices has no row 'http.error_statu'; meant: 'http.error_status'\n",
    )


def shell(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"this machine has no {name}")
    return found


@pytest.fixture
def program(tmp_path: Path) -> dict[str, str]:
    """An environment in which `mockrelay` is that of this Python."""
    file = tmp_path / "bin" / "mockrelay"
    file.parent.mkdir()
    start = "from mockrelay.cli import main; main(prog_name='mockrelay')"
    file.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{start}" "$@"\n')
    file.chmod(0o755)
    env = environment()
    return {**env, "PATH": f"{file.parent}:{env['PATH']}"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has these shells elsewhere")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("mockrelay swe", "sweep"),
        ("mockrelay serve --set http.error_sta", "http.error_status="),
        ("mockrelay serve --set http.error_status=", "split 400 200"),
        ("mockrelay serve --set http.error_status=4", "400"),
        ("mockrelay completion ", "bash zsh fish"),
    ],
)
def test_bash(line: str, expected: str, program: dict[str, str]) -> None:
    """It takes a word apart at `=`, and puts a completion into the place of the last part."""
    script = (
        "compopt() { :; }; source <(mockrelay completion bash); COMP_LINE=$1; COMP_POINT=${#1}; "
        '_mockrelay_completion mockrelay; echo "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        [shell("bash"), "-c", script, "-", line], env=program, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    assert done.stdout.split()[: len(expected.split())] == expected.split()


@pytest.mark.parametrize("name", ["zsh", "fish"])
def test_the_script_of_another_shell_is_read_by_it(name: str, program: dict[str, str], tmp_path: Path) -> None:
    file = tmp_path / "script"
    file.write_text(run_command("completion", name).output)
    subprocess.run([shell(name), "-n", str(file)], env=program, check=True)
