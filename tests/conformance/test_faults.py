"""Faults: where and how often each acts, what it does to an answer or an outcome, and which mean nothing."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from mockrelay.relay import Relay
from mockrelay.web import serve
from tests.conformance.causes_of_requests import TRANSFER, WITHDRAWAL
from tests.conformance.checked import balances, pending
from tests.conformance.checks import error_status
from tests.conformance.transcript import ROWS
from tests.support.answer import Answer
from tests.support.bodies import E18
from tests.support.calls import Request, call, order, ready, valid_request
from tests.support.client import advance, control, digest, done, state
from tests.support.connection import PATIENCE_S, connected
from tests.support.views import money
from tests.support.worlds import START_MS, world

SPOILS: dict[str, Any] = {
    "status": 503,
    "drop": True,
    "delay": "30s",
    "body": "malformed",
}


def arm(relay: Relay, on: str, **fault: Any) -> str:
    """Arm a fault; its id."""
    return str(done(relay, "POST", "faults", {"on": on, **fault})["id"])


def fired(relay: Relay) -> list[int]:
    """How often each armed fault has struck."""
    listed = done(relay, "GET", "faults")
    return [fault["fired"] for fault in (listed["faults"] if isinstance(listed, dict) else listed)]


def is_json(body: bytes) -> bool:
    """Whether a client can parse it."""
    try:
        json.loads(body)
    except ValueError:
        return False
    return True


def spoilt(answer: Answer, kind: str, sound: Answer | None) -> None:
    """The answer shows the fault; `sound` is what it would have been, where it was there at all."""
    if kind == "drop":
        assert answer.drop is True
        return
    assert answer.drop is False
    if kind == "delay":
        assert answer.not_before_ms == START_MS + 30_000
        if sound is not None:
            assert (answer.status, answer.body) == (sound.status, sound.body)
    elif kind == "status":
        assert answer.status == 503
        assert answer.not_before_ms is None
    else:
        assert not is_json(answer.body)


def applied(relay: Relay) -> bool:
    """Whether the withdrawal was accepted."""
    return len(pending(relay)) == 1


@pytest.mark.parametrize("kind", SPOILS)
def test_after_is_the_default(kind: str) -> None:
    """The call is applied, then its answer suffers; the next answer is sound."""
    relay, sound = world(), call(world(), WITHDRAWAL)
    arm(relay, "submit_withdrawal", **{kind: SPOILS[kind]})
    spoilt(call(relay, WITHDRAWAL), kind, sound)
    assert fired(relay) == [1]
    assert applied(relay)
    again = call(relay, WITHDRAWAL)
    assert (again.status, again.drop, again.not_before_ms) == (200, False, None)
    assert again.json["isIdempotent"] is True


@pytest.mark.parametrize("kind", SPOILS)
def test_after_by_name_is_the_same(kind: str) -> None:
    """`at: after` said or unsaid."""
    said, unsaid = world(), world()
    arm(said, "submit_withdrawal", **{kind: SPOILS[kind]}, at="after")
    arm(unsaid, "submit_withdrawal", **{kind: SPOILS[kind]})
    assert call(said, WITHDRAWAL) == call(unsaid, WITHDRAWAL)


@pytest.mark.parametrize("kind", SPOILS)
def test_instead_does_nothing_but_spoil(kind: str) -> None:
    """The endpoint's own checks and action do not happen; a delay has nothing to hold up but its answer."""
    relay = world()
    before = digest(relay)
    answer = control(relay, "POST", "faults", {"on": "submit_withdrawal", kind: SPOILS[kind], "at": "instead"})
    if answer.status == 400:
        assert kind == "delay", answer.body
        return
    spoilt(call(relay, WITHDRAWAL), kind, None)
    assert digest(relay) == before
    assert not applied(relay)


@pytest.mark.parametrize("kind", SPOILS)
def test_instead_comes_after_key_and_signature_and_shape(kind: str) -> None:
    """Each of these is refused as ever and leaves the fault armed."""
    relay = world()
    answer = control(relay, "POST", "faults", {"on": "submit_withdrawal", kind: SPOILS[kind], "at": "instead"})
    if answer.status == 400:
        assert kind == "delay", answer.body
        return
    assert call(relay, WITHDRAWAL._replace(key=None)).code == 104001
    assert call(relay, WITHDRAWAL._replace(signature=None)).code == 104004
    assert call(relay, WITHDRAWAL.without("minGas")).code == 100001
    assert fired(relay) == [0]
    spoilt(call(relay, WITHDRAWAL), kind, None)


