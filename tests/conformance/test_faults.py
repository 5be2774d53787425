"""Faults: where and how often each acts, what it does to an answer or an outcome, and which mean nothing."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.web import serve
from tests.conformance.causes_of_requests import TRANSFER, WITHDRAWAL
from tests.conformance.checks import balances, error_status, pending
from tests.conformance.transcript import ROWS
from tests.support.answer import Answer
from tests.support.bodies import E18
from tests.support.calls import call, ready, valid_request
from tests.support.client import advance, control, digest, done, state
from tests.support.connection import PATIENCE_S, connected
from tests.support.views import money
from tests.support.worlds import START_MS, world

KINDS: dict[str, Any] = {"status": 503, "drop": True, "delay": "30s", "body": "malformed", "code": 777777}
"""Kinds of faults on an answer, with a value."""
kinds = pytest.mark.parametrize("kind", KINDS)
DEPTH = valid_request("get_depth")


def arm(relay: Relay, on: str, **fault: Any) -> str:
    """Arm a fault; its id."""
    return str(done(relay, "POST", "faults", {"on": on, **fault})["id"])


def fired(relay: Relay) -> list[int]:
    """How often each armed fault has struck."""
    return [fault["fired"] for fault in done(relay, "GET", "faults")]


def is_json(body: bytes) -> bool:
    """Whether a client can parse it."""
    try:
        json.loads(body)
    except ValueError:
        return False
    return True


def is_faulty(answer: Answer, kind: str, sound: Answer | None = None) -> bool:
    """Whether the answer shows the fault; `sound` is what it would have been, where it was there at all."""
    if kind == "drop" or answer.drop:
        return answer.drop and kind == "drop"
    if kind == "delay":
        assert sound is None or (answer.status, answer.body) == (sound.status, sound.body)
        return answer.not_before_ms == START_MS + 30_000
    assert answer.not_before_ms is None
    if kind == "status":
        return answer.status == 503
    if kind == "code":
        return is_json(answer.body) and answer.code == 777777
    return not is_json(answer.body)


@kinds
def test_after_is_the_default(relay: Relay, kind: str) -> None:
    """The call is applied, then its answer suffers; the next answer is sound. `at: after` given is the same."""
    sound, given = call(world(), WITHDRAWAL), world()
    arm(relay, "submit_withdrawal", **{kind: KINDS[kind]}, **AFTER[kind])
    arm(given, "submit_withdrawal", **{kind: KINDS[kind]}, at="after")
    answer = call(relay, WITHDRAWAL)
    assert is_faulty(answer, kind, sound)
    assert call(given, WITHDRAWAL) == answer
    assert fired(relay) == [1]
    assert len(pending(relay)) == 1
    again = call(relay, WITHDRAWAL)
    assert (again.status, again.drop, again.not_before_ms) == (200, False, None)
    assert again.json["isIdempotent"] is True


AFTER: dict[str, dict[str, str]] = {kind: {"at": "after"} if kind == "code" else {} for kind in KINDS}
"""A scripted code is given instead of the call unless it says otherwise."""


@kinds
def test_instead_comes_after_key_and_signature_and_shape_and_does_nothing_but_spoil(relay: Relay, kind: str) -> None:
    """Each of these is refused as ever and leaves the fault armed; the endpoint's own checks do not happen."""
    arm(relay, "submit_withdrawal", **{kind: KINDS[kind]}, at="instead")
    before = digest(relay)
    assert call(relay, WITHDRAWAL._replace(key=None)).code == 104001
    assert call(relay, WITHDRAWAL._replace(signature=None)).code == 104004
    assert call(relay, WITHDRAWAL.without("minGas")).code == 100001
    assert fired(relay) == [0]
    assert is_faulty(call(relay, WITHDRAWAL.but(exchange="2")), kind)
    assert fired(relay) == [1]
    assert digest(relay) == before


