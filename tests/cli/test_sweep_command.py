"""`mockrelay sweep` as a command, with clients that are processes."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from mockrelay.cli import main
from mockrelay.cli.sweep.by_test import VARIABLE
from mockrelay.cli.sweep.children import Children, Ended
from mockrelay.pytest_plugin.session import SWEEP
from tests.cli.sweeps import STATUS
from tests.support.processes import PATIENCE_S, ROOT, environment

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no process groups of this kind")


def run_sweep(*args: str, env: Mapping[str, str] | None = None) -> Result:
    return CliRunner().invoke(main, ["sweep", *args], env=env)


CLIENT = """
import json, os, sys, urllib.error, urllib.request
url = sys.argv[1] if len(sys.argv) > 1 else os.environ["MOCKRELAY_URL"]
try:
    urllib.request.urlopen(url + "/api/v2/orders").close()
except urllib.error.HTTPError as refused:
    refused.close()
    print("refused")
else:
    sys.exit("it was not refused")
"""


def test_a_command_is_swept_and_what_it_prints_is_kept(tmp_path: Path) -> None:
    told, output = tmp_path / "t.json", tmp_path / "out"
    files = ("--format", "json", "--output", str(told), "--output-dir", str(output))
    ended = run_sweep(
        "--set", f"{STATUS}=400", "--only", f"{STATUS}=200", *files, "--", sys.executable, "-c", CLIENT, "{url}"
    )
    assert ended.exit_code == 1, ended.output
    assert ended.stdout == ""
    assert "http.error_status  200     failed   exit code 1: it was not refused" in (output / "sweep.txt").read_text()
    logs = ["0000-the_defaults.log", f"0001-{STATUS}=200.log"]
    assert sorted(path.name for path in output.iterdir()) == [
        *logs,
        "sweep.json",
        "sweep.junit.xml",
        "sweep.md",
        "sweep.txt",
    ]
    assert (output / "0000-the_defaults.log").read_text().strip() == "refused"
    assert json.loads(told.read_text())["runs"][0]["output"] == str(output / f"0001-{STATUS}=200.log")
    assert json.loads((output / "sweep.json").read_text()) == json.loads(told.read_text())
    assert ET.parse(output / "sweep.junit.xml").getroot().get("failures") == "1"


SUITE = """
import json, urllib.error, urllib.request
import pytest
from hypothesis import settings
from mockrelay.testing import explore

def code(relayer):
    try:
        with urllib.request.urlopen(relayer.url + "/api/v2/orders") as answer:
            return json.load(answer)["resultInfo"]["code"]
    except urllib.error.HTTPError as refused:
        with refused:
            return refused.code

def test_the_code_is_read(relayer):
    assert code(relayer) == 104001

@explore(probe=False, settings=settings(max_examples=1))
def test_that_draws_decisions(relayer):
    assert code(relayer)

@pytest.mark.relayer(choices={"http.error_status": "400"})
def test_of_one_reading(relayer):
    assert code(relayer) == 400
"""


@pytest.mark.parametrize("own", [(), ("--own-relayers",)])
def test_a_pytest_suite_is_swept_and_tests_of_one_reading_keep_theirs(
    tmp_path: Path, own: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In worlds of the sweep's server, and in relayers that the plugin makes itself."""
    suite = tmp_path / "test_suite.py"
    suite.write_text(SUITE, encoding="utf-8")
    # Other plugins would only cost time.
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    plain = ("-p", "mockrelay.pytest_plugin", "-p", "no:cacheprovider", "-q")
    ended = run_sweep(*own, "--only", f"{STATUS}=400", sys.executable, "-m", "pytest", *plain, str(suite))
    assert ended.exit_code == 1, ended.output
    (line,) = [line for line in ended.stdout.splitlines() if line.startswith("http.error_status  400     failed   ")]
    assert "exit code 1: " in line
    assert "test_suite.py::test_the_code_is_read: assert 400 == 104001" in line


TWO_TESTS = """
import urllib.error, urllib.request

def ask(relayer, path):
    headers = relayer.account("alice").headers
    with urllib.request.urlopen(urllib.request.Request(relayer.url + path, headers=headers)) as answer:
        return answer.status

def test_a_refusal(make_relayer):
    assert ask(make_relayer(), "/api/v2/orders?accountId=1") == 200

def test_a_success(relayer):
    assert ask(relayer, "/api/v2/exchange/tokens") == 200
OUTSIDE

def test_without_a_relayer():
    pass
"""
OUTSIDE = """
import os, urllib.error
try:
    urllib.request.urlopen(os.environ["MOCKRELAY_URL"] + "/api/v2/orders")
except urllib.error.HTTPError:
    pass
"""


