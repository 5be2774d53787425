"""`serve --report DIR`: what is left behind about the client of every relayer that was served."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from mockrelay.cli.options import CliError
from mockrelay.relay import Relay
from mockrelay.report import Report

FILES: Mapping[str, Callable[[Report], str]] = {
    "findings.txt": lambda report: report.findings.told("text"),
    "findings.json": lambda report: report.findings.told("json"),
    "findings.junit.xml": lambda report: report.findings.told("junit"),
    "findings.sarif": lambda report: report.findings.told("sarif"),
    "coverage.txt": lambda report: report.coverage.told("text-missing"),
    "coverage.json": lambda report: report.coverage.told("json"),
    "coverage.junit.xml": lambda report: report.coverage.told("junit"),
}
"""What is written, by file name."""


class Reporter:
    """The folder of the reports, and what the worlds have left that were removed."""

    def __init__(self, folder: Path) -> None:
        """Raises CliError where nothing could be written there; nobody should learn that at the end of a long run."""
        self.folder = folder
        self._gone = Report()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            draft = _draft_of(folder / "findings.txt")
            draft.write_bytes(b"")
            draft.unlink()
        except OSError as error:
            raise self._cannot(error) from error

    def removed(self, name: str, relay: Relay) -> None:
        """A world ends; what is known of its client stays."""
        self._gone.merge(relay.report, name)

    def write(self, relays: Iterable[tuple[str, Relay]]) -> str:
        """Write every file, each whole, of these relays by the name of their world (the main one: empty) and of those
        that were removed; a sentence about it. Raises CliError where that fails.
        """
        whole = Report()
        for name, relay in relays:
            whole.merge(relay.report, name)
        whole.merge(self._gone)
        for name, told in FILES.items():
            self._write(self.folder / name, told(whole))
        total = whole.findings.total
        return f"report in {self.folder}: {total or 'no'} finding{'' if total == 1 else 's'}"

    def _write(self, path: Path, text: str) -> None:
        draft = _draft_of(path)
        try:
            draft.write_text(text, encoding="utf-8", newline="\n")
            draft.replace(path)
        except OSError as error:
            draft.unlink(missing_ok=True)
            raise self._cannot(error) from error

    def _cannot(self, error: OSError) -> CliError:
        return CliError(f"--report {self.folder}: {error.strerror or error}")


def _draft_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}")
