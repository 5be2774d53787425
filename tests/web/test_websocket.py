"""WebSockets over real connections, through `serve` and the application, with both of aiohttp's parsers."""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from time import monotonic
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest
import websockets
from aiohttp import WSMessage, WSMsgType, web_protocol, web_ws
from aiohttp._websocket import reader_py
from aiohttp.http_parser import HttpRequestParserPy
from websockets.sync.client import connect

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from mockrelay.relay.sessions import SocketEvent
from mockrelay.web import Serving, serve, websocket
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.hosted import WorldLimits
from mockrelay.web.server import bind
from mockrelay.web.threads import Line
from tests.live.test_sockets import ACCOUNT, BOOK, KEY_A, ORDER, TICKER, TRADE, WHOLE_BOOK, Hand, buy, sell
from tests.support.client import advance, done, get
from tests.support.connection import PATIENCE_S, connected
from tests.web.cases import WAYS
from tests.web.certificates import self_signed
from tests.web.frames import BINARY, CLOSE, PING, PONG, TEXT, WatchedRelay, Wire, frame, handshake, live_relay, wired

GOING_AWAY, PROTOCOL, UNSUPPORTED, INVALID_UTF8, POLICY, TOO_LONG = 1001, 1002, 1003, 1007, 1008, 1009
INNER, RESTART = 1011, 1012
SUB_TRADE = '{"op":"sub","topics":[{"topic":"trade","market":"LRC-ETH"}]}'
OK = {"status": "OK"}


@pytest.fixture
def relay() -> WatchedRelay:
    return live_relay()


@pytest.fixture
def wire(server: Serving) -> Iterator[Wire]:
    with wired(server.url) as wire:
        yield wire


@pytest.fixture(params=["as installed", "Python"])
def _parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Aiohttp's parsers of requests and frames."""
    if request.param == "Python":
        monkeypatch.setattr(web_protocol, "HttpRequestParser", HttpRequestParserPy)
        monkeypatch.setattr(web_ws, "WebSocketReader", reader_py.WebSocketReader)
        monkeypatch.setattr(web_ws, "WebSocketDataQueue", reader_py.WebSocketDataQueue)


@pytest.fixture(params=WAYS)
def url(request: pytest.FixtureRequest, relay: Relay, _parser: None) -> Iterator[str]:
    """Served in each way, with each parser."""
    way: Callable[[Any], AbstractContextManager[str]] = WAYS[request.param]
    with way(relay) as url:
        yield url


def sessions(relay: Relay) -> list[tuple[str, str | None]]:
    """Their states, and by whom they were closed."""
    return [(each["state"], each["closed_by"]) for each in done(relay, "GET", "ws")]


# --- The handshake --------------------------------------------------------------------------------------------------------------


def test_a_session_from_handshake_to_close(relay: WatchedRelay, url: str) -> None:
    with wired(url) as wire:
        session = wire.open()
        wire.subscribe(WHOLE_BOOK, TRADE)
        assert wire.message()["data"]["asks"] == []
        sell(relay, 0)
        buy(relay, 0)
        pushes = [wire.message() for _ in range(3)]
        assert [push["topic"]["topic"] for push in pushes] == ["orderbook", "orderbook", "trade"]
        assert [push.get("endVersion") for push in pushes] == [1, 2, None]
        wire.send(frame(CLOSE, b"\x03\xe8bye"))
        assert wire.frame() == (CLOSE, b"\x03\xe8")
        assert wire.at_end()
    relay.await_event(session, SocketEvent.CLOSED)
    assert sessions(relay) == [("closed", "client")]


def test_a_session_that_ends_while_another_thread_is_at_work_on_the_relayer_keeps_nobody_else_waiting(
    relay: WatchedRelay, url: str
) -> None:
    with wired(url) as wire, wired(url) as gone, connected(url) as other:
        closed = [wire.open(), gone.open()]
        assert other.ask("GET", "/w/other/api/v2/depth").status in (200, 400)
        with relay.locked_context():
            wire.send(frame(CLOSE, b"\x03\xe8"))
            gone.sock.shutdown(socket.SHUT_RDWR)
            for _ in range(3):
                assert other.ask("GET", "/w/other/api/v2/depth").status in (200, 400)
        assert wire.frame() == (CLOSE, b"\x03\xe8")
        for session in closed:
            relay.await_event(session, SocketEvent.CLOSED)


