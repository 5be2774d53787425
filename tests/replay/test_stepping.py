"""Stepping through a record: at each position the relay is as the recorded one was, whichever way it came there."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mockrelay.core.world import digest_all
from mockrelay.recording.format import RecordError, read_record
from mockrelay.relay import Relay
from mockrelay.replay import stepping
from mockrelay.replay.stepping import Stepper
from tests.support.bodies import W
from tests.support.client import control, done, get, post
from tests.support.worlds import relay_from

ORDER = "/api/v3/order"


def recorded(calls: int = 4) -> tuple[bytes, list[tuple[str, list[str], list[str]]]]:
    """A record, and what the relayer was like behind each of its calls and commands: digest, calls, findings."""
    relay, lines = relay_from(), list[str]()
    relay.record_to(lines.append)
    seen = [_seen(relay)]

    def noted(_: object) -> None:
        seen.append(_seen(relay))

    noted(done(relay, "POST", "faults", {"on": "submit_order", "code": 102014, "nth": 2}))
    for number in range(calls):
        noted(post(relay, ORDER, W.order(number)))
    noted(get(relay, "/api/v3/nope"))
    noted(done(relay, "POST", "clock", {"advance": "61d"}))
    noted(done(relay, "DELETE", "requests"))
    noted(post(relay, ORDER, W.order(50)))
    return "".join(lines).encode(), seen


def _seen(relay: Relay) -> tuple[str, list[str], list[str]]:
    requests = done(relay, "GET", "requests")["requests"]
    return digest_all(relay.world), [call["id"] for call in requests], [f.rule for f in relay.world.findings]


@pytest.mark.parametrize("spacing", [1, 3, 50])
def test_each_position_is_as_it_was_whichever_way_it_is_reached(spacing: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stepping, "SPACING_MIN", spacing)
    record, seen = recorded()
    stepper = Stepper(read_record(record))
    assert stepper.position == len(stepper.positions) - 1 == len(seen) - 1
    assert _seen(stepper.relay) == seen[-1]
    for position in [*range(len(seen)), 3, 4, 0, 7, 6, 6, 2]:
        stepper.go_to(position)
        assert _seen(stepper.relay) == seen[position], position


def test_positions_say_what_happened_and_when() -> None:
    record, _ = recorded(1)
    positions = Stepper(read_record(record)).positions
    assert [position.text for position in positions[:4]] == [
        "the state at the start",
        "command fault",
        "r1 POST /api/v3/order",
        "r2 GET /api/v3/nope",
    ]
    lines = record.splitlines()
    assert [json.loads(lines[position.line - 1])["kind"] for position in positions] == [one.kind for one in positions]


def test_what_was_done_to_the_relay_meanwhile_is_undone_by_the_next_step() -> None:
    record, seen = recorded()
    stepper = Stepper(read_record(record))
    stepper.go_to(2)
    post(stepper.relay, ORDER, W.order(99))
    done(stepper.relay, "POST", "accounts/alice/freeze", {"frozen": True})
    stepper.go_to(3)
    assert _seen(stepper.relay) == seen[3]


def test_the_clock_stands_still() -> None:
    relay, lines = relay_from(), list[str]()
    relay.record_to(lines.append)
    done(relay, "POST", "clock", {"rate": 60})
    assert control(Stepper(read_record("".join(lines).encode())).relay, "GET", "clock").json["rate"] == 0


@pytest.mark.parametrize(
    ("damage", "of"), [(lambda text: text, "other"), (lambda text: text[: text.index(b"\n") + 1], "")]
)
def test_what_cannot_be_stepped_through_is_refused(damage: Any, of: str) -> None:
    record, _ = recorded(1)
    with pytest.raises(RecordError):
        Stepper(read_record(damage(record)), of)
