"""The report of one relayer on its client, made call by call."""

from __future__ import annotations

from mockrelay.journal.journal import Entry
from mockrelay.report.coverage import Coverage


class Report:
    """What is known of the client of a relayer. A reset of the relayer leaves it as it is."""

    __slots__ = ("coverage",)

    def __init__(self) -> None:
        self.coverage = Coverage()

    def see(self, entry: Entry) -> None:
        """Take in a call and its answer."""
        self.coverage.see(entry)
