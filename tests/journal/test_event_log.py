"""The numbered list of what has happened: its order, its bound, and what is masked in it."""

from __future__ import annotations

from typing import Any

import pytest

from mockrelay.journal import event_log
from mockrelay.journal.event_log import EventLog
from mockrelay.relay import Relay
from tests.support.bodies import E18, W
from tests.support.client import advance, control, done, get, post
from tests.support.worlds import START_MS, relay_from


@pytest.fixture
def relay() -> Relay:
    relay = relay_from()
    relay.keep_events()
    return relay


def log_of(relay: Relay) -> EventLog:
    assert relay.events is not None
    return relay.events


def kinds(relay: Relay) -> list[str]:
    return [event.kind for event in log_of(relay).since(1, 1000)]


def last(relay: Relay, kind: str) -> dict[str, Any]:
    return [event.data for event in log_of(relay).since(1, 1000) if event.kind == kind][-1]


def test_nothing_is_kept_before_somebody_asks() -> None:
    relay = relay_from()
    get(relay, "/api/v2/depth", market="XXX-YYY")
    assert relay.events is None
    relay.keep_events()
    assert kinds(relay) == []


def test_a_call_comes_behind_what_it_brought_about(relay: Relay) -> None:
    done(relay, "POST", "faults", {"on": "submit_order", "delay": "5s", "name": "slow"})
    post(relay, "/api/v3/order", W.order(validSince=W.order()["validSince"] * 1000))
    assert kinds(relay) == ["command", "fault", "finding", "call"]
    first = last(relay, "call")
    assert (first["id"], first["endpoint"], first["faults"]) == ("r1", "submit_order", ["f1"])
    assert first["findings"] == ["milliseconds-for-seconds"]
    assert (first["status"], first["code"], first["heldUntil_ms"]) == (None, None, START_MS + 5000), "not answered yet"
    assert last(relay, "fault") == {"at_ms": START_MS, "fault": "f1", "name": "slow", "effect": "delay", "by": "r1"}
    post(relay, "/api/v3/order", W.order(1))
    moved = last(relay, "moved")
    assert (moved["what"], moved["from"], moved["to"], moved["by"]) == ("order", None, "processing", "r2")


def test_what_falls_due_comes_ahead_of_the_command_that_moves_the_clock(relay: Relay) -> None:
    post(relay, "/api/v3/order", W.order(1))
    first = log_of(relay).next_number
    advance(relay, "61d")
    events = list(log_of(relay).since(first, 1000))
    expired = [event.data for event in events if event.kind == "due" and event.data["event"] == "order_expires"]
    assert [data["at_ms"] for data in expired] == [W.order(1)["validUntil"] * 1000]
    assert [event.data["to"] for event in events if event.data.get("what") == "order"] == ["expired"]
    assert (events[-1].kind, events[-1].data["command"]) == ("command", "clock")


@pytest.mark.parametrize(
    ("path", "body", "name"),
    [
        ("reset", {}, "reset"),
        ("accounts/alice/deposit", {"token": "ETH", "amount": "5"}, "deposit"),
        ("snapshots", {"name": "a"}, "save_snapshot"),
    ],
)
def test_a_command_is_an_event_with_its_short_fields(relay: Relay, path: str, body: Any, name: str) -> None:
    done(relay, "POST", path, body)
    command = last(relay, "command")
    assert command["command"] == name
    assert set(command["fields"].items()) >= set(body.items())


def test_a_refused_command_is_not_an_event(relay: Relay) -> None:
    before = log_of(relay).next_number
    assert control(relay, "POST", "blocks/finalize", {"upTo": 99}).status == 409
    assert log_of(relay).next_number == before


def test_numbers_have_no_gaps_and_reading_may_begin_anywhere(relay: Relay) -> None:
    done(relay, "POST", "faults", {"on": "submit_order", "delay": "5s"})
    for number in range(3):
        post(relay, "/api/v3/order", W.order(number))
    whole = list(log_of(relay).since(1, 1000))
    assert [event.number for event in whole] == list(range(1, log_of(relay).next_number))
    for start in range(1, len(whole) + 2):
        assert list(log_of(relay).since(start, 1000)) == whole[start - 1 :]
        assert list(log_of(relay).since(start, 2)) == whole[start - 1 : start + 1]


def test_the_oldest_events_are_dropped(relay: Relay, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(event_log, "EVENTS_MAX", 4)
    for number in range(5):
        post(relay, "/api/v3/order", W.order(number))  # two events: the order is new, and the call
    assert (log_of(relay).first_number, log_of(relay).next_number) == (7, 11)
    assert [event.number for event in log_of(relay).since(1, 1000)] == [7, 8, 9, 10]


def test_of_one_leap_that_brings_too_many_events_the_newest_are_kept(
    relay: Relay, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten orders expire at once: ten events, ten states that move, and the command."""
    for number in range(10):
        post(relay, "/api/v3/order", W.order(number, amountS=str(E18), amountB=str(E18)))
    monkeypatch.setattr(event_log, "EVENTS_MAX", 4)
    before = log_of(relay).next_number
    advance(relay, "61d")
    kept = list(log_of(relay).since(before, 1000))
    assert len(kept) <= 2 * 4 + 1
    assert kept[-1].data["command"] == "clock"
    assert kept[0].number > before


def test_keys_are_masked_by_name_and_by_value(relay: Relay) -> None:
    secret = "a-key-of-the-client"
    get(relay, "/api/v2/orders", key=secret, apiKey="x", note=secret)
    assert "apiKey=(masked)" in last(relay, "call")["target"]
    assert secret not in last(relay, "call")["target"]
    done(relay, "POST", "accounts/alice/keys", {"apiKey": "another-secret"})
    assert last(relay, "command")["fields"]["apiKey"] == "(masked)"


def test_long_texts_are_cut(relay: Relay) -> None:
    get(relay, "/api/" + "a" * 100_000)
    assert len(last(relay, "call")["target"]) == event_log.TEXT_MAX
    done(relay, "POST", "reset", {"scenarioText": "format: 1\nname: x\nextends: default\n" + "#" * 1000})
    assert "scenarioText" not in last(relay, "command")["fields"]


def test_a_key_of_an_earlier_world_is_masked_after_a_reset(relay: Relay) -> None:
    done(relay, "POST", "accounts/alice/keys", {"apiKey": "key-before-the-reset"})
    get(relay, "/api/v2/orders", key=None, note="key-before-the-reset")
    done(relay, "POST", "reset", {})
    assert "key-before-the-reset" not in str(list(log_of(relay).since(1, 1000)))
