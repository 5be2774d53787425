"""`mockrelay replay`: a record is run again, a difference is told so that it can be found, and the record is shrunk."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

import pytest

from mockrelay.cli.output import Progress
from mockrelay.cli.replay import Recording
from mockrelay.clock import Clock
from mockrelay.relay import Relay
from mockrelay.replay.shrink import Operation, Reproduction
from tests.support.bodies import W
from tests.support.client import account, done, get, post, send
from tests.support.command import run_command
from tests.support.worlds import START_MS, relay_from


def session(relay: Relay) -> None:
    """Lines 3 and 4 of the record are the first call and its answer; then two lines for each."""
    get(relay, "/api/v2/depth", market="LRC-ETH", level="0")
    post(relay, "/api/v3/order", W.order(6))
    done(relay, "POST", "accounts/bob/deposit", {"token": "ETH", "amount": "5"})
    get(relay, "/api/v2/orders")
    get(relay, "/api/v2/orders", accountId=10001)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return written(tmp_path / "run.jsonl", session)


def written(path: Path, script: Callable[[Relay], object], relay: Relay | None = None) -> Path:
    relay = relay or relay_from()
    lines: list[str] = []
    relay.record_to(lines.append)
    script(relay)
    path.write_text("".join(lines), encoding="utf-8")
    return path


def altered(path: Path, was: str, now: str) -> Path:
    text = path.read_text(encoding="utf-8")
    assert text.count(was) == 1
    path.write_text(text.replace(was, now), encoding="utf-8")
    return path


def test_a_record_of_our_own_comes_out_the_same(record: Path) -> None:
    result = run_command("replay", record)
    assert (result.exit_code, result.output) == (
        0,
        f"{record}: 4 calls: every answer is the recorded one, byte for byte\n",
    )


def test_one_altered_byte_is_told_with_line_field_byte_and_request(record: Path) -> None:
    altered(record, '\\"totalNum\\":1', '\\"totalNum\\":2')
    body = json.loads(record.read_text(encoding="utf-8").splitlines()[-1])["body"]
    result = run_command("replay", record)
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "line 10: r4 GET /api/v2/orders?accountId=10001",
        "  body.data.totalNum: 1 in place of 2",
        f"  first other byte of the body: {body.index('2,', body.index('totalNum'))} (from 0), recorded in line 11",
        f"{record}: 4 calls: stopped at the first that differs",
    ]


def test_it_stops_at_the_first_unless_told_to_go_on(record: Path) -> None:
    altered(record, '\\"totalNum\\":1', '\\"totalNum\\":2')
    altered(record, '\\"code\\":107001', '\\"code\\":107002')
    first, every = run_command("replay", record), run_command("replay", record, "--all")
    assert (first.exit_code, every.exit_code) == (1, 1)
    assert [line for line in first.stdout.splitlines() if line.startswith("line")] == ["line 8: r3 GET /api/v2/orders"]
    assert every.stdout.count("\nline 10: ") == 1
    assert every.stdout.endswith("2 differ\n")


def test_what_is_no_json_is_shown_around_the_byte(tmp_path: Path) -> None:
    def script(relay: Relay) -> None:
        done(relay, "POST", "faults", {"on": "get_depth", "body": "html"})
        get(relay, "/api/v2/depth", market="LRC-ETH", level="0")

    path = written(tmp_path / "run.jsonl", script)
    altered(path, "</html>", "</htmx>")
    result = run_command("replay", path)
    assert result.exit_code == 1
    assert "  body, from byte " in result.stdout
    assert "</html>" in result.stdout
    assert "</htmx>" in result.stdout


def test_no_secret_is_told(record: Path) -> None:
    key = account(relay_from(), "alice")["apiKey"]
    altered(record, '\\"status\\":\\"NEW_ACTIVED\\"', '\\"status\\":\\"NEW\\"')
    result = run_command("replay", record)
    assert key in record.read_text(encoding="utf-8")
    assert result.exit_code == 1
    assert '"signatureRx": "(masked)"' in result.stdout
    assert key not in result.stdout


def test_another_reading_shows_what_it_changes_to_the_end(record: Path) -> None:
    result = run_command("replay", record, "--set", "http.error_status=400", "--set", "http.numbers=lenient")
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "line 8: r3 GET /api/v2/orders",
        "  status: 400 in place of 200",
        f"{record}: 4 calls: 1 differs",
    ]
    assert run_command("replay", record, "--set", "rate.status=200").exit_code == 0


def test_a_reading_holds_whatever_the_record_sets(tmp_path: Path) -> None:
    def script(relay: Relay) -> None:
        done(relay, "PUT", "choices", {"http.error_status": "split"})
        done(relay, "POST", "reset", {"choices": {"http.error_status": "split"}})
        get(relay, "/api/v2/orders")

    result = run_command("replay", written(tmp_path / "run.jsonl", script), "--set", "http.error_status=400")
    assert "status: 400 in place of 200" in result.stdout


def test_all_worlds_are_run_those_too_that_were_removed(tmp_path: Path) -> None:
    def script(relay: Relay) -> None:
        one, two = relay.spawn("one"), relay.spawn("two")
        for world in (two, one):
            get(world, "/api/v2/orders", accountId=10001)
        two.end_record()

    path = written(tmp_path / "run.jsonl", script)
    assert (
        run_command("replay", path).stdout
        == f"{path}: 2 calls in 3 worlds: every answer is the recorded one, byte for byte\n"
    )
    text = path.read_text(encoding="utf-8").replace('\\"totalNum\\":0', '\\"totalNum\\":3')
    path.write_text(text, encoding="utf-8")
    assert run_command("replay", path).stdout.startswith("line 7, world two: r1 GET ")
    out = tmp_path / "short.jsonl"
    assert run_command("replay", path, "--shrink", "--output", out).exit_code == 1
    assert run_command("replay", out).stdout.startswith("line 3: r1 GET "), "a shorter record is one of the main world"


def test_a_dump_has_no_call_and_a_torn_line_is_told(relay: Relay, record: Path, tmp_path: Path) -> None:
    session(relay)
    dump = tmp_path / "dump.jsonl"
    dump.write_bytes(relay.dump())
    lines = run_command("replay", dump, "--shrink").stdout.splitlines()
    assert lines[1:] == [f"there is nothing to shrink: {dump.with_stem(dump.stem + '.shrunk')} is not written"]
    assert run_command("replay", dump).stdout == f"{dump}: 0 calls: every answer is the recorded one, byte for byte\n"
    record.write_bytes(record.read_bytes()[:-20])
    result = run_command("replay", record)
    assert result.exit_code == 0
    assert "4 calls; its last line was torn and has been left out: " in result.stdout


def test_a_shorter_record_differs_in_the_same_way(record: Path) -> None:
    altered(record, '\\"totalNum\\":1', '\\"totalNum\\":2')
    result = run_command("replay", record, "--shrink")
    shorter = record.with_name("run.shrunk.jsonl")
    assert result.exit_code == 1
    assert (
        result.stdout.splitlines()[-1]
        == f"{shorter}: 1 of the 4 steps before it (calls and commands) leads to the same"
    )
    assert len(shorter.read_text(encoding="utf-8").splitlines()) == 6
    again = run_command("replay", shorter)
    assert again.exit_code == 1
    assert again.stdout.splitlines()[:2] == [
        "line 5: r2 GET /api/v2/orders?accountId=10001",
        "  body.data.totalNum: 1 in place of 2",
    ]


def test_what_another_reading_changes_can_be_shrunk_too(record: Path, tmp_path: Path) -> None:
    out, reading = tmp_path / "short.jsonl", ("--set", "http.error_status=400")
    assert run_command("replay", record, *reading, "--shrink", "--output", out).exit_code == 1
    assert run_command("replay", out).exit_code == 0
    assert "status: 400 in place of 200" in run_command("replay", out, *reading).stdout


def test_a_failure_of_ours_is_told_and_shrunk(record: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mockrelay.relay.pipeline import answer  # noqa: PLC0415 - the one that is not replaced

    def fails(ctx: Any, raw: Any, verifier: Any) -> Any:
        if raw.raw_target == "/api/v2/orders":
            raise LookupError("a bug of ours")
        return answer(ctx, raw, verifier)

    monkeypatch.setattr("mockrelay.relay.relay.answer", fails)
    out = tmp_path / "short.jsonl"
    result = run_command("replay", record, "--shrink", "--output", out)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[:2] == [
        "line 8: r3 GET /api/v2/orders",
        "  mockrelay itself fails: LookupError: a bug of ours",
    ]
    assert run_command("replay", out).stdout.startswith(
        "line 3: r1 GET /api/v2/orders\n  mockrelay itself fails: LookupError"
    )


def test_a_record_of_another_version_is_run_with_a_warning(record: Path) -> None:
    text = record.read_text(encoding="utf-8").splitlines(keepends=True)
    head = json.loads(text[0])
    record.write_text(json.dumps({**head, "version": "0.0.9"}) + "\n" + "".join(text[1:]), encoding="utf-8")
    result = run_command("replay", record)
    assert result.exit_code == 0
    assert "the record is of version 0.0.9" in result.stderr


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "line 1: found no head"),
        ("format: 1\nname: x\n", "line 1: found no JSON"),
        ('{"kind":"head","format":1}\n', "line 1: found the format 1"),
        ('{"kind":"answer","seq":1}\n', "line 1: found no head"),
    ],
)
def test_what_is_no_record_is_exit_code_2(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text, encoding="utf-8")
    result = run_command("replay", path)
    assert result.exit_code == 2
    assert problem in result.stderr


def test_a_broken_line_in_the_midst_is_exit_code_2_with_its_number(record: Path) -> None:
    lines = record.read_text(encoding="utf-8").splitlines(keepends=True)
    record.write_text("".join([*lines[:3], *lines[2:]]).replace('"now_ms"', '"now"', 2), encoding="utf-8")
    result = run_command("replay", record)
    assert result.exit_code == 2
    assert "line 2: found now_ms" in result.stderr
    assert run_command("replay", record, "--output", "x").exit_code == 2


def test_a_body_of_bytes_and_a_lost_answer_come_out_the_same(tmp_path: Path) -> None:
    def script(relay: Relay) -> None:
        send(relay, "POST", "/api/v3/order", body=b"\xff\x00 no text")
        done(relay, "POST", "faults", {"on": "get_depth", "drop": True})
        get(relay, "/api/v2/depth", market="LRC-ETH", level="0")

    path = written(tmp_path / "run.jsonl", script)
    assert run_command("replay", path).exit_code == 0
    altered(path, '"drop":true}\n', '"drop":false}\n')
    assert 'connection: "closed without an answer" in place of "answered"' in run_command("replay", path).stdout


class Real:
    """A machine's time in which a second goes by with every look at it."""

    def __init__(self) -> None:
        self.now_ms = 0

    def __call__(self) -> int:
        self.now_ms += 1000
        return self.now_ms


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_long_replay_tells_how_far_it_is(record: Path) -> None:
    recording = Recording(record.read_bytes(), {})
    terminal = Terminal()
    recording.run(Progress(terminal, Clock(START_MS, 1, Real())), to_the_end=True)
    shown = terminal.getvalue().split("\r\x1b[K")
    assert shown[2].startswith("replay: 1 of 4 calls, 0 differ, about ")
    assert shown[-2:] == ["replay: 4 of 4 calls, 0 differ", ""]


