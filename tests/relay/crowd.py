"""Fifty callers of a relayer at the same moment, and what each of them was told."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from time import monotonic_ns
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qsl

from mockrelay.control import handle_control
from mockrelay.relay import Relay
from mockrelay.wire.http import RawRequest
from tests.flows.client import ALICE, BOB, E18, KEYS, purchase, sale
from tests.support.answer import Answer
from tests.support.client import done

THREADS, CALLS = 50, 40
FEE = 10**13
REQUEST_ID = "x-mockrelay-request-id"
STEERING = "/__mockrelay/"


class Told(NamedTuple):
    """A call and its answer, as a client saw them."""

    kind: str
    sent: Any
    answer: Answer
    began_ns: int
    """On the clock that all processes of a machine share."""
    ended_ns: int

    @property
    def seq(self) -> int:
        return int(self.answer.headers[REQUEST_ID][1:])

    @property
    def code(self) -> int:
        parsed = self.answer.json
        return parsed["resultInfo"]["code"] if isinstance(parsed, dict) and "resultInfo" in parsed else 0


def transfer(nonce: int) -> dict[str, Any]:
    """Alice gives bob a wei of ETH; the nonce is right at one moment only."""
    legs = {"sender": ALICE, "receiver": BOB, "token": 0, "amount": "1", "tokenF": 0, "amountF": str(FEE)}
    parts = {"signatureRx": "1", "signatureRy": "2", "signatureS": "3"}
    return {"exchangeId": 2, **legs, "nonce": nonce, "label": 211, **parts}


class Line(Protocol):
    """How a thread reaches the relayer."""

    def ask(self, method: str, target: str, *headers: str, body: bytes = b"") -> Answer: ...


class Direct:
    """A line without a socket: the relay is called in the caller's own thread."""

    def __init__(self, relay: Relay) -> None:
        self.relay = relay

    def ask(self, method: str, target: str, *headers: str, body: bytes = b"") -> Answer:
        path, _, query = target.partition("?")
        pairs = tuple(parse_qsl(query))
        if path.startswith(STEERING):
            response = handle_control(self.relay, method, path.removeprefix(STEERING), pairs, body)
        else:
            split = (header.partition(": ") for header in headers)
            named = {name.lower(): value for name, _, value in split}
            raw = RawRequest(method, path, target, pairs, named, body, "http", "localhost", "127.0.0.1")
            response = self.relay.handle(raw, self.relay.now_ms())
        return Answer(response.status, {name.lower(): value for name, value in response.headers}, response.body)


class Caller:
    """One of the threads: calls of every kind over a line of its own."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.told: list[Told] = []
        self.steered: list[int] = []

    def __call__(self, wire: Line) -> None:
        kinds: list[Callable[[Line, int], None]] = [
            self._order, self._transfer, self._list, self._next_id, self._bid, self._depth, self._steer, self._pending
        ]  # fmt: skip
        for turn in range(CALLS):
            kinds[(turn + self.number) % len(kinds)](wire, turn)

    def _call(self, wire: Line, kind: str, method: str, target: str, sent: Any, account: int = ALICE) -> None:
        body = b"" if sent is None else json.dumps(sent).encode()
        headers = (f"X-API-KEY: {KEYS[account]}", "X-API-SIG: 0x" + "1" * 130, "Content-Type: application/json")
        began_ns = monotonic_ns()
        answer = wire.ask(method, target, *headers, body=body)
        self.told.append(Told(kind, sent, answer, began_ns, monotonic_ns()))

    def _order(self, wire: Line, turn: int) -> None:
        # Two threads each send the very same order, and more use its id for another.
        body = sale(turn * 4 + self.number % 4, eth=5 * 10**16 + self.number // 2)
        self._call(wire, "order", "POST", "/api/v3/order", body)

    def _bid(self, wire: Line, turn: int) -> None:
        body = purchase(self.number * CALLS + turn, lrc=7 * E18, eth=35 * 10**14)
        self._call(wire, "bid", "POST", "/api/v3/order", body, BOB)

    def _transfer(self, wire: Line, turn: int) -> None:
        self._call(wire, "transfer", "POST", "/api/v2/transfer", transfer(turn // 8 + self.number % 2))

    def _list(self, wire: Line, turn: int) -> None:
        self._call(wire, "orders", "GET", f"/api/v2/orders?accountId={ALICE}", None)

    def _next_id(self, wire: Line, turn: int) -> None:
        self._call(wire, "next id", "GET", f"/api/v2/orderId?accountId={ALICE}&tokenSId=1", None)

    def _depth(self, wire: Line, turn: int) -> None:
        self._call(wire, "depth", "GET", "/api/v2/depth?market=LRC-ETH&level=0", None)

    def _pending(self, wire: Line, turn: int) -> None:
        self._call(wire, "pending", "GET", "/api/v3/block/getPendingRequests", None)

    def _steer(self, wire: Line, turn: int) -> None:
        deeds: list[tuple[str, str, Any]] = [
            ("POST", "blocks/seal", {}),
            ("GET", "requests?last=2", None),
            ("POST", "snapshots", {"name": f"of {self.number % 3}"}),
            ("GET", "accounts/alice", None),
        ]
        self.steered.append(steer(wire, *deeds[turn // 8 % len(deeds)]).status)


def steer(wire: Line, method: str, path: str, fields: Any) -> Answer:
    body = b"" if fields is None else json.dumps(fields).encode()
    return wire.ask(method, STEERING + path, body=body)


class Crowd(NamedTuple):
    """What became of it all."""

    relay: Relay
    callers: list[Caller]
    control: list[int]
    """Statuses of the further thread's control calls over the socket."""
    record: bytes
    wrong: list[BaseException]

    @property
    def told(self) -> list[Told]:
        return [told for caller in self.callers for told in caller.told]

    def of(self, kind: str) -> list[Told]:
        return [told for told in self.told if told.kind == kind]

    def state(self) -> Any:
        return done(self.relay, "GET", "state")


def run_all(crowd: Crowd, line: Callable[[], AbstractContextManager[Line]]) -> None:
    """All callers and the thread that steers, to the end of the callers."""
    with steered(crowd, line):
        run(crowd.callers, line, crowd.wrong)


def run(callers: list[Caller], line: Callable[[], AbstractContextManager[Line]], wrong: list[BaseException]) -> None:
    """All callers to their end, each in a thread of its own."""
    threads = [threading.Thread(target=_guarded, args=(caller, line, wrong)) for caller in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@contextmanager
def steered(crowd: Crowd, line: Callable[[], AbstractContextManager[Line]]) -> Iterator[None]:
    """A further thread steers meanwhile."""
    over = threading.Event()

    def steering(wire: Line) -> None:
        while not over.is_set():
            for path, fields in (
                ("clock", {"advance": "1ms"}),
                ("accounts/bob/deposit", {"token": "ETH", "amount": "3"}),
                ("blocks/seal", {"count": 2}),
                ("fees", {"requestType": 9, "token": "LRC", "factor": 1.0}),
            ):
                crowd.control.append(steer(wire, "POST", path, fields).status)

    further = threading.Thread(target=_guarded, args=(steering, line, crowd.wrong))
    further.start()
    try:
        yield
    finally:
        over.set()
        further.join()


def _guarded(
    work: Callable[[Line], None], line: Callable[[], AbstractContextManager[Line]], wrong: list[BaseException]
) -> None:
    try:
        with line() as wire:
            work(wire)
    except BaseException as error:  # noqa: BLE001  # a thread's error is told by the test
        wrong.append(error)
