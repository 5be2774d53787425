"""`mockrelay example`: a right call to an endpoint, and its answer."""

from __future__ import annotations

from pathlib import Path

import click

from mockrelay.cli.options import DEFAULT_PORT, FILE, CliError, http_url, option
from mockrelay.cli.output import put


@click.command()
@click.argument("endpoint")
@option(
    "--as",
    "--format",
    "output_format",
    type=click.Choice(("curl", "json", "python", "js")),
    default="curl",
    show_default=True,
    command="example",
    help="The form of the call.",
)
@option(
    "--url",
    default=f"http://127.0.0.1:{DEFAULT_PORT}",
    show_default=True,
    callback=http_url,
    help="The relayer's address that the call is sent to: some signatures cover it.",
)
@option(
    "--output",
    type=FILE,
    command="example",
    metavar="FILE",
    help="Write the output to this file; print nothing.",
)
def example(endpoint: str, output_format: str, url: str, output: Path | None) -> None:
    """Print a right call to ENDPOINT, and its answer. ENDPOINT is a name of `mockrelay spec`. The call is signed where the
    endpoint has signatures; the answer is that of the default scenario, whose clock stands still. The same every time.
    """
    from mockrelay.openapi.call_forms import FORMS
    from mockrelay.openapi.right_calls import right_call
    from mockrelay.spec.endpoints import ENDPOINTS
    from mockrelay.suggest import nearest

    names = tuple(row.name for row in ENDPOINTS)
    if endpoint not in names:
        raise CliError(f"{endpoint!r} is not an endpoint of the specification; meant: {nearest(endpoint, names)}")
    put(FORMS[output_format](right_call(endpoint, url)), output)
