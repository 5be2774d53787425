"""Colour: on a terminal, and nowhere else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from mockrelay.cli.output import aligned, coloured
from mockrelay.control import handle_control
from tests.support.calls import call, valid_request
from tests.support.command import run_command
from tests.support.processes import environment
from tests.support.worlds import relay_from

RED, RESET = "\x1b[31m", "\x1b[0m"


@pytest.fixture
def findings(tmp_path: Path) -> Path:
    """A report with one error."""
    relay = relay_from("default")
    call(relay, valid_request("get_candlestick").but(start=1_767_225_600))
    report = tmp_path / "findings.json"
    report.write_bytes(handle_control(relay, "GET", "findings", (("format", "json"),), b"").body)
    return report


def on_a_terminal(command: list[str], env: Mapping[str, str]) -> str:
    """What a command prints on a terminal."""
    import pty  # noqa: PLC0415 - Windows has none

    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, env=env) as process:
        os.close(theirs)
        pieces = []
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # Linux has it so that a terminal ends
                break
            if not piece:
                break
            pieces.append(piece)
        process.wait()
    os.close(ours)
    return b"".join(pieces).decode()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other terminals")
@pytest.mark.parametrize(("variables", "has_colour"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_a_terminal_has_colour_unless_it_is_not_wanted(
    variables: Mapping[str, str], has_colour: bool, findings: Path
) -> None:
    env = {**environment(variables), "TERM": "xterm"}
    env = {name: value for name, value in env.items() if name != "NO_COLOR" or name in variables}
    printed = on_a_terminal([sys.executable, "-m", "mockrelay", "findings", str(findings)], env)
    assert ("\x1b" in printed) is has_colour
    assert printed.startswith(f"{RED}error{RESET}: seconds-for-milliseconds: " if has_colour else "error: seconds")


def test_a_pipe_and_a_file_have_none(findings: Path, tmp_path: Path) -> None:
    printed = run_command("findings", str(findings)).output
    assert printed.startswith("error: seconds-for-milliseconds: ")
    assert run_command("findings", str(findings), "--output", str(tmp_path / "out")).output == ""
    assert (tmp_path / "out").read_text(encoding="utf-8") == printed


def test_columns_are_as_wide_as_what_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert list(aligned([{"a": coloured("x", "red"), "b": "y"}, {"a": "long", "b": "z"}])) == [
        "a     b",
        f"{RED}x{RESET}     y",
        "long  z",
    ]
