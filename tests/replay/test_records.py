"""A record leads back to the same world, byte for byte, and says where it does not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from mockrelay.clock import Clock, ClockConfig
from mockrelay.control import handle_control
from mockrelay.core.commands.settings import SetChoices
from mockrelay.recording import RecordError, read_record
from mockrelay.relay import Relay
from mockrelay.relay.commands import MoveClock, Reset
from mockrelay.relay.sessions import Out, SocketEvent
from mockrelay.replay import load_into, resume
from tests.support.bodies import ECDSA_SIGNATURE, W, bodies_of
from tests.support.client import account, advance, control, done, get, post, send
from tests.support.sockets import Socket
from tests.support.worlds import START_MS, relay_from

OTHER = "format: 1\nname: other\nextends: default\naccounts: [{name: dave, accountId: 10009}]\n"


def busy(relay: Relay) -> None:
    """Something of everything that a record has to hold."""
    post(relay, "/api/v3/order", W.order())
    post(relay, "/api/v3/order", W.order(1), headers={"content-type": "text/plain"})
    send(relay, "POST", "/api/v3/order", body=b"\xff\x00 no text")
    get(relay, "/api/v2/depth", market="LRC-ETH", level="0", limit="5")
    get(relay, "/api/v9/nothing")
    advance(relay, "90s")
    done(relay, "POST", "faults", {"on": "submit_transfer", "code": 102021})
    post(relay, "/api/v2/transfer", W.transfer(0), signature=ECDSA_SIGNATURE)
    post(relay, "/api/v3/user/withdrawals", bodies_of(relay).withdrawal(0), signature=ECDSA_SIGNATURE)
    done(relay, "POST", "blocks/seal", {})
    done(relay, "PUT", "choices", {"http.error_status": "400"})
    done(relay, "POST", "accounts/alice/deposit", {"token": "ETH", "amount": "5"})
    relay.advance(1500)
    relay.execute(SetChoices(choices={"order.self_trade": "allow"}))
    done(relay, "POST", "snapshots", {"name": "s"})
    post(relay, "/api/v3/order", W.order(2))
    done(relay, "POST", "snapshots/s/restore")
    post(relay, "/api/v3/order", W.order(3))


def seen(relay: Relay) -> Any:
    return done(relay, "GET", "state"), done(relay, "GET", "clock"), done(relay, "GET", "snapshots")


def recorded(relay: Relay, script: Callable[[Relay], None]) -> bytes:
    lines: list[str] = []
    relay.record_to(lines.append)
    script(relay)
    return "".join(lines).encode()


def test_a_recorded_run_leads_to_the_same_world_answer_by_answer() -> None:
    relay = relay_from(limits="spec")
    record = recorded(relay, busy)
    again, loaded = resume(record)
    assert not loaded.torn
    assert loaded.calls == relay.request_count == again.request_count
    assert seen(again) == seen(relay)
    assert post(again, "/api/v3/order", W.order(9)) == post(relay, "/api/v3/order", W.order(9))


def test_a_reset_to_another_scenario_is_in_the_record_with_its_text() -> None:
    def script(relay: Relay) -> None:
        busy(relay)
        done(relay, "POST", "reset", {"scenarioText": OTHER, "choices": {"order.dust": "keep"}, "clock": "frozen"})
        post(relay, "/api/v3/order", W.order())
        relay.execute(Reset(limits="spec", clock=ClockConfig(0, START_MS)))
        post(relay, "/api/v3/order", W.order())
        relay.execute(Reset(scenario_text=OTHER, clock=ClockConfig(0, START_MS + 5)))

    relay = relay_from()
    again, _ = resume(recorded(relay, script))
    assert seen(again) == seen(relay)
    assert done(again, "GET", "health")["scenario"] == "other"


def test_a_reset_that_was_carried_out_is_replayed_however_many_values_its_scenario_has_with_what_it_extends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("mockrelay.relay.commands.VALUES_MAX", 10)

    def script(relay: Relay) -> None:
        done(relay, "POST", "reset", {"scenarioText": OTHER})
        done(relay, "POST", "reset", {"limits": {"submit_order": 3}})

    relay = relay_from()
    again, _ = resume(recorded(relay, script))
    assert seen(again) == seen(relay)


def test_a_record_that_begins_in_the_midst_begins_with_the_world_as_it_stood(relay: Relay) -> None:
    busy(relay)
    done(relay, "POST", "reset", {"scenarioText": OTHER})
    post(relay, "/api/v3/order", W.order())

    def script(relay: Relay) -> None:
        post(relay, "/api/v3/order", W.order(1))
        relay.execute(Reset())
        post(relay, "/api/v3/order", W.order())

    again, _ = resume(recorded(relay, script))
    assert done(again, "GET", "state") == done(relay, "GET", "state")
    assert done(again, "GET", "health")["scenario"] == "default"


class RealMs:
    """A machine's time that a test moves."""

    def __init__(self) -> None:
        self.now_ms = 0

    def __call__(self) -> int:
        self.now_ms += 3
        return self.now_ms


