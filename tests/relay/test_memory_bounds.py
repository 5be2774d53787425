"""Nothing grows without bound: what is looked at or refused leaves as much behind after a million calls as after a thousand."""

from __future__ import annotations

import gc
import json
import tracemalloc
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import islice
from types import MappingProxyType

import pytest

from mockrelay.core.context import CALL, Trace
from mockrelay.core.requests.counterfactual import token_address
from mockrelay.journal.journal import BYTES_MAX, ENTRIES_MAX, Entry, Journal
from mockrelay.web.http1 import target_of
from mockrelay.web.plain import plain_head
from mockrelay.wire.decode import decode
from mockrelay.wire.http import RawRequest, Response
from mockrelay.wire.json_body import parse_body
from tests.soak.calls import calls
from tests.soak.size import bytes_of
from tests.support.client import control, done
from tests.support.worlds import relay_from, world

WARM_UP, MORE = 2_000, 2_000
SLACK_BYTES = 100_000
"""What the last thousand calls may take more than those before."""


def raw(method: str, path: str, headers: Mapping[str, str] = MappingProxyType({}), body: bytes = b"") -> RawRequest:
    return RawRequest(method, path, path, (), {"host": "localhost", **headers}, body, "http", "localhost", "127.0.0.1")


def test_calls_with_ever_other_keys_peers_targets_and_bodies_take_no_more_memory_once_all_is_full() -> None:
    """With a clock that stands still, so that nothing ever becomes old."""
    relay = world()
    numbered = calls()
    sizes = []
    for count in (WARM_UP, MORE):
        for request in islice(numbered, count):
            relay.handle(request, relay.now_ms())
        sizes.append(bytes_of((relay.world, relay.journal)))
    assert sizes[1] < sizes[0] + SLACK_BYTES
    assert len(relay.journal) == ENTRIES_MAX


def test_a_relay_that_nobody_holds_is_freed_at_once_with_its_world() -> None:
    """And not by the next collection of cycles: a run of tests makes a relay for each of them."""
    relay = world()
    relay.handle(raw("GET", "/api/v2/exchange/tokens"), relay.now_ms())
    done(relay, "POST", "reset", {})
    left = weakref.ref(relay)
    gc.disable()
    try:
        del relay
        assert left() is None
    finally:
        gc.enable()


def test_unknown_keys_from_one_address_are_one_caller() -> None:
    relay = relay_from("default", limits="spec")
    for number in range(2_000):
        relay.handle(raw("GET", "/api/v2/exchange/tokens", {"x-api-key": f"key {number}"}), relay.now_ms())
    windows = relay.world.limiter._windows
    assert len(windows) == 1


def _long_query(number: int) -> str:
    return "&".join(f"a{number}{each}=" for each in range(900))


def _ask_by_query(number: int) -> None:
    query = _long_query(number)
    pairs = tuple((pair.rstrip("="), "") for pair in query.split("&"))
    path = "/api/v2/orders"
    decode(replace(raw("GET", path), raw_target=f"{path}?{query}", query=pairs), lambda key, context: "")


ADDRESS = "0x" + "a1" * 20
CACHED: dict[str, Callable[[int], object]] = {
    "a query": _ask_by_query,
    "a target": lambda number: target_of(f"/api?{_long_query(number)}"),
    "a head": lambda number: plain_head(f"GET /?{_long_query(number)} HTTP/1.1\r\nHost: a\r\n\r\n".encode(), 0),
    "a base URI": lambda number: token_address(ADDRESS, ADDRESS, ADDRESS, f"{number}" * 100_000),
}


@pytest.mark.parametrize("use", CACHED.values(), ids=CACHED)
def test_no_cache_keeps_what_is_long(use: Callable[[int], object]) -> None:
    """A cache of so many entries would else have no bound in bytes."""
    use(0)
    tracemalloc.start()
    try:
        use(1)
        gc.collect()
        before, _ = tracemalloc.get_traced_memory()
        for number in range(2, 12):
            use(number)
        gc.collect()
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert after - before < SLACK_BYTES


@pytest.mark.parametrize("value", [b'{"":0}', b'{"":{}}', '{"\u00e9":"\U0001f600"}'.encode()])
def test_what_the_journal_keeps_is_no_more_than_it_says(value: bytes) -> None:
    """Bodies whose values take up to thirty times their text once they are read."""
    journal = Journal()
    for number in range(16):
        body = b'{"surplus%d":[%s]}' % (number, b",".join([value] * 5_000))
        fields = parse_body(body)
        assert isinstance(fields, dict)
        response = Response(200, (), b"{}")
        trace = Trace(CALL, f"r{number + 1}")
        trace.args, trace.code = fields, 0
        journal.add(Entry(f"r{number + 1}", 0, raw("POST", "/", body=body), response, trace))
    assert 1 < len(journal) < 16
    assert BYTES_MAX / 10 < bytes_of(list(journal)) <= BYTES_MAX


def test_large_heads_and_targets_count_too() -> None:
    relay, path = world(), "/api/v2/nothing"
    query = tuple((f"name{n}", "\U0001f600") for n in range(600))
    for number in range(300):
        headers = {f"x-{number}-{n}": f"{n}" + "\u6f22" * 90 for n in range(80)}
        large = replace(raw("GET", path, headers), raw_target=path + "?" + "x" * 8_000, query=query)
        relay.handle(large, relay.now_ms())
    assert len(relay.journal) < 300
    assert bytes_of(list(relay.journal)) <= BYTES_MAX


def test_findings_and_problems_are_kept_in_number() -> None:
    relay = world()
    for number in range(400):  # three findings each
        body = json.dumps({f"surplus{number}": 1}).encode()
        for path in (f"/api/{number}", "/api/v3/order"):
            relay.handle(raw("POST", path, body=body), relay.now_ms())
    assert len(done(relay, "GET", "problems")) == 100
    assert len(relay.world.findings) <= 1_000


def test_one_fault_too_many_is_refused() -> None:
    relay = world()
    for _ in range(1_000):
        done(relay, "POST", "faults", {"on": "get_depth", "code": 1, "nth": 99})
    answer = control(relay, "POST", "faults", {"on": "get_depth", "code": 1})
    assert (answer.status, set(answer.json)) == (409, {"error", "field", "meant"})
    done(relay, "DELETE", "faults/f1")
    done(relay, "POST", "faults", {"on": "get_depth", "code": 1})
