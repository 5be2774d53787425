"""A revert brings back all that a client or a test can see, in any order, again and again.

The row's own steps: `tests/relay/test_snapshots.py`.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest

from mockrelay.relay import Relay
from tests.conformance.transcript import ROWS
from tests.relay.changes import CHANGES, script
from tests.support.calls import call, valid_request
from tests.support.client import control, done, get
from tests.support.worlds import W, relay_from

LOOKS = [row.name for row in ROWS if row.method == "GET"]


def world() -> Relay:
    """With limits and bans: what a look costs is seen too."""
    return relay_from(W, limits="spec", choices={"rate.escalate": "60s"})


def views(relay: Relay) -> list[Any]:
    """The world in words, and each GET of the API as it is answered there."""
    told: list[Any] = [
        done(relay, "GET", path) for path in ("state", "clock", "choices", "faults", "accounts", "health")
    ]
    answers = [call(relay, valid_request(name)) for name in LOOKS]
    answers += [get(relay, "/api/v2/block/getBlock", id=number, key="bob") for number in range(3)]
    return [*told, *((answer.status, answer.headers.get("retry-after"), answer.body) for answer in answers)]


def after(relay: Relay, name: str) -> list[Any]:
    """What is seen once the snapshot is restored, with all that looking changes undone again."""
    done(relay, "POST", f"snapshots/{name}/restore")
    found = views(relay)
    done(relay, "POST", f"snapshots/{name}/restore")
    return found


def kept(relay: Relay, name: str) -> list[Any]:
    """Take a snapshot; what is seen there."""
    done(relay, "POST", "snapshots", {"name": name})
    found = views(relay)
    done(relay, "POST", f"snapshots/{name}/restore")
    return found


def test_snapshots_come_back_in_any_order() -> None:
    """Five of them, nested, with deeds of every kind between; each after each other one, with more deeds between."""
    relay = world()
    expected = {"bare": kept(relay, "bare")}
    for name in ("orders", "chain", "trouble", "later"):
        CHANGES[name](relay)
        expected[name] = kept(relay, name)
    assert len({str(each) for each in expected.values()}) == 5
    deeds = list(CHANGES.values())
    for number, pair in enumerate(permutations(expected, 2)):
        deeds[number % len(deeds)](relay)
        for name in pair:
            assert after(relay, name) == expected[name], (number, name)


@pytest.mark.parametrize("name", sorted(set(CHANGES) - {"running"}))
def test_a_deed_can_be_undone_and_done_again_with_the_same_outcome(name: str) -> None:
    """And what follows it: hashes, ids, blocks and limits are the same, byte for byte."""
    relay = world()
    CHANGES["orders"](relay)
    before, requests = kept(relay, "before"), relay.request_count
    outcomes = []
    for _ in range(3):
        # Requests are numbered on when a snapshot is restored, and findings name them.
        relay.request_count = requests
        CHANGES[name](relay)
        outcomes.append((script(relay), done(relay, "GET", "state")["digest_all"]))
        assert after(relay, "before") == before
    assert outcomes[0] == outcomes[1] == outcomes[2]


def test_a_snapshot_is_what_it_was_whatever_is_done_to_the_world_that_it_was_taken_of() -> None:
    """Nothing is shared between the world that is kept and the one that goes on, nor between two restored ones."""
    relay = world()
    CHANGES["chain"](relay)
    expected = kept(relay, "chain")
    for deed in CHANGES.values():
        deed(relay)
        deed(relay)
        assert after(relay, "chain") == expected
        deed(relay)


def test_a_deleted_name_is_unknown_and_may_be_taken_again_for_another_state() -> None:
    relay = world()
    kept(relay, "s")
    done(relay, "DELETE", "snapshots/s")
    refused = control(relay, "POST", "snapshots/s/restore")
    assert (refused.status, refused.json["field"]) == (404, "name")
    CHANGES["orders"](relay)
    expected = kept(relay, "s")
    done(relay, "POST", "reset", {})
    assert after(relay, "s") == expected


def test_calls_have_new_ids_after_a_revert() -> None:
    """The journal goes on: an id never means two calls."""
    relay = world()
    done(relay, "POST", "snapshots", {"name": "s"})
    ids = []
    for _ in range(5):
        ids.append(get(relay, "/api/v3/getAvailableBroker").headers["x-mockrelay-request-id"])
        done(relay, "POST", "snapshots/s/restore")
    assert len(set(ids)) == 5
    assert {control(relay, "GET", f"why/{each}").status for each in ids} == {200}