@pytest.mark.parametrize(
    ("outside", "options", "ran"),
    [("", (), "1 failed, 2 deselected"), (OUTSIDE, (), "1 failed, 2 passed"), ("", ("--all",), "1 failed, 2 passed")],
    ids=["by test", "a call outside of the tests", "all"],
)
def test_of_a_pytest_suite_the_tests_are_run_that_met_the_choice(
    outside: str, options: Sequence[str], ran: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is met outside of any test, as where a suite calls the relayer while it is collected, is met by all."""
    suite = tmp_path / "test_suite.py"
    suite.write_text(TWO_TESTS.replace("OUTSIDE", outside), encoding="utf-8")
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytest_command = [sys.executable, "-m", "pytest", "-p", "mockrelay.pytest_plugin", "-p", "no:cacheprovider", "-q"]
    only = ("--only", f"{STATUS}=400", "--format", "json", "--output-dir", str(tmp_path / "out"))
    ended = run_sweep(*options, *only, *pytest_command, str(suite))
    assert ended.exit_code == 1, ended.output
    (run,) = json.loads((tmp_path / "out" / "sweep.json").read_text())["runs"]
    assert run["tests"] == (1 if "deselected" in ran else None)
    assert [failure["name"].rpartition("::")[2] for failure in run["failures"]] == ["test_a_refusal"]
    assert ran in Path(run["output"]).read_text(encoding="utf-8")


def test_the_plugin_and_the_sweep_name_the_same_variable() -> None:
    assert SWEEP == VARIABLE


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs sh")
def test_a_shell_command_with_relayers_of_its_own_is_swept() -> None:
    script = 'case "$MOCKRELAY_SET" in *=200) echo "cannot bear $MOCKRELAY_SET"; exit 3;; esac'
    ended = run_sweep("--own-relayers", "--only", STATUS, "sh", "-c", script)
    assert ended.exit_code == 1
    assert ended.stdout.splitlines()[1:] == [
        "http.error_status  400     survived",
        "http.error_status  200     failed    exit code 3: cannot bear http.error_status=200",
        "2 options: 1 survived, 1 failed",
        "--output-dir DIR keeps the output of each run",
    ]


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs sh")
def test_options_can_come_from_the_environment() -> None:
    """A comma stands between two, since options of choices have blanks in them."""
    env = {
        "MOCKRELAY_SWEEP_ONLY": "block.status_words=pending submitted completed,http.error_status=200",
        "MOCKRELAY_SWEEP_OWN_RELAYERS": "1",
        "MOCKRELAY_SET": "fee.charged=max_fee",
    }
    ended = run_sweep("sh", "-c", 'test "${MOCKRELAY_SET%%,*}" = fee.charged=max_fee', env=env)
    assert ended.exit_code == 0, ended.output
    assert ended.stdout.splitlines()[1:] == [
        "http.error_status   200                          survived",
        "block.status_words  pending submitted completed  survived",
        "2 options: 2 survived",
    ]


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("no-such-command-anywhere",), "there is no command"),
        (("--only", "http.eror_status", "true"), "meant: 'http.error_status'"),
        (("--only", f"{STATUS}=300", "true"), "meant: one of split, 400, 200"),
        (("--own-relayers", "--env", "URL", "true"), "--own-relayers"),
        (("--output", "no-such-folder/x.json", sys.executable), "--output no-such-folder/x.json: there is no folder"),
        (("--env", "API=URL", "true"), "'API=URL' is not the name of a variable"),
        (("--timeout", "nan", "true"), "nan is not a time; meant: seconds"),
        (("--timeout", "inf", "true"), "inf is not a time; meant: seconds"),
        (("--scenario", "no_such", sys.executable), "--scenario no_such"),
        (("--own-relayers", sys.executable, "-c", "raise SystemExit('it is broken')"), "fails with the defaults"),
    ],
)
def test_what_cannot_be_swept_is_exit_code_2_and_a_sentence(args: tuple[str, ...], problem: str) -> None:
    ended = run_sweep(*args)
    assert ended.exit_code == 2
    assert problem in ended.output


@posix_only
def test_ctrl_c_ends_the_command_with_all_its_children_and_tells_what_there_is() -> None:
    """The command and a child of it each hold a connection; both connections end."""
    waits = "import socket, sys; s = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); s.recv(1)"
    command = f"import os, subprocess, sys\nif 'MOCKRELAY_SET' in os.environ:\n p = subprocess.Popen([sys.executable, '-c', {waits!r}, sys.argv[1]])\n exec({waits!r})"
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_S)
        port = str(server.getsockname()[1])
        args = ("sweep", "--own-relayers", "--only", STATUS, sys.executable, "-c", command, port)
        with subprocess.Popen(
            [sys.executable, "-m", "mockrelay", *args],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
            cwd=ROOT,
        ) as sweep:
            wires = [server.accept()[0] for _ in range(2)]
            sweep.send_signal(signal.SIGINT)
            out, err = sweep.communicate(timeout=PATIENCE_S)
        for wire in wires:
            with wire:
                wire.settimeout(PATIENCE_S)
                assert wire.recv(1) == b""
    assert sweep.returncode == 130, err
    assert out.splitlines()[-2:] == ["2 options: 2 not run", "stopped before the end"]


@posix_only
def test_what_takes_too_long_is_ended_with_all_its_children(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The command and a child of it do not heed SIGTERM; the time is up once both are known to run."""
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    waits = "import socket, sys; s = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); s.recv(1)"
    command = f"{deaf}import subprocess, sys\nsubprocess.Popen([sys.executable, '-c', {deaf + waits!r}, sys.argv[1]])\n{waits}"
    wait = subprocess.Popen.wait
    wires: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_S)

        def is_up(process: subprocess.Popen[bytes], timeout: float | None = None) -> int:
            if timeout is None:
                return wait(process, PATIENCE_S)
            if not wires:
                wires.extend(server.accept()[0] for _ in range(2))
            raise subprocess.TimeoutExpired("command", timeout)

        monkeypatch.setattr(subprocess.Popen, "wait", is_up)
        with (tmp_path / "output").open("w+b") as output:
            args = [sys.executable, "-c", command, str(server.getsockname()[1])]
            ended = Children().run(args, environment(), output, 5.0)
        assert ended == Ended(None, timed_out=True, stopped=False)
        for wire in wires:
            with wire:
                wire.settimeout(PATIENCE_S)
                assert wire.recv(1) == b""


