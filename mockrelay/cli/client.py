"""`mockrelay client`: a client of the control API for tests in another language."""

from __future__ import annotations

from pathlib import Path

import click

from mockrelay.cli.options import FILE, CliError, option
from mockrelay.cli.output import put

_TYPES = {".mjs": ".d.mts", ".js": ".d.ts"}
"""By the ending of the module: that of its types."""


@click.command()
@click.argument("language", type=click.Choice(("js",)), metavar="js")
@option(
    "--output",
    type=FILE,
    command="client",
    metavar="FILE",
    help="Write the module to this file (.mjs or .js), and its types for TypeScript beside it; print nothing.",
)
def client(language: str, output: Path | None) -> None:
    """Print a client for tests in JavaScript and TypeScript: one module without dependencies."""
    from mockrelay._files import javascript_client

    module, types = javascript_client().values()
    if output is None:
        put(module, None)
        return
    if output.suffix not in _TYPES:
        raise CliError(f"--output {output}: TypeScript would not find the types of such a name; meant: .mjs or .js")
    put(module, output)
    put(types, output.with_suffix(_TYPES[output.suffix]))