def test_acts_of_control_come_out_the_same_under_a_running_clock() -> None:
    """The clock moves between the line and the command; the command is carried out at the line's moment."""
    relay = Relay.from_scenario("default", clock=Clock(START_MS, 1, RealMs()), limits="off")
    record = recorded(relay, busy)
    again, loaded = resume(record)
    relay.execute(MoveClock(rate=0))
    again.execute(MoveClock(rate=0))
    assert loaded.now_ms <= relay.now_ms()
    assert done(again, "GET", "state")["digest"] == done(relay, "GET", "state")["digest"]


def test_the_record_of_a_world_that_is_removed_ends_with_a_line_that_says_so(relay: Relay) -> None:
    """So a server that resumes the record does not make the world again."""
    lines: list[str] = []
    relay.record_to(lines.append)
    get(relay, "/api/v3/timestamp")
    relay.end_record()
    assert json.loads(lines[-1])["kind"] == "end"
    count = len(lines)
    get(relay, "/api/v3/timestamp")
    assert len(lines) == count


def test_dump_and_load_bring_a_world_into_another_relay() -> None:
    relay = relay_from(limits="spec")
    busy(relay)
    answer = control(relay, "GET", "dump")
    assert answer.headers["content-type"] == "application/jsonl"
    other = relay_from("default", start_ms=START_MS + 10**9)
    post(other, "/api/v3/order", W.order())
    told = handle_control(other, "POST", "load", (), answer.body, load_into)
    assert told.status == 200
    assert json.loads(told.body)["now_ms"] == relay.now_ms()
    assert done(other, "GET", "state") == done(relay, "GET", "state")
    assert post(other, "/api/v3/order", W.order(9)).body == post(relay, "/api/v3/order", W.order(9)).body
    other.execute(Reset())
    assert other.now_ms() == START_MS + 10**9, "a reset still leads to where this relay began"


def test_a_world_with_faults_of_its_scenario_comes_back_from_its_dump() -> None:
    relay = relay_from("held_orders")
    done(relay, "POST", "faults", {"on": "get_depth", "status": 503})
    other = relay_from()
    loaded = handle_control(other, "POST", "load", (), control(relay, "GET", "dump").body, load_into)
    assert loaded.status == 200, loaded.body
    assert done(other, "GET", "faults") == done(relay, "GET", "faults")
    by_hand = [problem["kind"] for problem in done(other, "GET", "problems")]
    assert by_hand == ["unfired_fault"], "the scenario's own still lie in wait"


def test_a_load_is_itself_in_the_record() -> None:
    source = relay_from()
    busy(source)
    dump = control(source, "GET", "dump").body

    def script(relay: Relay) -> None:
        post(relay, "/api/v3/order", W.order())
        assert handle_control(relay, "POST", "load", (), dump, load_into).status == 200
        post(relay, "/api/v3/order", W.order(7))

    relay = relay_from()
    again, _ = resume(recorded(relay, script))
    assert done(again, "GET", "state") == done(relay, "GET", "state")


