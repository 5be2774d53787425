"""`mockrelay serve` as browsers, parallel jobs and scripts meet it: origins, worlds, limits, and the ready file."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from time import monotonic

import pytest

from mockrelay.cli.serve import origins_of
from tests.support.connection import connected
from tests.support.processes import PATIENCE_S, Server, run, serving

PAGE = "http://app.test:3000"
TOKENS = "/api/v2/exchange/tokens"


def allowed(server: Server, origin: str) -> str | None:
    with connected(server.url) as wire:
        return wire.ask("GET", TOKENS, f"Origin: {origin}").headers.get("access-control-allow-origin")


def test_any_page_may_use_the_api_unless_told_otherwise() -> None:
    with serving("-p", "0") as server:
        assert allowed(server, PAGE) == "*"


def test_only_the_pages_listed_may_use_the_api() -> None:
    with serving("-p", "0", "--cors", f"{PAGE}, http://localhost:8080") as server:
        origins = (PAGE, "http://localhost:8080", "http://other.test")
        assert [allowed(server, origin) for origin in origins] == [PAGE, "http://localhost:8080", None]


def test_no_page_may_use_the_api_where_none_is_to() -> None:
    with serving("-p", "0", env={"MOCKRELAY_CORS": "none"}) as server:
        assert allowed(server, PAGE) is None


@pytest.mark.parametrize(
    ("text", "origins"),
    [("any", ("*",)), ("*", ("*",)), ("none", ()), ("null", ("null",)), ("a://b,c://d", ("a://b", "c://d"))],
)
def test_origins_are_read_from_one_text(text: str, origins: tuple[str, ...]) -> None:
    assert origins_of(text) == origins


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--cors", "app.test"), ["--cors", "'app.test' is no origin", "SCHEME://HOST", "any, or none"]),
        (("--cors", f"{PAGE}/"), ["is no origin"]),
        (("--cors", ""), ["is no origin"]),
        (("--worlds", "-1"), ["--worlds"]),
        (("--limits", "none"), ["'spec', 'off'"]),
    ],
    ids=str,
)
def test_what_cannot_be_meant_is_exit_code_2(args: tuple[str, ...], words: list[str]) -> None:
    done = run("serve", "-p", "0", *args)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    for word in words:
        assert word in done.stderr


def test_limits_can_be_off_also_in_worlds_and_those_are_capped() -> None:
    args = ("-p", "0", "--clock", "frozen", "--limits", "off", "--worlds", "1")
    with serving(*args) as server, connected(server.url) as wire:
        for root in ("", "/w/a"):
            key = wire.ask("GET", f"{root}/__mockrelay/accounts").json[0]["apiKey"]
            assert {wire.ask("GET", root + TOKENS, f"X-API-KEY: {key}").status for _ in range(20)} == {200}
        assert wire.ask("GET", "/w/b" + TOKENS).status == 409


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")
def test_the_ready_file_goes_with_the_server_unless_another_has_put_its_own_there(tmp_path: Path) -> None:
    ready_file = tmp_path / "ready.json"
    with serving("-p", "0", "--ready-file", str(ready_file)) as first:
        until_it_names(ready_file, first)
        with serving("-p", "0", "--ready-file", str(ready_file)) as second:
            until_it_names(ready_file, second)
            assert first.end(signal.SIGTERM) == 0
            assert json.loads(ready_file.read_text())["url"] == second.url
            assert second.end(signal.SIGTERM) == 0
            assert list(tmp_path.iterdir()) == []


def until_it_names(path: Path, server: Server) -> None:
    deadline = monotonic() + PATIENCE_S
    while named(path) != server.url:
        assert monotonic() < deadline


def named(path: Path) -> str | None:
    try:
        return str(json.loads(path.read_text())["url"])
    except FileNotFoundError:
        return None
