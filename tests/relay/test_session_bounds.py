"""What a WebSocket session keeps is bounded whatever its client sends, and ends with the session or the world."""

from __future__ import annotations

import json

import pytest

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from mockrelay.relay.sessions import SocketEvent
from mockrelay.relay.sessions.session import LOG_CHARACTERS_MAX, LOG_MAX, SUBSCRIBED_MAX, Session
from mockrelay.relay.sessions.sessions import FINDINGS_MAX
from tests.live.test_sockets import BOOK, FOLDER, TICKER, TRADE, TWENTY, Hand, relay_of, sell
from tests.support.client import advance, control, done
from tests.support.sockets import Socket


@pytest.fixture
def relay() -> Relay:
    return relay_of()


def session_of(socket: Socket) -> Session:
    session = socket.relay.sessions.find(socket.id)
    assert session is not None
    return session


def test_messages_are_kept_up_to_a_number_and_a_size(relay: Relay) -> None:
    socket = Socket(relay)
    for number in range(LOG_MAX):
        socket.send(f"not JSON {number}")
    kept = control(relay, "GET", "ws", messages="1000").json[0]["messages"]
    assert len(kept) == LOG_MAX
    for number in range(30):
        socket.send(f"{number:02}" + "x" * 60_000)
    log = session_of(socket).log
    assert sum(len(each.text) for each in log) <= LOG_CHARACTERS_MAX
    # Each is kept beside its short answer: 17 times 60,002 characters are less than 2^20, 18 times are more.
    assert [each.text[:2] for each in log if each.way == "in"] == [f"{number:02}" for number in range(13, 30)]


def test_the_last_subscriptions_are_kept(relay: Relay) -> None:
    socket = Socket(relay)
    for _ in range(SUBSCRIBED_MAX // 2 + 5):
        socket.send({"op": "sub", "topics": [TRADE, TICKER]})
    assert len(done(relay, "GET", "ws")[0]["subscribed"]) == SUBSCRIBED_MAX


def test_a_mistake_that_is_made_for_ever_is_a_finding_so_many_times(relay: Relay) -> None:
    socket = Socket(relay)
    for _ in range(FINDINGS_MAX + 5):
        socket.send({"op": "sub", "topics": [*TWENTY, TRADE]})
    entry = relay.journal.find(socket.id)
    assert entry is not None
    assert len(entry.trace.findings) == FINDINGS_MAX
    assert {each["rule"] for each in done(relay, "GET", "findings")} == {"too-many-topics"}


def test_an_ended_session_lets_go_of_its_connection(relay: Relay) -> None:
    socket = Socket(relay)
    session = session_of(socket)
    socket.close()
    assert session.connected is None
    assert relay.sessions.opened == {}


def test_what_is_recorded_of_a_session_ends_with_it(relay: Relay) -> None:
    lines: list[str] = []
    relay.record_to(lines.append)
    socket = Socket(relay)
    socket.close()
    count = len(lines)
    socket.send("ping")
    socket.close()
    assert len(lines) == count


@pytest.mark.parametrize("restart", ["reset", "snapshots/funded/restore"])
def test_a_restart_holds_nothing_any_more(relay: Relay, restart: str) -> None:
    done(relay, "POST", "snapshots", {"name": "funded"})
    done(relay, "POST", "ws/hold", {})
    done(relay, "POST", restart, {} if restart == "reset" else None)
    socket = Socket(relay, silent=True)
    socket.subscribe(BOOK)
    sell(relay, 0)
    assert [push["topic"] for push in socket.pushes()] == [BOOK]


def test_an_event_has_the_time_of_the_clock_that_holds_when_it_is_carried_out(relay: Relay) -> None:
    """A server may have read the time just before a reset set it back."""
    socket = Socket(relay)
    start_ms = relay.now_ms()
    advance(relay, "1h")
    done(relay, "POST", "reset", {})
    relay.socket_event(socket.id, SocketEvent.CLOSED)
    assert relay.world.now_ms == start_ms


def test_a_running_clock_that_is_moved_by_hours_has_not_waited_for_hours() -> None:
    """A client that has answered every `ping` stays, and has two minutes for the next one."""
    hand = Hand()
    relay = Relay.from_scenario(FOLDER / "world_v3.yaml", clock=Clock(1_685_577_600_000, 1, hand))
    socket = Socket(relay)
    socket.send("pong")
    advance(relay, "3h")
    assert socket.texts() == ["ping", "ping"]
    hand.ms += 120_000
    control(relay, "GET", "state")
    assert socket.texts() == ["ping"]
    hand.ms += 1
    control(relay, "GET", "state")
    assert socket.texts() == ["(clean)"]


def test_a_failure_is_a_problem_of_its_session(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    socket = Socket(relay)
    with monkeypatch.context() as patched:
        patched.setattr("mockrelay.relay.sessions.sessions.read_message", json.loads)
        for _ in range(2):
            with pytest.raises(json.JSONDecodeError):
                socket.send("no JSON")
    (problem,) = done(relay, "GET", "problems")
    assert (problem["request"], problem["kind"]) == (socket.id, "inner_failure")
