"""The line at the end of a run that counts the findings about the client by rule, over all tests and workers.

A worker of pytest-xdist sends its counts to the process that started it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from mockrelay.pytest_plugin.backends import ManagedRelayer

NAME = "mockrelay-findings"
_OUTPUT = "mockrelay_findings"


class FindingsPlugin:
    """Adds up the findings of a run's relayers and counts them in its summary."""

    def __init__(self, config: pytest.Config) -> None:
        self._worker_output: dict[str, Any] | None = getattr(config, "workeroutput", None)
        self._counts: Counter[str] = Counter()
        """By rule id."""
        self._is_paused = False

    def with_findings(self, managed: ManagedRelayer) -> ManagedRelayer:
        """The same relayer; its findings are added when it ends."""

        def close() -> None:
            if not self._is_paused:
                self._counts.update(managed.finding_counts())
            managed.close()

        return managed._replace(close=close)

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Inside, findings of relayers that end are not added: nothing reports the runs of a search."""
        self._is_paused = True
        try:
            yield
        finally:
            self._is_paused = False

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Add the counts of a worker of pytest-xdist."""
        self._counts.update(getattr(node, "workeroutput", {}).get(_OUTPUT, {}))

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """After the end of the last relayer: send the counts to the controller."""
        if self._worker_output is not None:
            self._worker_output[_OUTPUT] = dict(self._counts)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the line, if there are findings."""
        if self._counts:
            rules = ", ".join(f"{rule} {count}" for rule, count in self._counts.most_common())
            total = self._counts.total()
            noun = "finding" if total == 1 else "findings"
            terminalreporter.write_line(
                f"mockrelay: {total} {noun} about the client (--mockrelay-strict fails): {rules}"
            )