@kinds
def test_before_comes_ahead_of_limiter_and_key(kind: str) -> None:
    """Six calls without a key are spoilt and not counted; then five sound ones are allowed and no more."""
    relay = world(limits="spec")
    arm(relay, "submit_withdrawal", **{kind: KINDS[kind]}, at="before", times=6)
    before = digest(relay)
    for _ in range(6):
        assert is_faulty(call(relay, WITHDRAWAL._replace(key=None, signature=None)), kind)
    assert digest(relay) == before
    if kind != "delay":
        assert [call(relay, WITHDRAWAL).status for _ in range(6)] == [200] * 5 + [429]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "code"])
def test_a_refusal_suffers_too(relay: Relay, kind: str) -> None:
    wrong = WITHDRAWAL.but(accountId=99999)
    arm(relay, "submit_withdrawal", **{kind: KINDS[kind]}, at="after")
    assert is_faulty(call(relay, wrong), kind, call(world(), wrong))


@kinds
def test_times_and_nth_and_when(relay: Relay, kind: str) -> None:
    """Two times, from the second matching call on; a call that differs is left alone, and so is another endpoint."""
    arm(relay, "submit_transfer", **{kind: KINDS[kind]}, at="after", nth=2, times=2, when={"token": 1})
    other = TRANSFER.but(token=0, tokenF=0, amount="1", amountF=str(10**16))
    assert not is_faulty(call(relay, DEPTH), kind)
    requests = [other, *([TRANSFER] * 4)]
    answers = [call(relay, request.but(nonce=nonce)) for nonce, request in enumerate(requests)]
    assert fired(relay) == [2]
    assert [number for number, answer in enumerate(answers) if is_faulty(answer, kind)] == [2, 3]
    assert [answers[number].code for number in (0, 1, 4)] == [0, 0, 0]
    assert len(pending(relay)) == 5


@pytest.mark.parametrize(
    ("fault", "codes"),
    [
        ({"code": 108001}, [108001, 0, 0]),
        ({"code": 108001, "times": 2}, [108001, 108001, 0]),
        ({"code": 108001, "nth": 2}, [0, 108001, 0]),
        ({"code": 777777, "message": "as you wish"}, [777777, 0, 0]),
    ],
    ids=str,
)
def test_a_scripted_code_is_used_up(relay: Relay, fault: dict[str, Any], codes: list[int]) -> None:
    """Any integer may be scripted on any endpoint."""
    arm(relay, "get_depth", **fault)
    assert [call(relay, DEPTH).code for _ in range(3)] == codes


@pytest.mark.parametrize("name", [row.name for row in ROWS])
def test_a_scripted_message_is_in_one_answer(relay: Relay, name: str) -> None:
    arm(relay, name, code=100000, message="scripted here")
    answer = call(relay, valid_request(name))
    assert (answer.status, answer.code) == (error_status(name), 100000)
    assert "scripted here" in answer.message
    assert b"scripted here" not in call(relay, valid_request(name)).body


@pytest.mark.parametrize(("state", "code"), [("down", 104205), ("error", 104208)])
def test_a_layer1_fault_spoils_one_call(relay: Relay, state: str, code: int) -> None:
    """It is an outage for the calls that it matches alone."""
    arm(relay, "get_eth_balance", layer1=state)
    assert [call(relay, valid_request("get_eth_balance")).code for _ in range(2)] == [code, 0]


def test_a_deleted_fault_is_gone(relay: Relay) -> None:
    fault = arm(relay, "get_depth", code=108001)
    assert fired(relay) == [0]
    assert control(relay, "DELETE", f"faults/{fault}").status == 200
    assert fired(relay) == []
    assert call(relay, DEPTH).code == 0


def test_a_delay_counts_from_the_call(relay: Relay) -> None:
    """Thirty seconds, on a clock that has moved."""
    advance(relay, "7s")
    arm(relay, "get_tokens", delay="30s")
    assert call(relay, valid_request("get_tokens")).not_before_ms == START_MS + 37_000


