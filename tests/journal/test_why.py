"""`why` gives the whole chain that led to an answer."""

from __future__ import annotations

from typing import Any

from mockrelay.relay import Relay
from tests.live.test_rows import transfer_v3
from tests.support.bodies import ECDSA_SIGNATURE, W, bodies_of
from tests.support.client import advance, control, done, get, post, send
from tests.support.worlds import relay_from

STEPS = ["scripted faults", "rate limit", "API key", "signature header", "shape", "rules"]


def outcomes(why: Any) -> list[str]:
    assert [gate["step"] for gate in why["gate"]] == STEPS
    return [gate["outcome"] for gate in why["gate"]]


def test_an_accepted_call_has_passed_everything(relay: Relay) -> None:
    hash_ = post(relay, "/api/v3/order", W.order()).data["orderHash"]
    why = done(relay, "GET", "why/r1")
    assert outcomes(why) == ["passed"] * 6
    assert why["refusal"] is None
    assert why["moved"] == [{"what": "order", "hash": hash_, "from": None, "to": "processing"}]
    assert "accepted" in why["story"]


def test_a_refusal_by_a_rule_names_the_code_the_detail_and_what_was_judged_before(relay: Relay) -> None:
    post(relay, "/api/v3/order", W.order(amountS="30000000000000000000000000"))
    why = done(relay, "GET", "why/r1")
    assert outcomes(why) == ["passed"] * 5 + ["refused"]
    refusal = why["refusal"]
    assert (refusal["code"], refusal["step"]) == (102020, "rules")
    assert refusal["meaning"] == "Exceeded the maximum order amount"
    before = refusal["judgedBefore"]
    assert 102012 in before
    assert 102011 not in before
    assert why["moved"] == []


def test_each_step_of_the_gate_is_named_where_it_refuses() -> None:
    relay = relay_from(limits="spec")
    send(relay, "GET", "/api/v2/exchange/tokens", key=None)
    assert outcomes(done(relay, "GET", "why/r1")) == ["passed"] * 2 + ["refused"] + ["not reached"] * 3
    post(relay, "/api/v3/user/withdrawals", bodies_of(relay).withdrawal(0))
    assert outcomes(done(relay, "GET", "why/r2")) == ["passed"] * 3 + ["refused"] + ["not reached"] * 2
    get(relay, "/api/v2/depth", market="LRC-ETH", level="x", limit="y")
    assert outcomes(done(relay, "GET", "why/r3")) == ["passed"] * 4 + ["refused", "not reached"]
    for _ in range(4):
        get(relay, "/api/v2/account", owner="0x" + "1" * 40)
    why = done(relay, "GET", "why/r7")
    assert outcomes(why) == ["passed", "refused"] + ["not reached"] * 4
    assert why["status"] == 429
    assert why["refusal"]["step"] == "rate limit"


def test_the_steps_of_a_call_of_the_profile_live_are_in_its_own_order() -> None:
    """A wrong signature is refused before the rules, whatever they would say; what comes after its step is not reached."""
    relay = relay_from("live_v3")
    body = transfer_v3(relay, 1, token={"tokenId": 99, "volume": "1"}, eddsaSignature="0x" + "01" * 96)
    assert post(relay, "/api/v3/transfer", body, signature=ECDSA_SIGNATURE).refusal_code == 104005
    why = done(relay, "GET", "why/r1")
    assert [(step["step"], step["outcome"]) for step in why["gate"]] == [
        *((step, "passed") for step in ("scripted faults", "rate limit", "shape", "types", "API key", "account")),
        *(("signature header", "passed"), ("signature", "refused"), ("rules", "not reached")),
    ]
    assert (why["refusal"]["code"], why["refusal"]["step"]) == (104005, "signature")
    assert any(line.startswith("refused at the step 'signature' with 104005") for line in why["story"])


STANDS = "the relayer's clock stands still: advance it (clock.advance) or let it run"


def test_a_rate_refusal_says_that_the_clock_stands_still_while_it_does() -> None:
    relay = relay_from(limits="spec")
    for _ in range(11):
        get(relay, "/api/v2/depth", market="LRC-ETH", level="0", limit="5")
    refused = next(entry for entry in done(relay, "GET", "requests")["requests"] if entry["status"] == 429)
    assert STANDS in done(relay, "GET", f"why/{refused['id']}")["story"]
    assert STANDS not in done(relay, "GET", "why/r1")["story"]
    done(relay, "POST", "clock", {"rate": 1})
    assert STANDS not in done(relay, "GET", f"why/{refused['id']}")["story"]


