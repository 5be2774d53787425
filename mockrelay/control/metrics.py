"""What a server has done, in Prometheus' text format 0.0.4."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from mockrelay._version import __version__
from mockrelay.core.context import Trace
from mockrelay.report.formats.characters import text
from mockrelay.spec.lint_rules import rule_of
from mockrelay.wire.http import Response

BUCKETS_S = (0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""The upper bounds of the histogram's buckets."""
_TYPE = ("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


class Histogram:
    """How many calls took how long."""

    __slots__ = ("counts", "sum_s")

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS_S) + 1)
        """By bucket; the last one has no bound."""
        self.sum_s = 0.0

    def merge(self, other: Histogram) -> None:
        """Add the calls of another."""
        self.counts = [own + others for own, others in zip(self.counts, other.counts, strict=True)]
        self.sum_s += other.sum_s


class CallMetrics:
    """The calls of all relayers of a server since it was started. A reset does not change them."""

    __slots__ = ("durations",)

    def __init__(self) -> None:
        self.durations: dict[tuple[str | None, int | None], Histogram] = {}
        """By endpoint and code; None: no endpoint, no code."""

    def count(self, call: Trace | None, seconds: float) -> None:
        """Count a call that was answered, whether or not a fault lets its client have the answer. None: it is in no journal."""
        key = (None, None) if call is None else (call.endpoint, call.code)
        histogram = self.durations.get(key)
        if histogram is None:
            # Another thread may have added it just now.
            histogram = self.durations.setdefault(key, Histogram())
        histogram.counts[bisect_left(BUCKETS_S, seconds)] += 1
        histogram.sum_s += seconds


class Tally(NamedTuple):
    """The other figures of a server, at present."""

    findings: Mapping[str, int]
    """By rule."""
    problems: Mapping[str, int]
    """By kind."""
    worlds: int
    sessions: int


def metrics(calls: CallMetrics, tally: Tally) -> Response:
    """The answer of `GET metrics`."""
    lines = [line for family in _families(calls, tally) for line in family]
    return Response(200, (_TYPE,), ("\n".join(lines) + "\n").encode())


def _families(calls: CallMetrics, tally: Tally) -> Iterator[Iterable[str]]:
    yield _family("info", "gauge", "The version of mockrelay.", [({"version": __version__}, 1)])
    # A copy, since another thread may add to it.
    durations = list(calls.durations.items())
    answers = [
        ({"endpoint": endpoint or "", "code": _code(code)}, sum(histogram.counts))
        for (endpoint, code), histogram in durations
    ]
    by_endpoint: dict[str | None, Histogram] = {}
    for (endpoint, _), histogram in durations:
        by_endpoint.setdefault(endpoint, Histogram()).merge(histogram)
    yield _family(
        "calls_total", "counter", "Calls of the API by endpoint and code, both empty where there is none.", answers
    )
    yield _durations(by_endpoint)
    findings = [({"rule": rule, "level": rule_of(rule).level}, n) for rule, n in tally.findings.items()]
    yield _family("findings", "gauge", "Findings about clients, those of removed worlds included.", findings)
    problems = [({"kind": kind}, n) for kind, n in tally.problems.items()]
    yield _family("problems", "gauge", "Problems, those of removed worlds included.", problems)
    yield _family("worlds", "gauge", "Worlds that there are beside the main relayer.", [({}, tally.worlds)])
    yield _family("websocket_sessions", "gauge", "Open WebSocket sessions.", [({}, tally.sessions)])


def _durations(durations: Mapping[str | None, Histogram]) -> Iterator[str]:
    name = "mockrelay_call_duration_seconds"
    yield f"# HELP {name} Time that an answer took, without what a fault delayed it."
    yield f"# TYPE {name} histogram"
    for endpoint, histogram in durations.items():
        count = 0
        for bound, own in zip((*map(str, BUCKETS_S), "+Inf"), histogram.counts, strict=True):
            count += own
            yield f"{name}_bucket{_labels({'endpoint': endpoint or '', 'le': bound})} {count}"
        yield f"{name}_sum{_labels({'endpoint': endpoint or ''})} {histogram.sum_s!r}"
        yield f"{name}_count{_labels({'endpoint': endpoint or ''})} {count}"


def _family(name: str, kind: str, what: str, samples: Iterable[tuple[Mapping[str, str], int]]) -> Iterator[str]:
    yield f"# HELP mockrelay_{name} {what}"
    yield f"# TYPE mockrelay_{name} {kind}"
    for labels, value in samples:
        yield f"mockrelay_{name}{_labels(labels)} {value}"


def _labels(labels: Mapping[str, str]) -> str:
    pairs = ",".join(f'{name}="{text(value).translate(_ESCAPES)}"' for name, value in labels.items())
    return f"{{{pairs}}}" if pairs else ""


def _code(code: int | None) -> str:
    return "" if code is None else str(code)
