"""The command line, as a process where it serves and in place where it only prints."""

from __future__ import annotations

import json
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from time import monotonic
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from mockrelay.cli import COMMANDS, main
from mockrelay.cli.options import environment_names, misspelt
from tests.support.connection import Connection, connected
from tests.support.processes import PATIENCE_S, environment, run, serving

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")


def say(*args: str, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(main, args, env=env)


def get_json(url: str, token: str | None = None) -> Any:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=PATIENCE_S) as answer:
        return json.load(answer)


# ---- Starting.


def test_help_imports_none_of_the_heavy_packages() -> None:
    code = (
        "import sys\n"
        "from mockrelay.cli import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "print(sorted({'aiohttp', 'asyncio', 'hypothesis', 'jsonschema', 'pytest', 'yaml'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), timeout=PATIENCE_S, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", COMMANDS)
def test_a_commands_line_in_the_list_is_the_first_sentence_of_its_help(name: str) -> None:
    """The list is a table, so that it takes no import of a command."""
    command = main.get_command(click.Context(main), name)
    assert command is not None
    assert command.help is not None
    assert (" ".join(command.help.split()) + " ").startswith(COMMANDS[name] + " ")
    assert f"  {name} " in say("--help").output


def test_serve_loads_nothing_that_only_tests_need() -> None:
    code = "import sys, mockrelay.cli.serve, mockrelay.cli.server_files, mockrelay.web.server\nprint(sorted({'hypothesis', 'pytest'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), timeout=PATIENCE_S, check=True
    )
    assert done.stdout.strip() == "[]"


def test_port_0_prints_the_real_port_on_the_first_line_and_the_accounts_after_it() -> None:
    with serving("-p", "0") as server:
        first = server.line()
        url = first.removeprefix("mockrelay listening on ")
        assert url.startswith("http://127.0.0.1:")
        assert get_json(url + "/__mockrelay/health")["scenario"] == "default"
        assert server.line() == "scenario default"
        lines = [server.line() for _ in range(3)]
    assert [line.split()[:3] for line in lines] == [
        ["account", "10001", "alice"],
        ["account", "10002", "bob"],
        ["account", "10003", "carol"],
    ]
    for line in lines:
        words = line.split()
        assert words[3] == "owner"
        assert words[4].startswith("0x")
        assert words[5] == "X-API-KEY"
        assert words[6]


def test_the_ready_file_appears_whole_and_says_where_and_who(tmp_path: Path) -> None:
    ready_file = tmp_path / "ready.json"
    ready_file.write_text("left over from an earlier run")
    with serving("-p", "0", "--ready-file", str(ready_file)) as server:
        url = server.url
        while not server.line().startswith("account 10003"):
            pass
        deadline = monotonic() + PATIENCE_S
        while not ready_file.exists() and monotonic() < deadline:
            threading.Event().wait(0.01)
        ready = json.loads(ready_file.read_text())
        assert set(ready) == {"url", "port", "pid", "scenario", "accounts"}
        assert ready["url"] == url == f"http://127.0.0.1:{ready['port']}"
        assert ready["pid"] == server.process.pid
        assert ready["scenario"] == "default"
        assert [account["accountId"] for account in ready["accounts"]] == [10001, 10002, 10003]
        assert all(set(account) == {"name", "accountId", "owner", "apiKey"} for account in ready["accounts"])
    assert [path.name for path in tmp_path.iterdir()] == ["ready.json"]


def test_a_busy_port_is_exit_code_3_and_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = run("serve", "-p", str(taken.getsockname()[1]))
    assert done.returncode == 3
    assert done.stdout == ""
    (line,) = done.stderr.splitlines()
    assert line.startswith("mockrelay: cannot listen on 127.0.0.1:")
    assert line.endswith("; -p 0 takes a free port")


def test_beyond_loopback_serve_asks_for_a_token() -> None:
    done = say("serve", "-H", "0.0.0.0", "-p", "0")
    assert done.exit_code == 2
    assert "token" in done.output


def test_with_a_token_it_serves_every_address_and_asks_for_it() -> None:
    with serving("-H", "0.0.0.0", "-p", "0", "--token", "s3cret") as server:
        url = server.url
        assert get_json(url + "/__mockrelay/health", "s3cret")["scenario"] == "default"
        assert run("wait", url, "--token", "s3cret").returncode == 0
        refused = run("wait", url)
    assert refused.returncode == 1
    assert "--token" in refused.stderr


def test_the_log_has_a_line_for_each_request_and_no_key(tmp_path: Path) -> None:
    log = tmp_path / "requests.log"
    with serving("-p", "0", "--clock", "frozen", "--log", str(log)) as server, connected(server.url) as wire:
        wire.ask("GET", "/api/v2/ticker?market=LRC-ETH", "X-API-KEY: not-to-be-seen")
        wire.ask("GET", "/__mockrelay/health")
        lines = log.read_text().splitlines()
    assert [line.split()[1:3] for line in lines] == [
        ["GET", "/api/v2/ticker?market=LRC-ETH"],
        ["GET", "/__mockrelay/health"],
    ]
    assert lines[1].split()[3] == "200"
    assert "not-to-be-seen" not in log.read_text()


@pytest.mark.parametrize(
    ("env", "path", "expected"),
    [
        ({"MOCKRELAY_SET": "http.error_status=400,pending.shape=object"}, "choices", ("400", "object")),
        ({}, "choices", ("split", "list")),
    ],
)
def test_options_can_come_from_the_environment(env: dict[str, str], path: str, expected: tuple[str, str]) -> None:
    with serving(env={"MOCKRELAY_PORT": "0", "MOCKRELAY_CLOCK": "frozen", **env}) as server:
        choices = get_json(f"{server.url}/__mockrelay/{path}")
    text = json.dumps(choices)
    assert f'"http.error_status": "{expected[0]}"' in text
    assert f'"pending.shape": "{expected[1]}"' in text


# ---- Stopping.


@posix_only
@pytest.mark.parametrize("signal_number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_0_in_two_seconds_whatever_is_connected(signal_number: int) -> None:
    with serving("-p", "0") as server:
        url = server.url
        wires = [Connection(url) for _ in range(7)]
        for wire in wires[:5]:
            assert wire.ask("GET", "/__mockrelay/health").status == 200
        wires[5].send(b"GET / HTTP/1.1\r\nHos")
        wires[6].send(b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
        assert wires[6].read(body_follows=False).status == 100
        started = monotonic()
        assert server.end(signal_number) == 0
        assert monotonic() - started < 2
        for wire in wires[:6]:
            assert wire.at_end()
        for wire in wires:
            wire.close()
        assert server.errors() == ""


@posix_only
def test_a_second_signal_changes_nothing() -> None:
    with serving("-p", "0") as server:
        assert server.url
        server.process.send_signal(signal.SIGTERM)
        assert server.end(signal.SIGINT) == 0
        assert server.errors() == ""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="needs unshare to make a process 1")
def test_as_process_1_it_still_heeds_sigterm(tmp_path: Path) -> None:
    namespace = ("unshare", "--user", "--map-root-user", "--pid", "--fork", "--kill-child")
    if subprocess.run([*namespace, "true"], capture_output=True, timeout=PATIENCE_S, check=False).returncode != 0:
        pytest.skip("this machine lets nobody make a process 1")
    ready_file = tmp_path / "ready.json"
    command = (*namespace, sys.executable, "-m", "mockrelay")
    with serving("-p", "0", "--ready-file", str(ready_file), command=command) as server:
        url = server.url
        children = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
        inner = int(children.read_text().split()[0])
        with connected(url) as wire:
            assert wire.ask("GET", "/__mockrelay/health").status == 200
            subprocess.run(["kill", "-TERM", str(inner)], timeout=PATIENCE_S, check=True)
            assert server.process.wait(PATIENCE_S) == 0


# ---- Usage.


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("serve", "--set", "http.eror_status=400"), ["http.error_status", "split, 400, 200"]),
        (("serve", "--set", "http.error_status=418"), ["split, 400, 200"]),
        (("serve", "--set", "http.error_status"), ["KEY=OPTION", "in MOCKRELAY_SET a comma separates two"]),
        (("serve", "--set", "rate.status=200;http.error_status=400"), ["in MOCKRELAY_SET a comma separates two"]),
        (("serve", "-H", "999.1.1.1"), ["--host 999.1.1.1: is not an address; meant: four numbers from 0 to 255"]),
        (("serve", "-H", "nosuchhost.invalid"), ["mockrelay: --host nosuchhost.invalid: no address is known of it ("]),
        (
            ("serve", "-H", "nosuchhost.invalid", "--token", "t"),
            ["--host nosuchhost.invalid: no address is known of it"],
        ),
        (("serve", "--clock", "fast"), ["real, frozen or a rate"]),
        (("serve", "--clock", "-1"), ["real, frozen or a rate"]),
        (("serve", "--clock", "nan"), ["real, frozen or a rate"]),
        (("serve", "--port", "70000"), ["65535"]),
        (("serve", "--prot", "1"), ["--port"]),
        (("serve", "--scenario", "nowhere"), ["mockrelay: --scenario nowhere: found the scenario 'nowhere', which"]),
        (("serve", "--scenario", "./nowhere.yaml"), ["nowhere.yaml"]),
        (("serve", "--token", ""), ["--token"]),
        (("serve", "--log", "/nowhere/at/all.log", "-p", "0"), ["/nowhere/at/all.log"]),
        (("serve", "--ready-file", "/nowhere/at/all.json", "-p", "0"), ["/nowhere/at/all.json"]),
        (("spec", "everything"), ["endpoints", "choices"]),
        (("nothing",), ["nothing"]),
        (("sevre",), ["there is no command 'sevre'; meant: 'serve'"]),
    ],
    ids=" ".join,
)
def test_what_cannot_be_done_is_exit_code_2_and_says_what_was_meant(args: tuple[str, ...], words: list[str]) -> None:
    done = run(*args)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
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
    done = say("serve", env={variable: value})
    assert done.exit_code == 2
    assert words in done.output
    option = "--" + variable.removeprefix("MOCKRELAY_").lower()
    assert "env var" not in say("serve", option, value, env={variable: value}).output


