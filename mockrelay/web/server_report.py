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
    """Adds up the reports of a server's relayers. A secret of one is masked wherever another was sent it."""

    def __init__(self) -> None:
        self._removed = Report()
        self._secrets = Secrets(())

    def keep(self, name: str, relay: Relay) -> None:
        """Add the report of a world that is about to be removed."""
        report, secrets = relay.report_and_secrets()
        report.mask(secrets.mask_text)
        self._removed.merge(report, name)
        self._secrets.add(secrets)
        self._secrets.forget_oldest(SECRETS_MAX)

    def counts(self, relays: Sequence[tuple[str, Relay]]) -> tuple[Counter[str], Counter[str]]:
        """The number of findings by rule and of problems by kind, of these relayers and of the removed worlds."""
        findings, problems = Counter[str](), Counter[str]()
        for report in (self._removed, *(relay.report_now() for _, relay in relays)):
            findings.update(report.findings.counts)
            problems.update({kind.value: count for kind, count in report.problems.counts.items()})
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