def test_a_key_opens_the_third_generation(relay: Relay, url: str) -> None:
    key = get(relay, "/v3/ws/key", key=None).json["key"]
    with wired(url) as wire:
        wire.open(f"/v3/ws?wsApiKey={key}")
    with wired(url) as wire:
        wire.open(f"//v3/ws?wsApiKey={key}&wsApiKey={key}")


@pytest.mark.parametrize(
    ("target", "headers", "status", "says"),
    [
        ("/v3/ws", {}, 401, "wsApiKey is missing or empty"),
        ("/v3/ws?wsApiKey=no", {}, 401, "wsApiKey: 'no' is none that GET /v3/ws/key gave"),
        ("/v2/ws", {"sec-websocket-version": "8"}, 426, "meant: a handshake of RFC 6455, version 13"),
        ("/v2/ws", {"sec-websocket-key": "AAAA"}, 426, "meant: a handshake"),
        ("/v2/ws", {"upgrade": "h2c"}, 426, "meant: a handshake"),
        ("/v2/ws", {"upgrade": "websocket, h2c"}, 426, "meant: a handshake"),
        ("/v2/ws", {"connection": "keep-alive"}, 426, "meant: a handshake"),
        ("/v1/ws", {}, 404, "/v1/ws"),
    ],
)
def test_a_connection_goes_on_behind_a_refused_handshake(
    relay: Relay, url: str, target: str, headers: dict[str, str], status: int, says: str
) -> None:
    with wired(url) as wire:
        for _ in range(2):
            refused = wire.shake(target, **headers)
            assert (refused.status, says in refused.json["resultInfo"]["message"]) == (status, True), refused
        assert wire.ask("GET", "/api/v3/timestamp").status == 200
        wire.open()
    assert len(sessions(relay)) == 1


def test_other_methods_and_a_plain_read_are_refused(url: str) -> None:
    with wired(url) as wire:
        assert wire.ask("GET", "/v2/ws").status == 426
        assert wire.ask("POST", "/v2/ws", body=b"{}").status == 405
        assert wire.ask("HEAD", "/v2/ws").status in (404, 405)
        wire.open()


def test_pages_of_other_origins_than_those_of_cors_open_none(relay: Relay) -> None:
    """Browsers leave that to the server. What is no page has no origin."""
    dispatcher = Dispatcher(relay, cors=["http://localhost:3000"])
    with Serving(dispatcher, bind("127.0.0.1", 0)) as server, wired(server.url) as wire:
        refused = wire.shake(origin="http://elsewhere")
        assert refused.status == 403
        assert "pages of the origin 'http://elsewhere' may not use this server" in refused.json["resultInfo"]["message"]
        assert sessions(relay) == []
        assert b'mockrelay_calls_total{endpoint="",code=""} 1\n' in wire.ask("GET", "/__mockrelay/metrics").body
        assert wire.shake(origin="http://localhost:3000").status == 101
        with wired(server.url) as other:
            other.open()


def test_words_in_any_case_and_what_comes_early_are_taken(url: str) -> None:
    """Some clients write `keep-alive, Upgrade`; and frames may follow the handshake before its answer."""
    with wired(url) as wire:
        head = handshake("/v2/ws", upgrade="WebSocket", connection="keep-alive, Upgrade")
        wire.send(b"GET /api/v3/timestamp HTTP/1.1\r\nHost: a\r\n\r\n" + head + frame(TEXT, SUB_TRADE.encode()))
        assert wire.read().status == 200
        assert wire.read().status == 101
        assert wire.message()["result"] == OK


def test_a_client_that_leaves_before_the_answer_has_no_session(relay: WatchedRelay, url: str) -> None:
    done(relay, "POST", "faults", {"on": "open_ws_v2", "delay": "60s"})
    with wired(url) as wire:
        wire.send(handshake("/v2/ws"))
        while not relay.sessions.opened:
            pass  # until it has come in, where it waits for the clock
        (session,) = relay.sessions.opened.values()
    relay.await_event(session.id, SocketEvent.CLOSED)
    assert sessions(relay) == [("closed", "client")]


