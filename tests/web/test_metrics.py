"""`GET metrics`, read by the parser of Prometheus' own client."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from prometheus_client import parser

from mockrelay import __version__
from mockrelay.control.metrics import BUCKETS_S, CallMetrics, Tally, metrics
from mockrelay.core.context import CALL, Trace
from mockrelay.core.world import Finding
from mockrelay.report.unread_ends import UnreadEnd
from mockrelay.web import serve
from mockrelay.web.dispatch import Dispatcher
from tests.support.connection import Connection, connected
from tests.support.worlds import world

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def samples(text: str) -> Samples:
    """The value of each sample by its name and labels. Every family has a help and a type."""
    found: Samples = {}
    for family in parser.text_string_to_metric_families(text):
        assert family.documentation
        assert family.type in ("counter", "gauge", "histogram")
        for sample in family.samples:
            key = sample.name, tuple(sorted(sample.labels.items()))
            assert key not in found
            found[key] = sample.value
    return found


def value(found: Samples, name: str, **labels: str) -> float | None:
    return found.get((f"mockrelay_{name}", tuple(sorted(labels.items()))))


@pytest.fixture
def wire() -> Iterator[Connection]:
    with serve(world()) as server, connected(server.url) as wire:
        yield wire


def measured(wire: Connection) -> Samples:
    answer = wire.ask("GET", "/__mockrelay/metrics")
    assert (answer.status, answer.headers["content-type"]) == (200, "text/plain; version=0.0.4; charset=utf-8")
    return samples(answer.body.decode())


def test_calls_are_counted_by_endpoint_and_code_over_worlds_and_resets(wire: Connection) -> None:
    for path in (
        "/api/v2/ticker?market=LRC-ETH",
        "/w/a/api/v2/ticker?market=LRC-ETH",
        "/api/v3/getAvailableBroker",
        "/x",
    ):
        wire.ask("GET", path)
    wire.ask("POST", "/__mockrelay/reset", body=b"{}")
    wire.ask("GET", "/api/v3/getAvailableBroker")
    wire.ask("DELETE", "/__mockrelay/worlds/a")
    found = measured(wire)
    assert value(found, "calls_total", endpoint="get_ticker", code="104001") == 2
    assert value(found, "calls_total", endpoint="get_broker", code="0") == 2
    assert value(found, "calls_total", endpoint="", code="100000") == 1
    assert value(found, "call_duration_seconds_count", endpoint="get_broker") == 2
    assert value(found, "info", version=__version__) == 1


def test_findings_problems_and_worlds_are_those_of_the_report(wire: Connection) -> None:
    found = measured(wire)
    assert (value(found, "worlds"), value(found, "websocket_sessions")) == (0, 0)
    for name in ("a", "b"):
        wire.ask("GET", f"/w/{name}/api/nowhere")
        wire.ask("POST", f"/w/{name}/__mockrelay/faults", body=json.dumps({"on": "get_ticker", "status": 503}).encode())
    wire.ask("DELETE", "/__mockrelay/worlds/a")
    found = measured(wire)
    assert value(found, "worlds") == 1
    assert value(found, "findings", rule="foreign-path", level="error") == 2
    assert value(found, "problems", kind="unknown_path") == 2
    assert value(found, "problems", kind="unfired_fault") == 2


def test_findings_of_calls_that_are_answered_meanwhile_do_no_harm() -> None:
    """By calls in other threads: they add rules between any two steps."""

    class Growing(dict[str, int]):
        def items(self) -> Any:
            for item in super().items():
                self[f"rule-{len(self)}"] = 1
                yield item

    relay = world()
    relay.report._findings.counts = Growing({"foreign-path": 2})
    ends = relay.report._watch.unread_ends
    ends._by_hash["0x1"] = UnreadEnd(Finding("post-retried-without-looking", "", "r1", CALL), "", None, ())
    left = iter(ends)
    ends._by_hash["0x2"] = next(left)
    assert list(left) == []
    found = samples(Dispatcher(relay).measure().body.decode())
    assert value(found, "findings", rule="foreign-path", level="error") == 2


def test_durations_fall_into_buckets_that_add_up() -> None:
    calls, call = CallMetrics(), Trace(CALL)
    call.endpoint, call.code = "get_ticker", 0
    for seconds in (0.0, BUCKETS_S[0], 0.00011, 0.5, 7.0):
        calls.count(call, seconds)
    found = samples(metrics(calls, Tally({}, {}, 0, 0)).body.decode())

    def below(bound: str) -> float | None:
        return value(found, "call_duration_seconds_bucket", endpoint="get_ticker", le=bound)

    assert [below(bound) for bound in ("0.0001", "0.0003", "0.3", "1.0", "+Inf")] == [2, 3, 3, 4, 5]
    assert value(found, "call_duration_seconds_count", endpoint="get_ticker") == 5
    assert value(found, "call_duration_seconds_sum", endpoint="get_ticker") == pytest.approx(7.50021)


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", 'x"} 1\nmockrelay_worlds 9', "ü", "\\n", "\ud800"])
def test_a_label_can_have_any_text(name: str) -> None:
    """A rule of a world that another version has saved may have any name."""
    found = samples(metrics(CallMetrics(), Tally({name: 3}, {}, 0, 0)).body.decode())
    shown = name if name != "\ud800" else "\ufffd"
    assert value(found, "findings", rule=shown, level="warning") == 3
    assert value(found, "worlds") == 0


def test_metrics_are_guarded_and_of_the_server_alone() -> None:
    with serve(world(), token="sesame") as server, connected(server.url) as wire:
        assert wire.ask("GET", "/__mockrelay/metrics").status == 401
        bearer = "Authorization: Bearer sesame"
        assert wire.ask("GET", "/__mockrelay/metrics", bearer).status == 200
        assert wire.ask("HEAD", "/__mockrelay/metrics", bearer).status == 200
        assert wire.ask("GET", "/__mockrelay/metrics?a=1", bearer).status == 400
        assert wire.ask("GET", "/w/a/__mockrelay/metrics", bearer).json["error"] == "a world has no metrics"
