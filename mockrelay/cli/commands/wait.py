"""`mockrelay wait`."""

from __future__ import annotations

import click

from mockrelay.cli.options import EXIT_FINDINGS, CliError, http_url, option


@click.command()
@click.argument("url", callback=http_url)
@option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    help="How many seconds to wait.",
)
@option("--token", help="The server's token, if it was started with one.")
def wait(url: str, timeout_s: float, token: str | None) -> None:
    """Wait until the server at URL answers. Exit code 0: it does; 1: it did not in time."""
    from mockrelay.cli import waiting

    problem = waiting.wait(url, int(timeout_s * 1000), token)
    if problem is not None:
        raise CliError(problem, EXIT_FINDINGS)
