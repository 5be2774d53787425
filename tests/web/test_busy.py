"""What would hold up the loop is done beside it: calls to a relayer that another thread is at work on, whoever waits for it,
calls whose signatures are verified, and what makes a world. Calls are carried out in the order in which they came.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from aiohttp import web

from mockrelay.core.errors import CommandRefused
from mockrelay.core.signatures import diagnose
from mockrelay.relay import Relay
from mockrelay.relay.sessions import Out, SocketEvent
from mockrelay.relay.start import Start
from mockrelay.web import Serving, serve
from mockrelay.web.delays import DelayedResponse, DelayQueue
from mockrelay.web.dispatch import AnsweredRequest, Dispatcher
from mockrelay.web.event_feed import EventFeed
from mockrelay.web.hosted import HostedRelays, WorldLimits
from mockrelay.web.http1 import target_of
from mockrelay.web.server import bind
from mockrelay.web.server_report import ServerReport
from mockrelay.web.threads import Line, Threads
from mockrelay.web.websocket import QUEUED_BYTES_MAX, SocketHub, SocketSender
from mockrelay.wire.http import RawRequest, Response
from tests.support.bodies import W
from tests.support.client import done, get
from tests.support.connection import PATIENCE_S, Connection, connected
from tests.support.worlds import START_MS, world
from tests.web.fake import FakeRelay
from tests.web.transport import RecordingTransport

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

    def control(self, *args: Any, **options: Any) -> Response:
        self.answered_beside.append(threading.current_thread().name == "mockrelay call")
        return super().control(*args, **options)


@pytest.mark.parametrize(
    ("path", "is_beside"),
    [
        *(
            (f"{word}{rest}", True)
            for word in ("state", "dump", "load", "reset", "clock", "requests", "why")
            for rest in ("", "/")
        ),
        *((path, True) for path in ("requests/r1", "why/r1", "snapshots", "snapshots/a/restore")),
        *((path, True) for path in ("findings", "coverage", "problems")),
        *((path, False) for path in ("health", "faults", "faults/state", "accounts/alice/deposit", "resets", "")),
    ],
)
def test_control_calls_that_may_take_long_are_answered_beside_the_loop(path: str, is_beside: bool) -> None:
    relay = Verifying()
    with serve(relay) as server, connected(server.url) as wire:
        assert wire.ask("POST", f"/__mockrelay/{path}", body=b"{}").status == 200
    assert relay.answered_beside == [is_beside]


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


@pytest.mark.parametrize("root", ["/api", "/w/new/api"])
async def test_calls_of_several_connections_are_carried_out_in_the_order_in_which_they_came(root: str) -> None:
    """Those of a new world too, which its first one makes."""
    dispatcher = Dispatcher(world({"signature.scheme": "protocol"}))
    waiting = []
    for number in range(20):
        target = target_of(f"{root}/{number}")
        raw = RawRequest("POST", target.path, target.sent, (), {}, b"", "http", "localhost", "127.0.0.1")
        assert dispatcher.holds_up_loop(raw, target)
        waiting.append(dispatcher.answer_beside(raw, target))
    await asyncio.gather(*waiting)
    _, relay = dispatcher.relays()[-1]
    assert [entry.raw.path for entry in relay.journal] == [f"/api/{number}" for number in range(20)]
    dispatcher.threads.close()


async def test_a_function_is_called_in_its_turn_between_calls() -> None:
    relay, came = FakeRelay(), list[int]()
    line = Line()

    async def late() -> None:
        await asyncio.sleep(0)
        came.append(2)

    line.call(relay, lambda: came.append(1))
    assert came == [1], "at once, since nothing waits"
    line.add(late)
    line.call(relay, lambda: came.append(3))
    line.add(late)
    await line.call(relay, lambda: came.append(4))
    assert came == [1, 2, 3, 2, 4]
    assert line.last is None


# --- Other relayers -----------------------------------------------------------------------------------------------------

TOKENS = "/api/v2/exchange/tokens"
OF_ALL = {
    "metrics": ("GET", "metrics"),
    "report": ("POST", "report"),
    "all findings": ("GET", "findings?worlds=all"),
    "all coverage": ("GET", "coverage?worlds=all"),
    "all problems": ("GET", "problems?worlds=all"),
    "all problems, asked for in a body": ("GET", "problems", b'{"worlds": "all"}'),
    "removal": ("DELETE", "worlds/busy"),
    "removal of all": ("DELETE", "worlds"),
}


def request(method: str, path: str, body: bytes = b"") -> bytes:
    return b"%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s" % (
        method.encode(),
        path.encode(),
        len(body),
        body,
    )


def ask_others(wire: Connection, *targets: str) -> None:
    """Have answers that wait for no other relayer: several, since the first may be asked for before what was sent earlier is read."""
    for target in (
        *targets,
        TOKENS,
        "/__mockrelay/health",
        f"/w/third{TOKENS}",
        f"/w/new{TOKENS}",
        "/__mockrelay/worlds",
    ):
        assert wire.ask("GET", target).status == 200


@pytest.mark.parametrize("asked", OF_ALL.values(), ids=OF_ALL)
def test_who_asks_for_other_relayers_waits_alone_for_one_that_is_busy(asked: Any) -> None:
    dispatcher = Dispatcher(world())
    with (
        Serving(dispatcher, bind("127.0.0.1", 0)) as server,
        connected(server.url) as waits,
        connected(server.url) as other,
    ):
        ask_others(other, f"/w/busy{TOKENS}")
        method, path, *body = asked
        with dict(dispatcher.relays())["busy"].locked_context():
            waits.send(request(method, f"/__mockrelay/{path}", *body))
            ask_others(other)
            assert not waits.has_received
        assert waits.read().status == 200


def test_the_log_of_a_world_waits_for_no_other() -> None:
    """Also where the server answers for it, with a page or a refusal. The moment is the world's, and so are the keys that are masked."""
    relay, seen = world(), list[tuple[str, int, Relay]]()

    def log(answered: AnsweredRequest) -> None:
        assert answered.relay.account_secrets().folded
        seen.append((answered.raw.path, answered.now_ms, answered.relay))

    dispatcher = Dispatcher(relay, log=log)
    paths = {"/": 200, "/__mockrelay/metrics": 404, "/__mockrelay/ui/x": 404}
    with Serving(dispatcher, bind("127.0.0.1", 0)) as server, connected(server.url) as wire:
        wire.ask("POST", "/w/third/__mockrelay/clock", body=b'{"advance": 1}')
        with relay.locked_context():
            for path, status in paths.items():
                assert wire.ask("GET", f"/w/third{path}").status == status
        _, third = dispatcher.relays()[-1]
    assert seen[1:] == [(path, START_MS + 1000, third) for path in paths]


