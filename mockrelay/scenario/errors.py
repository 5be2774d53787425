"""The one error of this room."""

from __future__ import annotations


class ScenarioError(ValueError):
    """A scenario that cannot be read: where (line and column from 1, or 0 where no place in a file is to blame), what
    was found there, and what was meant.
    """

    def __init__(self, file: str, line: int, column: int, found: str, meant: str) -> None:
        super().__init__(file, line, column, found, meant)
        self.file = file
        self.line = line
        self.column = column
        self.found = found
        self.meant = meant

    @property
    def place(self) -> str:
        """`file:line:column`, or the file alone."""
        return f"{self.file}:{self.line}:{self.column}" if self.line else self.file

    def __str__(self) -> str:
        return f"{self.place}: found {self.found}; meant {self.meant}"
