"""`mockrelay serve` as a process: its start, its signals, and what browsers and parallel jobs meet."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from socket import socket
from time import monotonic
from typing import NamedTuple

import pytest

from mockrelay.cli.serve.binding import origins_of
from tests.support.client import ask
from tests.support.command import run_command
from tests.support.connection import Connection, connected
from tests.support.processes import PATIENCE_S, Server, serving

PAGE = "http://app.test:3000"
OTHER_PAGE = "http://localhost:8080"
TOKENS = "/api/v2/exchange/tokens"
HEALTH = "/__mockrelay/health"
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")


class Started(NamedTuple):
    """A server whose options come from the environment, and its files."""

    server: Server
    ready_file: Path
    log: Path


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    folder = tmp_path_factory.mktemp("serve")
    ready_file, log = folder / "ready.json", folder / "requests.log"
    ready_file.write_text("left over from an earlier run")
    log.write_text("")
    log.chmod(0o666)
    env = {
        "MOCKRELAY_PORT": "0",
        "MOCKRELAY_CLOCK": "frozen",
        "MOCKRELAY_SET": "http.error_status=400,pending.shape=object",
        "MOCKRELAY_CORS": "none",
    }
    umask = os.umask(0)
    with serving("--ready-file", str(ready_file), "--log", str(log), env=env) as server:
        os.umask(umask)
        assert server.url
        for _ in range(4):
            server.line()
        _wait_for(ready_file, server)
        yield Started(server, ready_file, log)


def _wait_for(ready_file: Path, server: Server) -> None:
    """Wait until a ready file names a server."""
    deadline = monotonic() + PATIENCE_S
    while _url_in(ready_file) != server.url:
        assert monotonic() < deadline


def _url_in(ready_file: Path) -> str | None:
    try:
        return str(json.loads(ready_file.read_text())["url"])
    except (FileNotFoundError, ValueError):
        return None


def test_port_0_prints_the_real_port_on_the_first_line_and_the_accounts_after_it(started: Started) -> None:
    first, scenario, *accounts = started.server.output
    assert ask(first.removeprefix("mockrelay listening on ") + HEALTH).json["scenario"] == "default"
    assert first.startswith("mockrelay listening on http://127.0.0.1:")
    assert scenario == "scenario default"
    words = [line.split() for line in accounts]
    assert [line[:3] for line in words] == [
        ["account", "10001", "alice"],
        ["account", "10002", "bob"],
        ["account", "10003", "carol"],
    ]
    for _, _, _, owner, address, header, key in words:
        assert (owner, address[:2], header) == ("owner", "0x", "X-API-KEY")
        assert key


def test_the_start_names_the_page_and_opens_it_where_it_is_asked_to(tmp_path: Path) -> None:
    """The browser is the program that the environment names, as for all programs in Python."""
    opened, browser = tmp_path / "opened", tmp_path / "browser.py"
    browser.write_text(f"import sys; open({str(opened)!r}, 'w').write(sys.argv[1])")
    env = {"BROWSER": f"{sys.executable} {browser} %s"}
    with serving("-p", "0", "--open", env=env) as server:
        page = f"{server.url}/"
        while server.line() != f"page {page} shows it in a browser":
            pass
        deadline = monotonic() + PATIENCE_S
        while not opened.exists() or opened.read_text() != page:
            assert monotonic() < deadline


def test_the_ready_file_appears_whole_and_says_where_and_who(started: Started) -> None:
    ready = json.loads(started.ready_file.read_text())
    assert set(ready) == {"url", "port", "pid", "scenario", "accounts"}
    assert ready["url"] == started.server.url == f"http://127.0.0.1:{ready['port']}"
    assert ready["pid"] == started.server.process.pid
    assert ready["scenario"] == "default"
    assert [account["accountId"] for account in ready["accounts"]] == [10001, 10002, 10003]
    assert all(set(account) == {"name", "accountId", "owner", "apiKey"} for account in ready["accounts"])
    assert {path.name for path in started.ready_file.parent.iterdir()} == {"ready.json", "requests.log"}


@posix_only
def test_the_ready_file_and_the_log_can_be_read_by_their_owner_only(started: Started) -> None:
    """Whoever made the log before, and whatever the umask."""
    assert [file.stat().st_mode & 0o777 for file in (started.ready_file, started.log)] == [0o600, 0o600]


def test_the_log_has_a_line_for_each_request_and_no_key(started: Started) -> None:
    before = len(started.log.read_text().splitlines())
    with connected(started.server.url) as wire:
        wire.ask("GET", "/api/v2/ticker?market=LRC-ETH", "X-API-KEY: not-to-be-seen")
        wire.ask("GET", HEALTH)
    lines = [line.split() for line in started.log.read_text().splitlines()[before:]]
    assert [line[1:3] for line in lines] == [["GET", "/api/v2/ticker?market=LRC-ETH"], ["GET", HEALTH]]
    assert lines[1][3] == "200"
    assert "not-to-be-seen" not in started.log.read_text()


def test_options_can_come_from_the_environment(started: Started) -> None:
    choices = ask(f"{started.server.url}/__mockrelay/choices").json
    assert (choices["http.error_status"], choices["pending.shape"]) == ("400", "object")


def test_wait_returns_once_the_server_answers(started: Started) -> None:
    assert run_command("wait", started.server.url + "/", "--timeout", "20").exit_code == 0


# ---- Pages, worlds and limits.


def _allowed(url: str, origin: str) -> str | None:
    return ask(url + TOKENS, headers={"Origin": origin}).headers.get("access-control-allow-origin")


def test_cors_none_lets_no_page_use_the_api(started: Started) -> None:
    assert _allowed(started.server.url, PAGE) is None


def test_a_server_for_every_address_asks_for_its_token_and_allows_the_pages_listed() -> None:
    with serving("-H", "0.0.0.0", "-p", "0", "--token", "s3cret", "--cors", f"{PAGE}, {OTHER_PAGE}") as server:
        url = server.url
        assert ask(url + HEALTH, headers={"Authorization": "Bearer s3cret"}).json["scenario"] == "default"
        assert run_command("wait", url, "--token", "s3cret").exit_code == 0
        assert run_command("wait", url).exit_code == 0
        refused = run_command("wait", url, "--token", "other")
        assert (refused.exit_code, "--token" in refused.stderr) == (1, True)
        origins = (PAGE, OTHER_PAGE, "http://other.test")
        assert [_allowed(url, origin) for origin in origins] == [PAGE, OTHER_PAGE, None]


def test_by_default_any_page_may_use_the_api_and_limits_can_be_off_also_in_worlds_which_are_capped() -> None:
    args = ("-p", "0", "--clock", "frozen", "--limits", "off", "--worlds", "1")
    with serving(*args) as server, connected(server.url) as wire:
        for root in ("", "/w/a"):
            key = wire.ask("GET", f"{root}/__mockrelay/accounts").json[0]["apiKey"]
            assert {wire.ask("GET", root + TOKENS, f"X-API-KEY: {key}").status for _ in range(20)} == {200}
        assert wire.ask("GET", "/w/b" + TOKENS).status == 409
        assert _allowed(server.url, PAGE) == "*"


@pytest.mark.parametrize(
    ("text", "origins"),
    [("any", ("*",)), ("*", ("*",)), ("none", ()), ("null", ("null",)), ("a://b,c://d", ("a://b", "c://d"))],
)
def test_origins_are_read_from_one_text(text: str, origins: tuple[str, ...]) -> None:
    assert origins_of(text) == origins


# ---- Stopping.


@pytest.fixture
def hangups_end_children() -> Iterator[None]:
    """As in a terminal: a run under `nohup` ignores them, and so would what it starts."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@posix_only