def test_a_late_answer_is_sent_when_the_relayers_clock_gets_there() -> None:
    """The transfer is done at once; only its answer is not there yet."""
    with serve(world()) as server, connected(server.url) as one, connected(server.url) as other:
        done(one, "POST", "faults", {"on": "submit_transfer", "delay": "30s"})
        with ThreadPoolExecutor(1) as pool:
            late = pool.submit(call, other, TRANSFER)
            while not state(one)["requests"]:
                assert not late.done()
            advance(one, "29s")
            assert money(one, "bob") == (10_001 * E18, 0, 0)
            assert not late.done()
            advance(one, "1s")
            assert late.result(PATIENCE_S).code == 0
        assert call(one, TRANSFER).code == 102021


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_body_faults(row: Any) -> None:
    """Malformed and truncated are no JSON, empty is empty, html is HTML and says so; everywhere."""
    for form in ("malformed", "truncated", "html", "empty"):
        relay = ready(world(), row.name)
        sound = call(ready(world(), row.name), valid_request(row.name))
        arm(relay, row.name, body=form)
        answer = call(relay, valid_request(row.name))
        if form == "empty":
            assert answer.body == b""
            continue
        assert answer.body
        assert not is_json(answer.body)
        if form == "truncated":
            assert sound.body.startswith(answer.body)
            assert len(answer.body) < len(sound.body)
        assert ("html" in answer.headers["content-type"]) is (form == "html")


OUTCOMES = ("submit_transfer", "submit_withdrawal", "update_account", "mint_nft", "transfer_nft", "withdraw_nft")


@pytest.mark.parametrize("name", [*OUTCOMES, "deploy_nft_contract"])
def test_a_request_fails_by_its_outcome(name: str) -> None:
    """Accepted as ever, then failed: the money is back, and it is in no block as valid."""
    relay = ready(world(), name)
    advance(relay, "1h")
    had = [balances(relay, who) for who in ("alice", "bob", "carol")]
    plain = ready(world(), name)
    advance(plain, "1h")
    arm(relay, name, outcome="failed")
    first, sound = call(relay, valid_request(name)), call(plain, valid_request(name))
    assert (first.status, first.body) == (sound.status, sound.body)
    advance(relay, "1h")
    assert [balances(relay, who) for who in ("alice", "bob", "carol")] == had
    assert fired(relay) == [1]
    assert [tx for tx in pending(relay) if tx.get("valid", True)] == []


@pytest.mark.parametrize(
    "fault",
    [
        {},
        {"on": "get_depth"},
        {"on": "no_such", "code": 1},
        {"on": "get_depth", "code": "x"},
        {"on": "get_depth", "cod": 1},
        {"on": "submit_withdrawal", "outcome": "failed", "at": "after"},
        {"on": "submit_withdrawal", "outcome": "processed"},
        {"on": "get_tokens", "outcome": "failed"},
        {"on": "submit_withdrawal", "status": 99},
        {"on": "submit_withdrawal", "status": 101},
        {"on": "submit_withdrawal", "code": 1, "message": "m" * 1001},
        {"on": "submit_withdrawal", "code": 1, "name": "n" * 201},
        {"on": "submit_withdrawal", "status": "503"},
        {"on": "submit_withdrawal", "body": "garbage"},
        {"on": "submit_withdrawal", "drop": False},
        {"on": "submit_withdrawal", "delay": 30},
        {"on": "submit_withdrawal", "delay": "30"},
        {"on": "submit_withdrawal", "drop": True, "status": 503},
        {"on": "submit_withdrawal", "drop": True, "at": "during"},
        {"on": "submit_withdrawal", "drop": True, "times": 0},
        {"on": "submit_withdrawal", "drop": True, "message": "x"},
        {"on": "submit_withdrawal", "hold": "UNKNOWN"},
    ],
    ids=str,
)
def test_a_fault_that_means_nothing_is_refused(relay: Relay, fault: dict[str, Any]) -> None:
    """400 with error, field and meant, and nothing is armed."""
    answer = control(relay, "POST", "faults", fault)
    assert answer.status == 400, answer.body
    assert set(answer.json) == {"error", "field", "meant"}
    assert fired(relay) == []
