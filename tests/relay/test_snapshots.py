"""Snapshots hold everything, are restored any number of times in any order, and outlive a reset."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.transcript import ROWS
from tests.relay.changes import CHANGES, script
from tests.support.calls import call, valid_request
from tests.support.client import advance, control, done, get, state
from tests.support.worlds import START_MS, world

GETS = [row.name for row in ROWS if row.method == "GET"]


def limited_world() -> Relay:
    """With limits and bans: what a look costs is part of the world."""
    return world(limits="spec", choices={"rate.escalate": "60s"})


@pytest.fixture
def relay() -> Relay:
    return limited_world()


def views(relay: Relay) -> list[Any]:
    """The world in words, and each GET of the API as it is answered there."""
    words = [done(relay, "GET", path) for path in ("state", "clock", "choices", "faults", "accounts", "health")]
    answers = [call(relay, valid_request(name)) for name in GETS]
    answers += [get(relay, "/api/v2/block/getBlock", id=number, key="bob") for number in range(3)]
    return [*words, *((answer.status, answer.headers.get("retry-after"), answer.body) for answer in answers)]


def take(relay: Relay, name: str) -> list[Any]:
    """Take a snapshot; what is seen there, with all that looking changes undone again."""
    done(relay, "POST", "snapshots", {"name": name})
    return restore(relay, name)


def restore(relay: Relay, name: str) -> list[Any]:
    """What is seen once the snapshot is restored, with all that looking changes undone again."""
    done(relay, "POST", f"snapshots/{name}/restore")
    found = views(relay)
    done(relay, "POST", f"snapshots/{name}/restore")
    return found


def test_snapshots_come_back_in_any_order(relay: Relay) -> None:
    """Five of them, nested, with changes of every kind between; each after each other one."""
    expected = {"bare": take(relay, "bare")}
    for name in ("orders", "blocks", "faults", "a_year_later"):
        CHANGES[name](relay)
        expected[name] = take(relay, name)
    assert len({str(each) for each in expected.values()}) == 5
    changes = list(CHANGES.values())
    for number, pair in enumerate(permutations(expected, 2)):
        changes[number % len(changes)](relay)
        for name in pair:
            assert restore(relay, name) == expected[name], (number, name)


@pytest.mark.parametrize("name", sorted(set(CHANGES) - {"running_clock"}))
def test_a_change_can_be_undone_and_done_again_with_the_same_outcome(relay: Relay, name: str) -> None:
    """And what follows it: hashes, ids, blocks and limits are the same, byte for byte."""
    CHANGES["orders"](relay)
    before, requests = take(relay, "before"), relay.request_count
    outcomes = []
    for _ in range(3):
        # Requests are numbered on when a snapshot is restored, and findings name them.
        relay.request_count = requests
        CHANGES[name](relay)
        outcomes.append((script(relay), state(relay)["digest_all"]))
        assert restore(relay, "before") == before
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_a_snapshot_stays_what_it_was_whatever_is_done_to_its_world(relay: Relay) -> None:
    """Nothing is shared between the world that was saved and the one that goes on, nor between two restored ones."""
    twin = limited_world()
    for one in (relay, twin):
        CHANGES["blocks"](one)
    expected = take(twin, "blocks")
    done(relay, "POST", "snapshots", {"name": "blocks"})
    for change in CHANGES.values():
        change(relay)
        change(relay)
        assert restore(relay, "blocks") == expected
        change(relay)


def test_a_deleted_name_is_unknown_and_may_be_taken_again_for_another_state(relay: Relay) -> None:
    """Which outlives a reset."""
    take(relay, "s")
    done(relay, "DELETE", "snapshots/s")
    assert done(relay, "GET", "snapshots") == []
    refused = control(relay, "POST", "snapshots/s/restore")
    assert (refused.status, refused.json["field"]) == (404, "name")
    CHANGES["orders"](relay)
    expected = take(relay, "s")
    done(relay, "POST", "reset", {})
    assert restore(relay, "s") == expected


def test_findings_made_after_a_snapshot_leave_the_list_and_stay_in_the_report(relay: Relay) -> None:
    call(relay, valid_request("get_depth").but(x="1"))
    done(relay, "POST", "snapshots", {"name": "s"})
    call(relay, valid_request("get_ticker").but(x="1"))
    done(relay, "POST", "snapshots/s/restore")
    assert [finding["request"] for finding in done(relay, "GET", "findings")] == ["r1"]
    assert control(relay, "GET", "findings", format="json").json["counts"] == {"unknown-field": 2}
    assert [finding["rule"] for finding in done(relay, "GET", "why/r2")["findings"]] == ["unknown-field"]


def test_calls_have_new_ids_after_a_restore(relay: Relay) -> None:
    """The journal goes on: an id never means two calls."""
    done(relay, "POST", "snapshots", {"name": "s"})
    ids = []
    for _ in range(5):
        ids.append(get(relay, "/api/v3/getAvailableBroker").headers["x-mockrelay-request-id"])
        done(relay, "POST", "snapshots/s/restore")
    assert len(set(ids)) == 5
    assert {control(relay, "GET", f"why/{each}").status for each in ids} == {200}


def test_a_snapshot_is_replaced_under_its_name(relay: Relay) -> None:
    done(relay, "POST", "snapshots", {"name": "s"})
    advance(relay, "1h")
    done(relay, "POST", "snapshots", {"name": "s"})
    advance(relay, "1h")
    restored = done(relay, "POST", "snapshots/s/restore")
    assert restored["now_ms"] == START_MS + 3_600_000
    assert done(relay, "GET", "snapshots") == [{"name": "s", "now_ms": START_MS + 3_600_000, "scenario": "world_w"}]


def test_an_unknown_name_is_refused_with_the_nearest(relay: Relay) -> None:
    answer = control(relay, "POST", "snapshots/funded/restore")
    assert (answer.status, answer.json["field"]) == (404, "name")
    assert answer.json["meant"] == "a snapshot that was taken; there is none"
    done(relay, "POST", "snapshots", {"name": "funded"})
    assert "funded" in control(relay, "DELETE", "snapshots/fundet").json["meant"]


@pytest.mark.parametrize("name", ["", "a/b", "x" * 201, None, 7])
def test_what_is_not_a_name_is_refused(relay: Relay, name: Any) -> None:
    answer = control(relay, "POST", "snapshots", {"name": name})
    assert (answer.status, answer.json["field"]) == (400, "name")


def test_one_snapshot_too_many_is_refused(relay: Relay) -> None:
    for number in range(100):
        done(relay, "POST", "snapshots", {"name": f"s{number}"})
    assert control(relay, "POST", "snapshots", {"name": "one more"}).status == 409
    done(relay, "POST", "snapshots", {"name": "s7"})
    done(relay, "DELETE", "snapshots/s7")
    done(relay, "POST", "snapshots", {"name": "one more"})