@pytest.mark.usefixtures("hangups_end_children")
@pytest.mark.parametrize("signals", [("SIGHUP",), ("SIGTERM", "SIGINT")], ids=["HUP", "TERM INT"])
def test_a_signal_ends_it_with_0_whatever_is_connected(signals: Sequence[str]) -> None:
    """A second signal changes nothing. For SIGTERM and SIGINT alone see tests/web/test_shutdown.py."""
    with serving("-p", "0") as server:
        url = server.url
        wires = [Connection(url) for _ in range(7)]
        for wire in wires[:5]:
            assert wire.ask("GET", HEALTH).status == 200
        wires[5].send(b"GET / HTTP/1.1\r\nHos")
        wires[6].send(b"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
        assert wires[6].read(body_follows=False).status == 100
        for number in signals[:-1]:
            server.process.send_signal(getattr(signal, number))
        assert server.end(getattr(signal, signals[-1])) == 0
        for wire in wires[:6]:
            assert wire.at_end()
        for wire in wires:
            wire.close()
        assert server.errors() == ""


SIGNALLED_BESIDE_THE_LOOP = """
import signal, sys, threading
from mockrelay.cli import main

def send():
    sys.stdin.readline()
    while sys._current_frames()[threading.main_thread().ident].f_code.co_name != "select":
        pass
    signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

threading.Thread(target=send, daemon=True).start()
main()
"""


@posix_only
def test_a_signal_that_does_not_interrupt_the_waiting_loop_ends_it_too() -> None:
    """As one that comes just before the loop waits; here it comes to another thread."""
    beside = (sys.executable, "-c", SIGNALLED_BESIDE_THE_LOOP)
    with serving("-p", "0", command=beside) as server, connected(server.url) as wire:
        assert wire.ask("GET", HEALTH).status == 200
        assert server.process.stdin is not None
        server.process.stdin.write("now\n")
        server.process.stdin.flush()
        assert server.process.wait(PATIENCE_S) == 0
        assert server.errors() == ""


@posix_only
def test_a_server_that_outlives_its_terminal_goes_on_after_a_hangup() -> None:
    """`nohup` has it ignored."""
    with serving("-p", "0", command=("nohup", sys.executable, "-m", "mockrelay")) as server:
        url = server.url
        server.process.send_signal(signal.SIGHUP)
        with connected(url) as wire:
            assert wire.ask("GET", HEALTH).status == 200
        assert server.end(signal.SIGTERM) == 0


def test_a_ready_file_from_before_is_removed_also_where_the_start_fails(tmp_path: Path) -> None:
    ready_file = tmp_path / "ready.json"
    for wrong in (("--token", ""), ("--tls-key", str(ready_file)), ("--scenario", "nothing"), ("--host", "1.2.3")):
        ready_file.write_text("{}")
        assert run_command("serve", "-p", "0", "--ready-file", ready_file, *wrong).exit_code == 2
        assert not ready_file.exists(), wrong


@posix_only
def test_the_ready_file_goes_with_the_server_unless_another_has_put_its_own_there(tmp_path: Path) -> None:
    """`wait` finds the first server by it, though an earlier server's file is there at first."""
    ready_file = tmp_path / "ready.json"
    with socket() as bound:
        bound.bind(("127.0.0.1", 0))
        ready_file.write_text(json.dumps({"url": f"http://127.0.0.1:{bound.getsockname()[1]}"}), encoding="utf-8")
    with serving("-p", "0", "--ready-file", str(ready_file)) as first:
        waited = run_command("wait", "--ready-file", ready_file, "--timeout", "20")
        assert (waited.exit_code, waited.stdout) == (0, f"{first.url}\n")
        _wait_for(ready_file, first)
        with serving("-p", "0", "--ready-file", str(ready_file)) as second:
            _wait_for(ready_file, second)
            assert first.end(signal.SIGTERM) == 0
            assert _url_in(ready_file) == second.url
            assert second.end(signal.SIGTERM) == 0
            assert list(tmp_path.iterdir()) == []


def test_a_server_that_stops_at_eof_does_so_when_its_standard_input_ends(tmp_path: Path) -> None:
    """As it does when the process at its other side ends, however that ends. What stands in it until then is nothing."""
    with serving("-p", "0", "--stop-at-eof", "--output-dir", str(tmp_path)) as server:
        stdin = server.process.stdin
        assert stdin is not None
        stdin.write("a line\n")
        stdin.flush()
        with connected(server.url) as wire:
            assert wire.ask("GET", HEALTH).status == 200
        stdin.close()
        assert server.process.wait(PATIENCE_S) == 0
    assert (tmp_path / "findings.txt").exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--worlds", "many"), "'many' is not a number of worlds, nor `explicit`"),
        (("--worlds", "-1"), "'-1' is not a number of worlds"),
        (("--worlds", "9" * 10), "is not a number of worlds"),
        (("--worlds-idle", "30"), "'30' is not a duration above 0, such as 30m"),
        (("--worlds-idle", "0s"), "'0s' is not a duration above 0"),
    ],
)
def test_worlds_that_cannot_be_are_refused(options: tuple[str, ...], says: str) -> None:
    ended = run_command("serve", "-p", "0", *options)
    assert ended.exit_code == 2
    assert says in ended.stderr