@posix_only
def test_a_file_that_is_no_program_is_exit_code_2_and_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "program"
    path.write_bytes(b"\x00\x01\x02")
    path.chmod(0o755)
    ended = run_sweep("--own-relayers", str(path))
    assert ended.exit_code == 2
    assert f"{path} cannot be run: " in ended.output


@posix_only
def test_what_cannot_be_run_again_is_told_and_is_not_survived(tmp_path: Path) -> None:
    """The command removes itself when it is run with the defaults."""
    path = tmp_path / "once"
    path.write_text(f"#!{sys.executable}\nimport pathlib\npathlib.Path(__file__).unlink()\n", encoding="utf-8")
    path.chmod(0o755)
    ended = run_sweep("--own-relayers", "--only", f"{STATUS}=400", str(path))
    assert ended.exit_code == 1
    assert ended.stdout.splitlines()[1:] == [
        f"{STATUS}  400     not run  cannot be run: No such file or directory",
        "1 option: 1 not run",
    ]


@posix_only
def test_a_folder_that_the_command_takes_away_is_told(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    removes = f"import shutil; shutil.rmtree({str(folder)!r})"
    args = ("--own-relayers", "--only", f"{STATUS}=400", "--output-dir", folder, sys.executable, "-c", removes)
    ended = run_sweep(*map(str, args))
    assert ended.exit_code == 1
    log = folder / f"0001-{STATUS}=400.log"
    assert f"not run  cannot be run: {log}: No such file or directory\n" in ended.stdout


@posix_only
def test_stopped_before_the_command_has_run_once_nothing_is_told_but_that() -> None:
    waits = "import socket, sys; s = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); s.recv(1)"
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(PATIENCE_S)
        args = ("sweep", "--own-relayers", sys.executable, "-c", waits, str(server.getsockname()[1]))
        with (
            subprocess.Popen(
                [sys.executable, "-m", "mockrelay", *args],
                stderr=subprocess.PIPE,
                text=True,
                env=environment(),
                cwd=ROOT,
            ) as sweep,
            server.accept()[0],
        ):
            sweep.send_signal(signal.SIGTERM)
            _, err = sweep.communicate(timeout=PATIENCE_S)
    assert sweep.returncode == 130
    assert err.splitlines()[-1] == "mockrelay: stopped before the command had run once"
