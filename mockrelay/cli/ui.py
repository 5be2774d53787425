"""`mockrelay ui`: a record shown in a browser, stepping through time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mockrelay.cli.options import EXISTING_FILE, CliError, option
from mockrelay.cli.signals import StopSignals

if TYPE_CHECKING:
    from mockrelay.replay.stepping import Stepper


@click.command()
@click.argument("file", type=EXISTING_FILE)
@option(
    "-p",
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    command="ui",
    show_default=True,
    help="The port to listen on; 0 takes a free one.",
)
@option(
    "--world",
    default="",
    command="ui",
    metavar="NAME",
    help="The world of the record to show.  [default: the main one]",
)
@option("--no-open", is_flag=True, command="ui", help="Open no browser.")
def ui(file: Path, port: int, world: str, *, no_open: bool) -> None:
    """Show a record in a browser, and step through it. FILE is what `serve --record` or `GET dump` wrote.

    Exit code 0: stopped; 2: FILE is not a record; 3: the port cannot be bound.
    """
    stop = StopSignals()
    from mockrelay.cli.serve.binding import bound
    from mockrelay.cli.serve.page import open_page
    from mockrelay.web.dispatch import Dispatcher
    from mockrelay.web.server import serve_until, url_of

    stepper = _stepper(file, world)
    with bound("127.0.0.1", port, None) as sock:

        def listening() -> None:
            url = url_of(sock)
            click.echo(f"mockrelay listening on {url}\npage {url}/ shows {file}: {len(stepper.positions)} steps")
            if not no_open:
                open_page(f"{url}/")

        serve_until(Dispatcher(stepper.relay, stepper=stepper), sock, listening=listening, when_asked=stop.when_asked)
    stop.ignore()


def _stepper(file: Path, world: str) -> Stepper:
    """The record's relayer. Raises CliError."""
    from mockrelay.recording.format import RecordError, head_of, other_version, read_record
    from mockrelay.replay.stepping import Stepper

    try:
        record = read_record(file.read_bytes())
        stepper = Stepper(record, world)
        warning = other_version(head_of(record.steps[world]))
    except (OSError, RecordError) as error:
        raise CliError(f"{file}: {getattr(error, 'strerror', None) or error}") from None
    if warning is not None:
        click.echo(f"mockrelay: {warning}", err=True)
    return stepper
