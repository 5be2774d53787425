"""Every (endpoint, code) pair of the spec's error table can be had: by its cause, and by a scripted fault."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.causes import OF_THE_NODE, SCRIPTED_ONLY, Cause
from tests.conformance.causes_of_requests import ALL_CAUSES
from tests.conformance.checks import error_status, refused, refused_call
from tests.conformance.transcript import PAIRS, ROWS
from tests.support.calls import call, order, ready, valid_request
from tests.support.client import control, digest, done
from tests.support.worlds import world


def faults(relay: Relay) -> list[Any]:
    """The faults that are armed."""
    answer = done(relay, "GET", "faults")
    found: list[Any] = answer["faults"] if isinstance(answer, dict) else answer
    assert isinstance(found, list)
    return found


def script(relay: Relay, **fault: Any) -> str:
    """Arm a fault; its id."""
    answer = control(relay, "POST", "faults", fault)
    assert answer.status in (200, 201), answer.body
    return str(answer.json["id"])


@pytest.mark.parametrize("cause", ALL_CAUSES, ids=[cause.id for cause in ALL_CAUSES])
def test_natural_cause(cause: Cause) -> None:
    """The cause alone, with no fault armed, has this code; the refusal changes nothing."""
    relay = world(dict(cause.choices), limits=cause.limits)
    request = cause.arrange(relay)
    assert faults(relay) == []
    before = digest(relay)
    answer = call(relay, request)
    assert digest(relay) == before
    assert faults(relay) == []
    refused(answer, cause.status or error_status(cause.name), {cause.code}, *cause.named)


def test_every_pair_has_a_natural_cause() -> None:
    """The table above leaves out no pair but three; 54 of 86 need neither the node nor 100000."""
    assert set(PAIRS) - {(cause.name, cause.code) for cause in ALL_CAUSES} == SCRIPTED_ONLY
    assert len({pair for pair in PAIRS if pair[1] not in OF_THE_NODE | {100000}} - SCRIPTED_ONLY) == 54


@pytest.mark.parametrize(("name", "code"), PAIRS, ids=[f"{name}-{code}" for name, code in PAIRS])
def test_scripted_fault(name: str, code: int) -> None:
    """A fault answers the next call with the code and its meaning, changes nothing, and is used up by it."""
    relay = ready(world(), name)
    before = digest(relay)
    script(relay, on=name, code=code)
    refused_call(call(relay, valid_request(name)), name, {code})
    assert digest(relay) == before
    assert [(fault["fired"], fault["times"]) for fault in faults(relay)] == [(1, 1)]
    assert call(relay, valid_request(name)).code == 0


@pytest.mark.parametrize("name", [row.name for row in ROWS])
def test_scripted_message(name: str) -> None:
    """The script's own words are told, once."""
    relay = world()
    script(relay, on=name, code=100000, message="scripted here")
    answer = call(relay, valid_request(name))
    assert (answer.status, answer.code) == (error_status(name), 100000)
    assert "scripted here" in answer.message
    assert b"scripted here" not in call(relay, valid_request(name)).body


def test_fault_of_two_times_answers_two_calls() -> None:
    """`times: 2` is two calls, not one and not three."""
    relay = world()
    script(relay, on="get_depth", code=108001, times=2)
    assert [call(relay, valid_request("get_depth")).code for _ in range(3)] == [108001, 108001, 0]


def test_nth_fault_waits_for_its_call() -> None:
    """`nth: 2` lets the first call through, spoils the second and is then used up."""
    relay = world()
    script(relay, on="get_depth", code=108001, nth=2)
    assert [call(relay, valid_request("get_depth")).code for _ in range(3)] == [0, 108001, 0]


def test_fault_with_a_condition_waits_for_its_fields() -> None:
    """`when` compares decoded fields: a call that differs goes through and leaves the fault armed."""
    relay = world()
    script(relay, on="submit_order", code=102014, when={"orderId": 8})
    codes = [call(relay, order(order_id)).code for order_id in (7, 8, 9)]
    assert codes == [0, 102014, 0]


def test_fault_on_another_endpoint_is_left_alone() -> None:
    """A fault speaks for one endpoint."""
    relay = world()
    script(relay, on="get_ticker", code=100001)
    assert call(relay, valid_request("get_depth")).code == 0
    assert call(relay, valid_request("get_ticker")).code == 100001


def test_shape_flaw_comes_before_a_scripted_code_and_leaves_it_armed() -> None:
    """`at: instead` stands after limiter, key and shape."""
    relay = world()
    script(relay, on="submit_order", code=102014)
    assert call(relay, order(amountS="x")).code == 102120
    assert call(relay, order()._replace(key=None)).code == 104001
    assert call(relay, order(exchangeId=3)).code == 102014, "a scripted code is in place of the endpoint's own checks"
    assert call(relay, order()).code == 0


def test_fault_before_comes_ahead_of_the_limiter_and_counts_nothing() -> None:
    """`at: before` answers first of all; the limiter has seen no call."""
    relay = world(limits="spec")
    script(relay, on="get_depth", code=108001, at="before", times=5)
    assert [call(relay, valid_request("get_depth")._replace(key=None)).code for _ in range(5)] == [108001] * 5
    assert [call(relay, valid_request("get_depth")).status for _ in range(4)] == [200, 200, 200, 429]


def test_code_fault_after_applies_the_call_and_spoils_the_answer() -> None:
    """`at: after`: the order lives although its answer says otherwise."""
    relay = world()
    script(relay, on="submit_order", code=102027, at="after")
    assert call(relay, order()).code == 102027
    listed = call(relay, valid_request("get_orders")).data
    assert listed["totalNum"] == 1
    assert call(relay, order()).code == 102007


def test_pair_outside_the_spec_may_be_scripted() -> None:
    """Any integer may be scripted on any endpoint."""
    relay = world()
    script(relay, on="get_tokens", code=777777, message="as you wish")
    answer = call(relay, valid_request("get_tokens"))
    assert (answer.code, answer.message) == (777777, "as you wish")


@pytest.mark.parametrize(("state", "code"), [("down", 104205), ("error", 104208)])
def test_layer1_fault_spoils_one_call(state: str, code: int) -> None:
    """A fault of kind `layer1` is an outage for the calls it matches alone."""
    relay = world()
    script(relay, on="get_eth_balance", layer1=state)
    assert [call(relay, valid_request("get_eth_balance")).code for _ in range(2)] == [code, 0]


def test_deleted_fault_is_gone() -> None:
    """DELETE faults/ID disarms it; the list is empty and the call goes through."""
    relay = world()
    fault = script(relay, on="get_depth", code=108001)
    assert len(faults(relay)) == 1
    assert control(relay, "DELETE", f"faults/{fault}").status in (200, 204)
    assert faults(relay) == []
    assert call(relay, valid_request("get_depth")).code == 0


@pytest.mark.parametrize(
    "fault",
    [
        {},
        {"on": "get_depth"},
        {"on": "no_such", "code": 1},
        {"on": "get_depth", "code": "x"},
        {"on": "get_depth", "cod": 1},
    ],
    ids=["empty", "no kind", "no such endpoint", "code no integer", "unknown word"],
)
def test_fault_that_means_nothing_is_refused(fault: dict[str, Any]) -> None:
    """The control API says 400 with what was meant, and arms nothing."""
    relay = world()
    answer = control(relay, "POST", "faults", fault)
    assert answer.status == 400, answer.body
    assert set(answer.json) == {"error", "field", "meant"}
    assert faults(relay) == []
