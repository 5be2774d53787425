"""The report of a relayer on its client, updated with every call."""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from mockrelay.core.context import Trace
from mockrelay.core.world import Finding
from mockrelay.journal.journal import BATCH_MAX, LONG_BODY_BYTES, Entry
from mockrelay.report.client_watch import ClientWatch
from mockrelay.report.coverage import Coverage
from mockrelay.report.findings import Findings
from mockrelay.report.problems import Problems
from mockrelay.report.report_finding import AddFinding

DELAYED_MAX = 1000
"""The number of calls that are kept until their delayed answers are sent; the codes of older ones are not counted."""


class Report:
    """The findings about the client of a relayer, its problems, and its coverage of the spec. A reset keeps them."""

    __slots__ = ("_coverage", "_delayed", "_findings", "_uncounted", "_watch", "problems")

    def __init__(self) -> None:
        self._coverage = Coverage()
        self._uncounted: list[Entry] = []
        """The newest calls, which coverage does not count yet: counted many at a time they cost less than one by one."""
        self._delayed: dict[str, Entry] = {}
        """The calls with such answers, by id."""
        self.problems = Problems()
        """Those of earlier starts; in the whole report of a relayer, those of the present one too."""
        self._findings = Findings()
        self._watch = ClientWatch()

    @property
    def coverage(self) -> Coverage:
        """Without the codes of delayed answers that are not sent yet, as of the last `send_delayed`."""
        self._count()
        return self._coverage

    @coverage.setter
    def coverage(self, coverage: Coverage) -> None:
        self._coverage, self._uncounted = coverage, []

    def mask(self, mask: Callable[[str], str]) -> None:
        """Mask what a client sent in the findings and problems so far."""
        self._findings = self._findings.masked(mask)
        self.problems = self.problems.masked(mask)

    @property
    def findings(self) -> Findings:
        """All findings, with those of the present moment: failed requests whose ends are unread."""
        findings = Findings()
        findings.merge(self._findings)
        for end in self._watch.unread_ends:
            findings.add((end.finding,), end.asked)
        return findings

    @property
    def finding_counts(self) -> dict[str, int]:
        """The number of all findings by rule id, with those of the present moment. From any thread."""
        counts = dict(self._findings.counts)
        for end in self._watch.unread_ends:
            counts[end.finding.rule] = counts.get(end.finding.rule, 0) + 1
        return counts

    def unread_ends(self) -> list[Finding]:
        """A finding for each failed request whose end its client has not read by now."""
        return [end.finding for end in self._watch.unread_ends]

    def record_call(self, entry: Entry, rate: float, add: AddFinding) -> None:
        """Add a call and its answer. `rate` is that of the relayer's clock; `add` adds to the entry's findings."""
        trace = entry.trace
        is_delayed = entry.response.is_delayed()
        if is_delayed:
            self.coverage.record_call(trace, entry.raw.query, None)
            self._delayed[entry.id] = entry
            if len(self._delayed) > DELAYED_MAX:
                del self._delayed[next(iter(self._delayed))]
        else:
            self._uncounted.append(entry)
            if len(self._uncounted) >= BATCH_MAX or len(entry.raw.body) > LONG_BODY_BYTES:
                self._count()
        self._watch.check(entry, rate, add)
        if trace.findings:
            self._findings.add(trace.findings, entry.asked)

    def send_delayed(self, now_ms: float) -> None:
        """Add the codes of the delayed answers that have been sent by `now_ms`."""
        for entry in [each for each in self._delayed.values() if each.is_sent(now_ms)]:
            del self._delayed[entry.id]
            self.coverage.record_answer(entry.trace, entry.trace.code)

    def leave(self, request_id: str) -> None:
        """Note that a call's connection was closed before its delayed answer was sent."""
        self._delayed.pop(request_id, None)
        self._watch.leave(request_id)

    def record_command(self, trace: Trace) -> None:
        """Add what a command brought about, together with the events that were due before it."""
        self.coverage.record_command(trace)
        self._findings.add(trace.findings)

    def start_world(self) -> None:
        """Another world starts: earlier calls are not compared with later ones, and delayed answers are sent."""
        self.send_delayed(inf)
        self._watch.clear()

    def merge(self, other: Report, world: str = "") -> None:
        """Add the report of another relayer, which is the world of that name."""
        self.coverage.merge(other.coverage)
        self._findings.merge(other.findings, world)
        self.problems.merge(other.problems, world)

    def _count(self) -> None:
        calls, self._uncounted = self._uncounted, []
        for call in calls:
            self._coverage.record_call(call.trace, call.raw.query, call.trace.code)
