"""What the commands print and write: `--format`, `--output` and `--output-dir`, tables, and progress."""

from __future__ import annotations

import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import click

from mockrelay.cli.options import FILE, FOLDER, CliError, Command, Old, file_error, option
from mockrelay.clock import Clock

REWRITE_MS = 100
"""The least time between two states on a terminal."""
LINE_MS = 10_000
"""The least time between two states elsewhere."""
_LEVEL_COLOURS = {"error": "red", "problem": "red", "warning": "yellow", "note": "cyan"}
_LEVEL = re.compile(f"^(?:{'|'.join(_LEVEL_COLOURS)})(?=:)", re.MULTILINE)
OWNER_ONLY = 0o600
"""The mode of files that have secrets."""


def output_options(
    command: str, *formats: str, old: Old | None = None, output_type: click.Path[Path] = FILE
) -> Callable[[Command], Command]:
    """`--format`, with the first one as default, and `--output`: the parameters `output_format` and `output`."""
    with_format = option(
        "--format",
        "output_format",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        command=command,
        old=old or {},
        help="The format of the output.",
    )
    with_output = option(
        "--output",
        type=output_type,
        command=command,
        metavar="FILE",
        help="Write the output to this file; print nothing.",
    )
    return lambda function: with_format(with_output(function))


def output_dir_option(command: str, text: str, old: Old) -> Callable[[Command], Command]:
    """`--output-dir`: the parameter `output_dir`."""
    return option("--output-dir", type=FOLDER, command=command, old=old, help=text)


def coloured(text: str, colour: str | None) -> str:
    """A text in a colour, which `put` leaves out elsewhere than on a terminal; without one where NO_COLOR is set."""
    return text if colour is None or os.environ.get("NO_COLOR") else click.style(text, fg=colour)


def coloured_levels(report: str) -> str:
    """A report on findings, each level at the start of a line in its colour."""
    return _LEVEL.sub(lambda found: coloured(found[0], _LEVEL_COLOURS[found[0]]), report)


def put(text: str, output: Path | None) -> None:
    """Print a text, or write it to the file of `--output`. Raises CliError."""
    if output is None:
        # click leaves colours out where standard output is no terminal.
        click.echo(text, nl=not text.endswith("\n"))
    else:
        write("--output", output, text if text.endswith("\n") else text + "\n")


def write(option: str, path: Path, text: str) -> None:
    """Write the file of an option. Raises CliError."""
    try:
        path.write_text(click.unstyle(text), encoding="utf-8", newline="\n")
    except OSError as error:
        raise file_error(option, path, error) from None


def write_whole(path: Path, text: str, *, is_secret: bool = False) -> None:
    """Write a file so that no reader sees a part of it; a secret one for its owner only. Raises OSError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(draft, "w", encoding="utf-8", newline="\n", opener=for_its_owner if is_secret else None) as file:
            file.write(text)
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def check_parent(option: str, path: Path | None) -> None:
    """CliError where the folder that a file is to be written in does not exist: before the work, not after it."""
    if path is None:
        return
    try:
        is_there = path.parent.is_dir()
    except OSError as error:
        raise file_error(option, path, error) from None
    if not is_there:
        raise CliError(f"{option} {path}: there is no folder {path.parent}")


def for_its_owner(path: str | Path, flags: int) -> int:
    """Open a file that has secrets: a regular one can be read by its owner only, also if it was there before.

    Raises OSError.
    """
    descriptor = os.open(path, flags, OWNER_ONLY)
    try:
        # Windows has no such modes: who may read a file follows from its folder there.
        if hasattr(os, "fchmod") and stat.S_ISREG(os.fstat(descriptor).st_mode):
            os.fchmod(descriptor, OWNER_ONLY)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def is_regular(path: Path) -> bool:
    """Whether a path is free or a regular file's, which can be opened without waiting. Raises OSError."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except FileNotFoundError:
        return True


def remove_ready_file(path: Path | None) -> None:
    """Remove a file of an earlier server, which would send its readers to the wrong port. Raises CliError."""
    if path is None:
        return
    try:
        # To remove a device or a pipe would take it from others.
        if not is_regular(path):
            raise CliError(f"--ready-file {path}: is not a regular file, which the server could remove at its end")
        path.unlink(missing_ok=True)
    except OSError as error:
        raise file_error("--ready-file", path, error) from error


def make_folder(option: str, folder: Path | None) -> None:
    """Make the folder of an option, and all above it. Raises CliError."""
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise file_error(option, folder, error) from None


def aligned(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Rows as lines: columns of equal width, under the names of their fields."""
    cells = [list(rows[0]), *([_cell(value) for value in row.values()] for row in rows)]
    widths = [max(len(click.unstyle(cell)) for cell in column) for column in zip(*cells, strict=True)]
    for line in cells:
        padded = (cell + " " * (width - len(click.unstyle(cell))) for cell, width in zip(line, widths, strict=True))
        yield "  ".join(padded).rstrip()


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(value) if isinstance(value, list) else str(value)


class Progress:
    """The state of a long command on a stream, usually standard error: one line that is rewritten on a terminal, a line
    every ten seconds elsewhere.
    """

    def __init__(self, stream: TextIO, clock: Clock | None = None) -> None:
        self._stream = stream
        self._clock = clock or Clock.real()
        self._start_ms = self._last_ms = self._clock.now_ms()
        self.on_terminal = stream.isatty()
        self._is_line_open = False

    @property
    def elapsed_ms(self) -> int:
        """The time since the start."""
        return self._clock.now_ms() - self._start_ms

    def due(self) -> bool:
        """Whether it is time to show the state again."""
        passed_ms = self._clock.now_ms() - self._last_ms
        return passed_ms >= (REWRITE_MS if self.on_terminal else LINE_MS)

    def show(self, text: str) -> None:
        """Show the state; on a terminal it replaces the last one."""
        self._last_ms = self._clock.now_ms()
        if self.on_terminal:
            columns = shutil.get_terminal_size().columns - 1
            self._stream.write("\r\x1b[K" + text[:columns])
            self._is_line_open = True
        else:
            self._stream.write(text + "\n")
        self._stream.flush()

    def print_line(self, text: str) -> None:
        """Print a line that is not replaced."""
        self.clear()
        self._stream.write(text + "\n")
        self._stream.flush()

    def clear(self) -> None:
        """Remove the state from the terminal."""
        if self._is_line_open:
            self._stream.write("\r\x1b[K")
            self._stream.flush()
            self._is_line_open = False


def left_text(done: int, total: int, elapsed_ms: int) -> str:
    """An estimate of the time that is left: `about 40 s left`; empty where nothing is done yet, or all is."""
    if not done or done >= total:
        return ""
    left_s = round(elapsed_ms * (total - done) / done / 1000)
    minutes, seconds = divmod(left_s, 60)
    return (
        f"about {minutes} min left"
        if minutes >= 10
        else f"about {minutes}:{seconds:02} min left"
        if minutes
        else f"about {seconds} s left"
    )
