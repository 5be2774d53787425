"""Faults that spoil an answer or an outcome: `status`, `body`, `drop`, `delay` at their three points, and `outcome`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.causes_of_requests import TRANSFER, UPDATE, WITHDRAWAL, taken
from tests.conformance.checked import balances, pending
from tests.conformance.transcript import ROWS
from tests.support.answer import Answer
from tests.support.bodies import E18
from tests.support.calls import Request, call, ready, valid_request
from tests.support.client import advance, control, digest, done
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
class TestPoints:
    """Before, instead, after."""

    def test_after_is_the_default(self, kind: str) -> None:
        """The call is applied, then its answer suffers; the next answer is sound."""
        relay, sound = world(), call(world(), WITHDRAWAL)
        arm(relay, "submit_withdrawal", **{kind: SPOILS[kind]})
        spoilt(call(relay, WITHDRAWAL), kind, sound)
        assert fired(relay) == [1]
        assert applied(relay)
        again = call(relay, WITHDRAWAL)
        assert (again.status, again.drop, again.not_before_ms) == (200, False, None)
        assert again.json["isIdempotent"] is True

    def test_after_by_name_is_the_same(self, kind: str) -> None:
        """`at: after` said or unsaid."""
        said, unsaid = world(), world()
        arm(said, "submit_withdrawal", **{kind: SPOILS[kind]}, at="after")
        arm(unsaid, "submit_withdrawal", **{kind: SPOILS[kind]})
        assert call(said, WITHDRAWAL) == call(unsaid, WITHDRAWAL)

    def test_instead_does_nothing_but_spoil(self, kind: str) -> None:
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

    def test_instead_comes_after_key_and_signature_and_shape(self, kind: str) -> None:
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

    def test_before_comes_ahead_of_limiter_and_key(self, kind: str) -> None:
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

    def test_a_refusal_suffers_too(self, kind: str) -> None:
        """`after` spoils whatever the answer is."""
        relay, sound = world(), call(world(), WITHDRAWAL.but(accountId=99999))
        arm(relay, "submit_withdrawal", **{kind: SPOILS[kind]})
        spoilt(call(relay, WITHDRAWAL.but(accountId=99999)), kind, sound)

    def test_times_and_nth_and_when(self, kind: str) -> None:
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


def test_failed_update_gives_the_old_key_back() -> None:
    """The key that was there before is active again, the nonce stays used, and the next update is sound."""
    relay = world()
    owner = valid_request("get_account")
    before = call(relay, owner).data
    arm(relay, "update_account", outcome="failed")
    taken(relay, UPDATE)
    advance(relay, "1h")
    after = call(relay, owner).data
    keys = ("publicKeyX", "publicKeyY")
    assert [after[key] for key in keys] == [before[key] for key in keys]
    assert after["accountNonce"] == before["accountNonce"] + 1
    assert call(relay, UPDATE).code == 102021
    taken(relay, UPDATE.but(nonce=1))


def test_failed_withdrawal_leaves_its_storage_id_used() -> None:
    """102021 for the next request under it, whatever that asks for."""
    relay = world()
    arm(relay, "submit_withdrawal", outcome="failed")
    taken(relay, WITHDRAWAL)
    advance(relay, "1h")
    assert call(relay, WITHDRAWAL.but(token={"tokenId": 1, "volume": str(2 * E18)})).code == 102021
