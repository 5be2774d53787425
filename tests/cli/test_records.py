"""`serve --record` and `--resume`: what was answered is there after a kill, in every world."""

from __future__ import annotations

import errno
import json
import os
import random
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mockrelay.replay import resume
from tests.support.answer import Answer
from tests.support.bodies import W
from tests.support.client import ask, control, done, post
from tests.support.command import run_command
from tests.support.processes import serving
from tests.support.worlds import START_S, relay_from


def asked(url: str, body: Any = None, key: str = "", method: str = "") -> Answer:
    return ask(url, method, body, {"Content-Type": "application/json", "X-API-KEY": key})


def taken(url: str, body: Any = None, key: str = "") -> Any:
    """What a call that must succeed is answered."""
    answer = asked(url, body, key)
    assert answer.status == 200, answer.body
    return answer.json


def state(url: str) -> Any:
    """The world but for its time, which goes on by itself."""
    shown = taken(f"{url}/__mockrelay/state")
    return shown["digest"], shown["orders"], shown["accounts"]


def test_a_killed_server_is_resumed_with_all_that_it_had_answered(tmp_path: Path) -> None:
    """Also one of another version, with a warning."""
    record = tmp_path / "run.jsonl"
    text = tmp_path / "s.yaml"
    text.write_text('format: 1\nextends: default\nclock: {start: "2026-01-01T00:00:00Z"}\n', encoding="utf-8")
    args = ("--scenario", str(text), "--clock", "frozen", "--limits", "off")
    with serving("-p", "0", *args, "--record", str(record)) as server:
        url = server.url
        key = taken(f"{url}/__mockrelay/accounts/alice")["apiKey"]
        assert taken(f"{url}/api/v3/order", W.order(), key)["resultInfo"]["code"] == 0
        taken(f"{url}/w/one/api/v3/order", W.order(7), key)
        taken(f"{url}/w/gone/api/v3/order", W.order(8), key)
        assert asked(f"{url}/__mockrelay/worlds/gone", method="DELETE").status == 200
        taken(f"{url}/__mockrelay/clock", {"advance": "1h"})
        before = state(url), state(f"{url}/w/one")
        _check_mode(record)
        server.process.kill()
        server.process.wait()
    with record.open("ab") as file:
        file.write(b'{"kind":"call","seq":3,"now')
    with serving("-p", "0", "--resume", str(record)) as server:
        url = server.url
        lines = [server.line() for _ in range(5)]
        assert lines[-1] == f"resumed {record}: 1 call and 1 world; its last line was torn and has been left out"
        assert (state(url), state(f"{url}/w/one")) == before
        assert [world["name"] for world in taken(f"{url}/__mockrelay/worlds")] == ["one"]
        assert taken(f"{url}/__mockrelay/clock")["now_ms"] == START_S * 1000 + 3_600_000
        taken(f"{url}/api/v3/order", W.order(1, validUntil=START_S + 90 * 86_400), key)
        before = state(url), state(f"{url}/w/one")
        assert server.end(signal.SIGTERM) == 0
    head, *others = record.read_text(encoding="utf-8").splitlines(keepends=True)
    record.write_text(json.dumps({**json.loads(head), "version": "0.0.9"}) + "\n" + "".join(others), encoding="utf-8")
    with serving("-p", "0", "--resume", str(record)) as server:
        assert (state(server.url), state(f"{server.url}/w/one")) == before
        assert server.end(signal.SIGTERM) == 0
        assert server.errors().startswith("mockrelay: the record is of version 0.0.9, and this is ")


