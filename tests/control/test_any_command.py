"""Control calls that nobody should send: each answered in the shape of the control API, and a refusal changes nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mockrelay.clock import ClockState
from mockrelay.control import ROUTES, handle_control
from mockrelay.control.routes import Route
from mockrelay.core.world import World
from mockrelay.recording.snapshots import Snapshot
from mockrelay.relay import Relay
from tests.conformance.transcript import ROWS
from tests.properties.effort import effort
from tests.relay.changes import script
from tests.support.answer_shapes import is_healthy, is_misuse, settled_whole
from tests.support.calls import CONTRACT_A
from tests.support.client import done
from tests.support.hostile_values import ANY_JSON, JSON_TEXTS, any_json_text
from tests.support.worlds import world

# No path of HTTP has half a surrogate pair in it.
WORDS = ("alice", "10001", "f1", "full", "r1", "0", "-1", "", "..", "\u00b2", "9" * 30, "x" * 3000, CONTRACT_A)
LIKELY: tuple[Any, ...] = (
    *("alice", "LRC", 1, "1000", "full", "spec", "off", "real", "frozen", "15s", "999999999999999d", 0, 3, 60),
    2**53 - 1,
    *("2026-02-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T00:00:00+23:59", "default", "active", "failed", "up"),
    *("deployed", "processed", "processing", "submit_order", "get_depth", "transfer", 1.3, 1e300, True, False, None),
    *({"LRC": "1"}, {"rate": 60}, {"accountId": 10001}, ["get_depth"], {"0x" + "1" * 40: {"ETH": "1"}}, "UNKNOWN"),
    "after",
    *("format: 1\nname: t\nextends: default\n", "format: 1\nname: t\nextends: ../x.yaml\n", 200, 404, 102014, "200"),
)
NOT_ASKED = frozenset({"reset", "load"})
"""They take time, and what they refuse has tests of its own."""


@pytest.fixture(scope="module")
def relay() -> Relay:
    """A relayer with something of everything."""
    relay = world()
    script(relay)
    done(relay, "POST", "snapshots", {"name": "full"})
    return relay


@pytest.fixture(scope="module")
def full_world(relay: Relay) -> World:
    return relay.world.clone()


def subjects(relay: Relay) -> list[str]:
    """What a word of a path may name."""
    return [*WORDS, *relay.world.orders.by_hash, *relay.world.requests]


@st.composite
def acts(draw: st.DrawFn, relay: Relay, verbs: list[Route]) -> tuple[str, str, tuple[tuple[str, str], ...], bytes]:
    verb = draw(st.sampled_from(verbs))
    word = st.sampled_from(subjects(relay))
    path = "/".join(draw(word) if part == "*" else part for part in verb.path.split("/"))
    with_surplus = not verb.fields or draw(st.integers(0, 9)) == 0
    names = st.sampled_from([*(verb.fields or ()), *(["+"] if with_surplus else [])])
    values = st.sampled_from(LIKELY).map(json.dumps) | any_json_text
    fields = draw(st.dictionaries(names, values, max_size=4 if verb.fields else 1))
    if verb.path == "faults" and verb.method == "POST":
        fields.setdefault("on", json.dumps(draw(st.sampled_from([row.name for row in ROWS]))))
    if verb.method == "GET":
        return verb.method, path, tuple(fields.items()), b""
    text = "{" + ",".join(f'"{name}":{value}' for name, value in fields.items()) + "}"
    return verb.method, path, (), text.encode("utf-8", "surrogatepass")


@effort(max_examples=40)
@given(data=st.data())
def test_any_control_call_is_done_or_refused_in_shape(relay: Relay, full_world: World, data: st.DataObject) -> None:
    # Not by a snapshot: the calls may replace it.
    relay.restore(Snapshot(full_world.clone(), ClockState(full_world.now_ms, 0), relay.scenario))
    verbs = [verb for verb in ROUTES if verb.path not in NOT_ASKED]
    before = settled_whole(relay)
    for _ in range(data.draw(st.integers(1, 8))):
        response = handle_control(relay, *data.draw(acts(relay, verbs)))
        refused = is_misuse(response)
        if relay.clock.rate:
            done(relay, "POST", "clock", {"rate": 0})
            before = settled_whole(relay)
        after = settled_whole(relay)
        assert not refused or after == before, response
        before = after
    assert is_healthy(relay)


@pytest.mark.parametrize("verb", ROUTES, ids=lambda verb: f"{verb.method} {verb.path}")
def test_each_field_of_each_call_with_each_hostile_value(verb: Route) -> None:
    relay = world()
    path = verb.path.replace("*", "alice")
    for name in (*(verb.fields or ()), "surplus"):
        for text in JSON_TEXTS:
            body = f'{{"{name}":{text}}}'.encode("utf-8", "surrogatepass")
            query = ((name, text),) if verb.method == "GET" else ()
            is_misuse(handle_control(relay, verb.method, path, query, body))
    assert is_healthy(relay)


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_no_depth_of_a_body_is_too_much(opening: bytes) -> None:
    """Also where it is just not too deep to be read, but too deep to be written again."""
    relay = world()
    for depth in (50, 63, 64, 65, 100, *range(850, 1000, 7), 5_000, 200_000):
        inside = opening * depth + b"1" + (b"]" if opening == b"[" else b"}") * depth
        for verb in ROUTES:
            for field in (verb.fields or ())[:1]:
                body = b'{"%s":%s}' % (field.encode(), inside)
                assert is_misuse(handle_control(relay, verb.method, verb.path.replace("*", "alice"), (), body))


@effort(max_examples=60)
@given(path=st.text(max_size=20), method=st.text(max_size=7), value=ANY_JSON, name=st.text(max_size=5))
def test_no_path_and_no_method_is_too_much(relay: Relay, path: str, method: str, value: Any, name: str) -> None:
    assert is_misuse(handle_control(relay, method, path, (), json.dumps({name: value}).encode()))