@pytest.mark.slow
def test_a_world_that_is_idle_goes_and_its_report_stays() -> None:
    with serving("-p", "0", "--worlds-idle", "300ms", "--worlds", "explicit", "--fail-on", "problem") as server:
        with connected(server.url) as wire:
            assert wire.ask("GET", "/w/a/api").status == 404
            wire.ask("POST", "/__mockrelay/worlds", body=b'{"name": "a"}')
            assert wire.ask("GET", "/w/a/api/nowhere").status == 404
            until_s = monotonic() + PATIENCE_S
            while wire.ask("GET", "/__mockrelay/worlds").json:
                assert monotonic() < until_s
        assert server.end(signal.SIGTERM) == 1
        assert "nobody has asked the world a for long" in server.errors()


@pytest.mark.slow
@pytest.mark.parametrize("body", [b"", b"{}", b" " * (1 << 21)], ids=["none", "empty", "long"])
def test_a_call_stops_the_server_as_a_signal_does(tmp_path: Path, body: bytes) -> None:
    """Its answer comes, the report is written, the ready file is gone."""
    ready_file = tmp_path / "ready.json"
    with serving("-p", "0", "--ready-file", str(ready_file), "--output-dir", str(tmp_path / "report")) as server:
        with connected(server.url) as wire:
            assert wire.ask("POST", "/w/a/__mockrelay/shutdown").json["error"] == "a world has no shutdown"
            assert wire.ask("GET", "/__mockrelay/shutdown").status == 405
            assert wire.ask("POST", "/__mockrelay/shutdown", body=b'{"now": true}').status == 400
            assert wire.ask("POST", "/__mockrelay/shutdown", "Origin: http://evil.test").status == 403
            assert wire.ask("POST", "/__mockrelay/shutdown", body=body).json == {"status": "stopping"}
            assert wire.at_end()
        assert server.process.wait(PATIENCE_S) == 0
    assert not ready_file.exists()
    assert (tmp_path / "report" / "findings.json").exists()


