"""`mockrelay wait` where it gives up; where it finds a server, see test_serve."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from tests.support.command import run_command
from tests.support.other_servers import foreign, plain


def test_wait_gives_up_in_time_and_says_why() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        done = run_command("wait", f"http://127.0.0.1:{bound.getsockname()[1]}", "--timeout", "0.2")
    assert done.exit_code == 1
    assert "did not answer within 0.2 s" in done.stderr


def test_wait_gives_up_on_a_port_that_takes_connections_and_says_nothing() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        done = run_command("wait", f"http://127.0.0.1:{silent.getsockname()[1]}", "--timeout", "0.1")
    assert done.exit_code == 1


def test_wait_does_not_take_another_server_for_ours() -> None:
    with foreign(plain(404, b"")) as url:
        done = run_command("wait", url, "--timeout", "0.1")
    assert done.exit_code == 1
    assert "answers, but is not a mockrelay" in done.stderr


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
    done = run_command("wait", "--ready-file", str(ready_file), "--timeout", "0")
    assert done.exit_code == 1
    assert f"--ready-file {ready_file}: {found}" in done.stderr
    assert "meant: the file of `mockrelay serve --ready-file`" in done.stderr


@pytest.mark.parametrize("given", [(), ("http://127.0.0.1:4627", "--ready-file", "ready.json")])
def test_wait_takes_a_url_or_a_ready_file(given: tuple[str, ...]) -> None:
    done = run_command("wait", *given)
    assert done.exit_code == 2
    assert "meant: a URL, or --ready-file FILE" in done.stderr


def test_wait_says_when_it_is_given_no_url() -> None:
    done = run_command("wait", "localhost:4627")
    assert done.exit_code == 2
    assert "http://HOST:PORT" in done.stderr