def test_a_torn_last_line_is_left_out_and_told(relay: Relay) -> None:
    record = recorded(relay, busy)
    again, loaded = resume(record[:-40])
    assert loaded.torn == record.count(b"\n")
    assert seen(again) == seen(relay), "the call's own line was whole, only its answer was torn"


def test_what_a_record_does_not_say_rightly_is_told_by_line_and_nothing_changes(relay: Relay) -> None:
    record = recorded(relay, busy).splitlines(keepends=True)
    other = relay_from()
    before = done(other, "GET", "state")
    head, state, call, answer = record[:4]
    cases = {
        b"": "line 1: found no head",
        b"{}\n": "line 1: found an unknown kind",
        b"no json\n": "line 1: found no JSON at column 1",
        b"\xff\n": "line 1: found no UTF-8 at byte 1",
        b"[" * 100_000 + b"\n": "line 1: found too many lists or objects in one another",
        head
        + state[:-2]
        + b',"x":['
        + b"[]," * 9_000
        + b"}\n": f"line 2: found no JSON at column {len(state) + 27_005}",
        call: "line 1: found no head",
        head: "line 1: found a head without a state",
        head.replace(b'"format":2', b'"format":3'): "line 1: found the format 3",
        head.replace(b"format: 1", b"format: 3"): "line 1: found a start that cannot be made",
        head + head: "line 2: found a second head",
        head + answer: "line 2: found an answer without its call",
        head + state.replace(b'"rate":', b'"rats":'): "line 2: found rate",
        head + state.replace(b'"requests":0', b'"requests":"x"'): "line 2: found requests",
        head + state.replace(b'"snapshots":[]', b'"snapshots":[{"snapshot":"a/b"}]'): "line 2: found now_ms",
        head + state.replace(b'"format":5', b'"format":0'): "line 2: found a world that cannot be read",
        head + call: "line 1: found a head without a state",
        head + call.replace(b'"now_ms"', b'"now"'): "line 2: found now_ms",
        head + call.replace(b'"method":"POST"', b'"method":7'): "line 2: found no request",
        head + call.replace(b'"body":', b'"bodi":'): "line 2: found no body",
        head + state + call + answer.replace(b"NEW_ACTIVED", b"ELSEWHERE"): "line 4: found another answer",
        head + state + call + answer.replace(b'"status":200', b'"status":400'): "line 4: found another answer",
        head
        + state
        + call
        + answer.replace(b'"drop":false', b'"drop":true'): "line 4: found another answer: connection",
    }
    for text, message in cases.items():
        with pytest.raises(RecordError) as raised:
            load_into(other, text)
        assert str(raised.value).startswith(message), text[:80]
        told = handle_control(other, "POST", "load", (), text, load_into)
        assert (told.status, json.loads(told.body)["field"]) == (400, "body")
        assert done(other, "GET", "state") == before


def test_a_dump_counts_without_its_last_line_end() -> None:
    relay, other = relay_from(limits="spec"), relay_from()
    busy(relay)
    load_into(other, relay.dump().rstrip())
    assert seen(other) == seen(relay)