def test_a_ready_file_that_cannot_be_written_is_told_before_anybody_hears_of_the_server() -> None:
    done = run("serve", "-p", "0", "--ready-file", "/nowhere/at/all.json")
    assert "there is no folder /nowhere/at" in done.stderr
    assert done.stdout == ""


def test_a_scenario_beside_its_file_is_told_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.joinpath("good.yaml").write_text("format: 1\nextends: default\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = say("serve", "-p", "0", "--scenario", "good")
    assert done.exit_code == 2
    assert done.output.rstrip().endswith("or the file good.yaml")


def test_an_environment_variable_that_is_nearly_ours_is_warned_of() -> None:
    known = environment_names(main)
    assert {"MOCKRELAY_CLOCK", "MOCKRELAY_SET", "MOCKRELAY_TOKEN", "MOCKRELAY_URL"} <= known
    told = list(
        misspelt(["MOCKRELAY_CLOK", "MOCKRELAY_CLOCK", "MOCKRELAY_OF_THEIRS", "PATH", "MY_CLOCK"], lambda: known)
    )
    assert told == ["the environment variable MOCKRELAY_CLOK is unknown and does nothing; meant: MOCKRELAY_CLOCK"]


def test_the_warning_stands_on_standard_error() -> None:
    done = run("serve", "--scenario", "nowhere", env={"MOCKRELAY_CLOK": "frozen"})
    assert "mockrelay: the environment variable MOCKRELAY_CLOK is unknown" in done.stderr
    assert done.stdout == ""


# ---- spec.


@pytest.mark.parametrize(("what", "rows"), [("endpoints", 29), ("codes", 37), ("limits", 21)], ids=str)
def test_spec_has_a_line_for_each_fact_below_its_head(what: str, rows: int) -> None:
    done = say("spec", what)
    assert done.exit_code == 0
    assert len(done.output.splitlines()) == rows + 1
    assert len(json.loads(say("spec", what, "--format", "json").output)) == rows


def test_spec_shows_endpoints_unless_told_otherwise() -> None:
    assert say("spec").output == say("spec", "endpoints").output


def test_spec_gives_a_code_with_the_meaning_that_the_spec_gives_it() -> None:
    assert {"code": 102011, "meaning": "Insufficient user balance"} in json.loads(
        say("spec", "codes", "--format", "json").output
    )
    assert "102011  Insufficient user balance" in say("spec", "codes").output.splitlines()


def test_spec_limits_gives_requests_a_second() -> None:
    limits = {row["name"]: row["per_second"] for row in json.loads(say("spec", "limits", "--format", "json").output)}
    assert limits["submit_order"] == 3
    assert "get_code" not in limits


def test_spec_choices_shows_the_options_of_each_silence() -> None:
    rows = {row["key"]: row for row in json.loads(say("spec", "choices", "--format", "json").output)}
    assert rows["http.error_status"]["options"] == ["split", "400", "200"]
    assert rows["http.error_status"]["default"] == "split"
    line = next(line for line in say("spec", "choices").output.splitlines() if line.startswith("http.error_status "))
    assert line.split(maxsplit=2) == ["http.error_status", "split", "split, 400, 200"]


def test_spec_transitions_has_each_move_once() -> None:
    rows = json.loads(say("spec", "transitions", "--format", "json").output)
    filled = {"machine": "order", "state": "processing", "trigger": "filled", "becomes": "processed"}
    assert rows.count(filled) == 1


# ---- wait.


def test_wait_gives_up_in_time_and_says_why() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    started = monotonic()
    done = say("wait", f"http://127.0.0.1:{port}", "--timeout", "0.2")
    assert done.exit_code == 1
    assert monotonic() - started < 2
    assert "did not answer within 0.2 s" in done.output


def test_wait_gives_up_on_a_port_that_takes_connections_and_says_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        done = say("wait", f"http://127.0.0.1:{silent.getsockname()[1]}", "--timeout", "0.1")
    assert done.exit_code == 1


def test_wait_does_not_take_another_server_for_ours() -> None:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_error(404)

        def log_message(self, *args: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Other) as other:
        thread = threading.Thread(target=other.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        done = say("wait", f"http://127.0.0.1:{other.server_port}", "--timeout", "0.1")
        other.shutdown()
        thread.join()
    assert done.exit_code == 1
    assert "answers, but is not a mockrelay" in done.output


def test_wait_returns_once_the_server_answers() -> None:
    with serving("-p", "0") as server:
        assert run("wait", server.url + "/", "--timeout", "20").returncode == 0


def test_wait_finds_the_server_by_its_ready_file(tmp_path: Path) -> None:
    """An earlier server's file is there at first."""
    ready_file = tmp_path / "ready.json"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        ready_file.write_text(json.dumps({"url": f"http://127.0.0.1:{taken.getsockname()[1]}"}), encoding="utf-8")
    with serving("-p", "0", "--ready-file", str(ready_file)) as server:
        done = run("wait", "--ready-file", str(ready_file), "--timeout", "20")
        assert (done.returncode, done.stdout) == (0, f"{server.url}\n")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (None, "No such file"),
        ("", "there is no URL in it"),
        ("[]", "there is no URL in it"),
        ('{"url": 4627}', "there is no URL in it"),
        ('{"url": "here"}', "there is no URL in it"),
        ("\udc80", "there is no URL in it"),
    ],
)
def test_wait_says_what_is_wrong_with_a_ready_file(tmp_path: Path, text: str | None, found: str) -> None:
    ready_file = tmp_path / "ready.json"
    if text is not None:
        ready_file.write_bytes(text.encode(errors="surrogateescape"))
    done = say("wait", "--ready-file", str(ready_file), "--timeout", "0")
    assert done.exit_code == 1
    assert f"--ready-file {ready_file}: {found}" in done.output
    assert "meant: the file of `mockrelay serve --ready-file`" in done.output


@pytest.mark.parametrize("given", [(), ("http://127.0.0.1:4627", "--ready-file", "ready.json")])
def test_wait_takes_a_url_or_a_ready_file(given: tuple[str, ...]) -> None:
    done = say("wait", *given)
    assert done.exit_code == 2
    assert "meant: a URL, or --ready-file FILE" in done.output


def test_wait_says_when_it_is_given_no_url() -> None:
    done = say("wait", "localhost:4627")
    assert done.exit_code == 2
    assert "http://HOST:PORT" in done.output
