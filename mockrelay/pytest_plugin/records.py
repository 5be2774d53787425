"""Records of the relayers of failed tests, to be looked at afterwards (`--mockrelay-record-failures DIR`)."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import pytest

from mockrelay.testing.calling import relay_of

if TYPE_CHECKING:
    from mockrelay.relay import Relay
    from mockrelay.testing import RelayerHandle

OPTION = "record-failures"
NAME_MAX = 150
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


def records_of(config: pytest.Config) -> FailureRecords | None:
    """The records of a run; None where it does not ask for them."""
    folder = config.getoption("mockrelay_record_failures") or config.getini("mockrelay_record_failures")
    return FailureRecords(config.rootpath / folder) if folder else None


class FailureRecords:
    """Records relayers while their tests run, and writes the records of those whose test fails."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lines: WeakKeyDictionary[Relay, list[str]] = WeakKeyDictionary()
        self._names: dict[str, str] = {}
        """By the name of a file: the test that has it."""

    def begin(self, relayer: RelayerHandle) -> None:
        """Record a relayer from now on. One of a server elsewhere has but the state at the failure."""
        relay = relay_of(relayer)
        if relay is not None:
            lines = self._lines[relay] = []
            relay.record_to(lines.append)

    def write(self, test: str, relayers: Iterable[RelayerHandle]) -> list[Path]:
        """Write a record of each relayer of a test; their files, which their owner alone can read."""
        files = []
        for number, relayer in enumerate(relayers, 1):
            relay = relay_of(relayer)
            lines = None if relay is None else self._lines.get(relay)
            try:
                text = relayer.dump() if lines is None else "".join(lines)
            except Exception:  # noqa: BLE001, S112 - an error here would hide the failure of the test
                continue
            file = self._folder / self._name(test, number)
            self._folder.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as out:
                out.write(text)
            files.append(file)
        return files

    def _name(self, test: str, number: int) -> str:
        """The name of a file for the relayer of this number; no two tests have one."""
        stem = _NOT_IN_NAMES.sub("-", test)[-NAME_MAX:].strip("-")
        own = f"{test} {number}"
        for attempt in range(1, len(self._names) + 2):
            parts = [stem, *([str(number)] if number > 1 else []), *([f"v{attempt}"] if attempt > 1 else [])]
            name = f"{'-'.join(parts)}.jsonl"
            if self._names.setdefault(name, own) == own:
                return name
        raise AssertionError("more names are taken than there are")


def section(files: Iterable[Path]) -> tuple[str, str]:
    """The section of a failed test's report that says how to look at its records."""
    return "mockrelay, records", "\n".join(f"mockrelay ui {file}" for file in files)
