"""Simultaneous calls: each sees the whole state that the one before it has left, and they fit one order."""

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

from mockrelay.relay import Relay
from mockrelay.replay import resume
from mockrelay.web import serve
from tests.relay.crowd import CALLS, CLIENTS, Client, Crowd, controlled, run
from tests.support.bodies import ALICE_ID, BOB_ID
from tests.support.client import done, state
from tests.support.connection import connected
from tests.support.processes import ROOT, serving
from tests.support.views import assert_money_is_conserved
from tests.support.worlds import relay_from

pytestmark = pytest.mark.slow
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
    """Fifty threads of 40 calls each, and one more that makes control calls, as fast as they can.

    Without a socket they interrupt each other after every few steps. From two processes, the server is a third.
    """
    path = tmp_path_factory.mktemp("crowd") / "crowd.yaml"
    path.write_text(WORLD, encoding="utf-8")
    clients = [Client(number) for number in range(CLIENTS)]
    if request.param == "from processes of their own":
        return _of_processes(path, clients)
    relay = relay_from(path)
    lines: list[str] = []
    relay.record_to(lines.append)
    crowd = Crowd(relay, clients, [], b"", [])
    if request.param == "over the socket":
        with serve(relay) as server, controlled(crowd, lambda: connected(server.url)):
            run(clients, lambda: connected(server.url), crowd.errors)
    else:
        before = sys.getswitchinterval()
        sys.setswitchinterval(1e-5)
        try:
            with controlled(crowd, lambda: nullcontext(relay)):
                run(clients, lambda: nullcontext(relay), crowd.errors)
        finally:
            sys.setswitchinterval(before)
    record = "".join(lines).encode()
    relay.end_record()
    return crowd._replace(record=record)


def _of_processes(scenario: Path, clients: list[Client]) -> Crowd:
    """The crowd from processes of their own; its relay is the one that the server's record leads to."""
    record = scenario.with_name("record.jsonl")
    options = ("--scenario", str(scenario), "--clock", "frozen", "--limits", "off", "--record", str(record))
    crowd = Crowd(relay_from(scenario), clients, [], b"", [])
    with serving("-p", "0", *options) as server:
        url, share = server.url, CLIENTS // PROCESSES
        command = [sys.executable, "-m", "tests.relay.crowd_process", url]
        processes = [
            subprocess.Popen(
                [*command, str(first), str(share)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
            )
            for first in range(0, CLIENTS, share)
        ]
        for process in processes:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
        with controlled(crowd, lambda: connected(url)):
            for process in processes:
                assert process.stdin is not None
                process.stdin.write(b"begin\n")
                process.stdin.flush()
            parts = [pickle.loads(process.communicate()[0]) for process in processes]
        assert [process.returncode for process in processes] == [0] * PROCESSES
        assert server.end(signal.SIGTERM) == 0
    for client, (answered, statuses) in zip(clients, (each for part in parts for each in part), strict=True):
        client.answered, client.control_statuses = answered, statuses
    text = record.read_bytes()
    return crowd._replace(relay=resume(text)[0], record=text)


def test_nothing_fails(crowd: Crowd) -> None:
    """No connection lost, no 5xx, neither for a call nor for a control call."""
    assert crowd.errors == []
    statuses = Counter(call.answer.status for call in crowd.answered)
    statuses.update(status for client in crowd.clients for status in client.control_statuses)
    assert sum(statuses.values()) == CLIENTS * CALLS
    assert set(statuses) <= {200, 400}
    assert set(crowd.control_statuses) == {200}
    assert done(crowd.relay, "GET", "problems") == []


def test_submit_order_takes_exactly_as_many_as_can_be_paid(crowd: Crowd) -> None:
    """Ten of the 250 that sell 100 LRC each; the others are doubles, used ids, or more than is left."""
    accepted = crowd.accepted("order")
    assert [call.answer.data["status"] for call in accepted] == ["NEW_ACTIVED"] * AFFORDABLE
    assert {call.answer.code for call in crowd.of("order")} <= {0, 102004, 102007, 102011}
    assert len({call.sent["orderId"] for call in accepted}) == AFFORDABLE


def test_no_order_hash_is_lost_or_doubled(crowd: Crowd) -> None:
    """Each accepted order is in the list once and nothing else is."""
    for kind, account_id in (("order", ALICE_ID), ("bid", BOB_ID)):
        hashes = [call.answer.data["orderHash"] for call in crowd.accepted(kind)]
        listed = [order.hash for order in crowd.relay.world.orders.by_hash.values() if order.account_id == account_id]
        assert sorted(hashes) == sorted(listed)
        assert len(set(hashes)) == len(hashes)


def test_transfer_nonces_are_used_once_and_none_is_left_out(crowd: Crowd) -> None:
    accepted = sorted(call.sent["nonce"] for call in crowd.accepted("transfer"))
    assert accepted == list(range(crowd.relay.world.accounts[ALICE_ID].account_nonce))
    assert {call.answer.code for call in crowd.of("transfer")} <= {0, 102021}


def test_money_is_conserved(crowd: Crowd) -> None:
    assert_money_is_conserved(state(crowd.relay))


def test_the_answers_fit_one_order_of_the_calls(crowd: Crowd) -> None:
    """The order of the record: the same calls one after another, without a socket, have the same answers, byte for byte,
    and each client got the answer that stands there. Of two calls of one client the later one is later there.
    """
    answers: dict[int, tuple[int, str]] = {}
    for line in crowd.record.splitlines():
        step = json.loads(line)
        if step["kind"] == "answer":
            assert step["seq"] not in answers
            answers[step["seq"]] = step["status"], step["body"]
    assert {call.seq: (call.answer.status, call.answer.body.decode()) for call in crowd.answered} == answers
    for client in crowd.clients:
        seqs = [call.seq for call in client.answered]
        assert seqs == sorted(seqs)
    again, loaded = resume(crowd.record)
    assert loaded.calls == len(answers)
    assert _digest_all(again) == _digest_all(crowd.relay)


def _digest_all(relay: Relay) -> str:
    return str(state(relay)["digest_all"])


def test_that_order_is_the_one_in_which_things_happened(crowd: Crowd) -> None:
    """A call that was answered before another one was sent stands before it, whichever clients they came from."""
    earliest_end_ns = sys.maxsize
    for call in sorted(crowd.answered, key=lambda call: call.seq, reverse=True):
        assert call.began_ns <= earliest_end_ns
        earliest_end_ns = min(earliest_end_ns, call.ended_ns)


def test_every_answer_shows_a_whole_state(crowd: Crowd) -> None:
    """A list never shows more than can be paid for, nor fewer orders than an earlier answer to the same client."""
    for client in crowd.clients:
        counts = [call.answer.data["totalNum"] for call in client.answered if call.kind == "orders"]
        assert counts == sorted(counts)
        assert max(counts) <= AFFORDABLE
        ids = [int(call.answer.data) for call in client.answered if call.kind == "next id"]
        assert ids == sorted(ids)
