"""`mockrelay coverage`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mockrelay.cli.options import EXIT_FINDINGS, option

FORMATS = ("text", "text-missing", "json", "junit")


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="FILE|URL...")
@option(
    "--fail-under",
    "floors",
    multiple=True,
    metavar="PERCENT|KIND=PERCENT",
    envvar="MOCKRELAY_COVERAGE_FAIL_UNDER",
    help="Exit with 1 where less was met.",
)
@option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    show_default=True,
    envvar="MOCKRELAY_COVERAGE_FORMAT",
    help="How to tell it.",
)
@option(
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    envvar="MOCKRELAY_COVERAGE_OUTPUT",
    help="Where to write it instead of standard output.",
)
@option("--token", help="The servers' token, if they were started with one.")
def coverage(
    sources: tuple[str, ...], floors: tuple[str, ...], form: str, output: Path | None, token: str | None
) -> None:
    """Add up what several runs, jobs or servers have met of the spec, and tell what none of them tried.

    FILE is what a test run wrote (--mockrelay-coverage=FILE.json) or what `GET coverage` answered; URL a server that is
    up, or a world of it. Exit code 0: fine; 1: less than --fail-under asks for; 2: what cannot be read or written.
    """
    from mockrelay.cli import covering
    from mockrelay.report.coverage.telling import told_of

    met = covering.added_up(sources, token)
    wanted = covering.floors_of(floors)
    covering.put(told_of(met, form, wanted), output)
    sentences = covering.missed_by(met, wanted)
    for sentence in sentences:
        click.echo(f"mockrelay: {sentence}", err=True)
    if sentences:
        sys.exit(EXIT_FINDINGS)
