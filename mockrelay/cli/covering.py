"""`mockrelay coverage`: what files and servers have met of the spec, added up, told and judged."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from mockrelay.cli.options import CliError
from mockrelay.report.coverage import Coverage
from mockrelay.report.coverage.floors import Floor, floor_of, missed
from mockrelay.testing.control import ControlError, over_http


def added_up(sources: Iterable[str], token: str | None) -> Coverage:
    """What all sources have met, taken together. Raises CliError."""
    coverage = Coverage()
    for source in sources:
        try:
            coverage.merge(_read(source, token))
        except ControlError as error:
            raise CliError(str(error)) from error
        except (OSError, ValueError) as error:
            raise CliError(f"{source}: {getattr(error, 'strerror', None) or error}") from error
    return coverage


def floors_of(texts: Iterable[str]) -> list[Floor]:
    """The floors that are asked for. Raises CliError."""
    try:
        return [floor_of(text) for text in texts]
    except ValueError as error:
        raise CliError(f"--fail-under: {error}") from error


def missed_by(coverage: Coverage, floors: Iterable[Floor]) -> list[str]:
    """A sentence for each floor that is missed."""
    return [sentence for _, sentence in missed(coverage, floors)]


def put(text: str, output: Path | None) -> None:
    """Write it to a file, or print it. Raises CliError."""
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise CliError(f"--output {output}: {error.strerror or error}") from error


def _read(source: str, token: str | None) -> Coverage:
    if source.startswith(("http://", "https://")):
        return Coverage.of_view(over_http(source.rstrip("/"), token)("GET", "coverage"))
    return Coverage.of_text(Path(source).read_text(encoding="utf-8"))
