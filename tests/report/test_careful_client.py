"""A careful client is never blamed, whatever it meets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from mockrelay.clock import Clock
from mockrelay.relay import Relay
from mockrelay.scenario import shipped
from tests.report.bench import Hand
from tests.report.careful_client import Careful
from tests.support.client import done
from tests.support.worlds import START_MS


def careful(scenario: str = "default", choices: Mapping[str, str] | None = None, rate: float = 1) -> Careful:
    hand = Hand()
    relay = Relay.from_scenario(scenario, choices=choices, limits="spec", clock=Clock(START_MS, rate, hand))
    return Careful(relay, hand)


def blamed(client: Careful) -> list[Any]:
    """All findings that are about the client; what a scenario could not do is none of its doing."""
    return [finding for finding in done(client.relay, "GET", "findings") if finding["rule"] != "timeline"]


@pytest.mark.parametrize("scenario", shipped())
def test_in_every_scenario(scenario: str) -> None:
    # It cannot sign, so no scenario may look at signatures.
    client = careful(scenario, {"signature.scheme": "presence"})
    client.day()
    assert blamed(client) == []
    assert client.relay.request_count > 20


@pytest.mark.parametrize(
    "choices",
    [
        {"rate.window": "sliding"},
        {"rate.window": "bucket", "rate.escalate": "60s"},
        {"http.numbers": "lenient"},
        {"request.repeat": "always_idempotent"},
        {"order_id.get": "reserve"},
        {"http.error_status": "200"},
        {"storage_id.space": "shared"},
    ],
)
def test_under_other_readings(choices: dict[str, str]) -> None:
    client = careful("default", choices)
    client.day()
    assert blamed(client) == []


@pytest.mark.parametrize("rate", [0.5, 60])
def test_at_another_pace(rate: float) -> None:
    client = careful(rate=rate)
    client.day()
    assert blamed(client) == []


@pytest.mark.parametrize("on", ["submit_order", "submit_withdrawal", "update_account", "get_orders"])
@pytest.mark.parametrize(
    "fault",
    [
        {"drop": True},
        {"drop": True, "at": "before"},
        {"status": 503},
        {"status": 500, "at": "before"},
        {"body": "truncated"},
        {"body": "html"},
    ],
)
def test_when_answers_are_lost_and_broken(on: str, fault: dict[str, Any]) -> None:
    client = careful()
    done(client.relay, "POST", "faults", {"on": on, "times": 2, **fault})
    client.day()
    assert blamed(client) == []


@pytest.mark.parametrize("held", ["UNKNOWN", "WAIT_FREEZE_BALANCE"])
def test_when_orders_are_held(held: str) -> None:
    client = careful()
    done(client.relay, "POST", "faults", {"on": "submit_order", "times": 3, "hold": held})
    client.day()
    assert blamed(client) == []