def test_a_late_answer_opens_it_with_what_was_sent_meanwhile(relay: WatchedRelay, wire: Wire) -> None:
    done(relay, "POST", "faults", {"on": "open_ws_v2", "delay": "60s"})
    wire.send(handshake("/v2/ws"))
    while not relay.sessions.opened:
        pass  # until it has come in, where it waits for the clock
    advance(relay, "60s")
    assert wire.read().status == 101
    assert [wire.frame().data for _ in range(2)] == [b"ping", b"ping"]
    wire.subscribe(TRADE)


def test_a_session_that_ended_before_its_late_answer_is_closed(relay: Relay, wire: Wire) -> None:
    done(relay, "POST", "faults", {"on": "open_ws_v2", "delay": "60s"})
    wire.send(handshake("/v2/ws"))
    while not relay.sessions.opened:
        pass  # until it has come in, where it waits for the clock
    done(relay, "POST", "reset", {})
    assert wire.read().status == 101
    assert wire.frame() == (TEXT, b"ping")
    assert wire.closing_code() == RESTART
    assert wire.at_end()


@pytest.mark.parametrize("body", ["malformed", "truncated", "html", "empty"])
def test_a_spoilt_body_is_of_no_account_since_the_answer_has_none(relay: Relay, wire: Wire, body: str) -> None:
    done(relay, "POST", "faults", {"on": "open_ws_v2", "body": body})
    wire.open()
    wire.subscribe(TRADE)


@pytest.mark.parametrize("at", ["before", "instead", "after"])
def test_a_lost_answer_opens_nothing(relay: Relay, wire: Wire, at: str) -> None:
    done(relay, "POST", "faults", {"on": "open_ws_v2", "drop": True, "at": at})
    wire.send(handshake("/v2/ws"))
    assert wire.at_end()
    assert sessions(relay) == []


def test_a_status_in_place_of_the_handshake_leaves_the_connection(relay: Relay, wire: Wire) -> None:
    done(relay, "POST", "faults", {"on": "open_ws_v2", "status": 503})
    assert wire.shake().status == 503
    assert sessions(relay) == []
    wire.open()


# --- Messages -------------------------------------------------------------------------------------------------------------------


def test_a_message_may_come_in_pieces_with_pings_between(url: str) -> None:
    with wired(url) as wire:
        wire.open()
        sent = SUB_TRADE.encode()
        wire.send(frame(TEXT, sent[:10], final=False) + frame(PING, b"here?") + frame(0, sent[10:20], final=False))
        wire.send(frame(0, sent[20:]))
        assert wire.frame() == (PONG, b"here?")
        assert wire.message()["result"] == OK


def test_a_message_may_come_byte_by_byte(url: str) -> None:
    with wired(url) as wire:
        wire.open()
        for byte in frame(TEXT, SUB_TRADE.encode()):
            wire.send(bytes([byte]))
        assert wire.message()["result"] == OK


def test_a_message_of_64_kib_is_read_and_a_longer_one_ends_the_connection(url: str) -> None:
    padding = "x" * (websocket.MESSAGE_BYTES_MAX - len(SUB_TRADE) - len(',"pad":""'))
    longest = SUB_TRADE[:-1] + f',"pad":"{padding}"}}'
    with wired(url) as wire:
        wire.open()
        wire.text(longest)
        assert wire.message()["result"] == OK
        wire.text(longest + " ")
        assert wire.closing_code(answers=False) == TOO_LONG


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (frame(BINARY, b"{}"), UNSUPPORTED),
        (frame(TEXT, b"\xff\xfe"), INVALID_UTF8),
        (frame(TEXT, b"\xed\xa0\x80"), INVALID_UTF8),
        (frame(3, b"?"), PROTOCOL),
        (frame(0, b"the middle of nothing"), PROTOCOL),
        (bytes([0xC1]) + frame(TEXT, b"{}")[1:], PROTOCOL),
        (frame(TEXT, b"x" * 60_000, final=False) + frame(0, b"x" * 10_000), TOO_LONG),
        (frame(PING, b"x" * 126), PROTOCOL),
        (frame(CLOSE, b"\x00\x01"), PROTOCOL),
    ],
    ids=["binary", "no UTF-8", "surrogate", "opcode", "continuation", "compressed", "too long", "long ping", "code"],
)
def test_what_is_no_message_ends_the_connection_with_its_code(
    relay: WatchedRelay, url: str, sent: bytes, code: int
) -> None:
    with wired(url) as wire:
        session = wire.open()
        wire.send(sent)
        assert wire.closing_code(answers=code == UNSUPPORTED) == code
        assert wire.ends_broken()
    relay.await_event(session, SocketEvent.CLOSED)
    assert done(relay, "GET", "problems") == []


