"""Snapshots hold everything, are restored any number of times in any order, and outlive a reset."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.recording.snapshots import SNAPSHOTS_MAX
from mockrelay.relay import Relay
from tests.relay.bodies import SIGNATURE, order, transfer, withdrawal
from tests.support.client import advance, control, done, get, post
from tests.support.worlds import START_MS, relay_from


def state(relay: Relay) -> Any:
    """Everything that can be seen, by the world's digest of all and in words."""
    shown = done(relay, "GET", "state")
    return shown, done(relay, "GET", "clock")


def test_each_restore_brings_everything_back() -> None:
    relay = relay_from(limits="spec")
    get(relay, "/api/v2/exchange/tokens")
    done(relay, "POST", "snapshots", {"name": "s1"})
    first = state(relay)

    advance(relay, "1d")
    sent = order(validSince=START_MS // 1000 + 86_400, validUntil=START_MS // 1000 + 90 * 86_400)
    assert post(relay, "/api/v3/order", sent).code == 0
    post(relay, "/api/v3/user/withdrawals", withdrawal(relay, 0), signature=SIGNATURE)
    post(relay, "/api/v2/transfer", transfer(0), signature=SIGNATURE)
    done(relay, "POST", "fees", {"requestType": 9, "token": "LRC", "factor": 1.3})
    done(relay, "POST", "faults", {"on": "submit_order", "code": 102014})
    done(relay, "PUT", "choices", {"http.error_status": "400"})
    done(relay, "POST", "blocks/seal", {})
    done(relay, "POST", "snapshots", {"name": "s2"})
    second = state(relay)

    advance(relay, "3h")
    post(relay, "/api/v3/order", order(1))
    done(relay, "POST", "accounts/alice/freeze", {"frozen": True})
    assert state(relay) != second
    for name, expected in (("s2", second), ("s1", first), ("s1", first), ("s2", second)):
        done(relay, "POST", f"snapshots/{name}/restore")
        assert state(relay) == expected
    done(relay, "POST", "reset", {})
    done(relay, "POST", "snapshots/s1/restore")
    assert state(relay) == first


def test_a_restored_world_goes_on_as_the_first_one_did() -> None:
    """Hashes, ids, limiter and due events are where they were."""
    relay = relay_from(limits="spec")
    done(relay, "POST", "snapshots", {"name": "s"})

    def script() -> list[bytes]:
        answers = [post(relay, "/api/v3/order", order(n)).body for n in range(4)]
        advance(relay, "1s")
        answers += [post(relay, "/api/v3/order", order(n)).body for n in range(3, 6)]
        done(relay, "POST", "blocks/seal", {})
        return [*answers, done(relay, "GET", "state")["digest_all"]]

    once = script()
    done(relay, "POST", "snapshots/s/restore")
    assert script() == once
    assert b"100000" in once[3], "the fourth order of a second is one too many"


def test_a_snapshot_brings_its_scenario_along() -> None:
    relay = relay_from()
    done(relay, "POST", "snapshots", {"name": "s"})
    text = "format: 1\nname: other\nextends: default\naccounts: [{name: dave, accountId: 10009}]\n"
    done(relay, "POST", "reset", {"scenarioText": text})
    assert done(relay, "GET", "health")["scenario"] == "other"
    done(relay, "POST", "snapshots/s/restore")
    assert done(relay, "GET", "health")["scenario"] == "default"
    assert control(relay, "GET", "accounts/dave").status == 404


def test_the_clock_runs_on_at_the_rate_it_had() -> None:
    relay = relay_from()
    done(relay, "POST", "snapshots", {"name": "s"})
    done(relay, "POST", "clock", {"rate": 60})
    done(relay, "POST", "snapshots/s/restore")
    assert done(relay, "GET", "clock") == {"now_ms": START_MS, "now": "2026-01-01T00:00:00Z", "rate": 0}


def test_a_snapshot_is_overwritten_by_its_name_and_forgotten_when_deleted() -> None:
    relay = relay_from()
    done(relay, "POST", "snapshots", {"name": "s"})
    advance(relay, "1h")
    done(relay, "POST", "snapshots", {"name": "s"})
    advance(relay, "1h")
    assert done(relay, "POST", "snapshots/s/restore")["now_ms"] == START_MS + 3_600_000
    assert done(relay, "GET", "snapshots") == [{"name": "s", "now_ms": START_MS + 3_600_000, "scenario": "default"}]
    done(relay, "DELETE", "snapshots/s")
    assert done(relay, "GET", "snapshots") == []
    assert control(relay, "POST", "snapshots/s/restore").status == 404


def test_an_unknown_name_is_told_with_the_nearest() -> None:
    relay = relay_from()
    answer = control(relay, "POST", "snapshots/funded/restore")
    assert (answer.status, answer.json["field"]) == (404, "name")
    assert answer.json["meant"] == "a snapshot that was taken; there is none"
    done(relay, "POST", "snapshots", {"name": "funded"})
    assert "funded" in control(relay, "DELETE", "snapshots/fundet").json["meant"]


@pytest.mark.parametrize("name", ["", "a/b", "x" * 201, None, 7])
def test_what_is_no_name_is_refused(name: Any) -> None:
    answer = control(relay_from(), "POST", "snapshots", {"name": name})
    assert (answer.status, answer.json["field"]) == (400, "name")


def test_there_is_an_end_to_how_many_there_can_be() -> None:
    relay = relay_from()
    for number in range(SNAPSHOTS_MAX):
        done(relay, "POST", "snapshots", {"name": f"s{number}"})
    assert control(relay, "POST", "snapshots", {"name": "one more"}).status == 409
    done(relay, "POST", "snapshots", {"name": "s7"})
    done(relay, "DELETE", "snapshots/s7")
    done(relay, "POST", "snapshots", {"name": "one more"})