@pytest.mark.parametrize(
    "sent",
    [
        request("GET", f"/w/slow{TOKENS}"),
        request("GET", "/w/slow/__mockrelay/health"),
        request("POST", "/__mockrelay/worlds/slow"),
    ],
    ids=["first call", "first control call", "made by name"],
)
def test_a_world_is_made_beside_the_loop_and_its_calls_wait_for_it_in_their_order(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end, spawn = threading.Event(), threading.Event(), Relay.spawn

    def spawn_late(relay: Relay, name: str, start: Start | None) -> Relay:
        if name == "slow":
            begun.set()
            assert may_end.wait(PATIENCE_S)
        return spawn(relay, name, start)

    monkeypatch.setattr(Relay, "spawn", spawn_late)
    dispatcher = Dispatcher(world())
    with Serving(dispatcher, bind("127.0.0.1", 0)) as server, ExitStack() as stack:
        first, again, other, *wires = [stack.enter_context(connected(server.url)) for _ in range(6)]
        first.send(sent)
        assert begun.wait(PATIENCE_S)
        for number, wire in enumerate(wires):
            wire.send(request("GET", f"/w/slow{TOKENS}?number={number}"))
            ask_others(other)
        again.send(request("POST", "/__mockrelay/worlds/slow"))
        ask_others(other)
        assert not any(wire.has_received for wire in (first, again, *wires))
        may_end.set()
        assert again.read().status == 409
        assert first.read().status == 200
        for wire in wires:
            wire.read()
    *_, slow = dispatcher.relays()
    asked = [entry.raw.query for entry in slow[1].journal if entry.raw.query]
    assert asked == [(("number", str(number)),) for number in range(len(wires))]


def test_a_world_that_cannot_be_made_leaves_its_name_free(monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = HostedRelays(FakeRelay(), DelayQueue(), WorldLimits(1))

    def refuse(self: FakeRelay, name: str, start: Start | None) -> FakeRelay:
        raise CommandRefused(503, "the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(FakeRelay, "spawn", refuse)
        with pytest.raises(CommandRefused, match="the disk is full"):
            worlds.of("a")
    assert worlds.relays() == []
    assert worlds.of("a") is worlds.find("a")


def test_a_world_that_is_being_removed_is_in_every_report_once(monkeypatch: pytest.MonkeyPatch) -> None:
    main, begun, may_end = world(), threading.Event(), threading.Event()
    worlds = HostedRelays(main, DelayQueue())
    get(worlds.of("a").relay, "/api/nowhere")
    of = ServerReport.of

    def of_late(name: str, relay: Relay) -> ServerReport:
        begun.set()
        assert may_end.wait(PATIENCE_S)
        return of(name, relay)

    def found() -> list[str]:
        removed, relays = worlds.reported()
        return [finding.world for finding in removed.whole(relays).findings]

    monkeypatch.setattr(ServerReport, "of", of_late)
    with ThreadPoolExecutor(1) as pool:
        removal = pool.submit(worlds.remove, "a")
        assert begun.wait(PATIENCE_S)
        assert (worlds.relays(), found()) == ([], ["a"])
        may_end.set()
        assert removal.result(PATIENCE_S)
    assert found() == ["a"]
    assert [relay for _, relay in worlds.reported()[1]] == [main]


def test_a_world_that_another_thread_is_at_work_on_is_not_idle() -> None:
    relay = FakeRelay()
    worlds = HostedRelays(relay, DelayQueue(), WorldLimits(idle_s=0))
    worlds.of("a")
    with relay.siblings[0].busy:
        assert worlds.remove_idle() == []
    assert worlds.remove_idle() == ["a"]


def test_the_removal_of_idle_worlds_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def remove(_: Dispatcher) -> list[str]:
        begun.set()
        assert may_end.wait(2 * PATIENCE_S)
        return []

    monkeypatch.setattr(Dispatcher, "remove_idle_worlds", remove)
    dispatcher = Dispatcher(FakeRelay(), world_limits=WorldLimits(idle_s=0.001))
    with Serving(dispatcher, bind("127.0.0.1", 0)) as server, connected(server.url) as wire:
        assert begun.wait(PATIENCE_S)
        ask_others(wire)
        may_end.set()


def test_a_failure_to_remove_idle_worlds_is_logged_and_the_next_look_is_made(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    looks, has_looked_again = count(1), threading.Event()

    def remove(_: Dispatcher) -> list[str]:
        if next(looks) == 1:
            raise RuntimeError("broken")
        has_looked_again.set()
        return []

    monkeypatch.setattr(Dispatcher, "remove_idle_worlds", remove)
    with Serving(Dispatcher(FakeRelay(), world_limits=WorldLimits(idle_s=0.001)), bind("127.0.0.1", 0)):
        assert has_looked_again.wait(PATIENCE_S)
    assert [record.getMessage() for record in caplog.records] == ["mockrelay failed to remove idle worlds"]


# --- What follows a call ------------------------------------------------------------------------------------------------


class Held:
    """A relay that another thread is at work on until `free`."""

    def __init__(self, relay: Relay) -> None:
        self._is_held, self.free = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._hold, args=(relay,))
        self._thread.start()
        assert self._is_held.wait(PATIENCE_S)

    def _hold(self, relay: Relay) -> None:
        with relay.locked_context():
            self._is_held.set()
            assert self.free.wait(PATIENCE_S)

    def end(self) -> None:
        self.free.set()
        self._thread.join()


@pytest.fixture
def late() -> tuple[Relay, DelayedResponse]:
    """A relay whose clock stands still, and an answer that waits for it."""
    relay = world()
    done(relay, "POST", "faults", {"on": "get_broker", "delay": "1h"})
    path = "/api/v3/getAvailableBroker"
    raw = RawRequest("GET", path, path, (), {}, b"", "http", "localhost", "127.0.0.1")
    answer = Dispatcher(relay).answer(raw, target_of(path))
    assert isinstance(answer, DelayedResponse)
    return relay, answer


async def test_a_client_that_leaves_a_busy_relayer_is_noted_when_it_is_free(
    late: tuple[Relay, DelayedResponse],
) -> None:
    relay, answer = late
    waiting = asyncio.create_task(answer.due(lambda: False))
    await asyncio.sleep(0)
    held = Held(relay)
    waiting.cancel()
    await asyncio.wait([waiting])
    assert not any(entry.is_left for entry in relay.journal)
    held.end()
    await _rest()
    assert all(entry.is_left for entry in relay.journal)


async def test_a_warning_about_an_answer_of_a_busy_relayer_waits_until_it_is_free(
    late: tuple[Relay, DelayedResponse], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("mockrelay.web.delays.WARN_AFTER_S", 0)
    relay, answer = late
    held = Held(relay)
    waiting = asyncio.create_task(answer.due(lambda: False))
    for _ in range(10):
        await asyncio.sleep(0)
    assert capsys.readouterr().err == ""
    held.end()
    await _rest(waiting)
    assert "the relayer's clock stands still" in capsys.readouterr().err
    relay.clock.advance(3_600_000)
    await asyncio.wait_for(waiting, PATIENCE_S)


async def test_that_a_client_of_a_busy_relayer_does_not_read_is_noted_when_it_is_free() -> None:
    came: list[SocketEvent] = []

    class Noting:
        is_busy = True

        def socket_event(self, session: str, event: SocketEvent, *, text: str) -> None:
            came.append(event)

    transport: Any = RecordingTransport()
    world: Any = SimpleNamespace(relay=Noting(), line=Line())
    request: Any = SimpleNamespace(transport=transport)
    sender = SocketSender(SocketHub(), world, "r1", request, web.WebSocketResponse())
    sender.put(Out("r1", "x" * (QUEUED_BYTES_MAX + 1)))
    sender.wake()
    assert transport.is_closing()
    assert came == []
    world.relay.is_busy = False
    await _rest()
    assert came == [SocketEvent.NOT_READ]


async def test_a_reader_of_a_removed_world_that_is_busy_is_told_when_it_is_free() -> None:
    relay, queue, transport = world(), DelayQueue(), RecordingTransport()
    feed = EventFeed(relay, Line())
    reading = asyncio.create_task(feed.serve(transport, b"", "", queue))
    await asyncio.sleep(0)
    held = Held(relay)
    feed.is_removed = True
    queue.release()
    for _ in range(10):
        await asyncio.sleep(0)
    assert not reading.done()
    held.end()
    await asyncio.wait_for(reading, PATIENCE_S)
    assert b"event: removed" in transport.written[-1]


async def _rest(*but: asyncio.Task[Any]) -> None:
    """Wait for all other tasks."""
    await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task(), *but}, timeout=PATIENCE_S)


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
