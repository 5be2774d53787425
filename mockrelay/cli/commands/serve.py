"""`mockrelay serve`."""

from __future__ import annotations

import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mockrelay.cli.options import (
    DEFAULT_PORT,
    CliError,
    ClockWord,
    Setting,
    environment_names,
    option,
)

if TYPE_CHECKING:
    from mockrelay.cli.record_files import Start
    from mockrelay.relay import Relay


@click.command()
@option("-H", "--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@option(
    "-p",
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="0 takes a free port.",
)
@option(
    "--scenario",
    default="default",
    show_default=True,
    metavar="NAME|FILE",
    help="What the relayer starts with: a packaged scenario, or a YAML file.",
)
@option("--clock", type=ClockWord(), default="real", show_default=True, help="How the relayer's time goes by.")
@option(
    "--set",
    "settings",
    type=Setting(),
    multiple=True,
    help="A reading where the spec is silent; once for each. In MOCKRELAY_SET a comma stands between two.",
)
@option(
    "--limits",
    type=click.Choice(("spec", "off")),
    help="Rate limits, where they are not to be as the scenario says.",
)
@option(
    "--ready-file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write url, port, pid, scenario and accounts there as JSON while connections are accepted.",
)
@option("--token", help="What the control API asks for; needed to listen beyond loopback.")
@option(
    "--cors",
    default="any",
    show_default=True,
    metavar="any|none|ORIGIN[,ORIGIN]",
    help="Whose pages may use the API from a browser. The control API is never open to them.",
)
@option(
    "--worlds",
    "worlds_max",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    metavar="N",
    help="How many further relayers may be made under /w/NAME/.",
)
@option(
    "--log",
    "log_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Append a line for each request: relayer's time in ms, method, target, status.",
)
@option(
    "--record",
    "record_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write each call there before it is answered, and the answer: a record, with secrets as they were sent.",
)
@option(
    "--resume",
    "resume_file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Start where a record ends, and go on writing it.",
)
@option("--overwrite", is_flag=True, help="Let --record replace what is in its file.")
@option(
    "--on-record-failure",
    type=click.Choice(("refuse", "continue")),
    default="refuse",
    show_default=True,
    help="What becomes of a call that cannot be written into the record: 503 and not applied, or done all the same.",
)
@option(
    "--report",
    "report_dir",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write there at the end what the clients did wrong, and what they never tried: text, JSON, JUnit and SARIF.",
)
@click.pass_context
def serve(
    ctx: click.Context,
    host: str,
    port: int,
    scenario: str,
    clock: str,
    settings: tuple[tuple[str, str], ...],
    limits: str | None,
    ready_file: Path | None,
    token: str | None,
    cors: str,
    worlds_max: int,
    log_file: Path | None,
    record_file: Path | None,
    resume_file: Path | None,
    overwrite: bool,
    on_record_failure: str,
    report_dir: Path | None,
) -> None:
    """Serve a relayer until SIGINT or SIGTERM."""
    if resume_file is not None:
        _refuse_beside_resume(ctx, resume_file)
    from mockrelay.cli.signals import StopSignals

    stop = StopSignals()
    # What a start makes stays: looking for garbage in it takes a tenth of the start. `serving.run` turns it on again.
    gc.disable()
    from mockrelay.web.sparing import spare_the_client

    spare_the_client()
    from mockrelay.cli import serving

    for warning in serving.misspelt(os.environ, environment_names(ctx.find_root().command)):
        click.echo(f"mockrelay: {warning}", err=True)
    if token == "":
        raise CliError("--token is empty: give it a value or leave it out")
    origins = serving.origins_of(cors)
    made = None if resume_file is not None else serving.relay_of(scenario, clock, dict(settings), limits)
    serving.check_ready_file(ready_file)
    reporter = serving.reporter_in(report_dir)
    sock = serving.bound(host, port, token)
    start = _start(made, record_file, resume_file, on_record_failure, overwrite=overwrite)
    serving.run(
        start,
        sock,
        token=token,
        cors=origins,
        worlds_max=worlds_max,
        ready_file=ready_file,
        log_file=log_file,
        reporter=reporter,
        when_asked=stop.when_asked,
    )
    stop.over()


def _start(
    relay: Relay | None, record_file: Path | None, resume_file: Path | None, on_record_failure: str, *, overwrite: bool
) -> Start:
    """A relay that was made, recorded if a file is given, or the one of a record that is to go on."""
    from mockrelay.cli import record_files
    from mockrelay.recording.recorder import OnFailure

    on_failure = OnFailure(on_record_failure)
    if resume_file is not None:
        return record_files.resume_from(resume_file, on_failure)
    assert relay is not None
    if record_file is None:
        return record_files.Start(relay, {}, None, None)
    return record_files.record_into(relay, record_file, on_failure, overwrite=overwrite)


def _refuse_beside_resume(ctx: click.Context, resume_file: Path) -> None:
    """A record says itself how its relayer started, and goes on in its own file."""
    for name, given in (
        ("scenario", "--scenario"),
        ("clock", "--clock"),
        ("settings", "--set"),
        ("limits", "--limits"),
        ("record_file", "--record"),
        ("overwrite", "--overwrite"),
    ):
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            record_file = ctx.params["record_file"]
            if name == "record_file" and record_file.exists() and record_file.samefile(resume_file):
                continue
            raise CliError(f"{given} beside --resume: the record says how its relayer started and is written on")