def test_a_record_is_never_written_over_and_never_mixed_with_another_start(tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    record.write_text("{}\n", encoding="utf-8")
    ended = run_command("serve", "-p", "0", "--record", str(record))
    assert (ended.exit_code, record.read_text(encoding="utf-8")) == (2, "{}\n")
    assert "--resume" in ended.stderr
    ended = run_command("serve", "-p", "0", "--resume", str(record))
    assert ended.exit_code == 2
    assert "line 1: found an unknown kind of line" in ended.stderr
    for args in (("--scenario", "default"), ("--clock", "frozen"), ("--set", "order.dust=keep"), ("--limits", "off")):
        ended = run_command("serve", "-p", "0", "--resume", str(record), *args)
        assert ended.exit_code == 2
        assert args[0] in ended.stderr


def test_a_record_that_is_to_be_written_over_is(tmp_path: Path) -> None:
    """Whoever could read the file before: its owner alone can read it now."""
    record = tmp_path / "run.jsonl"
    record.write_text("{}\n" * 10_000, encoding="utf-8")
    record.chmod(0o644)
    with serving("-p", "0", "--record", str(record), "--overwrite") as server:
        taken(f"{server.url}/api/v2/exchange/info")
        _check_mode(record)
        # The file is held by the server that writes it.
        for option in (("--record",), ("--overwrite", "--record"), ("--resume",)):
            ended = run_command("serve", "-p", "0", *option, str(record))
            assert ended.exit_code == 2
            assert f"{option[-1]} {record}: another process writes a record there" in ended.stderr
        server.process.kill()
        server.process.wait()
    # Nobody holds it any more. A last line may lack its end, and goes on in a line of its own.
    record.write_bytes(record.read_bytes().rstrip())
    record.chmod(0o644)
    with serving("-p", "0", "--resume", str(record), "--record", str(record)) as server:
        taken(f"{server.url}/api/v2/exchange/info")
        _check_mode(record)
        assert server.end(signal.SIGTERM) == 0
    kinds = [json.loads(line)["kind"] for line in record.read_text(encoding="utf-8").splitlines()]
    assert kinds == ["head", "state", "call", "answer", "call", "answer"]


def _check_mode(record: Path) -> None:
    """Keys and signatures are in a record as they were sent: nobody else on the machine may read them."""
    if os.name != "nt":
        assert record.stat().st_mode & 0o777 == 0o600


def test_of_two_that_start_together_on_a_new_file_one_writes_it(tmp_path: Path) -> None:
    record = tmp_path / "run.jsonl"
    args = ("-p", "0", "--record", str(record))
    with serving(*args) as one, serving(*args) as other:
        started, refused = [], []
        for server in (one, other):
            try:
                started.append(server.url)
            except EOFError:
                refused.append(server.process.wait())
        assert (len(started), refused) == (1, [2])
        taken(f"{started[0]}/api/v2/exchange/info")
    kinds = [json.loads(line)["kind"] for line in record.read_text(encoding="utf-8").splitlines()]
    assert kinds == ["head", "state", "call", "answer"]


LIMITED = (
    "import resource, sys; from mockrelay.cli import main; "
    "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); main()"
)
"""A `mockrelay` whose files can have no more bytes: the system refuses them as too large."""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such limit")
@pytest.mark.parametrize("goes_on", [False, True])
def test_a_record_that_reaches_the_systems_limit_ends_with_a_whole_line(tmp_path: Path, *, goes_on: bool) -> None:
    record = tmp_path / "run.jsonl"
    args = ("--clock", "frozen", "--limits", "off", "--record", str(record))
    policy = ("--on-record-failure", "continue") if goes_on else ()
    with serving("-p", "0", *args, *policy, command=(sys.executable, "-c", LIMITED)) as server:
        url = server.url
        statuses: list[int] = []
        digests: list[str] = []
        key = taken(f"{url}/__mockrelay/accounts/alice")["apiKey"]
        now_s = taken(f"{url}/__mockrelay/clock")["now_ms"] // 1000
        assert asked(f"{url}/w/old/api/v2/exchange/tokens", key=key).status == 200
        while not (problems := taken(f"{url}/__mockrelay/problems")) and len(statuses) < 200:
            digests.append(taken(f"{url}/__mockrelay/state")["digest"])
            body = W.order(2 * len(statuses), validSince=now_s, validUntil=now_s + 40 * 86_400)
            statuses.append(asked(f"{url}/api/v3/order", body, key).status)
        assert [problem["kind"] for problem in problems] == ["record_failed"]
        assert "File too large" in problems[0]["reason"]
        assert set(statuses[:-1]) == {200}
        assert len(statuses) > 10
        last = taken(f"{url}/__mockrelay/state")["digest"]
        expected = 200 if goes_on else 503
        assert asked(f"{url}/api/v2/exchange/tokens", key=key).status == expected
        assert asked(f"{url}/__mockrelay/clock", {"advance": "1s"}).status == expected
        assert asked(f"{url}/w/new/api/v2/exchange/tokens", key=key).status == expected
        assert asked(f"{url}/__mockrelay/worlds/old", method="DELETE").status == expected
        worlds = [world["name"] for world in taken(f"{url}/__mockrelay/worlds")]
        assert worlds == (["new"] if goes_on else ["old"])
        assert server.end(signal.SIGTERM) == 0
        assert f"{record}: File too large; the record ends here" in server.errors()
    assert record.read_bytes().endswith(b"\n")
    resumed = done(resume(record.read_bytes())[0], "GET", "state")["digest"]
    assert resumed in ((digests[-1], last) if goes_on else (last,))


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_device_is_no_record_and_a_log_on_one_changes_no_answer() -> None:
    for policy in ("refuse", "continue"):
        ended = run_command("serve", "-p", "0", "--record", "/dev/full", "--on-record-failure", policy)
        assert ended.exit_code == 2
        assert ended.stderr == "mockrelay: --record /dev/full: is not a regular file, which a record needs\n"
    with serving("-p", "0", "--log", "/dev/full") as server:
        for _ in range(3):
            assert asked(f"{server.url}/api/v2/exchange/info").status == 200
        assert server.end(signal.SIGTERM) == 0
        (line,) = server.errors().splitlines()
        assert line == "mockrelay: --log /dev/full: No space left on device; no more is written there"


def test_a_record_that_cannot_be_written_is_told_before_anything_is_served(tmp_path: Path) -> None:
    ended = run_command("serve", "-p", "0", "--record", str(tmp_path / "no" / "run.jsonl"))
    assert ended.exit_code == 2
    assert "--record" in ended.stderr
    assert run_command("serve", "-p", "0", "--resume", tmp_path / "none.jsonl").exit_code == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names")
@pytest.mark.parametrize("option", ["--record", "--resume", "--log", "--ready-file"])
def test_a_pipe_is_refused_in_one_line(tmp_path: Path, option: str) -> None:
    """Opening it would wait for its reader, and a ready file's end would take it from others."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    ended = run_command("serve", "-p", "0", option, pipe)
    assert ended.exit_code == 2
    assert ended.stderr.startswith(f"mockrelay: {option} {pipe}: is ")
    assert ended.stderr.count("\n") == 1
    assert pipe.is_fifo()


@pytest.mark.parametrize("option", ["--record", "--log", "--ready-file"])
def test_a_folder_that_may_not_be_entered_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    """Whoever runs this may enter all of them, so the system is made to refuse."""

    def refuse(*_: object, **__: object) -> Any:
        raise PermissionError(errno.EACCES, "Permission denied")

    file = tmp_path / "closed" / "file"
    for name in ("stat", "open", "unlink"):
        monkeypatch.setattr(os, name, _unless_below(file.parent, getattr(os, name), refuse))
    ended = run_command("serve", "-p", "0", option, file)
    assert ended.exit_code == 2
    assert ended.stderr == f"mockrelay: {option} {file}: Permission denied\n"


def _unless_below(folder: Path, call: Callable[..., Any], refuse: Callable[..., Any]) -> Callable[..., Any]:
    return lambda path, *args, **options: (
        refuse if isinstance(path, (str, Path)) and Path(path).is_relative_to(folder) else call
    )(path, *args, **options)


CUTS = 60


def test_a_record_cut_anywhere_leads_to_the_world_of_its_last_whole_answer() -> None:
    """As by a machine that stops in the middle of a write: each cut gives one of the states that there were."""
    lines: list[str] = []
    relay = relay_from()
    relay.record_to(lines.append)
    digests = {len(lines): done(relay, "GET", "state")["digest"]}
    commands: list[Callable[[], object]] = [
        *(lambda n=n: post(relay, "/api/v3/order", W.order(n, memo="\u00e9" * n)) for n in range(12)),
        lambda: control(relay, "POST", "accounts/bob/deposit", {"token": "USDT", "amount": "5"}),
        lambda: control(relay, "POST", "clock", {"advance": "1h"}),
    ]
    for command in commands:
        command()
        digests[len(lines)] = done(relay, "GET", "state")["digest"]
    text = "".join(lines).encode()
    ends = [0]
    for line in lines:
        ends.append(ends[-1] + len(line.encode()))
    chance = random.Random(3)
    for cut in [len(text), *(chance.randrange(ends[min(digests)], len(text)) for _ in range(CUTS))]:
        # A line that lacks nothing but its end is whole.
        whole = max(n for n, end in enumerate(ends) if end <= cut + 1)
        again, loaded = resume(text[:cut])
        assert (loaded.torn is None) == (cut in (ends[whole], ends[whole] - 1))
        # A call's own line is enough: it had been taken on, and may have been answered.
        expected = min(n for n in digests if n >= whole)
        assert done(again, "GET", "state")["digest"] == digests[expected]