@pytest.mark.slow
def test_only_with_the_token_a_call_stops_a_server_that_has_one() -> None:
    with serving("-p", "0", "--token", "sesame", "--fail-on", "note") as server, connected(server.url) as wire:
        assert wire.ask("POST", "/__mockrelay/shutdown").status == 401
        wire.ask("GET", "/api/nowhere")
        assert wire.ask("POST", "/__mockrelay/shutdown", "Authorization: Bearer sesame").status == 200
        assert server.process.wait(PATIENCE_S) == 1


@pytest.mark.slow
def test_a_token_is_made_at_the_start_and_printed(tmp_path: Path) -> None:
    """Two servers have different ones; `wait` in the same environment needs none."""
    tokens = set()
    for number in range(2):
        ready_file = tmp_path / f"{number}.json"
        env = {"MOCKRELAY_TOKEN": "auto"}
        with serving("-p", "0", "-H", "0.0.0.0", "--ready-file", str(ready_file), env=env) as server:
            url = server.url
            while not (line := server.line()).startswith("token "):
                pass
            token = line.removeprefix("token ")
            with connected(url) as wire:
                assert wire.ask("GET", "/__mockrelay/state", "Authorization: Bearer auto").status == 401
                assert wire.ask("GET", "/__mockrelay/state", f"Authorization: Bearer {token}").status == 200
            assert run_command("wait", url, env=env).exit_code == 0
            until_s = monotonic() + PATIENCE_S
            while not ready_file.exists():
                assert monotonic() < until_s
            assert json.loads(ready_file.read_text(encoding="utf-8"))["token"] == token
            tokens.add(token)
    assert len(tokens) == 2
    assert all(len(token) >= 32 for token in tokens)
