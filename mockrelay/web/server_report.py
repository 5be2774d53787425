"""The report about all relayers of a server: the main one, its worlds, and the worlds that were removed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from mockrelay.journal.secrets import Secrets
from mockrelay.relay import Relay
from mockrelay.report import Report

SECRETS_MAX = 50_000
"""The number of secrets of removed worlds that are masked in what other worlds were sent."""


class ServerReport:
    """Adds up the reports of a server's relayers: of removed worlds, which it has, and of others, which it is given. A secret of
    one is masked wherever another was sent it.
    """

    def __init__(self) -> None:
        self._removed = Report()
        self._secrets = Secrets(())

    @classmethod
    def of(cls, name: str, relay: Relay) -> ServerReport:
        """The report of a removed world."""
        own, secrets = relay.report_and_secrets()
        own.mask(secrets.mask_text)
        report = cls()
        report._removed.merge(own, name)
        report._secrets.add(secrets)
        return report

    def add(self, other: ServerReport) -> None:
        """Add the report of further worlds that were removed."""
        self._removed.merge(other._removed)
        self._secrets.add(other._secrets)
        self._secrets.forget_oldest(SECRETS_MAX)

    def copy(self) -> ServerReport:
        """The same, which changes no more."""
        report = ServerReport()
        report.add(self)
        return report

    def counts(self, relays: Sequence[tuple[str, Relay]]) -> tuple[Counter[str], Counter[str]]:
        """The number of findings by rule and of problems by kind, of these relayers and of the removed worlds."""
        findings, problems = Counter[str](), Counter[str]()
        for report in (self._removed, *(relay.report_now() for _, relay in relays)):
            findings.update(report.finding_counts)
            # A copy, since another thread may add to it.
            problems.update({kind.value: count for kind, count in dict(report.problems.counts).items()})
        problems.update(problem.kind.value for _, relay in relays for problem in relay.problems())
        return findings, problems

    def whole(self, relays: Iterable[tuple[str, Relay]]) -> Report:
        """The report about these relayers, by the name of their world (the main one: empty), and the removed worlds."""
        report, secrets = Report(), Secrets(())
        secrets.add(self._secrets)
        for name, relay in relays:
            own, own_secrets = relay.report_and_secrets()
            report.merge(own, name)
            secrets.add(own_secrets)
        report.merge(self._removed)
        report.mask(secrets.mask_text)
        return report
