"""What the journal says of a call is what its client met: in `GET requests`, in `why` and in a failed `verify`."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.core.errors import CallbackFailed
from mockrelay.relay import Relay
from tests.support.bodies import bodies_of
from tests.support.client import control, done, get, post
from tests.support.worlds import relay_from

ORDER, TOKENS = "submit_order", "get_tokens"
PASSED = ["passed"] * 6


def called(endpoint: str, **fault: Any) -> Any:
    """A relayer that a fault has met one call of."""
    relay = relay_from()
    done(relay, "POST", "faults", {"name": "lag once", "on": endpoint, **fault})
    if endpoint == ORDER:
        post(relay, "/api/v3/order", bodies_of(relay).order())
    else:
        get(relay, "/api/v2/exchange/tokens")
    return relay


LOST = "no answer (fault lag once: answer lost"
HELD = "no answer before 2026-01-01T00:00:30Z (fault lag once: held for 30s"


@pytest.mark.parametrize(
    ("endpoint", "fault", "status", "code", "summary"),
    [
        (ORDER, {"drop": True}, None, None, f"{LOST}, carried out)"),
        (ORDER, {"drop": True, "at": "instead"}, None, None, f"{LOST}, not carried out)"),
        (TOKENS, {"drop": True}, None, None, f"{LOST})"),
        (TOKENS, {"status": 503}, 503, None, "503 (fault lag once: 503 in place of the answer)"),
        (TOKENS, {"status": 429, "at": "before"}, 429, None, "429 (fault lag once: 429 in place of the answer)"),
        (TOKENS, {"body": "html"}, 200, None, "200 (fault lag once: body of the answer html)"),
        (TOKENS, {"delay": "30s"}, None, None, f"{HELD})"),
        (ORDER, {"code": 102014}, 200, 102014,
         "200 code 102014 (fault lag once: code 102014 in place of the answer, not carried out)"),
        (ORDER, {"code": 102014, "at": "after"}, 200, 102014,
         "200 code 102014 (fault lag once: code 102014 in place of the answer, carried out)"),
        (ORDER, {"hold": "UNKNOWN"}, 200, 0, "200 code 0 (fault lag once: order held as UNKNOWN)"),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)  # fmt: skip
def test_requests_why_and_verify_say_what_the_client_met(
    endpoint: str, fault: dict[str, Any], status: int | None, code: int | None, summary: str
) -> None:
    relay = called(endpoint, **fault)
    view = done(relay, "GET", "requests")
    (entry,) = view["requests"]
    assert (entry["status"], entry["code"], entry["summary"]) == (status, code, summary)
    assert (entry["answer"] is None) == (status is None)
    why = done(relay, "GET", "why/r1")
    assert (why["status"], why["summary"]) == (status, summary)
    assert why["story"][0].endswith(f"({endpoint}) at 2026-01-01T00:00:00Z -> {summary}")
    unmet = control(relay, "POST", "verify", {"endpoint": endpoint, "times": 0})
    assert f"-> {summary}" in unmet.json["error"]


def test_a_call_without_a_code_is_counted_without_one() -> None:
    relay = called(TOKENS, drop=True)
    get(relay, "/api/v2/exchange/tokens")
    assert done(relay, "GET", "requests")["counts"] == {TOKENS: {"(no code)": 1, "0": 1}}
    done(relay, "POST", "verify", {"endpoint": TOKENS, "times": 1, "code": 0})
    assert done(relay, "GET", "coverage")["kinds"]["successes"]["met"] == [TOKENS]


def test_an_answer_that_was_held_is_told_once_the_clock_is_there() -> None:
    relay = called(TOKENS, delay="30s")
    done(relay, "POST", "clock", {"advance": "30s"})
    (entry,) = done(relay, "GET", "requests")["requests"]
    assert (entry["status"], entry["code"]) == (200, 0)
    assert entry["summary"] == "200 code 0 (fault lag once: held for 30s)"


def test_an_answer_that_is_held_counts_for_no_code_until_it_is_sent() -> None:
    """Neither for `verify` nor in the counts, nor for coverage."""
    relay = called(TOKENS, delay="30s")
    for advance, times in (("0s", 0), ("29s", 0), ("1s", 1)):
        done(relay, "POST", "clock", {"advance": advance})
        done(relay, "POST", "verify", {"endpoint": TOKENS, "times": times, "code": 0})
        assert done(relay, "GET", "requests")["counts"] == {TOKENS: {"0" if times else "(no code)": 1}}
        assert done(relay, "GET", "coverage")["kinds"]["successes"]["met"] == [TOKENS] * times


def test_a_clock_that_is_restored_lets_held_answers_go(relay: Relay) -> None:
    done(relay, "POST", "snapshots", {"name": "s"})
    done(relay, "POST", "faults", {"name": "lag once", "on": TOKENS, "delay": "30s"})
    get(relay, "/api/v2/exchange/tokens")
    done(relay, "POST", "snapshots/s/restore", {})
    (entry,) = done(relay, "GET", "requests")["requests"]
    assert (entry["code"], entry["summary"]) == (0, "200 code 0 (fault lag once: held for 30s)")
    assert done(relay, "GET", "coverage")["kinds"]["successes"]["met"] == [TOKENS]


def test_a_client_that_left_before_its_answer_was_sent_has_none() -> None:
    relay = called(ORDER, delay="30s")
    relay.leave("r1")
    done(relay, "POST", "clock", {"advance": "30s"})
    (entry,) = done(relay, "GET", "requests")["requests"]
    summary = "no answer before its connection was closed (fault lag once: held for 30s, carried out)"
    assert (entry["status"], entry["code"], entry["answer"], entry["summary"]) == (None, None, None, summary)
    assert done(relay, "GET", "why/r1")["status"] is None
    done(relay, "POST", "verify", {"endpoint": ORDER, "times": 0, "code": 0})
    assert done(relay, "GET", "coverage")["kinds"]["successes"]["met"] == []


def test_why_says_no_rule_passed_where_a_verifier_failed() -> None:
    """The codes that are judged behind the signature were not."""

    def verifier(account: object, request: object) -> None:
        raise LookupError("no key")

    relay = Relay.from_scenario(clock="frozen", verifier=verifier)
    with pytest.raises(CallbackFailed):
        post(relay, "/api/v3/order", bodies_of(relay).order())
    why = done(relay, "GET", "why/r1")
    assert (why["refusal"]["code"], why["refusal"]["judgedBefore"]) == (100000, [])
    assert why["story"][1] == "failed at the step 'rules': the relayer's own `verifier` failed: LookupError: no key"


@pytest.mark.parametrize(
    ("fault", "outcomes", "refusal"),
    [
        ({"code": 102014}, ["passed"] * 5 + ["not reached"], (102014, "scripted faults")),
        ({"status": 429, "at": "instead"}, ["passed"] * 5 + ["not reached"], (None, "scripted faults")),
        ({"status": 429, "at": "before"}, ["refused"] + ["not reached"] * 5, (None, "scripted faults")),
        ({"drop": True, "at": "before"}, ["refused"] + ["not reached"] * 5, None),
        ({"drop": True, "at": "instead"}, ["passed"] * 5 + ["not reached"], None),
        ({"code": 102014, "at": "after"}, PASSED, (102014, "scripted faults")),
        ({"status": 503}, PASSED, None),
    ],
)
def test_why_says_no_rule_passed_that_a_fault_stood_for(
    fault: dict[str, Any], outcomes: list[str], refusal: tuple[int | None, str] | None
) -> None:
    why = done(called(ORDER, **fault), "GET", "why/r1")
    assert [step["outcome"] for step in why["gate"]] == outcomes
    found = why["refusal"]
    assert refusal == (None if found is None else (found["code"], found["step"]))
    assert found is None or found["judgedBefore"] == []
    assert ("accepted" in why["story"]) == (outcomes == PASSED)


def test_a_status_of_429_by_a_fault_comes_with_retry_after(relay: Relay) -> None:
    done(relay, "POST", "faults", {"on": TOKENS, "status": 429, "at": "instead", "times": 2})
    assert dict(get(relay, "/api/v2/exchange/tokens").headers)["retry-after"] == "1"
    done(relay, "PUT", "choices", {"rate.retry_after": "none"})
    assert "retry-after" not in dict(get(relay, "/api/v2/exchange/tokens").headers)


def test_reads_of_the_handle_are_no_polls() -> None:
    """A submission that the second poll moves is where it was after any number of views."""
    text = "format: 1\nextends: default\nlifecycles: {withdrawal: {received: {after: {polls: 2}}}}\n"
    relay = relay_from()
    done(relay, "POST", "reset", {"scenarioText": text})
    body = bodies_of(relay).withdrawal()
    signature = "0x" + "01" * 65

    def send() -> Any:
        return post(relay, "/api/v3/user/withdrawals", body, signature=signature).json

    hash_ = send()["hash"]
    for path in (f"submissions/{hash_}", "state", "requests", "why/r1", "accounts/10001"):
        done(relay, "GET", path)
    assert [send()["status"] for _ in range(2)] == ["received", "processing"]
