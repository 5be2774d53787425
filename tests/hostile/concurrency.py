"""Many threads at one server while others take it back, load it, and make and remove its worlds."""

from __future__ import annotations

import json
import random
import threading
from collections import Counter
from collections.abc import Callable
from typing import Any

from mockrelay.web import serve
from tests.support.answer import Answer
from tests.support.answer_shapes import is_refused
from tests.support.bodies import W
from tests.support.calls import order
from tests.support.connection import Connection, connected
from tests.support.views import assert_money_is_conserved
from tests.support.worlds import world

TRADERS, CONTROLLERS, TURNS = 12, 4, 40
WORLDS = ("", "/w/a", "/w/b", "/w/c")
KEY = ("X-API-KEY: key-a", "X-API-SIG: 0x" + "1" * 130, "Content-Type: application/json")


def run(size: int, seed: int) -> str:
    """So many rounds, each with a server of its own."""
    statuses: Counter[int] = Counter()
    for number in range(size):
        with serve(world()) as server:
            failures: list[BaseException] = []
            threads = [
                threading.Thread(target=_guarded, args=(work, server.url, f"{seed} {number} {nth}", statuses, failures))
                for nth, work in enumerate([_trade] * TRADERS + [_use_control_api] * CONTROLLERS)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert not failures, failures
            with connected(server.url) as wire:
                for name in WORLDS:
                    assert_money_is_conserved(_control(wire, "GET", f"{name}/__mockrelay/state").json)
                    assert _control(wire, "GET", f"{name}/__mockrelay/problems").json == []
    shown = ", ".join(f"{count:,} times {status}" for status, count in sorted(statuses.items()))
    return f"{size} rounds of {TRADERS + CONTROLLERS} threads: {shown}; money conserved in all worlds"


def _trade(wire: Connection, chance: random.Random, statuses: Counter[int]) -> None:
    for _ in range(TURNS):
        name = chance.choice(WORLDS)
        method, path, fields = chance.choice(
            (
                ("POST", "v3/order", {**order().fields, "orderId": chance.randrange(400)}),
                ("POST", "v2/transfer", W.transfer(chance.randrange(4))),
                ("GET", "v2/orders?accountId=10001", None),
                ("GET", "v2/depth?market=LRC-ETH&level=0", None),
                ("GET", "v3/block/getPendingRequests", None),
            )
        )
        body = b"" if fields is None else json.dumps(fields).encode()
        answer = wire.ask(method, f"{name}/api/{path}", *KEY, body=body)
        is_refused(answer.status, answer.headers, answer.body)
        statuses[answer.status] += 1


def _use_control_api(wire: Connection, chance: random.Random, statuses: Counter[int]) -> None:
    """Statuses are 200, 404 for what is not there (any more), 409 for what the state forbids."""
    for _ in range(TURNS):
        path = f"{chance.choice(WORLDS)}/__mockrelay"
        answer = chance.choice((_snapshot, _reload, _remove, _move))(wire, path, chance)
        assert answer.status in {200, 404, 409}, answer
        statuses[answer.status] += 1


def _snapshot(wire: Connection, path: str, chance: random.Random) -> Answer:
    name = f"s{chance.randrange(3)}"
    if chance.random() < 0.5:
        return _control(wire, "POST", f"{path}/snapshots", {"name": name})
    return _control(wire, "POST", f"{path}/snapshots/{name}/restore", {})


def _reload(wire: Connection, path: str, chance: random.Random) -> Answer:
    dump = _control(wire, "GET", f"{path}/dump").body
    if chance.random() < 0.2:
        return _control(wire, "POST", f"{path}/reset", {})
    return wire.ask("POST", f"{path}/load", body=dump)


def _remove(wire: Connection, path: str, chance: random.Random) -> Answer:
    return _control(wire, "DELETE", f"/__mockrelay/worlds/{chance.choice('abc')}")


def _move(wire: Connection, path: str, chance: random.Random) -> Answer:
    return chance.choice(
        (
            lambda: _control(wire, "POST", f"{path}/clock", {"advance": "7s"}),
            lambda: _control(wire, "POST", f"{path}/accounts/bob/deposit", {"token": "ETH", "amount": "3"}),
            lambda: _control(wire, "POST", f"{path}/blocks/seal", {"count": 2}),
            lambda: _control(wire, "GET", f"{path}/findings"),
        )
    )()


def _control(wire: Connection, method: str, target: str, fields: Any = None) -> Answer:
    return wire.ask(method, target, body=b"" if fields is None else json.dumps(fields).encode())


def _guarded(
    work: Callable[[Connection, random.Random, Counter[int]], None],
    url: str,
    seed: str,
    statuses: Counter[int],
    failures: list[BaseException],
) -> None:
    try:
        with connected(url) as wire:
            work(wire, random.Random(seed), statuses)
    except BaseException as error:  # noqa: BLE001 - shown in the main thread
        failures.append(error)
