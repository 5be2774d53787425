"""Records under attack: servers killed, disks full, two writers of one file, another Python."""

from __future__ import annotations

import random
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

from mockrelay.recording.file import RecordFile
from mockrelay.recording.recorder import RecordFailed
from mockrelay.replay import resume
from tests.cli.killing import killed
from tests.properties.fuzzers.random_calls import RandomCalls, market_relay
from tests.recording.test_file import Disk
from tests.support.answer_shapes import REQUEST_ID
from tests.support.client import done
from tests.support.processes import PATIENCE_S, ROOT, environment, serving

CALLS = 60
"""Of a recorded day."""
DISK_BYTES = 60_000
"""Less than what a day's record takes."""


def kill(times: int, seed: int) -> str:
    """Servers under load, killed; what they had answered is there when the record is resumed."""
    with tempfile.TemporaryDirectory() as folder:
        kills = killed(times, seed, Path(folder))
    return f"{kills.times} kills, {kills.answered:,} answers, none lost, {kills.torn} records torn in a line"


def fill_disks(count: int, seed: int) -> str:
    """A disk that gets full somewhere in a day: from there on all is refused, and the record leads to the very same world."""
    full = 0
    for number in range(count):
        chance = random.Random(f"{seed} {number}")
        disk = Disk(chance.randrange(DISK_BYTES), a_time=chance.choice((1, 100, 10**6)), cuts=chance.random() < 0.5)
        relay = market_relay()
        file = RecordFile(disk, 0)
        try:
            relay.record_to(file.write)
        except RecordFailed:
            # Not even the head fitted, so nothing is served.
            continue
        answers = RandomCalls(relay, number).play(CALLS)
        refused = [answer.status == 503 for answer in answers if REQUEST_ID in answer.headers]
        if file.failure is None:
            assert not any(refused)
        else:
            full += 1
            assert all(refused[refused.index(True) :] if any(refused) else ()), (
                "a call was taken after the disk was full"
            )
        assert done(resume(bytes(disk.held))[0], "GET", "state")["digest"] == done(relay, "GET", "state")["digest"]
    return f"{count} disks, {full} of them full in the middle of a day, each record leads to its world"


def start_two_writers(times: int, seed: int) -> str:
    """Two servers that start together on one new record: one serves, the other says why not and ends with 2."""
    del seed
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            _start_two(Path(folder, "record.jsonl"))
    return f"{times} pairs of servers that start on one record: one serves, the other ends with 2"


def _start_two(record: Path) -> None:
    ends: list[str] = []
    both_started = threading.Barrier(2)

    def start() -> None:
        with serving("-p", "0", "--record", str(record)) as server:
            try:
                ends.append(f"serves {server.url}")
            except EOFError as end:
                ends.append(str(end))
            both_started.wait(PATIENCE_S)

    threads = [threading.Thread(target=start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ended, serves = sorted(ends)
    assert serves.startswith("serves"), ends
    assert ended.startswith("mockrelay ended: 2: "), ends


def replay_elsewhere(pythons: Sequence[str], seed: int) -> str:
    """A record made here, replayed byte for byte by other interpreters."""
    if not pythons:
        return "skipped: no other Python was given (--python PATH)"
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder, "record.jsonl")
        relay = market_relay()
        with record.open("w", encoding="utf-8", newline="\n") as file:
            relay.record_to(file.write)
            RandomCalls(relay, seed).play(1_000)
            relay.end_record()
        shown = []
        for python in pythons:
            done = subprocess.run(
                [python, "-m", "mockrelay", "replay", str(record)],
                capture_output=True,
                text=True,
                cwd=ROOT,
                env=environment(),
                check=False,
            )
            assert done.returncode == 0, (python, done.stdout[-2_000:], done.stderr[-2_000:])
            shown.append(python)
    return f"a record of 1,000 calls replays the same under {', '.join(shown)}"
