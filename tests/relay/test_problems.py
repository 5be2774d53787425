"""`GET problems`: what a test should not pass over."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.control import handle_control
from mockrelay.relay import Relay
from mockrelay.replay import load_into
from tests.support.bodies import W
from tests.support.client import control, done, get, post, send
from tests.support.worlds import world


def problems(relay: Relay) -> list[tuple[str, str | None]]:
    return [(problem["kind"], problem["request"]) for problem in done(relay, "GET", "problems")]


def test_a_relayer_that_was_used_rightly_has_none(relay: Relay) -> None:
    post(relay, "/api/v3/order", W.order())
    post(relay, "/api/v3/order", W.order())
    get(relay, "/api/v2/depth", market="XXX-YYY")
    assert problems(relay) == []


def test_an_unknown_path_and_a_wrong_method_are_problems_with_what_was_meant(relay: Relay) -> None:
    get(relay, "/api/v3/ordr")
    send(relay, "DELETE", "/api/v3/order")
    assert problems(relay) == [("unknown_path", "r1"), ("unknown_path", "r2")]
    first, second = done(relay, "GET", "problems")
    assert "/api/v3/order" in first["meant"]
    assert "GET /api/v3/ordr" in first["reason"]
    assert second["meant"] == "POST"


@pytest.mark.parametrize("path", ["/", "/favicon.ico", "/robots.txt"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_what_browsers_ask_any_server_for_is_neither_a_problem_nor_a_finding(
    relay: Relay, method: str, path: str
) -> None:
    assert send(relay, method, path).status == 404
    assert problems(relay) == []
    assert done(relay, "GET", "findings") == []


@pytest.mark.parametrize(("method", "path"), [("POST", "/"), ("GET", "/index.html"), ("GET", "/api/favicon.ico")])
def test_paths_like_those_of_browsers_are_problems(relay: Relay, method: str, path: str) -> None:
    send(relay, method, path)
    assert problems(relay) == [("unknown_path", "r1")]
    assert [finding["rule"] for finding in done(relay, "GET", "findings")] == ["foreign-path"]


def test_a_fault_that_was_armed_and_never_fired_is_one_until_it_fires_or_goes(relay: Relay) -> None:
    fault = {"on": "submit_order", "code": 102014, "when": {"accountId": 10002}}
    ids = [done(relay, "POST", "faults", fault)["id"], done(relay, "POST", "faults", {**fault, "when": {}})["id"]]
    post(relay, "/api/v3/order", W.order())
    (problem,) = done(relay, "GET", "problems")
    assert problem["kind"] == "unfired_fault"
    assert problem["reason"].endswith("1 call of it came, none fits; r1: accountId: wanted 10002, found 10001")
    done(relay, "DELETE", f"faults/{ids[0]}")
    assert problems(relay) == []


@pytest.mark.parametrize(
    ("fault", "met"),
    [
        (
            {"when": {"amountS": "7"}},
            '2 calls of it came, none fits; r2: amountS: wanted "7", found "100000000000000000000";',
        ),
        ({"when": {"accountId": 10001, "orderId": 5}}, "none fits; r2: orderId: wanted 5, found 1; r1: orderId: "),
        ({"when": {"allOrNone": "false"}}, 'none fits; r2: allOrNone: wanted "false", found (absent);'),
        ({"when": {"signatureRx": "77"}}, "none fits; r2: signatureRx: wanted (masked), found (masked);"),
        ({"nth": 3}, "2 calls of it came, 2 fit, and nth is 3"),
    ],
)
def test_a_fault_that_never_fired_shows_how_the_nearest_calls_differ(relay: Relay, fault: Any, met: str) -> None:
    done(relay, "POST", "faults", {"on": "submit_order", "code": 102014, **fault})
    post(relay, "/api/v3/order", W.order())
    post(relay, "/api/v3/order", W.order(1))
    (problem,) = done(relay, "GET", "problems")
    assert met in f"{problem['reason']};"
    assert '"77"' not in str(problem)


def test_a_fault_that_asks_for_an_inner_field_says_how_that_differs(relay: Relay) -> None:
    done(relay, "POST", "faults", {"on": "submit_withdrawal", "drop": True, "when": {"token": {"tokenId": 0}}})
    post(relay, "/api/v3/user/withdrawals", {"token": {"tokenId": 1, "volume": "5"}})
    (problem,) = done(relay, "GET", "problems")
    assert problem["reason"].endswith("r1: token.tokenId: wanted 0, found 1")


def test_a_fault_that_was_armed_too_late_says_which_call_it_missed(relay: Relay) -> None:
    post(relay, "/api/v3/order", W.order())
    done(relay, "POST", "faults", {"on": "submit_order", "code": 102014, "when": {"accountId": 10001}})
    (problem,) = done(relay, "GET", "problems")
    assert "1 call of it came; r1 has what it asks for, but came before it was armed" in problem["reason"]


def test_a_scenarios_own_faults_lie_in_wait_and_are_none(relay: Relay) -> None:
    text = "format: 1\nextends: default\nfaults: [{on: submit_order, code: 102014}]\n"
    done(relay, "POST", "reset", {"scenarioText": text})
    assert problems(relay) == []
    done(relay, "POST", "faults", {"on": "get_depth", "code": 108000})
    assert problems(relay) == [("unfired_fault", None)]


def test_a_failure_of_our_own_is_one(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> None:

    def fails(*_: Any) -> None:
        raise RuntimeError("boom")

    monkeypatch.setattr("mockrelay.relay.relay.answer", fails)
    with pytest.raises(RuntimeError, match="boom"):
        get(relay, "/api/v2/exchange/tokens")
    (problem,) = done(relay, "GET", "problems")
    assert (problem["kind"], problem["request"]) == ("inner_failure", "r1")
    assert "RuntimeError: boom" in problem["reason"]


def test_a_shape_refusal_is_a_finding_and_no_problem(relay: Relay) -> None:
    post(relay, "/api/v3/order", W.order(label=-1))
    assert problems(relay) == []
    (finding,) = done(relay, "GET", "findings")
    assert (finding["rule"], finding["request"]) == ("shape", "r1")
    assert "label" in finding["detail"]


def test_accounts_are_named_by_id_by_name_or_by_owner(relay: Relay) -> None:
    by_name = done(relay, "GET", "accounts/bob")
    assert by_name == done(relay, "GET", "accounts/10002")
    assert by_name == done(relay, "GET", f"accounts/{by_name['owner']}")
    assert by_name == done(relay, "GET", f"accounts/{by_name['owner'].lower()}")
    assert by_name in done(relay, "GET", "accounts")
    assert by_name["balances"]["ETH"]["free"] == "1000000000000000000000"
    done(relay, "POST", "accounts/bob/deposit", {"token": "ETH", "amount": "5"})
    assert done(relay, "GET", "accounts/bob")["balances"]["ETH"]["free"] == "1000000000000000000005"
    answer = control(relay, "POST", "accounts/dave/freeze", {"frozen": True})
    assert answer.status == 404
    assert "10001 (alice)" in answer.json["meant"]


def test_emptying_the_journal_keeps_what_should_not_be_passed_over(relay: Relay) -> None:
    get(relay, "/api/v3/ordr")
    done(relay, "DELETE", "requests")
    assert problems(relay) == [("unknown_path", "r1")]


def test_a_fault_of_the_scenarios_timeline_lies_in_wait_too(relay: Relay) -> None:
    text = "format: 1\nextends: default\ntimeline: [{at: 60s, do: {fault: {on: submit_order, code: 102014}}}]\n"
    done(relay, "POST", "reset", {"scenarioText": text})
    done(relay, "POST", "clock", {"advance": "61s"})
    assert len(done(relay, "GET", "faults")) == 1
    assert problems(relay) == []


@pytest.mark.parametrize(
    "body", [b'{"when": {"exchangeId": NaN}}', b'{"when": {"exchangeId": 1e999}}', b'{"on": "a", "on": "b"}']
)
def test_what_is_no_json_or_says_a_thing_twice_is_refused(relay: Relay, body: bytes) -> None:
    answer = handle_control(relay, "POST", "faults", (), body)
    assert answer.status == 400
    assert b'"field":"body"' in answer.body


def kept(relay: Relay) -> list[tuple[str, str | None]]:
    """What the report has of all starts."""
    return [
        (problem["kind"], problem["request"])
        for problem in control(relay, "GET", "findings", format="json").json["problems"]
    ]


def test_a_reset_leaves_them_in_the_report() -> None:
    """The unfired fault and the unknown path of each start; one that the test takes away itself is none."""
    relay = world()
    done(relay, "POST", "faults", {"on": "get_ticker", "status": 503})
    get(relay, "/nowhere")
    assert kept(relay) == [("unknown_path", "r1"), ("unfired_fault", None)]
    done(relay, "POST", "reset", {})
    assert problems(relay) == []
    assert kept(relay) == [("unknown_path", "r1"), ("unfired_fault", None)]
    done(relay, "POST", "faults", {"on": "get_ticker", "status": 503})
    done(relay, "DELETE", "faults")
    done(relay, "POST", "faults", {"on": "get_depth", "status": 503})
    assert kept(relay) == [("unknown_path", "r1"), ("unfired_fault", None), ("unfired_fault", None)]
    done(relay, "POST", "reset", {})
    done(relay, "POST", "reset", {})
    assert len(kept(relay)) == 3


def test_a_fault_that_a_snapshot_has_too_is_not_given_up_by_its_restoring() -> None:
    relay = world()
    done(relay, "POST", "faults", {"on": "get_ticker", "status": 503})
    done(relay, "POST", "snapshots", {"name": "start"})
    done(relay, "POST", "faults", {"on": "get_depth", "status": 503})
    done(relay, "POST", "snapshots/start/restore")
    assert kept(relay) == [("unfired_fault", None)] * 2  # one of the past, one of the present
    done(relay, "POST", "snapshots/start/restore")
    assert kept(relay) == [("unfired_fault", None)] * 2
    get(relay, "/api/v2/ticker", market="LRC-ETH")
    assert kept(relay) == [("unfired_fault", None)]


def test_loading_gives_up_the_faults_that_the_record_does_not_have() -> None:
    relay = world()
    done(relay, "POST", "faults", {"on": "get_ticker", "status": 503})
    load_into(relay, world().dump())
    assert problems(relay) == []
    assert kept(relay) == [("unfired_fault", None)]


def test_secrets_in_a_problem_are_masked_before_the_journal_that_knows_them_is_gone() -> None:
    relay = world()
    send(relay, "GET", "/api/sesame-of-nobody", key="sesame-of-nobody")
    done(relay, "POST", "reset", {})
    text = control(relay, "GET", "findings", format="json").body.decode()
    assert "reached no endpoint" in text
    assert "sesame-of-nobody reached" not in text
