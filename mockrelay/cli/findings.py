"""`mockrelay findings`: the findings and problems of servers and files, together, in any format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mockrelay.cli.options import EXIT_FINDINGS, CliError, is_http_url, option
from mockrelay.cli.output import coloured_levels, output_options, put
from mockrelay.cli.reading import WORLD, report_of

if TYPE_CHECKING:
    from mockrelay.report.findings import Findings
    from mockrelay.report.problems import Problems

FORMATS = ("text", "json", "junit", "sarif", "markdown", "github")
LEVELS = click.Choice(("error", "warning", "note", "problem"))


@click.command()
@click.argument("sources", nargs=-1, required=True, metavar="URL|FILE...")
@option(
    "--fail-on",
    type=LEVELS,
    command="findings",
    help="Exit with 1 for findings of this level or a heavier one, and for problems; `problem`: for problems alone.",
)
@output_options("findings", *FORMATS)
@WORLD
@option("--token", help="The servers' token, if they were started with one.")
def findings(
    sources: tuple[str, ...],
    fail_on: str | None,
    output_format: str,
    output: Path | None,
    worlds: tuple[str, ...],
    token: str | None,
) -> None:
    """Show what clients did wrong, and problems: faults that never fired, unknown paths.

    URL is a server that is up (all its worlds together, removed ones too), or a world of it; FILE is findings.json of
    `serve --output-dir`, or what `GET findings?format=json` answered. `--format markdown` is for the summary of a job,
    `--format github` prints annotations. Exit code 0: fine; 1: there is what --fail-on names; 2: a source cannot be read, or
    the output cannot be written.
    """
    from mockrelay.report.fail_on import failure
    from mockrelay.report.forms import format_report

    found, problems = _sum(sources, worlds, token)
    text = format_report(found, problems, output_format)
    put(coloured_levels(text) if output_format == "text" else text, output)
    sentence = None if fail_on is None else failure(found, problems, fail_on)
    if sentence is not None:
        click.echo(f"mockrelay: {sentence}", err=True)
        sys.exit(EXIT_FINDINGS)


def _sum(sources: tuple[str, ...], worlds: tuple[str, ...], token: str | None) -> tuple[Findings, Problems]:
    """The findings and problems of all sources. Raises CliError."""
    from mockrelay.report.findings import Findings
    from mockrelay.report.forms import parse_report, report_from_view
    from mockrelay.report.problems import Problems

    found, problems = Findings(), Problems()
    for source in sources:
        try:
            if is_http_url(source):
                parts = [report_from_view(view) for view in report_of(source, "findings", worlds, token)]
            else:
                parts = [parse_report(Path(source).read_text(encoding="utf-8"))]
        except (OSError, ValueError) as error:
            raise CliError(f"{source}: {getattr(error, 'strerror', None) or error}") from error
        for own_findings, own_problems in parts:
            found.merge(own_findings)
            problems.merge(own_problems)
    return found, problems
