"""A recorded server is killed under load, again and again: what it had answered is there when it is resumed.

python -m tests.cli.killing [TIMES [SEED]]
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.answer import Answer
from tests.support.bodies import E18, W
from tests.support.connection import Connection, connected
from tests.support.processes import Server, serving

WORLDS = ("", "/w/one", "/w/two")
CALLERS = 4
KILLS_OF_A_RECORD = 10
"""After so many a new record is begun: each resume does all again that its record tells."""
ANSWERS_MOST = 200
SCENARIO = 'format: 1\nextends: default\nclock: {start: "2026-01-01T00:00:00Z"}\n'
BOB_USDT = 10**12
"""What he has at the start, in the smallest unit."""
FIRST = ("--clock", "frozen", "--limits", "off")


class Kills(NamedTuple):
    """What a run came to."""

    times: int
    answered: int
    torn: int
    """How often the record ended in the middle of a line."""


class Answers:
    """What callers were answered by a server and those before it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.orders: dict[str, set[str]] = {world: set() for world in WORLDS}
        self.deposits: Counter[str] = Counter()
        self.deposits_sent: Counter[str] = Counter()
        self.newest_request: Counter[str] = Counter()
        self.answered = 0
        self.ids = count()
        self._left = 0
        self._enough = threading.Event()

    def expect(self, answers: int) -> threading.Event:
        """What is set once so many more answers have come."""
        with self._lock:
            self._left, self._enough = answers, threading.Event()
            return self._enough

    def order_id(self) -> int:
        with self._lock:
            return next(self.ids)

    def depositing(self, world: str) -> None:
        with self._lock:
            self.deposits_sent[world] += 1

    def hear(self, world: str, answer: Answer, order_hash: str | None) -> None:
        """Take in an answer: an order's hash, or that a deposit is done."""
        with self._lock:
            if order_hash is None:
                self.deposits[world] += 1
            else:
                self.orders[world].add(order_hash)
                request = int(answer.headers["x-mockrelay-request-id"][1:])
                self.newest_request[world] = max(self.newest_request[world], request)
            self.answered += 1
            self._left -= 1
            if self._left <= 0:
                self._enough.set()


def killed(times: int, seed: int, folder: Path, report: Callable[[str], object] = lambda line: None) -> Kills:
    """Kill a server so many times at moments that the seed names. AssertionError where an answer was lost."""
    chance = random.Random(seed)
    torn, answered = 0, 0
    answers = Answers()
    scenario = folder / "start.yaml"
    scenario.write_text(SCENARIO, encoding="utf-8")
    record = folder / "none"
    for time in range(times):
        if time % KILLS_OF_A_RECORD == 0:
            record, answers = folder / f"{time}.jsonl", Answers()
            args: tuple[str, ...] = ("--scenario", str(scenario), *FIRST, "--record", str(record))
        else:
            args = ("--resume", str(record))
        with serving("-p", "0", *args) as server:
            before = answers.answered
            torn += _check_resumed(server, answers) if "--resume" in args else 0
            _kill_under_load(server, answers, chance)
        answered += answers.answered - before
        if (time + 1) % KILLS_OF_A_RECORD == 0 or time + 1 == times:
            with serving("-p", "0", "--resume", str(record)) as server:
                torn += _check_resumed(server, answers)
        report(f"{time + 1} of {times}: {answers.answered - before} answers, {torn} torn")
    return Kills(times, answered, torn)


def _kill_under_load(server: Server, answers: Answers, chance: random.Random) -> None:
    enough = answers.expect(chance.randint(1, ANSWERS_MOST))
    seeds = [chance.random() for _ in range(CALLERS)]
    failures: list[BaseException] = []
    callers = [threading.Thread(target=_call, args=(server.url, answers, seed, failures)) for seed in seeds]
    for caller in callers:
        caller.start()
    assert enough.wait(30), failures
    server.process.kill()
    for caller in callers:
        caller.join()
    server.process.wait()
    assert not failures, failures


def _call(url: str, answers: Answers, seed: float, failures: list[BaseException]) -> None:
    """Ask until the server is gone."""
    chance = random.Random(seed)
    try:
        with connected(url) as wire:
            keys = {world: _account(wire, world, "alice")["apiKey"] for world in WORLDS}
            while True:
                world = chance.choice(WORLDS)
                if chance.random() < 0.3:
                    answers.depositing(world)
                    body = json.dumps({"token": "USDT", "amount": "1"}).encode()
                    answer = wire.ask("POST", f"{world}/__mockrelay/accounts/bob/deposit", body=body)
                    assert answer.status == 200, answer
                    answers.hear(world, answer, None)
                else:
                    sold = W.order(answers.order_id(), amountS=str(E18), amountB=str(10**15))
                    json_type = "Content-Type: application/json"
                    key = f"X-API-KEY: {keys[world]}"
                    answer = wire.ask("POST", f"{world}/api/v3/order", json_type, key, body=json.dumps(sold).encode())
                    assert answer.json["resultInfo"]["code"] == 0, answer
                    answers.hear(world, answer, answer.json["data"]["orderHash"])
    except (OSError, EOFError):
        return
    except BaseException as failure:  # noqa: BLE001 - raised in the main thread
        failures.append(failure)


def _account(wire: Connection, world: str, name: str) -> Any:
    return wire.ask("GET", f"{world}/__mockrelay/accounts/{name}").json


def _check_resumed(server: Server, answers: Answers) -> bool:
    """All that was answered is there, once; what was not answered may be there too. Whether the record was torn."""
    url = server.url
    while not (line := server.line()).startswith("resumed "):
        pass
    with connected(url) as wire:
        for world in WORLDS:
            shown = wire.ask("GET", f"{world}/__mockrelay/state").json
            hashes = [each["hash"] for each in shown["orders"]]
            assert len(hashes) == len(set(hashes)), "an order is there twice"
            assert answers.orders[world] <= set(hashes), (
                f"{len(answers.orders[world] - set(hashes))} answered orders are lost"
            )
            paid_in = int(_account(wire, world, "bob")["balances"]["USDT"]["free"]) - BOB_USDT
            assert answers.deposits[world] <= paid_in <= answers.deposits_sent[world], "deposits were lost or doubled"
            asked = wire.ask("GET", f"{world}/api/v3/ticker?market=LRC-ETH")
            assert int(asked.headers["x-mockrelay-request-id"][1:]) > answers.newest_request[world], "an id came again"
            answers.newest_request[world] = int(asked.headers["x-mockrelay-request-id"][1:])
    return "torn" in line


if __name__ == "__main__":
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with tempfile.TemporaryDirectory() as stored:
        print(killed(wanted, int(sys.argv[2]) if len(sys.argv) > 2 else 1, Path(stored), print))