def test_a_dump_that_is_cut_anywhere_is_refused_and_changes_nothing() -> None:
    relay, other = relay_from(), relay_from()
    busy(relay)
    dump, before = relay.dump(), seen(other)
    head_end, whole = dump.index(b"\n"), len(dump.rstrip())
    for cut in (*range(0, whole, whole // 40), head_end, head_end + 1, head_end + 2, whole - 2, whole - 1):
        with pytest.raises(RecordError):
            load_into(other, dump[:cut])
        told = handle_control(other, "POST", "load", (), dump[:cut], load_into)
        assert (told.status, json.loads(told.body)["field"]) == (400, "body")
    assert seen(other) == before


def test_a_world_keeps_what_is_long_in_its_record() -> None:
    """A record's values are freed a few at a time; a world has some of them."""

    def script(relay: Relay) -> None:
        long = {"on": "submit_transfer", "code": 102021, "when": {"memo": "x" * 5_000}}
        done(relay, "POST", "faults", long)

    relay = relay_from()
    for record in (recorded(relay, script), relay.dump(), relay.dump()[:-2] + b',"x":[' + b"[]," * 9_000 + b"1]}\n"):
        other = relay_from()
        load_into(other, record)
        assert done(other, "GET", "faults") == done(relay, "GET", "faults")
        assert seen(other) == seen(relay)


def test_a_record_of_several_worlds_is_not_loaded_in_part() -> None:
    lines: list[str] = []
    relay = relay_from()
    relay.record_to(lines.append)
    post(relay.spawn("b"), "/api/v3/order", W.order())
    record, other = "".join(lines).encode(), relay_from()
    with pytest.raises(RecordError, match="further worlds, b"):
        load_into(other, record)
    assert resume(record, of="b")[0].request_count == 1


def test_a_world_whose_start_was_cut_off_is_none_and_the_others_resume() -> None:
    """Nobody had an answer of it."""
    lines: list[str] = []
    relay = relay_from()
    relay.record_to(lines.append)
    busy(relay)
    before = len(lines)
    relay.spawn("b")
    (head, state) = lines[before:]
    for rest in (head, head + state[:-2], head[:-2]):
        record = read_record("".join([*lines[:before], rest]).encode())
        assert record.worlds == ()
        assert seen(resume(record)[0]) == seen(relay)
    assert read_record("".join(lines).encode()).worlds == ("b",)


def test_a_dump_brings_its_snapshots_along_in_place_of_those_that_were_there() -> None:
    relay, other = relay_from(), relay_from()
    post(relay, "/api/v3/order", W.order())
    done(relay, "POST", "snapshots", {"name": "one order"})
    early = done(relay, "GET", "state")
    done(relay, "POST", "reset", {"scenarioText": OTHER})
    done(relay, "POST", "snapshots", {"name": "dave"})
    done(other, "POST", "snapshots", {"name": "mine"})
    told = handle_control(other, "POST", "load", (), relay.dump(), load_into)
    assert json.loads(told.body)["snapshots"] == ["one order", "dave"]
    assert seen(other) == seen(relay)
    done(other, "POST", "snapshots/one order/restore")
    assert done(other, "GET", "state") == early
    done(other, "POST", "snapshots/dave/restore")
    assert [account["name"] for account in done(other, "GET", "accounts")] == [
        account["name"] for account in done(relay, "GET", "accounts")
    ]


def test_a_state_whose_snapshots_cannot_be_is_refused() -> None:
    relay, other = relay_from(), relay_from()
    done(relay, "POST", "snapshots", {"name": "s"})
    head, state = relay.dump().splitlines()
    (snapshot,) = json.loads(state)["snapshots"]
    for snapshots, message in (
        ([{**snapshot, "snapshot": "a/b"}], "line 2: found 'a/b' is not a valid name; meant 1 to 200 characters"),
        ([snapshot, snapshot], "line 2: found the snapshot 's'; meant a name that no other snapshot has"),
        ([{**snapshot, "snapshot": str(n)} for n in range(101)], "line 2: found there are 100 snapshots"),
        ([{**snapshot, "name": "s"}], "line 2: found the scenario 's'; meant its name and its text, or neither"),
        ({"s": snapshot}, "line 2: found snapshots = "),
        (None, "line 2: found snapshots = None"),
    ):
        line = json.dumps({**json.loads(state), "snapshots": snapshots}).encode()
        for take in (lambda record: load_into(other, record), resume):
            with pytest.raises(RecordError) as raised:
                take(head + b"\n" + line)
            assert str(raised.value).startswith(message)
    assert done(other, "GET", "snapshots") == []


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ({"scenario": "own/market.yaml"}, "the path 'own/market.yaml'"),
        ({"scenario": "defualt"}, "found the scenario 'defualt'"),
        ({"scenarioText": "format: 1\nextends: ./base.yaml\n"}, "found the path './base.yaml'"),
    ],
    ids=["path", "unknown name", "text that extends a file"],
)
def test_a_record_with_a_reset_that_no_relayer_has_carried_out_is_refused_whole(
    fields: dict[str, str], found: str
) -> None:
    """Not loaded without it, which would be another world."""

    def script(relay: Relay) -> None:
        busy(relay)
        done(relay, "POST", "reset", {"scenarioText": OTHER})

    lines = recorded(relay_from(), script).splitlines(keepends=True)
    (at,) = (number for number, line in enumerate(lines) if json.loads(line).get("command") == "reset")
    lines[at] = json.dumps({**json.loads(lines[at]), "fields": fields}).encode() + b"\n"
    other = relay_from()
    before = seen(other)
    with pytest.raises(RecordError, match=f"line {at + 1}: found a command reset that is refused: ") as raised:
        load_into(other, b"".join(lines))
    assert found in str(raised.value)
    assert seen(other) == before


