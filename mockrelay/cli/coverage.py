"""`mockrelay coverage`: the coverage of files and servers, added up and compared with thresholds."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mockrelay.cli.options import EXIT_FINDINGS, CliError, completed_by, is_http_url, option
from mockrelay.cli.output import output_options, put
from mockrelay.cli.reading import WORLD, report_of

if TYPE_CHECKING:
    from mockrelay.report.coverage import Coverage

FORMATS = ("text", "text-missing", "json", "junit")


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="FILE|URL...")
@option(
    "--fail-under",
    "thresholds",
    multiple=True,
    metavar="PERCENT|KIND=PERCENT",
    shell_complete=completed_by("kinds"),
    command="coverage",
    help="Exit with 1 where less is covered, of everything or of one kind; repeat it for several.",
)
@output_options("coverage", *FORMATS)
@WORLD
@option("--token", help="The servers' token, if they were started with one.")
def coverage(
    sources: tuple[str, ...],
    thresholds: tuple[str, ...],
    output_format: str,
    output: Path | None,
    worlds: tuple[str, ...],
    token: str | None,
) -> None:
    """Add up what test runs and servers have covered of the spec. Then list what none of them has covered; `--format
    text-missing` says how to reach it.

    FILE is what a test run wrote (--mockrelay-coverage=FILE.json) or what `GET coverage` answered; URL is a server that
    is up (all its worlds together, removed ones too), or a world of it. Exit code 0: fine; 1: less than --fail-under is covered; 2: a file or server cannot be read, or
    the output cannot be written.
    """
    from mockrelay.report.coverage_text import format_coverage
    from mockrelay.report.thresholds import parse_threshold, shortfalls

    total = _sum(sources, worlds, token)
    try:
        least = [parse_threshold(text) for text in thresholds]
    except ValueError as error:
        raise CliError(f"--fail-under: {error}") from error
    put(format_coverage(total, output_format, least), output)
    sentences = [sentence for _, sentence in shortfalls(total, least)]
    for sentence in sentences:
        click.echo(f"mockrelay: {sentence}", err=True)
    if sentences:
        sys.exit(EXIT_FINDINGS)


def _sum(sources: Iterable[str], worlds: tuple[str, ...], token: str | None) -> Coverage:
    """The coverage of all sources together. Raises CliError."""
    from mockrelay.report.coverage import Coverage
    from mockrelay.report.coverage_views import coverage_from_view, parse_coverage

    def read(source: str) -> list[Coverage]:
        if is_http_url(source):
            return [coverage_from_view(view) for view in report_of(source, "coverage", worlds, token)]
        return [parse_coverage(Path(source).read_text(encoding="utf-8"))]

    total = Coverage()
    for source in sources:
        try:
            for part in read(source):
                total.merge(part)
        except (OSError, ValueError) as error:
            raise CliError(f"{source}: {getattr(error, 'strerror', None) or error}") from error
    return total