@pytest.mark.parametrize("kind", SPOILS)
def test_before_comes_ahead_of_limiter_and_key(kind: str) -> None:
    """Six calls without a key are spoilt and not counted; then five sound ones are allowed and no more."""
    relay = world(limits="spec")
    answer = control(
        relay, "POST", "faults", {"on": "submit_withdrawal", kind: SPOILS[kind], "at": "before", "times": 6}
    )
    if answer.status == 400:
        assert kind == "delay", answer.body
        return
    before = digest(relay)
    for _ in range(6):
        spoilt(call(relay, WITHDRAWAL._replace(key=None, signature=None)), kind, None)
    assert digest(relay) == before
    if kind != "delay":
        assert [call(relay, WITHDRAWAL).status for _ in range(6)] == [200] * 5 + [429]


@pytest.mark.parametrize("kind", SPOILS)
def test_a_refusal_suffers_too(kind: str) -> None:
    """`after` spoils whatever the answer is."""
    relay, sound = world(), call(world(), WITHDRAWAL.but(accountId=99999))
    arm(relay, "submit_withdrawal", **{kind: SPOILS[kind]})
    spoilt(call(relay, WITHDRAWAL.but(accountId=99999)), kind, sound)


@pytest.mark.parametrize("kind", SPOILS)
def test_times_and_nth_and_when(kind: str) -> None:
    """Two times, from the second matching call on; a call that differs is left alone."""
    relay = world()
    fault = {kind: SPOILS[kind], "nth": 2, "times": 2, "when": {"token": 1}}
    arm(relay, "submit_transfer", **fault)
    odd = TRANSFER.but(token=0, tokenF=0, amount="1", amountF=str(10**16))
    requests = [odd, *([TRANSFER] * 4)]
    answers = [call(relay, request.but(nonce=nonce)) for nonce, request in enumerate(requests)]
    assert fired(relay) == [2]
    sound = [number for number, answer in enumerate(answers) if answer.status == 200 and not _strange(answer)]
    assert sound == [0, 1, 4]
    assert len(pending(relay)) == 5


def _strange(answer: Answer) -> bool:
    try:
        return answer.drop or answer.not_before_ms is not None or answer.code != 0
    except ValueError:
        return True


def test_delay_on_a_clock_that_moved() -> None:
    """Thirty seconds from the call, not from the start."""
    relay = world()
    advance(relay, "7s")
    arm(relay, "get_tokens", delay="30s")
    assert call(relay, Request("get_tokens", {})).not_before_ms == START_MS + 37_000


@pytest.mark.parametrize("at", ["before", "instead"])
def test_delay_elsewhere_is_refused_or_delays(at: str) -> None:
    """A delay at another point is a clean 400, or the answer comes 30 s later."""
    relay = world()
    answer = control(relay, "POST", "faults", {"on": "get_tokens", "delay": "30s", "at": at})
    if answer.status == 400:
        assert set(answer.json) == {"error", "field", "meant"}
    else:
        assert call(relay, Request("get_tokens", {})).not_before_ms == START_MS + 30_000


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
def test_outcome_failed(name: str) -> None:
    """Accepted as ever, then failed: the money is back, and it is in no block as valid."""
    relay = ready(world(), name)
    advance(relay, "1h")
    had = balances(relay, "alice"), balances(relay, "bob"), balances(relay, "carol")
    plain = ready(world(), name)
    advance(plain, "1h")
    arm(relay, name, outcome="failed")
    first, sound = call(relay, valid_request(name)), call(plain, valid_request(name))
    assert (first.status, first.body) == (sound.status, sound.body)
    advance(relay, "1h")
    assert (balances(relay, "alice"), balances(relay, "bob"), balances(relay, "carol")) == had
    assert fired(relay) == [1]
    listed = [tx for tx in pending(relay) if tx.get("valid", True)]
    assert listed == []


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
def test_fault_that_means_nothing_is_refused(fault: dict[str, Any]) -> None:
    """400 with error, field and meant, and nothing is armed."""
    relay = world()
    answer = control(relay, "POST", "faults", fault)
    assert answer.status == 400, answer.body
    assert set(answer.json) == {"error", "field", "meant"}
    assert fired(relay) == []