def test_the_same_frozen_world_dumps_the_same_bytes() -> None:
    dumps = []
    for _ in range(2):
        relay = relay_from(limits="spec")
        busy(relay)
        dumps += [relay.dump(), relay.dump()]
        other = relay_from(limits="spec")
        load_into(other, dumps[-1])
        dumps.append(other.dump())
        dumps.append(resume(dumps[-1])[0].dump())
    assert len(dumps) == 8
    assert len(set(dumps)) == 1


def test_a_dump_tells_nothing_of_the_wall_where_the_scenario_sets_the_clock(tmp_path: Path) -> None:
    scenario = tmp_path / "dated.yaml"
    scenario.write_text('format: 1\nname: dated\nextends: default\nclock: {start: "2026-01-01T00:00:00Z"}\n')
    relay = Relay.from_scenario(scenario, clock="frozen")
    head = json.loads(relay.dump().splitlines()[0])
    assert head["frozen_start_ms"] == START_MS
    relay.execute(Reset(scenario="default"))
    assert relay.now_ms() == START_MS, "and that is where a frozen clock starts that nothing else sets"


def test_what_is_loaded_last_holds_also_after_a_failure_in_between() -> None:
    """A failed act leaves no trace, so the next one is recorded at its own moment."""

    def fails_first(relay: Relay) -> None:
        assert handle_control(relay, "POST", "load", (), b"x").status == 400
        busy(relay)

    relay = relay_from()
    record = recorded(relay, fails_first)
    again, _ = resume(record)
    assert seen(again) == seen(relay)


def test_a_clock_that_is_stopped_stands_where_the_record_says() -> None:
    relay = Relay.from_scenario("default", clock=Clock(START_MS, 1, RealMs()), limits="off")

    def script(relay: Relay) -> None:
        post(relay, "/api/v3/order", W.order())
        done(relay, "POST", "clock", {"rate": 0})

    again, _ = resume(recorded(relay, script))
    assert seen(again) == seen(relay)


def test_what_is_refused_for_its_query_is_not_done_when_read_back() -> None:
    def script(relay: Relay) -> None:
        assert control(relay, "POST", "accounts/alice/deposit", {"token": "ETH", "amount": "5"}, x="1").status == 400
        done(relay, "POST", "reset/", {"scenario": "thin_book"})

    relay = relay_from()
    record = recorded(relay, script)
    assert b'"scenario":"thin_book"' not in record
    again, _ = resume(record)
    assert seen(again) == seen(relay)


