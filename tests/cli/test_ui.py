"""`mockrelay ui`: the server that shows a record."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.bodies import W
from tests.support.client import done, post
from tests.support.command import run_command
from tests.support.connection import connected
from tests.support.processes import PATIENCE_S, ROOT, Server, environment
from tests.support.worlds import relay_from


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """Two orders, recorded."""
    relay, lines = relay_from(), list[str]()
    relay.record_to(lines.append)
    for number in range(2):
        post(relay, "/api/v3/order", W.order(number))
    file = tmp_path / "two.jsonl"
    file.write_text("".join(lines))
    return file


def test_a_record_is_shown_until_it_is_stopped(record: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "mockrelay", "ui", str(record), "--no-open"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(None),
        cwd=ROOT,
    )
    server = Server(process)
    try:
        with connected(server.url) as wire:
            assert [one["text"] for one in done(wire, "GET", "record")["positions"]] == [
                "the state at the start",
                "r1 POST /api/v3/order",
                "r2 POST /api/v3/order",
            ]
            done(wire, "POST", "record", {"position": 1})
            assert len(done(wire, "GET", "state")["orders"]) == 1
        assert server.line() == f"page {server.url}/ shows {record}: 3 steps"
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    finally:
        server.close()


@pytest.mark.parametrize(
    ("text", "options", "says"),
    [
        ("", (), "line 1: found no head"),
        ('{"kind": "nothing"}\n', (), "line 1"),
        (None, ("--world", "other"), "found no world 'other'; meant the main world"),
    ],
)
def test_what_is_no_record_is_refused(record: Path, text: str | None, options: tuple[str, ...], says: str) -> None:
    if text is not None:
        record.write_text(text)
    result = run_command("ui", str(record), "--no-open", *options)
    assert result.exit_code == 2
    assert says in result.stderr
