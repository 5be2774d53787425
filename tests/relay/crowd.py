"""Fifty clients of a relayer at the same moment, and what each of them was answered."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import monotonic_ns
from typing import Any, NamedTuple

from mockrelay.relay import Relay
from tests.support.answer import Answer
from tests.support.bodies import ALICE_ID, BOB_ID, E18, ETH, W
from tests.support.client import Relayer, control, send

CLIENTS, CALLS = 50, 40
KEYS = {ALICE_ID: "key-a", BOB_ID: "key-b"}
Line = Callable[[], AbstractContextManager[Relayer]]
"""How each thread reaches the relayer."""


class Answered(NamedTuple):
    """A call and its answer, as a client saw them."""

    kind: str
    sent: Any
    answer: Answer
    began_ns: int
    """On the clock that all processes of a machine share."""
    ended_ns: int

    @property
    def seq(self) -> int:
        return int(self.answer.headers["x-mockrelay-request-id"][1:])


class Client:
    """One of the threads: calls of every kind, one after another."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.answered: list[Answered] = []
        self.control_statuses: list[int] = []

    def __call__(self, relayer: Relayer) -> None:
        kinds: list[Callable[[Relayer, int], None]] = [
            self._order, self._transfer, self._list, self._next_id, self._bid, self._depth, self._control, self._pending
        ]  # fmt: skip
        for turn in range(CALLS):
            kinds[(turn + self.number) % len(kinds)](relayer, turn)

    def _send(self, relayer: Relayer, kind: str, method: str, path: str, body: Any = None, **query: Any) -> None:
        headers = {"x-api-key": KEYS[(body or {}).get("accountId", ALICE_ID)], "x-api-sig": "0x" + "1" * 130}
        sent = b"" if body is None else json.dumps(body).encode()
        pairs = [(name, str(value)) for name, value in query.items()]
        began_ns = monotonic_ns()
        answer = send(relayer, method, path, query=pairs, body=sent, key=None, headers=headers)
        self.answered.append(Answered(kind, body, answer, began_ns, monotonic_ns()))

    def _order(self, relayer: Relayer, turn: int) -> None:
        # Two threads each send the very same order, and more use its id for another.
        body = W.order(turn * 4 + self.number % 4, amountB=str(5 * 10**16 + self.number // 2))
        self._send(relayer, "order", "POST", "/api/v3/order", body)

    def _bid(self, relayer: Relayer, turn: int) -> None:
        body = W.bid(self.number * CALLS + turn, 7 * E18, 35 * 10**14)
        self._send(relayer, "bid", "POST", "/api/v3/order", body)

    def _transfer(self, relayer: Relayer, turn: int) -> None:
        """A wei of ETH to bob; the nonce is right at one moment only."""
        legs: dict[str, Any] = {"token": ETH, "amount": "1", "tokenF": ETH, "amountF": str(10**13)}
        self._send(relayer, "transfer", "POST", "/api/v2/transfer", W.transfer(turn // 8 + self.number % 2, **legs))

    def _list(self, relayer: Relayer, turn: int) -> None:
        self._send(relayer, "orders", "GET", "/api/v2/orders", accountId=ALICE_ID)

    def _next_id(self, relayer: Relayer, turn: int) -> None:
        self._send(relayer, "next id", "GET", "/api/v2/orderId", accountId=ALICE_ID, tokenSId=1)

    def _depth(self, relayer: Relayer, turn: int) -> None:
        self._send(relayer, "depth", "GET", "/api/v2/depth", market="LRC-ETH", level=0)

    def _pending(self, relayer: Relayer, turn: int) -> None:
        self._send(relayer, "pending", "GET", "/api/v3/block/getPendingRequests")

    def _control(self, relayer: Relayer, turn: int) -> None:
        calls: list[tuple[str, str, Any, dict[str, str]]] = [
            ("POST", "blocks/seal", {}, {}),
            ("GET", "requests", None, {"last": "2"}),
            ("POST", "snapshots", {"name": f"of {self.number % 3}"}, {}),
            ("GET", "accounts/alice", None, {}),
        ]
        method, path, body, query = calls[turn // 8 % len(calls)]
        self.control_statuses.append(control(relayer, method, path, body, **query).status)


class Crowd(NamedTuple):
    """What became of it all."""

    relay: Relay
    clients: list[Client]
    control_statuses: list[int]
    """Of the further thread's control calls."""
    record: bytes
    errors: list[BaseException]

    @property
    def answered(self) -> list[Answered]:
        return [call for client in self.clients for call in client.answered]

    def of(self, kind: str) -> list[Answered]:
        return [call for call in self.answered if call.kind == kind]

    def accepted(self, kind: str) -> list[Answered]:
        return [call for call in self.of(kind) if call.answer.code == 0]


def run(clients: list[Client], line: Line, errors: list[BaseException]) -> None:
    """All clients to their end, each in a thread of its own."""
    threads = [threading.Thread(target=_guarded, args=(client, line, errors)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextmanager
def controlled(crowd: Crowd, line: Line) -> Iterator[None]:
    """A further thread makes control calls meanwhile."""
    over = threading.Event()

    def work(relayer: Relayer) -> None:
        while not over.is_set():
            for path, fields in (
                ("clock", {"advance": "1ms"}),
                ("accounts/bob/deposit", {"token": "ETH", "amount": "3"}),
                ("blocks/seal", {"count": 2}),
                ("fees", {"requestType": 9, "token": "LRC", "factor": 1.0}),
            ):
                crowd.control_statuses.append(control(relayer, "POST", path, fields).status)

    further = threading.Thread(target=_guarded, args=(work, line, crowd.errors))
    further.start()
    try:
        yield
    finally:
        over.set()
        further.join()


def _guarded(work: Callable[[Relayer], None], line: Line, errors: list[BaseException]) -> None:
    try:
        with line() as relayer:
            work(relayer)
    except BaseException as error:  # noqa: BLE001  # a thread's error is reported by the test
        errors.append(error)