def test_an_answer_that_is_held_back_says_until_when(relay: Relay) -> None:
    """A fault delays it by 30 s of the relayer's time, which starts at 2026-01-01T00:00:00Z."""
    done(relay, "POST", "faults", {"on": "get_depth", "delay": "30s"})
    for _ in range(2):
        get(relay, "/api/v2/depth", market="LRC-ETH", level="0", limit="5")
    held, sent = done(relay, "GET", "requests")["requests"]
    assert (held["heldUntil_ms"], sent["heldUntil_ms"]) == (1_767_225_630_000, None)
    story = "the answer is held back until 2026-01-01T00:00:30Z on the relayer's clock"
    assert story in done(relay, "GET", "why/r1")["story"]
    assert story not in done(relay, "GET", "why/r2")["story"]


def test_what_fell_due_before_the_call_is_told_with_its_moves(relay: Relay) -> None:
    hash_ = post(relay, "/api/v3/user/withdrawals", bodies_of(relay).withdrawal(0), signature=ECDSA_SIGNATURE).json[
        "hash"
    ]
    relay.clock.advance(10_000)
    get(relay, "/api/v2/exchange/tokens")
    why = done(relay, "GET", "why/r2")
    assert [due["event"] for due in why["due"]] == ["request_moves", "block_seals"]
    moves = [(move["what"], move["hash"], move["from"], move["to"]) for move in why["moved"]]
    assert ("withdrawal", hash_, "received", "processing") in moves
    assert ("block", "1", None, "pending") in moves
    assert ("withdrawal", hash_, "processing", "processed") in moves


def test_a_fault_that_answers_is_named(relay: Relay) -> None:
    done(relay, "POST", "faults", {"name": "lag once", "on": "submit_order", "code": 102014})
    post(relay, "/api/v3/order", W.order())
    why = done(relay, "GET", "why/r1")
    assert why["fault"] == {"id": "f1", "name": "lag once"}
    assert why["refusal"]["code"] == 102014
    assert why["refusal"]["detail"] == "the scripted fault lag once"
    assert done(relay, "GET", "requests")["requests"][0]["fault"] == "f1"


def test_findings_and_choices_of_the_call_are_told(relay: Relay) -> None:
    post(relay, "/api/v3/order", W.order(), headers={"content-type": "text/plain"})
    why = done(relay, "GET", "why/r1")
    (finding,) = why["findings"]
    assert finding == {
        "rule": "wrong-content-type",
        "request": "r1",
        "source": "call",
        "detail": "Content-Type: text/plain, not application/json",
        "level": "warning",
        "fails": False,
        "fix": "Send `Content-Type: application/json` with every body (Conventions 1).",
    }
    assert {"key": "http.content_type", "option": "report"} in why["choices"]
    assert done(relay, "GET", "findings") == [finding]


def test_a_request_that_reached_no_endpoint_has_a_reason_too(relay: Relay) -> None:
    get(relay, "/api/v2/exchange/token")
    why = done(relay, "GET", "why/r1")
    assert outcomes(why) == ["not reached"] * 6
    assert why["refusal"]["step"] == "path and method"
    assert "/api/v2/exchange/tokens" in why["refusal"]["detail"]


def test_an_unknown_id_is_told_with_those_that_are_kept(relay: Relay) -> None:
    answer = control(relay, "GET", "why/r1")
    assert answer.status == 404
    assert answer.json["meant"] == "a call that was made; there is none"
    get(relay, "/api/v2/exchange/tokens")
    advance(relay, "1s")
    assert control(relay, "GET", "why/r9").json["meant"] == "one of r1 to r1, which are kept"


def test_a_verifiers_sentence_stands_in_the_refusal(relay: Relay) -> None:
    relay = type(relay).from_scenario("default", limits="off", clock="frozen", verifier=lambda *_: "another key")
    now_s = relay.now_ms() // 1000
    body = W.order(validSince=now_s, validUntil=now_s + 60 * 86_400)
    assert post(relay, "/api/v3/order", body).code == 104005
    assert done(relay, "GET", "why/r1")["refusal"]["detail"] == "another key"
