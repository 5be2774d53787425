"""Every (endpoint, code) pair of the spec's error table can be had: by its cause, and by a fault with a `code`."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.causes import OF_THE_NODE, SCRIPTED_ONLY, Cause
from tests.conformance.causes_of_requests import ALL_CAUSES
from tests.conformance.checks import error_status, refused, refused_call
from tests.conformance.transcript import PAIRS, REQUESTS_OF_FUNDS
from tests.support.calls import call, ready, valid_request
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


CALLS = ("submit_order", *REQUESTS_OF_FUNDS)
_AFTER_ANOTHER = ("again", "used", "frozen", "storage id used", "nonce used", "no money", "too often")
"""How causes begin that need another call, which changes the world."""


@pytest.mark.parametrize("name", CALLS)
def test_refused_calls_leave_no_trace(name: str) -> None:
    """After every wrong one of the table the right one is answered as in a world that saw none."""
    relay, untouched = world(), world()
    for cause in ALL_CAUSES:
        if cause.name == name and not cause.how.startswith(_AFTER_ANOTHER) and not cause.choices:
            assert call(relay, cause.arrange(relay)).code == cause.code
    assert digest(relay) == digest(untouched)
    assert call(relay, valid_request(name)).json == call(untouched, valid_request(name)).json