def test_a_close_without_a_code_is_answered(url: str) -> None:
    with wired(url) as wire:
        wire.open()
        wire.send(frame(PONG) + frame(CLOSE))
        assert wire.frame() == (CLOSE, b"\x03\xe8")
        assert wire.at_end()


def test_a_failure_behind_closes_one_connection_and_is_a_problem(
    relay: Relay, wire: Wire, server: Serving, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    session = wire.open()
    with wired(server.url) as other:
        other.open()
        with monkeypatch.context() as patched:
            patched.setattr("mockrelay.relay.sessions.sessions.read_message", lambda text: 1 / 0)
            wire.text(SUB_TRADE)
            assert wire.closing_code() == INNER
        assert wire.at_end()
        other.subscribe(TRADE)
    (problem,) = done(relay, "GET", "problems")
    assert (problem["request"], problem["kind"]) == (session, "inner_failure")
    assert "mockrelay failed on the WebSocket" in caplog.text


# --- Ends -----------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("resets", [False, True])
def test_a_client_that_leaves_without_a_word_ends_its_session(relay: WatchedRelay, url: str, *, resets: bool) -> None:
    with wired(url) as wire:
        session = wire.open()
        if resets:
            wire.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    relay.await_event(session, SocketEvent.CLOSED)
    assert sessions(relay) == [("closed", "client")]


def test_half_a_connection_is_none(relay: WatchedRelay, wire: Wire) -> None:
    """A WebSocket has no end of one direction (RFC 6455, 7.1.1)."""
    session = wire.open()
    wire.sock.shutdown(socket.SHUT_WR)
    assert wire.ends_broken()
    relay.await_event(session, SocketEvent.CLOSED)


def test_a_clean_drop_comes_behind_what_was_pushed_and_waits_for_the_answer(relay: Relay, wire: Wire) -> None:
    session = wire.open()
    wire.subscribe(TICKER)
    wire.message()
    sell(relay, 0)
    assert done(relay, "POST", "ws/drop", {"how": "clean"}) == {"dropped": [session]}
    assert wire.message()["topic"] == TICKER
    wire.text("pong")
    assert wire.closing_code() == GOING_AWAY
    assert wire.at_end()
    assert sessions(relay) == [("closed", "clean")]


def test_a_client_that_does_not_answer_a_close_is_cut_off(
    relay: Relay, wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websocket, "CLOSE_WITHIN_S", 0.05)
    wire.open()
    done(relay, "POST", "ws/drop", {"how": "clean"})
    assert wire.frame().opcode == CLOSE
    assert wire.at_end()


def test_a_reset_has_no_close_message(relay: Relay, wire: Wire) -> None:
    wire.open()
    wire.subscribe(TRADE)
    done(relay, "POST", "ws/drop", {"how": "reset"})
    with pytest.raises(ConnectionResetError):
        wire.frame()
    assert sessions(relay) == [("closed", "reset")]


def test_a_client_that_reads_is_told_that_it_was_slow(relay: Relay, wire: Wire) -> None:
    wire.open()
    done(relay, "POST", "ws/drop", {"how": "slow"})
    assert wire.closing_code() == POLICY
    assert wire.at_end()
    assert sessions(relay) == [("closed", "slow")]


def test_the_answer_has_the_headers_of_others(relay: Relay, wire: Wire) -> None:
    """Not the time of the machine, nor a name of the server, but the relayer's time where that is chosen."""
    headers = wire.shake().headers
    assert set(headers) == {"upgrade", "connection", "sec-websocket-accept", "x-mockrelay-request-id"}
    done(relay, "PUT", "choices", {"http.date": "relayer"})
    with wired(f"http://{wire.host}") as other:
        assert other.shake().headers["date"] == "Thu, 01 Jun 2023 00:00:00 GMT"


def test_a_silent_connection_answers_nothing_until_its_client_leaves(relay: WatchedRelay, wire: Wire) -> None:
    session = wire.open()
    wire.subscribe(TRADE)
    done(relay, "POST", "ws/drop", {"how": "silent"})
    wire.send(frame(PING, b"there?") + frame(TEXT, SUB_TRADE.encode()))
    sell(relay, 0)
    buy(relay, 0)
    advance(relay, "10m")
    assert sessions(relay) == [("silent", None)]
    with wired(f"http://{wire.host}") as other:
        other.open()
    wire.send(frame(CLOSE))
    assert not wire.has_received
    wire.sock.shutdown(socket.SHUT_WR)
    assert wire.at_end()
    relay.await_event(session, SocketEvent.CLOSED)


def test_a_fault_breaks_a_push(relay: Relay, wire: Wire) -> None:
    wire.open()
    wire.subscribe(TRADE, BOOK)
    done(relay, "POST", "faults", {"on": "ws_push", "disconnect": "reset", "when": {"topic": "trade"}})
    sell(relay, 0)
    buy(relay, 0)
    assert [wire.message()["topic"] for _ in range(2)] == [BOOK, BOOK]
    with pytest.raises(ConnectionResetError):
        wire.frame()


def test_a_server_stops_at_once_with_sockets_of_all_kinds(relay: Relay) -> None:
    server = serve(relay)
    with ExitStack() as stack:
        wires = [stack.enter_context(wired(server.url)) for _ in range(12)]
        for wire in wires:
            wire.open()
        done(relay, "POST", "ws/drop", {"how": "silent", "session": done(relay, "GET", "ws")[0]["id"]})
        late = stack.enter_context(wired(server.url))
        done(relay, "POST", "faults", {"on": "open_ws_v2", "delay": "60s"})
        late.send(handshake("/v2/ws"))
        while len(sessions(relay)) < 13:
            pass  # until it has come in, where it waits for the clock
        began = monotonic()
        stopping = threading.Thread(target=server.stop)
        stopping.start()
        assert wires[1].closing_code() == GOING_AWAY
        stopping.join(PATIENCE_S)
        assert monotonic() - began < 0.5
        assert wires[1].at_end()
    assert {state for state, _ in sessions(relay)} == {"closed"}


# --- Slow clients ---------------------------------------------------------------------------------------------------------------

WIDE = [{**TICKER, "pad": f"{n:02}" + "x" * 60_000} for n in range(20)]
"""Topics whose pushes are long, since they repeat the topic."""


def test_a_client_that_does_not_read_is_cut_off_and_noted_and_holds_up_nobody(
    relay: WatchedRelay, server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websocket, "QUEUED_BYTES_MAX", 2_000_000)
    with wired(server.url) as slow, wired(server.url) as quick:
        session = slow.open()
        for topic in WIDE:
            slow.subscribe(topic)
            assert slow.message()["topic"] == topic
        quick.open()
        quick.subscribe(TICKER)
        seen = [quick.message()["data"]]
        orders = 0
        while len(sessions(relay)) == sum(state == "open" for state, _ in sessions(relay)):
            sell(relay, 2 * orders, 100, f"0.000{900 - orders}")
            orders += 1
            seen.append(quick.message()["data"])
        assert orders < 100
        assert len({tuple(data) for data in seen}) == orders + 1
        relay.await_event(session, SocketEvent.CLOSED)
        assert slow.ends_broken()
        (finding,) = done(relay, "GET", "findings")
        assert (finding["rule"], finding["request"]) == ("pushes-not-read", session)
        assert "messages waited, and the client did not read" in finding["detail"]
        assert sessions(relay) == [("closed", "relayer"), ("open", None)]


def test_a_stuffed_connection_that_is_to_end_ends(
    relay: WatchedRelay, server: Serving, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(websocket, "CLOSE_WITHIN_S", 0.05)
    with wired(server.url) as slow:
        session = slow.open()
        slow.subscribe(*WIDE[:1])
        for topic in WIDE[1:]:
            slow.text({"op": "sub", "topics": [topic]})
        for number in range(5):
            sell(relay, 2 * number, 100, f"0.000{900 - number}")
        done(relay, "POST", "ws/drop", {"how": "clean"})
        relay.await_event(session, SocketEvent.CLOSED)


# --- Threads and clocks ---------------------------------------------------------------------------------------------------------


def test_calls_from_many_threads_reach_every_socket_in_one_order(relay: Relay, server: Serving) -> None:
    """With sockets that come and go meanwhile."""
    with wired(server.url) as first, wired(server.url) as second:
        for wire in (first, second):
            wire.open()
            wire.subscribe(BOOK)

        def trade(account: int) -> None:
            for number in range(15):
                sell(relay, 2 * number, 100, f"0.000{500 + account % 10 * 20 + number}", account_id=account)

        def visit() -> None:
            for _ in range(15):
                with wired(server.url) as wire:
                    wire.open()
                    wire.subscribe(BOOK, TICKER)

        with ThreadPoolExecutor() as threads:
            for work in [
                *(threads.submit(trade, each) for each in (20001, 20002)),
                *(threads.submit(visit) for _ in "ab"),
            ]:
                work.result(PATIENCE_S)
        came = [[wire.message() for _ in range(30)] for wire in (first, second)]
    assert came[0] == came[1]
    assert [push["endVersion"] for push in came[0]] == list(range(1, 31))
    assert [push["startVersion"] for push in came[0]] == list(range(30))


@pytest.fixture
def hand() -> Hand:
    """Real time that goes on when it is told to."""
    return Hand()


@pytest.fixture
def running(hand: Hand) -> WatchedRelay:
    return live_relay(Clock(1_685_577_600_000, 1, hand))


def test_a_running_clock_pings_by_itself_and_closes_who_does_not_answer(running: WatchedRelay, hand: Hand) -> None:
    with serve(running) as server, wired(server.url) as quiet, wired(server.url) as lively:
        quiet.open()
        session = lively.open()
        for _ in range(4):
            lively.text("pong")
            running.await_event(session, SocketEvent.MESSAGE)
            hand.ms += 30_000
            assert (quiet.frame(), lively.frame()) == ((TEXT, b"ping"), (TEXT, b"ping"))
        lively.text("pong")
        running.await_event(session, SocketEvent.MESSAGE)
        hand.ms += 30_000
        assert quiet.closing_code() == GOING_AWAY
        assert lively.frame() == (TEXT, b"ping")


def test_what_is_due_is_pushed_without_a_call(running: WatchedRelay, hand: Hand) -> None:
    with serve(running) as server, wired(server.url) as wire:
        wire.open()
        wire.subscribe(ORDER, apiKey=KEY_A)
        sell(running, 0, validUntil=running.now_ms() // 1000 + 20)
        assert wire.message()["data"]["status"] == "processing"
        hand.ms += 20_000
        assert wire.message()["data"]["status"] == "expired"


def test_a_clock_set_running_while_a_socket_is_open_pings(relay: Relay, wire: Wire) -> None:
    wire.open()
    done(relay, "POST", "clock", {"rate": 600})
    assert wire.frame() == (TEXT, b"ping")


def test_a_failure_of_what_is_due_is_one_problem_and_does_not_end_the_looking(
    running: WatchedRelay, hand: Hand, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = threading.Semaphore(0)

    def fail(*_: Any) -> None:
        failed.release()
        raise ValueError("inside")

    with serve(running) as server, wired(server.url) as wire:
        wire.open()
        sell(running, 0, validUntil=running.now_ms() // 1000 + 20)
        with monkeypatch.context() as patched:
            patched.setattr("mockrelay.relay.live_state.run_due_events", fail)
            hand.ms += 30_000
            assert all(failed.acquire(timeout=PATIENCE_S) for _ in range(2))
        while wire.frame() != (TEXT, b"ping"):
            pass
        (problem,) = done(running, "GET", "problems")
        assert "what is due: ValueError: inside" in problem["reason"]


# --- Worlds and servers ---------------------------------------------------------------------------------------------------------


def test_a_world_has_sockets_of_its_own_and_its_removal_ends_them(server: Serving) -> None:
    with wired(f"{server.url}/w/a") as mine, wired(server.url) as main, connected(server.url) as control:
        mine.open()
        mine.subscribe(TICKER)
        mine.message()
        main.open()
        main.subscribe(TICKER)
        main.message()
        assert control.ask("POST", "/w/a/__mockrelay/markets/LRC-ETH/trades", body=b"{}").status != 404
        assert len(control.ask("GET", "/w/a/__mockrelay/ws").json) == 1
        assert control.ask("DELETE", "/__mockrelay/worlds/a").status == 200
        assert mine.closing_code() == RESTART
        assert mine.at_end()
        main.subscribe(TRADE)


def test_a_late_handshake_in_a_removed_world_makes_no_new_one(server: Serving) -> None:
    with wired(f"{server.url}/w/a") as mine, connected(server.url) as control:
        body = json.dumps({"on": "open_ws_v2", "delay": "60s"}).encode()
        assert control.ask("POST", "/w/a/__mockrelay/faults", body=body).status == 200
        mine.send(handshake("/w/a/v2/ws"))
        while not control.ask("GET", "/w/a/__mockrelay/ws").json:
            pass  # until it has come in, where it waits for the clock
        assert control.ask("DELETE", "/__mockrelay/worlds/a").status == 200
        assert mine.read().status == 101
        assert mine.frame() == (TEXT, b"ping")
        assert mine.closing_code() == RESTART
        assert control.ask("GET", "/__mockrelay/worlds").json == []


def test_a_world_with_an_open_socket_is_not_idle(relay: Relay) -> None:
    dispatcher = Dispatcher(relay, world_limits=WorldLimits(idle_s=0.02))
    with Serving(dispatcher, bind("127.0.0.1", 0)) as server, connected(server.url) as control:
        with wired(f"{server.url}/w/open") as wire:
            wire.open()
            control.ask("GET", "/w/idle/api/v3/timestamp")
            while len(control.ask("GET", "/__mockrelay/worlds").json) > 1:
                pass  # until the idle one is removed
            assert [world["name"] for world in control.ask("GET", "/__mockrelay/worlds").json] == ["open"]
            wire.subscribe(TRADE)
        while control.ask("GET", "/__mockrelay/worlds").json:
            pass  # until the other one is


def test_servers_of_one_relayer_push_the_same(relay: Relay) -> None:
    with serve(relay) as first, serve(relay) as second, wired(first.url) as one, wired(second.url) as two:
        for wire in (one, two):
            wire.open()
            wire.subscribe(BOOK)
        sell(relay, 0)
        assert one.message() == two.message()
        first.stop()
        assert one.closing_code() == GOING_AWAY
        sell(relay, 2, price="0.0006")
        assert two.message()["endVersion"] == 2


def test_tls(relay: WatchedRelay, tmp_path: Path) -> None:
    files = self_signed(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*files)
    trusting = ssl.create_default_context(cafile=str(files.cert))
    with serve(relay, ssl=context) as server:
        url = server.url.replace("https", "wss") + "/v2/ws"
        with connect(url, ssl=trusting, proxy=None) as client:
            follow(relay, client.recv, client.send)
            done(relay, "POST", "ws/drop", {"how": "clean"})
            with pytest.raises(websockets.ConnectionClosed) as closed:
                client.recv()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == GOING_AWAY
        with connect(url, ssl=trusting, proxy=None) as client:
            done(relay, "POST", "ws/drop", {"how": "reset"})
            with pytest.raises(websockets.ConnectionClosedError):
                list(client)


# --- Clients of others ----------------------------------------------------------------------------------------------------------

FOLLOWED = json.dumps({"op": "sub", "topics": [ORDER, ACCOUNT], "apiKey": KEY_A})


def follow(relay: Relay, receive: Callable[[], Any], send: Callable[[str], Any]) -> None:
    """Follow an order from its submission to its fill."""
    assert receive() == "ping"
    send("pong")
    send(FOLLOWED)
    assert json.loads(receive())["result"] == OK
    sell(relay, 0, 100)
    assert is_order("processing", "0", [json.loads(receive()) for _ in range(2)])
    buy(relay, 0, 100)
    assert is_order("processed", str(100 * 10**18), [json.loads(receive()) for _ in range(3)])


def is_order(status: str, filled: str, pushes: list[Any]) -> bool:
    """Whether the last push is the order in this state, and those before are of the account."""
    *before, last = pushes
    return {push["topic"]["topic"] for push in before} == {"account"} and (
        last["topic"],
        last["data"]["status"],
        last["data"]["filledSize"],
    ) == (ORDER, status, filled)


def test_the_websockets_library(relay: Relay, server: Serving) -> None:
    url = server.url.replace("http", "ws") + "/v2/ws"
    with connect(url, proxy=None) as client:
        follow(relay, lambda: client.recv(PATIENCE_S), client.send)
        assert client.ping().wait(PATIENCE_S)
    with pytest.raises(websockets.InvalidStatus, match="401"):
        connect(server.url.replace("http", "ws") + "/v3/ws", proxy=None)


async def test_the_websockets_library_with_asyncio(relay: WatchedRelay) -> None:
    with serve(relay) as server:
        async with websockets.connect(server.url.replace("http", "ws") + "/v2/ws", proxy=None) as client:
            assert await client.recv() == "ping"
            await client.send(FOLLOWED)
            assert json.loads(await client.recv())["result"] == OK
            await asyncio.to_thread(sell, relay, 0, 100)
            await asyncio.to_thread(buy, relay, 0, 100)
            pushes = [json.loads(await client.recv()) for _ in range(5)]
            assert is_order("processing", "0", pushes[:2])
            assert is_order("processed", str(100 * 10**18), pushes[2:])
            done(relay, "POST", "ws/drop", {"how": "reset"})
            with pytest.raises(websockets.ConnectionClosedError):
                await client.recv()


async def test_aiohttp_as_client(relay: WatchedRelay, aiohttp_client: Any) -> None:
    """In the same loop as the application."""
    from mockrelay.web import create_app  # noqa: PLC0415

    client = await aiohttp_client(create_app(relay))
    async with client.ws_connect("/v2/ws") as socket:
        assert await socket.receive_str() == "ping"
        await socket.send_str(FOLLOWED)
        assert (await socket.receive_json())["result"] == OK
        sell(relay, 0, 100)
        buy(relay, 0, 100)
        pushes = [await socket.receive_json() for _ in range(5)]
        assert is_order("processing", "0", pushes[:2])
        assert is_order("processed", str(100 * 10**18), pushes[2:])
        done(relay, "POST", "ws/drop", {"how": "clean"})
        assert (await socket.receive()).type is aiohttp.WSMsgType.CLOSE
    with pytest.raises(aiohttp.WSServerHandshakeError, match="401"):
        await client.ws_connect("/v3/ws")


async def test_of_many_messages_in_one_packet_each_lets_others_have_their_turn() -> None:
    """No message has to be waited for, and yet the loop goes round between two of them."""
    came: list[str] = []
    messages = [WSMessage(WSMsgType.TEXT, "x", None)] * 1_000 + [WSMessage(WSMsgType.CLOSE, 1000, None)]

    class Full:
        async def receive(self) -> WSMessage:
            return messages.pop(0)

    class Noting:
        is_busy = False

        def socket_event(self, session: str, event: SocketEvent, *, text: str) -> None:
            came.append(text)

    unused: Any = None
    world: Any = SimpleNamespace(relay=Noting(), line=Line())
    sender = websocket.SocketSender(unused, world, "r1", unused, unused)
    parts: Any = (sender, world, Full())
    task = asyncio.create_task(websocket.SocketHub()._receive(*parts))
    for _ in range(10):
        await asyncio.sleep(0)
    assert 1 <= len(came) <= 10
    assert await task == 1000
    assert len(came) == 1_000