def test_of_many_differences_the_first_are_shown_and_all_are_counted(tmp_path: Path) -> None:
    def script(relay: Relay) -> None:
        for _ in range(25):
            get(relay, "/api/v2/orders")

    result = run_command("replay", written(tmp_path / "run.jsonl", script), "--set", "http.error_status=400")
    assert result.stdout.count("status: 400 in place of 200") == 20
    assert result.stdout.endswith(": 25 calls: 25 differ, 5 not shown\n")


def test_ctrl_c_while_shrinking_writes_the_shortest_so_far(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    altered(record, '\\"totalNum\\":1', '\\"totalNum\\":2')

    def interrupted(script: Reproduction, *_: object) -> Iterator[Sequence[Operation]]:
        yield script.operations
        yield script.operations[1:]
        raise KeyboardInterrupt

    monkeypatch.setattr("mockrelay.replay.shrink.shrink", interrupted)
    out = record.with_name("short.jsonl")
    result = run_command("replay", record, "--shrink", "--output", out)
    assert result.exit_code == 1
    assert result.stdout.splitlines()[-1].endswith(" lead to the same; stopped before it was known to be the shortest")
    assert "body.data.totalNum: 1 in place of 2" in run_command("replay", out).stdout


def test_ctrl_c_while_it_runs_is_no_difference(record: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> NoReturn:
        raise KeyboardInterrupt

    monkeypatch.setattr("mockrelay.replay.replay.differences_of", interrupted)
    result = run_command("replay", record)
    assert (result.exit_code, result.stdout, result.stderr) == (130, "", "mockrelay: stopped before the end\n")


def test_a_difference_that_cannot_be_shrunk_is_still_a_difference(record: Path) -> None:
    """Without the first call all answers are those that were recorded, under other numbers."""
    lines = record.read_text(encoding="utf-8").splitlines(keepends=True)
    record.write_text("".join(lines[:2] + lines[4:]), encoding="utf-8")
    result = run_command("replay", record, "--shrink")
    assert result.exit_code == 1
    assert result.stderr == (
        "mockrelay: --shrink: the answer differs in its number alone, which is another in every shorter record\n"
    )
    assert not record.with_name("run.shrunk.jsonl").exists()


@pytest.mark.parametrize(
    ("out", "problem"),
    [("no-such-folder/x.jsonl", "there is no folder"), ("run.jsonl", "that is the record itself")],
)
def test_where_a_shorter_record_cannot_go_is_told_before_it_is_looked_for(record: Path, out: str, problem: str) -> None:
    altered(record, '\\"totalNum\\":1', '\\"totalNum\\":2')
    whole = record.read_bytes()
    result = run_command("replay", record, "--shrink", "--output", record.parent / out)
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"--output {record.parent / out}: {problem}" in result.stderr
    assert record.read_bytes() == whole