@pytest.mark.parametrize("name", [row.name for row in ROWS])
def test_scripted_message(name: str) -> None:
    """The script's own words are told, once."""
    relay = world()
    arm(relay, name, code=100000, message="scripted here")
    answer = call(relay, valid_request(name))
    assert (answer.status, answer.code) == (error_status(name), 100000)
    assert "scripted here" in answer.message
    assert b"scripted here" not in call(relay, valid_request(name)).body


def test_fault_of_two_times_answers_two_calls() -> None:
    """`times: 2` is two calls, not one and not three."""
    relay = world()
    arm(relay, "get_depth", code=108001, times=2)
    assert [call(relay, valid_request("get_depth")).code for _ in range(3)] == [108001, 108001, 0]


def test_nth_fault_waits_for_its_call() -> None:
    """`nth: 2` lets the first call through, spoils the second and is then used up."""
    relay = world()
    arm(relay, "get_depth", code=108001, nth=2)
    assert [call(relay, valid_request("get_depth")).code for _ in range(3)] == [0, 108001, 0]


def test_fault_with_a_condition_waits_for_its_fields() -> None:
    """`when` compares decoded fields: a call that differs goes through and leaves the fault armed."""
    relay = world()
    arm(relay, "submit_order", code=102014, when={"orderId": 8})
    codes = [call(relay, order(order_id)).code for order_id in (7, 8, 9)]
    assert codes == [0, 102014, 0]


def test_fault_on_another_endpoint_is_left_alone() -> None:
    """A fault speaks for one endpoint."""
    relay = world()
    arm(relay, "get_ticker", code=100001)
    assert call(relay, valid_request("get_depth")).code == 0
    assert call(relay, valid_request("get_ticker")).code == 100001


def test_shape_flaw_comes_before_a_scripted_code_and_leaves_it_armed() -> None:
    """`at: instead` stands after limiter, key and shape."""
    relay = world()
    arm(relay, "submit_order", code=102014)
    assert call(relay, order(amountS="x")).code == 102120
    assert call(relay, order()._replace(key=None)).code == 104001
    assert call(relay, order(exchangeId=3)).code == 102014, "a scripted code is in place of the endpoint's own checks"
    assert call(relay, order()).code == 0


def test_fault_before_comes_ahead_of_the_limiter_and_counts_nothing() -> None:
    """`at: before` answers first of all; the limiter has seen no call."""
    relay = world(limits="spec")
    arm(relay, "get_depth", code=108001, at="before", times=5)
    assert [call(relay, valid_request("get_depth")._replace(key=None)).code for _ in range(5)] == [108001] * 5
    assert [call(relay, valid_request("get_depth")).status for _ in range(4)] == [200, 200, 200, 429]


def test_code_fault_after_applies_the_call_and_spoils_the_answer() -> None:
    """`at: after`: the order lives although its answer says otherwise."""
    relay = world()
    arm(relay, "submit_order", code=102027, at="after")
    assert call(relay, order()).code == 102027
    listed = call(relay, valid_request("get_orders")).data
    assert listed["totalNum"] == 1
    assert call(relay, order()).code == 102007


def test_pair_outside_the_spec_may_be_scripted() -> None:
    """Any integer may be scripted on any endpoint."""
    relay = world()
    arm(relay, "get_tokens", code=777777, message="as you wish")
    answer = call(relay, valid_request("get_tokens"))
    assert (answer.code, answer.message) == (777777, "as you wish")


@pytest.mark.parametrize(("state", "code"), [("down", 104205), ("error", 104208)])
def test_layer1_fault_spoils_one_call(state: str, code: int) -> None:
    """A fault of kind `layer1` is an outage for the calls it matches alone."""
    relay = world()
    arm(relay, "get_eth_balance", layer1=state)
    assert [call(relay, valid_request("get_eth_balance")).code for _ in range(2)] == [code, 0]


def test_deleted_fault_is_gone() -> None:
    """DELETE faults/ID disarms it; the list is empty and the call goes through."""
    relay = world()
    fault = arm(relay, "get_depth", code=108001)
    assert len(fired(relay)) == 1
    assert control(relay, "DELETE", f"faults/{fault}").status in (200, 204)
    assert fired(relay) == []
    assert call(relay, valid_request("get_depth")).code == 0


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
