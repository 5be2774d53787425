"""What would hold up the loop is done beside it: calls to a relayer that another thread is at work on, and calls whose
signatures are verified. They are carried out in the order in which they came.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from typing import Any

import pytest

from mockrelay.core.signatures import diagnose
from mockrelay.relay import Relay
from mockrelay.web import serve
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.http1 import target_of
from mockrelay.web.threads import Line, Threads
from mockrelay.wire.http import RawRequest, Response
from tests.support.bodies import W
from tests.support.connection import PATIENCE_S, connected
from tests.support.worlds import world
from tests.web.fake import FakeRelay

CHUNKED = b"POST /api/v3/order HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
CALLS = {
    "plain": b"GET /api/v2/depth HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "chunked": CHUNKED,
    "control": b"GET /__mockrelay/clock HTTP/1.1\r\nHost: localhost\r\n\r\n",
}


class Busy(FakeRelay):
    """Waits for its lock, as a relay does. The worlds beside it are free."""

    def handle(self, raw: RawRequest, now_ms: int, generation: int | None = None) -> Response:
        with self.busy:
            return super().handle(raw, now_ms, generation)

    def control(self, *args: Any, **options: Any) -> Response:
        with self.busy:
            return super().control(*args, **options)


@pytest.mark.parametrize("sent", CALLS.values(), ids=CALLS)
def test_a_call_to_a_busy_relayer_keeps_nobody_else_waiting(sent: bytes) -> None:
    relay = Busy()
    with serve(relay) as server, connected(server.url) as waits, connected(server.url) as other:
        with relay.busy:
            waits.send(sent)
            assert other.ask("GET", "/w/other/api/v2/depth").status == 200
            assert not waits.has_received
        assert waits.read().status == 200


def test_calls_in_one_packet_to_a_busy_relayer_are_answered_in_their_order() -> None:
    relay = Busy()
    with serve(relay) as server, connected(server.url) as wire:
        with relay.busy:
            wire.send(b"".join(b"GET /api/%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % number for number in range(5)))
            wire.sock.shutdown(socket.SHUT_WR)
        assert [wire.read().status for _ in range(5)] == [200] * 5
        assert wire.at_end()
    assert [raw.path for raw in relay.seen] == [f"/api/{number}" for number in range(5)]


def test_a_relayer_is_busy_while_another_thread_is_at_work_on_it_and_no_longer() -> None:
    relay = world()
    with serve(relay) as server, connected(server.url) as wire:
        seen = relay.sockets_due_ms()
        assert seen is None
        assert not relay.is_busy
        with relay.locked_context():
            wire.send(CALLS["plain"])
            assert not relay.is_busy, "in the very thread"
        assert wire.read().status in (200, 400)


class Verifying(FakeRelay):
    """Notes whether a thread beside the loop answers."""

    def __init__(self) -> None:
        super().__init__()
        self.is_verifying = True
        self.answered_beside: list[bool] = []

    def handle(self, raw: RawRequest, now_ms: int, generation: int | None = None) -> Response:
        self.answered_beside.append(threading.current_thread().name == "mockrelay call")
        return super().handle(raw, now_ms, generation)


@pytest.mark.parametrize(
    ("call", "is_beside"),
    [
        (b"POST /api/v3/order HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}", True),
        (CHUNKED, True),
        (b"DELETE /api/v3/order HTTP/1.1\r\nHost: localhost\r\n\r\n", True),
        (b"GET /api/v3/apiKey HTTP/1.1\r\nHost: localhost\r\nX-API-SIG: 0x1\r\n\r\n", True),
        (b"GET /api/v3/depth HTTP/1.1\r\nHost: localhost\r\n\r\n", False),
    ],
    ids=["body", "chunks", "DELETE", "header", "unsigned"],
)
def test_signatures_are_verified_beside_the_loop(call: bytes, is_beside: bool) -> None:
    """To find out why one is wrong takes a tenth of a second."""
    relay = Verifying()
    with serve(relay) as server, connected(server.url) as wire:
        wire.send(call * 2)
        assert [wire.read().status for _ in range(2)] == [200, 200]
        relay.is_verifying = False
        wire.send(call)
        assert wire.read().status == 200
    assert relay.answered_beside == [is_beside, is_beside, False]


def test_a_relayer_verifies_signatures_by_its_world_s_choice_unless_a_test_has_functions_of_its_own() -> None:
    relay = world({"signature.scheme": "protocol"})
    assert relay.verifies_signatures
    assert not world({"signature.scheme": "presence"}).verifies_signatures
    choices = {"signature.scheme": "protocol"}
    assert not Relay(relay.scenario, choices=choices, verifier=lambda *_: None).verifies_signatures
    assert not Relay(relay.scenario, choices=choices, decide=lambda *_: None).verifies_signatures


WRONGLY_SIGNED = json.dumps(W.order()).encode()


class Search:
    """Takes the place of the search for the cause of a wrong signature, and lasts until it is told to end."""

    def __init__(self) -> None:
        self.begun, self.end = threading.Event(), threading.Event()

    def __call__(self, *_: object) -> None:
        self.begun.set()
        assert self.end.wait(PATIENCE_S)


@pytest.fixture
def search(monkeypatch: pytest.MonkeyPatch) -> Search:
    found = Search()
    monkeypatch.setattr(diagnose, "find_cause", found)
    return found


@pytest.mark.parametrize(
    "rest",
    [
        b"Content-Length: %d\r\n\r\n%s",
        b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n",
    ],
    ids=["plain", "chunked"],
)
def test_the_search_for_the_cause_of_a_wrong_signature_keeps_nobody_else_waiting(search: Search, rest: bytes) -> None:
    head = b"POST /api/v3/order HTTP/1.1\r\nHost: localhost\r\nX-API-KEY: key-a\r\n"
    relay = world({"signature.scheme": "protocol"})
    with serve(relay) as server, connected(server.url) as waits, connected(server.url) as other:
        waits.send(head + rest % (len(WRONGLY_SIGNED), WRONGLY_SIGNED) + CALLS["plain"])
        assert search.begun.wait(PATIENCE_S)
        assert other.ask("GET", "/w/other/api/v2/exchange/tokens").status == 200
        assert not waits.has_received
        search.end.set()
        assert waits.read().code == 104005
        assert waits.read().status in (200, 400)
    assert [entry.raw.method for entry in relay.journal] == ["POST", "GET"]


async def test_what_waits_for_its_turn_at_a_relayer_has_it_even_where_nobody_waits_for_the_result() -> None:
    relay = FakeRelay()
    relay.is_verifying = True
    dispatcher = Dispatcher(relay)

    def ask(method: str, number: int) -> asyncio.Future[Any]:
        target = target_of(f"/api/{number}")
        raw = RawRequest(method, target.path, target.sent, (), {}, b"", "http", "localhost", "127.0.0.1")
        assert dispatcher.holds_up_loop(raw, target)
        return asyncio.ensure_future(dispatcher.answer_beside(raw, target))

    answers = [ask(method, number) for number, method in enumerate(("POST", "GET", "PUT", "GET", "DELETE"))]
    answers[1].cancel()
    await asyncio.gather(*answers, return_exceptions=True)
    assert [raw.path for raw in relay.seen] == [f"/api/{number}" for number in range(5)]
    dispatcher.threads.close()


@pytest.mark.parametrize(("root", "beside"), [("/api", 20), ("/w/new/api", 19)])
async def test_calls_of_several_connections_are_carried_out_in_the_order_in_which_they_came(
    root: str, beside: int
) -> None:
    """Those of a new world too: its first one is answered in the loop, since nothing can wait at a world before it is there."""
    dispatcher = Dispatcher(world({"signature.scheme": "protocol"}))
    waiting = []
    for number in range(20):
        target = target_of(f"{root}/{number}")
        raw = RawRequest("POST", target.path, target.sent, (), {}, b"", "http", "localhost", "127.0.0.1")
        if dispatcher.holds_up_loop(raw, target):
            waiting.append(dispatcher.answer_beside(raw, target))
        else:
            dispatcher.answer(raw, target)
    assert len(waiting) == beside
    await asyncio.gather(*waiting)
    _, relay = dispatcher.relays()[-1]
    assert [entry.raw.path for entry in relay.journal] == [f"/api/{number}" for number in range(20)]
    dispatcher.threads.close()


async def test_a_function_is_called_in_its_turn_between_calls() -> None:
    relay, came = FakeRelay(), list[int]()
    line = Line(relay)

    async def late() -> None:
        await asyncio.sleep(0)
        came.append(2)

    line.call(lambda: came.append(1))
    assert came == [1], "at once, since nothing waits"
    line.add(late)
    line.call(lambda: came.append(3))
    line.add(late)
    await line.call(lambda: came.append(4))
    assert came == [1, 2, 3, 2, 4]
    assert line.last is None


# --- Threads ------------------------------------------------------------------------------------------------------------


async def test_a_thread_is_used_again_and_ends_with_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockrelay.web.threads.IDLE_S", PATIENCE_S)
    threads = Threads()
    first, second = [await threads.run(threading.current_thread) for _ in range(2)]
    assert first is second
    threads.close()
    assert not first.is_alive()


async def test_a_thread_ends_when_nothing_more_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mockrelay.web.threads.IDLE_S", 0)
    threads = Threads()
    first = await threads.run(threading.current_thread)
    first.join(PATIENCE_S)
    assert not first.is_alive()
    assert await threads.run(threading.current_thread) is not first
    threads.close()
