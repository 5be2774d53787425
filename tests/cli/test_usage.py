"""What a command line says of wrong options, and the list of the commands."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import click
import pytest

from mockrelay.cli import COMMANDS, main
from mockrelay.cli.options import environment_names, misspelt
from tests.support.command import run_command
from tests.support.processes import PATIENCE_S, environment

PAGE = "http://app.test:3000"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_commands_line_in_the_list_is_the_first_sentence_of_its_help(name: str) -> None:
    """The list is a table, so that it takes no import of a command."""
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.help is not None
    assert (" ".join(command.help.split()) + " ").startswith(COMMANDS[name] + " ")
    assert f"  {name} " in run_command("--help").output


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("serve", "--set", "http.eror_status=400"), ["http.error_status", "split, 400, 200"]),
        (("serve", "--set", "http.error_status=418"), ["split, 400, 200"]),
        (("serve", "--set", "http.error_status"), ["KEY=OPTION", "in MOCKRELAY_SET a comma separates two"]),
        (("serve", "--set", "rate.status=200;http.error_status=400"), ["in MOCKRELAY_SET a comma separates two"]),
        (("serve", "-H", "999.1.1.1"), ["--host 999.1.1.1: is not an address; meant: four numbers from 0 to 255"]),
        (("serve", "-H", "0.0.0.0", "-p", "0"), ["token"]),
        (("serve", "--clock", "fast"), ["real, frozen or a rate"]),
        (("serve", "--clock", "-1"), ["real, frozen or a rate"]),
        (("serve", "--clock", "nan"), ["real, frozen or a rate"]),
        (("serve", "--port", "70000"), ["65535"]),
        (("serve", "--prot", "1"), ["--port"]),
        (("serve", "--scenario", "nowhere"), ["mockrelay: --scenario nowhere: found the scenario 'nowhere', which"]),
        (("serve", "--scenario", "./nowhere.yaml"), ["nowhere.yaml"]),
        (("serve", "--token", ""), ["--token"]),
        (("serve", "--log", "/nowhere/at/all.log", "-p", "0"), ["/nowhere/at/all.log"]),
        (("serve", "--log-format", "json"), ["--log-format alone", "meant: --log FILE, or --log -, too"]),
        (("serve", "--ready-file", "/nowhere/at/all.json", "-p", "0"), ["there is no folder /nowhere/at"]),
        (("serve", "--cors", "app.test"), ["--cors", "'app.test' is not an origin", "SCHEME://HOST", "any, or none"]),
        (("serve", "--cors", f"{PAGE}/"), ["is not an origin"]),
        (("serve", "--cors", ""), ["is not an origin"]),
        (("serve", "--worlds", "-1"), ["--worlds"]),
        (("serve", "--limits", "none"), ["'spec', 'off'"]),
        (("spec", "everything"), ["endpoints", "choices"]),
        (("nothing",), ["nothing"]),
        (("sevre",), ["there is no command 'sevre'; meant: 'serve'"]),
    ],
    ids=" ".join,
)
def test_what_cannot_be_done_is_exit_code_2_and_says_what_was_meant(args: tuple[str, ...], words: list[str]) -> None:
    done = run_command(*args)
    assert (done.exit_code, done.stdout) == (2, "")
    for word in words:
        assert word in done.stderr


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("MOCKRELAY_PORT", "abc", "'-p' / '--port' (env var: 'MOCKRELAY_PORT'): 'abc'"),
        ("MOCKRELAY_SET", "a=b", "'--set' (env var: 'MOCKRELAY_SET'): "),
        ("MOCKRELAY_CLOCK", "fast", "'--clock' (env var: 'MOCKRELAY_CLOCK'): "),
        ("MOCKRELAY_SCENARIO", "nowhere", "(env var: 'MOCKRELAY_SCENARIO')\n"),
    ],
)
def test_a_wrong_value_of_the_environment_is_told_with_its_variable(variable: str, value: str, words: str) -> None:
    done = run_command("serve", env={variable: value})
    assert done.exit_code == 2
    assert words in done.stderr
    option = "--" + variable.removeprefix("MOCKRELAY_").lower()
    assert "env var" not in run_command("serve", option, value, env={variable: value}).stderr


def test_a_format_of_the_log_in_the_environment_asks_for_no_log() -> None:
    done = run_command("serve", "--scenario", "nowhere", env={"MOCKRELAY_LOG_FORMAT": "json"})
    assert "--log" not in done.stderr
    assert "--scenario nowhere" in done.stderr


def test_a_scenario_beside_its_file_is_told_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.joinpath("good.yaml").write_text("format: 1\nextends: default\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = run_command("serve", "-p", "0", "--scenario", "good")
    assert done.exit_code == 2
    assert done.stderr.rstrip().endswith("or the file good.yaml")


@pytest.mark.parametrize("value", ["tcp://10.0.0.7:4627", "udp://10.0.0.7:53"])
def test_the_address_of_a_service_in_a_variable_of_ours_is_passed_over_with_a_line(value: str) -> None:
    """Docker and Kubernetes set MOCKRELAY_PORT for a service of the name `mockrelay`."""
    done = run_command("serve", "--scenario", "nowhere", env={"MOCKRELAY_PORT": value})
    first, *others = done.stderr.splitlines()
    assert first == f"mockrelay: MOCKRELAY_PORT={value} is the address of a service and is passed over"
    assert len(others) == 1
    assert "--scenario nowhere" in others[0]


@pytest.mark.parametrize(
    ("encoding", "args"),
    [("cp932", ("validate",)), ("cp1252", ("serve", "-p", "0", "--scenario")), ("ascii", ("guide", "choices"))],
    ids=["cp932 validate", "cp1252 serve", "ascii guide"],
)
def test_output_does_not_fail_for_what_an_encoding_lacks(tmp_path: Path, encoding: str, args: tuple[str, ...]) -> None:
    """Letters that it lacks are escaped, on both streams."""
    file = tmp_path / "s.yaml"
    file.write_text("format: 1\nextends: default\nname: größe日本\nfaults: [{on: nö本}]\n", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mockrelay", *args, *((str(file),) if args[0] != "guide" else ())],
        capture_output=True,
        env=environment({"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}),
        timeout=PATIENCE_S,
        check=False,
    )
    assert b"Traceback" not in done.stderr
    assert done.returncode in (0, 1, 2)
    assert done.stdout + done.stderr


def test_an_environment_variable_that_is_nearly_ours_is_warned_of() -> None:
    known = environment_names(main)
    assert {"MOCKRELAY_CLOCK", "MOCKRELAY_SET", "MOCKRELAY_TOKEN", "MOCKRELAY_URL"} <= known
    result = list(
        misspelt(["MOCKRELAY_CLOK", "MOCKRELAY_CLOCK", "MOCKRELAY_OF_THEIRS", "PATH", "MY_CLOCK"], lambda: known)
    )
    assert result == ["the environment variable MOCKRELAY_CLOK is unknown and does nothing; meant: MOCKRELAY_CLOCK"]


def test_the_warning_stands_on_standard_error() -> None:
    done = run_command("serve", "--scenario", "nowhere", env={"MOCKRELAY_CLOK": "frozen"})
    assert "mockrelay: the environment variable MOCKRELAY_CLOK is unknown" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("more", [(), ("--token", "t")], ids=["", "with a token"])
def test_a_host_without_an_address_is_exit_code_2(more: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    def no_address(*args: object, **options: object) -> NoReturn:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", no_address)
    done = run_command("serve", "-H", "nosuchhost.invalid", *more)
    assert done.exit_code == 2
    assert done.stderr.startswith("mockrelay: --host nosuchhost.invalid: no address is known of it (")


def test_a_busy_port_is_exit_code_3_one_line_and_no_ready_file(tmp_path: Path) -> None:
    """It is not tried again. Nothing on standard output could be taken for an address."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = run_command(
            "serve", "-p", port, "--clock", "frozen", "--worlds", "3", "--ready-file", tmp_path / "ready"
        )
    assert (done.exit_code, done.stdout) == (3, "")
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"mockrelay: cannot listen on 127.0.0.1:{port}")
    assert line.endswith("; -p 0 takes a free port")
    assert list(tmp_path.iterdir()) == []


def test_the_port_of_serve_is_4627_unless_another_is_given() -> None:
    assert "default: 4627" in run_command("serve", "--help").output


@pytest.mark.parametrize("origins", ["any", "*", "null", "http://app.test,null", "app.test"])
def test_the_control_api_is_open_to_named_origins_only(origins: str) -> None:
    done = run_command("serve", "-p", "0", "--control-cors", origins)
    assert done.exit_code == 2
    assert done.stderr.startswith(f"mockrelay: --control-cors {origins}: ")
