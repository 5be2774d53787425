"""The command line: `mockrelay COMMAND`. A command's module is imported when that command runs.

Exit codes: 0 fine, 1 findings, 2 usage or configuration, 3 cannot bind. Every option can also be given as an environment
variable: `MOCKRELAY_NAME` for the options of `serve` and for those that mean the same in several commands, otherwise
`MOCKRELAY_COMMAND_NAME`.
"""

from __future__ import annotations

import importlib
import io
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from mockrelay._version import __version__

COMMANDS: Mapping[str, str] = {
    "serve": "Serve a relayer until SIGINT, SIGTERM or SIGHUP.",
    "wait": "Wait until the server at URL answers.",
    "scenarios": "List the packaged scenarios, or print one in full.",
    "validate": "Check scenario files.",
    "check": "Check the relayer at URL against the spec.",
    "sweep": "Run a test command once under each option of each choice.",
    "replay": "Run a record again and compare every answer.",
    "ui": "Show a record in a browser, and step through it.",
    "findings": "Show what clients did wrong, and problems: faults that never fired, unknown paths.",
    "coverage": "Add up what test runs and servers have covered of the spec.",
    "sign": "Sign the body of a request to ENDPOINT.",
    "spec": "Print a table of the spec.",
    "openapi": "Print an OpenAPI 3.1 document.",
    "client": "Print a client for tests in JavaScript and TypeScript: one module without dependencies.",
    "example": "Print a right call to ENDPOINT, and its answer.",
    "config": "Print the options of serve and sweep, and what the project sets for pytest, each with its source.",
    "completion": "Print a script for a shell, by which it completes commands, options and values.",
    "guide": "List the pages of the guide, or print one.",
}
"""Each command with the first sentence of its help. Its module and its function have the command's name."""


_WITH_SETTINGS = ("serve", "sweep", "config")
"""The commands that read the project's settings."""


class LazyGroup(click.Group):
    """A group that imports a command's module when the command is asked for, and none to list them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now; None where there is no such command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"{__name__}.{cmd_name}")
        command: Any = getattr(module, cmd_name)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command of the arguments; fails with the nearest one."""
        if args and args[0] not in COMMANDS:
            from mockrelay.suggest import nearest

            ctx.fail(f"there is no command {args[0]!r}; meant: {nearest(args[0], COMMANDS)}")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in the help."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mockrelay")
@click.option(
    "--config",
    envvar="MOCKRELAY_CONFIG",
    metavar="FILE|none",
    help="The project's settings, in place of the nearest mockrelay.toml or [tool.mockrelay]; `none`: no settings.",
)
@click.pass_context
def main(ctx: click.Context, config: str | None) -> None:
    """A stateful test double of a layer-2 exchange relayer."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal may have an encoding without some of the letters that a scenario or an answer has.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    if ctx.invoked_subcommand in _WITH_SETTINGS:
        _read_project(ctx, config)


def _read_project(ctx: click.Context, named: str | None) -> None:
    """Let the project's settings be the defaults of the command. Raises CliError."""
    from mockrelay._project import SECTIONS, find_project
    from mockrelay.cli.options import CliError

    try:
        project = find_project(Path(), named or None)
    except ValueError as error:
        raise CliError(str(error)) from None
    ctx.obj = project
    name = ctx.invoked_subcommand
    if project.file is not None and name in SECTIONS:
        from mockrelay.cli.config import defaults_of

        command = main.get_command(ctx, name)
        assert command is not None
        ctx.default_map = {name: defaults_of(command, name, project)}
