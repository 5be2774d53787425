"""Simultaneous requests, each of which sees the state that the one before it has left."""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path

import pytest

from mockrelay.replay import resume
from mockrelay.web import serve
from tests.flows.client import ALICE, BOB
from tests.relay.crowd import CALLS, THREADS, Caller, Crowd, Direct, run_all, steered
from tests.support.client import done
from tests.support.connection import connected
from tests.support.processes import ROOT, serving
from tests.support.worlds import relay_from

AFFORDABLE = 10
PROCESSES = 2
WORLD = """
format: 1
name: crowd
extends: default
clock: {start: "2026-01-01T00:00:00Z"}
accounts:
  - {name: alice, apiKey: key-a, balances: {LRC: "1000000000000000000000", ETH: "10000000000000000000"}}
  - {name: bob, apiKey: key-b, balances: {LRC: "1000000000000000000000", ETH: "10000000000000000000"}}
"""


@pytest.fixture(scope="module", params=["over the socket", "in the threads themselves", "from processes of their own"])
def crowd(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Crowd:
    """Fifty threads of 40 calls each, and one more that steers, as fast as they can; without a socket they interrupt
    each other after every few steps. From two processes, the server is a third.
    """
    path = tmp_path_factory.mktemp("crowd") / "crowd.yaml"
    path.write_text(WORLD, encoding="utf-8")
    callers = [Caller(number) for number in range(THREADS)]
    if request.param == "from processes of their own":
        return _of_processes(path, callers)
    relay = relay_from(path)
    lines: list[str] = []
    relay.record_to(lines.append)
    crowd = Crowd(relay, callers, [], b"", [])
    if request.param == "over the socket":
        with serve(relay) as server:
            run_all(crowd, lambda: connected(server.url))
    else:
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        try:
            run_all(crowd, lambda: nullcontext(Direct(relay)))
        finally:
            sys.setswitchinterval(before)
    record = "".join(lines).encode()
    relay.end_record()
    return crowd._replace(record=record)


def _of_processes(scenario: Path, callers: list[Caller]) -> Crowd:
    """The crowd from processes of their own; its relay is the one that the server's record leads to."""
    record = scenario.with_name("record.jsonl")
    control: list[int] = []
    wrong: list[BaseException] = []
    options = ("--scenario", str(scenario), "--clock", "frozen", "--limits", "off", "--record", str(record))
    with serving("-p", "0", *options) as server:
        url = server.url
        crowd = Crowd(relay_from(scenario), callers, control, b"", wrong)
        with steered(crowd, lambda: connected(url)):
            share = THREADS // PROCESSES
            command = [sys.executable, "-m", "tests.relay.crowd_process", url]
            clients = [
                subprocess.Popen([*command, str(first), str(share)], stdout=subprocess.PIPE, cwd=ROOT)
                for first in range(0, THREADS, share)
            ]
            told = [pickle.loads(client.communicate()[0]) for client in clients]
        assert [client.returncode for client in clients] == [0] * PROCESSES
        assert server.end(signal.SIGTERM) == 0
    for caller, (calls, steering) in zip(callers, (each for client in told for each in client), strict=True):
        caller.told, caller.steered = calls, steering
    text = record.read_bytes()
    return crowd._replace(relay=resume(text)[0], record=text)


def test_nothing_fails(crowd: Crowd) -> None:
    """No connection lost, no 5xx, neither for a call nor for an act of control."""
    assert crowd.wrong == []
    statuses = Counter(told.answer.status for told in crowd.told)
    statuses.update(status for caller in crowd.callers for status in caller.steered)
    assert sum(statuses.values()) == THREADS * CALLS
    assert set(statuses) <= {200, 400}
    assert set(crowd.control) == {200}
    assert done(crowd.relay, "GET", "problems") == []


def test_exactly_as_many_orders_as_can_be_paid(crowd: Crowd) -> None:
    """Ten of the 250 that sell 100 LRC each; the others are doubles, used ids, or more than is left."""
    taken = [told for told in crowd.of("order") if told.code == 0]
    assert [told.answer.json["data"]["status"] for told in taken] == ["NEW_ACTIVED"] * AFFORDABLE
    assert {told.code for told in crowd.of("order")} <= {0, 102004, 102007, 102011}
    assert len({told.sent["orderId"] for told in taken}) == AFFORDABLE


def test_no_hash_is_lost_or_doubled(crowd: Crowd) -> None:
    """Each accepted order is in the list once and nothing else is; each accepted transfer is in one place."""
    for kind, account in (("order", ALICE), ("bid", BOB)):
        told = [each.answer.json["data"]["orderHash"] for each in crowd.of(kind) if each.code == 0]
        listed = [order.hash for order in crowd.relay.world.orders.by_hash.values() if order.account_id == account]
        assert sorted(told) == sorted(listed)
        assert len(set(told)) == len(told)


def test_nonces_are_used_once_and_none_is_left_out(crowd: Crowd) -> None:
    accepted = sorted(told.sent["nonce"] for told in crowd.of("transfer") if told.code == 0)
    (alice,) = [account for account in crowd.state()["accounts"] if account["name"] == "alice"]
    assert accepted == list(range(alice["accountNonce"]))
    assert {told.code for told in crowd.of("transfer")} <= {0, 102021}


def test_money_is_conserved(crowd: Crowd) -> None:
    """By token: accounts, house and fees together hold what was put in, deposits included; nothing is negative."""
    state = crowd.state()
    for token, put_in in state["putIn"].items():
        parts = [int(part) for one in state["accounts"] for part in one["balances"].get(token, {}).values()]
        assert min(parts) >= 0
        house = sum(int(part) for part in state["house"]["balances"].get(token, {}).values())
        assert sum(parts) + house + int(state["fees"].get(token, "0")) == int(put_in)


def test_the_answers_fit_one_order_of_the_calls(crowd: Crowd) -> None:
    """The one that the record tells: the same calls one after another, without a socket, have the same answers, byte for
    byte, and each client got the answer that stands there. It is an order that the clients cannot tell from theirs: of
    two calls of one client the later one is later there.
    """
    answers: dict[int, tuple[int, str]] = {}
    for line in crowd.record.splitlines():
        step = json.loads(line)
        if step["kind"] == "answer":
            assert step["seq"] not in answers
            answers[step["seq"]] = step["status"], step["body"]
    assert {told.seq: (told.answer.status, told.answer.body.decode()) for told in crowd.told} == answers
    for caller in crowd.callers:
        seqs = [told.seq for told in caller.told]
        assert seqs == sorted(seqs)
    again, loaded = resume(crowd.record)
    assert loaded.calls == len(answers)
    assert done(again, "GET", "state")["digest_all"] == crowd.state()["digest_all"]


def test_that_order_is_the_one_in_which_things_happened(crowd: Crowd) -> None:
    """A call that was answered before another one was sent stands before it, whichever clients they came from."""
    earliest_end_ns = sys.maxsize
    for told in sorted(crowd.told, key=lambda told: told.seq, reverse=True):
        assert told.began_ns <= earliest_end_ns
        earliest_end_ns = min(earliest_end_ns, told.ended_ns)


def test_every_look_is_at_a_whole_state(crowd: Crowd) -> None:
    """A list never shows more than can be paid for, nor fewer orders than an earlier look of the same client."""
    for caller in crowd.callers:
        counts = [told.answer.json["data"]["totalNum"] for told in caller.told if told.kind == "orders"]
        assert counts == sorted(counts)
        assert max(counts) <= AFFORDABLE
        ids = [int(told.answer.json["data"]) for told in caller.told if told.kind == "next id"]
        assert ids == sorted(ids)
