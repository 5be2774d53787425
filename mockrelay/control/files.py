"""The scenario files that a control call may name: none, those in one folder, or any.

What stands in a file is in no answer to a call over HTTP: a caller could show any file of the machine to itself.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mockrelay.core.errors import BAD, CommandRefused
from mockrelay.scenario import Scenario, ScenarioError, load
from mockrelay.suggest import cut, in_quotes

ReadFile = Callable[[str], Scenario]
"""The scenario in the file of a path, or CommandRefused."""

_FIELD = "scenario"


def no_file(path: str) -> Scenario:
    """CommandRefused."""
    meant = "a packaged scenario, its text in scenarioText, or a server started with --allow-files DIR"
    raise CommandRefused(BAD, f"the path {in_quotes(path)}: this server reads no files", _FIELD, meant)


def any_file(path: str) -> Scenario:
    """The scenario of any file; for calls that are made in this process."""
    try:
        return load(Path(path))
    except ScenarioError as error:
        raise CommandRefused(BAD, f"{cut(error.place)}: found {error.found}", _FIELD, error.meant) from None


def files_in(folder: Path) -> ReadFile:
    """The files in a folder and below it, by their path in it or by the whole path."""
    root = folder.resolve()

    def read(path: str) -> Scenario:
        try:
            file = (root / path).resolve()
            is_file = file.is_relative_to(root) and file.is_file()
        except (OSError, RuntimeError, ValueError):
            is_file = False
        if not is_file:
            found = f"the path {in_quotes(path)}, which is not a file in the folder that this server may read"
            raise CommandRefused(BAD, found, _FIELD, "a path in the folder of --allow-files")
        try:
            return load(file)
        except ScenarioError as error:
            place = f" at line {error.line}, column {error.column}" if error.line and error.file == str(file) else ""
            found = f"the file {in_quotes(path)}, which is not a scenario{place}"
            raise CommandRefused(
                BAD, found, _FIELD, "a scenario; `mockrelay validate FILE` says what is wrong"
            ) from None

    return read
