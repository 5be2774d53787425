"""The report of one relayer on its client, made call by call."""

from __future__ import annotations

from mockrelay.core.context import Trace
from mockrelay.journal.journal import Entry
from mockrelay.report.client_watch import Find, Watcher
from mockrelay.report.coverage import Coverage
from mockrelay.report.findings import Findings


class Report:
    """What is known of the client of a relayer. A reset of the relayer leaves it as it is."""

    __slots__ = ("_watcher", "coverage", "findings")

    def __init__(self) -> None:
        self.coverage = Coverage()
        self.findings = Findings()
        self._watcher = Watcher()

    def see(self, entry: Entry, rate: float, find: Find) -> None:
        """Take in a call and its answer. `rate` is that of the relayer's clock; `find` adds to the entry's findings."""
        trace = entry.trace
        self.coverage.see(trace)
        self._watcher.see(entry, rate, find)
        if trace.findings:
            self.findings.take(trace.findings, entry.asked)

    def see_command(self, trace: Trace) -> None:
        """Take in what a command brought about, and what fell due before it."""
        self.coverage.see_command(trace)
        self.findings.take(trace.findings)

    def world_begins(self) -> None:
        """The world is another one from now on: the calls to the one before say nothing about those to come."""
        self._watcher.forget()

    def merge(self, other: Report, world: str = "") -> None:
        """Add the report of another relayer, which is the world of that name."""
        self.coverage.merge(other.coverage)
        self.findings.merge(other.findings, world)