def test_a_call_on_which_we_fail_ends_a_replay_with_its_line(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    record = recorded(relay, busy)

    def fails(*_: Any) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("mockrelay.relay.relay.answer", fails)
    with pytest.raises(RecordError, match=r"line 3: .*boom"):
        resume(record)


def test_time_has_passed_also_for_a_relayer_that_nobody_called() -> None:
    relay = Relay.from_scenario("default", clock="real")
    lines: list[str] = []
    relay.record_to(lines.append)
    hour_ms = 3_600_000
    state = json.loads(lines[1])
    lines[1] = json.dumps({**state, "wall_ms": state["wall_ms"] - hour_ms}) + "\n"
    again, _ = resume("".join(lines).encode())
    assert again.now_ms() >= state["now_ms"] + hour_ms
    dumped, _ = resume(relay.dump())
    assert dumped.now_ms() < state["now_ms"] + hour_ms


def test_what_only_looks_is_in_no_record() -> None:
    def script(relay: Relay) -> None:
        assert control(relay, "POST", "verify", {"endpoint": "get_depth"}).status == 409

    assert len(recorded(relay_from(), script).splitlines()) == 2


# --- WebSockets -----------------------------------------------------------------------------------------------------------------


def talked(relay: Relay) -> None:
    """A session, with orders of both sides, faults, time, and an end by a restart; another that its client ends."""
    key = account(relay, "alice")["apiKey"]
    first, second = Socket(relay, "/v3/ws"), Socket(relay)
    first.send("pong")
    first.subscribe({"topic": "orderbook", "market": "LRC-ETH", "level": 0, "snapshot": True})
    first.subscribe({"topic": "account"}, {"topic": "order", "market": "LRC-ETH"}, apiKey=key)
    second.send("not a message")
    second.subscribe({"topic": "ticker", "market": "LRC-ETH"})
    done(relay, "POST", "faults", {"on": "ws_push", "push": "lose", "nth": 2})
    done(relay, "POST", "ws/hold", {})
    post(relay, "/api/v3/order", W.order())
    post(relay, "/api/v3/order", W.order(1))
    done(relay, "POST", "ws/release", {})
    second.close()
    relay.socket_event(first.id, SocketEvent.DUE, relay.now_ms() + 31_000)
    done(relay, "POST", "reset", {})


def live() -> Relay:
    return relay_from("live_v3", choices={"signature.scheme": "presence"})


def test_what_is_said_on_websockets_is_recorded_and_comes_again_byte_for_byte() -> None:
    relay = live()
    sent: list[Out] = []
    relay.on_out = sent.append
    record = recorded(relay, talked)
    lines = [json.loads(line) for line in record.decode().splitlines()]
    outs = [line for line in lines if line["kind"] == "ws_out"]
    assert [(out["session"], out["text"], out["ending"]) for out in outs] == [out[:3] for out in sent]
    assert {out["session"] for out in outs} == {"r2", "r3"}
    assert [line["event"] for line in lines if line["kind"] == "ws_in"].count("message") == 5
    again, _ = resume(record)
    assert seen(again) == seen(relay)


@pytest.mark.parametrize("change", ["other", "missing", "added"])
def test_what_is_sent_otherwise_on_a_websocket_is_told(change: str) -> None:
    lines = recorded(live(), talked).decode().splitlines(keepends=True)
    at = next(index for index, line in enumerate(lines) if '"snapshot' in line and '"kind":"ws_out"' in line)
    if change == "other":
        lines[at] = lines[at].replace("OK", "KO")
        says = rf"line {at + 1}: found something else on a WebSocket: r2: .*OK.*; meant r2: .*KO"
    elif change == "added":
        lines.insert(at, lines[at].replace("OK", "KO"))
        says = rf"line {at + 1}: found something else on a WebSocket"
    else:
        del lines[at]
        says = rf"line {at + 1}: found something else on a WebSocket"
    with pytest.raises(RecordError, match=says):
        resume("".join(lines).encode())


def test_a_session_from_before_the_record_is_not_in_it() -> None:
    relay = live()
    socket = Socket(relay)
    lines: list[str] = []
    relay.record_to(lines.append)
    socket.subscribe({"topic": "ticker", "market": "LRC-ETH"})
    post(relay, "/api/v3/order", W.order())
    assert not any('"kind":"ws_' in line for line in lines)
    resume("".join(lines).encode())


def test_a_message_that_cannot_be_recorded_is_not_carried_out() -> None:
    relay = live()
    lines: list[str] = []

    def write(line: str) -> None:
        if '"ws_in"' in line:
            raise OSError(28, "No space left on device")
        lines.append(line)

    relay.record_to(write)
    socket = Socket(relay, silent=True)
    socket.send({"op": "sub", "topics": [{"topic": "ticker", "market": "LRC-ETH"}]})
    assert socket.texts() == ["(clean)"]
    resume("".join(lines).encode())
