"""`mockrelay serve`: a relay made, bound to a port, announced and served.

Nothing but click is imported before the signals are caught, so that a stop that is asked for meanwhile is not lost.
"""

from __future__ import annotations

import errno
import gc
import os
import re
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from mockrelay.cli.options import (
    DEFAULT_PORT,
    EXISTING_FILE,
    EXISTING_FOLDER,
    EXIT_CANNOT_BIND,
    EXIT_FINDINGS,
    FILE,
    LIMITS,
    PROFILE,
    CliError,
    ClockRate,
    KeyOption,
    option,
    relay_of,
    warn_of_misspelt_variables,
)
from mockrelay.cli.output import check_parent, output_dir_option, remove_ready_file
from mockrelay.cli.signals import StopSignals

if TYPE_CHECKING:
    from socket import socket
    from ssl import SSLContext

    from mockrelay.cli.server_files import Conclusion, Start
    from mockrelay.relay import Relay

_NUMBERS = re.compile(r"[0-9.]+")


class ServerOptions(NamedTuple):
    """The options of a server that are not about its relay."""

    token: str | None
    tls: SSLContext | None
    cors: tuple[str, ...]
    worlds_max: int
    ready_file: Path | None
    log_file: Path | None
    allow_files: Path | None


@click.command()
@option("-H", "--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@option(
    "-p",
    "--port",
    type=click.IntRange(0, 65535),
    default=DEFAULT_PORT,
    show_default=True,
    help="The port to listen on; 0 takes a free one.",
)
@option(
    "--scenario",
    default="default",
    show_default=True,
    metavar="NAME|FILE",
    help="The scenario that the relayer starts with: a packaged one, or a YAML file.",
)
@option(
    "--clock",
    type=ClockRate(),
    default="real",
    show_default=True,
    metavar="real|frozen|RATE",
    help="The relayer's clock. RATE is how many of its seconds pass in one: 60 makes a minute of every second.",
)
@option(
    "--set",
    "choices",
    type=KeyOption(),
    multiple=True,
    help="An option of a choice; repeat it for several. In MOCKRELAY_SET a comma separates two.",
)
@option("--limits", type=LIMITS, help="The rate limits: those of the spec, or none.  [default: the scenario's]")
@option(
    "--profile",
    type=PROFILE,
    help="What is served: the specification alone, or with what published clients need beside it.  [default: the scenario's]",
)
@option("--token", help="The token that the control API asks for; needed to listen beyond loopback.")
@option("--tls-cert", type=EXISTING_FILE, help="Serve HTTPS with this certificate, or chain of certificates (PEM).")
@option("--tls-key", type=EXISTING_FILE, help="The private key of the certificate (PEM, without a password).")
@option(
    "--cors",
    default="any",
    show_default=True,
    metavar="any|none|ORIGIN[,ORIGIN]",
    help="The origins whose pages may use the API in a browser. The control API is closed to all of them.",
)
@option(
    "--allow-files",
    type=EXISTING_FOLDER,
    metavar="DIR",
    help="Let the control API's `reset` read scenario files in this folder. Without it no file is read.",
)
@option(
    "--worlds",
    "worlds_max",
    type=click.IntRange(min=0),
    default=100,
    show_default=True,
    metavar="N",
    help="The number of further relayers that may be made under /w/NAME/.",
)
@option(
    "--ready-file",
    type=FILE,
    help="Write url, port, pid, scenario and accounts to this file as JSON while connections are accepted.",
)
@option(
    "--log",
    "log_file",
    type=FILE,
    help="Append a line for each request to this file: the relayer's time in ms, method, target and status.",
)
@option(
    "--record",
    "record_file",
    type=FILE,
    help="Record each call in this file before it is answered, and the answer. Secrets are recorded as they were sent.",
)
@option("--resume", "resume_file", type=EXISTING_FILE, help="Start in the state of a record's end, and continue it.")
@option("--overwrite", is_flag=True, help="Let --record replace what is in its file.")
@option(
    "--on-record-failure",
    type=click.Choice(("refuse", "continue")),
    default="refuse",
    show_default=True,
    help="Whether a call that cannot be recorded is refused with 503 and changes nothing, or is carried out unrecorded.",
)
@option("--stop-at-eof", is_flag=True, help="Stop too when standard input ends: with whoever started the server.")
@output_dir_option(
    "",
    "At the end, write a report to this folder: findings about the clients, and coverage; as text, JSON, JUnit and SARIF.",
    old={"--report": None, "MOCKRELAY_REPORT": None},
)
@option(
    "--fail-on",
    type=click.Choice(("error", "warning", "note", "problem")),
    help="Exit with 1 at the end for findings of this level or a heavier one, and for problems; `problem`: for problems alone.",
)
@click.pass_context
def serve(
    ctx: click.Context,
    *,
    host: str,
    port: int,
    scenario: str,
    clock: str,
    choices: tuple[tuple[str, str], ...],
    limits: str | None,
    profile: str | None,
    token: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    cors: str,
    allow_files: Path | None,
    worlds_max: int,
    ready_file: Path | None,
    log_file: Path | None,
    record_file: Path | None,
    resume_file: Path | None,
    overwrite: bool,
    on_record_failure: str,
    stop_at_eof: bool,
    output_dir: Path | None,
    fail_on: str | None,
) -> None:
    """Serve a relayer until SIGINT, SIGTERM or SIGHUP. It prints its address and the accounts of its scenario.

    Exit code 0: stopped; 1: stopped, and there is what --fail-on names; 2: an option or the scenario is wrong; 3: the port cannot be bound.
    """
    stop = StopSignals()
    if stop_at_eof:
        stop.watch(sys.stdin.buffer)
    remove_ready_file(ready_file)
    if resume_file is not None:
        _refuse_beside_resume(ctx, resume_file)
    tls = _tls_context(tls_cert, tls_key)
    # The objects that a start makes stay, and to collect garbage among them takes a tenth of the start. `_run` enables it.
    gc.disable()

    from mockrelay.cli import server_files

    warn_of_misspelt_variables(ctx)
    if token == "":
        raise CliError("--token is empty: give it a value or leave it out")
    options = ServerOptions(token, tls, origins_of(cors), worlds_max, ready_file, log_file, allow_files)
    relay = None if resume_file is not None else relay_of(scenario, clock, dict(choices), limits, profile)
    check_parent("--ready-file", ready_file)
    conclusion = server_files.Conclusion(output_dir, fail_on)
    with _bound(host, port, token) as sock:
        start = _start(relay, record_file, resume_file, on_record_failure, overwrite=overwrite)
        failure = _run(start, sock, options, conclusion, stop.when_asked)
    stop.ignore()
    if failure is not None:
        raise CliError(failure, EXIT_FINDINGS)


def origins_of(text: str) -> tuple[str, ...]:
    """The origins of `--cors`: `any`, `none`, or origins separated by commas. Raises CliError."""
    from mockrelay.web.cors import ANY, Cors

    if text in ("any", "none"):
        return ANY if text == "any" else ()
    origins = tuple(origin.strip() for origin in text.split(","))
    try:
        Cors(origins)
    except ValueError as error:
        raise CliError(f"--cors {text}: {error}; or any, or none") from error
    return origins


def _tls_context(cert: Path | None, key: Path | None) -> SSLContext | None:
    """The context of a server with TLS; None without the options. Raises CliError."""
    if cert is None and key is None:
        return None
    if cert is None or key is None:
        raise CliError(f"--tls-{'key' if cert is None else 'cert'} alone: --tls-cert and --tls-key belong together")
    import ssl

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        # With a password here OpenSSL asks for none on the terminal.
        context.load_cert_chain(cert, key, password="")
    except ssl.SSLError as error:
        found = "not both files are PEM, or the key has a password"
        if error.reason == "KEY_VALUES_MISMATCH":
            found = "the key belongs to another certificate"
        meant = "a certificate and its private key without a password"
        raise CliError(f"--tls-cert {cert} --tls-key {key}: {found}; meant: {meant}") from error
    return context


def _refuse_beside_resume(ctx: click.Context, resume_file: Path) -> None:
    """CliError for options that a record decides: how its relayer started, and the file that it continues in."""
    for name, given in (
        ("scenario", "--scenario"),
        ("clock", "--clock"),
        ("choices", "--set"),
        ("limits", "--limits"),
        ("profile", "--profile"),
        ("record_file", "--record"),
        ("overwrite", "--overwrite"),
    ):
        if ctx.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            record_file = ctx.params["record_file"]
            if name == "record_file" and record_file.exists() and record_file.samefile(resume_file):
                continue
            raise CliError(f"{given} beside --resume: the record says how its relayer started and is written on")


def _bound(host: str, port: int, token: str | None) -> socket:
    """A socket that is bound to the port. Raises CliError."""
    import socket

    from mockrelay.web.server import bind

    if _NUMBERS.fullmatch(host) and not _is_address(host):
        raise CliError(f"--host {host}: is not an address; meant: four numbers from 0 to 255, such as 127.0.0.1")
    try:
        return bind(host, port, token)
    except ValueError as error:
        raise CliError(f"--host {host}: {error}") from error
    except socket.gaierror as error:
        raise CliError(f"--host {host}: no address is known of it ({error.strerror}); meant: 127.0.0.1") from error
    except OSError as error:
        hint = "; -p 0 takes a free port" if error.errno == errno.EADDRINUSE else ""
        text = f"cannot listen on {host}:{port}: {error.strerror or error}{hint}"
        raise CliError(text, EXIT_CANNOT_BIND) from error


def _is_address(host: str) -> bool:
    import ipaddress

    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _start(
    relay: Relay | None, record_file: Path | None, resume_file: Path | None, on_record_failure: str, *, overwrite: bool
) -> Start:
    """The relay of a scenario, recorded if there is a file for it, or those of a record. Raises CliError."""
    from mockrelay.cli.server_files import Start, record_into, resume_from
    from mockrelay.recording.recorder import OnFailure

    on_failure = OnFailure(on_record_failure)
    if resume_file is not None:
        return resume_from(resume_file, on_failure)
    assert relay is not None
    if record_file is None:
        return Start(relay, {}, None, None)
    return record_into(relay, record_file, on_failure, overwrite=overwrite)


def _run(
    start: Start,
    sock: socket,
    options: ServerOptions,
    conclusion: Conclusion,
    when_asked: Callable[[Callable[[], None]], None],
) -> str | None:
    """Serve until a stop is asked for; what makes the run fail, in a sentence."""
    from mockrelay.cli.server_files import log_to, open_log, write_ready_file
    from mockrelay.web.dispatch import Dispatcher
    from mockrelay.web.server import serve_until

    with ExitStack() as stack:
        if start.record is not None:
            stack.callback(start.record.close)
        log = None
        if options.log_file is not None:
            log = log_to(stack.enter_context(open_log(options.log_file)), options.log_file)

        def listening() -> None:
            ready = _ready(start.relay, sock, "http" if options.tls is None else "https")
            _announce(ready, start.message)
            if options.ready_file is not None:
                stack.callback(write_ready_file(options.ready_file, ready))

        dispatcher = Dispatcher(
            start.relay,
            options.token,
            log,
            cors=options.cors,
            worlds_max=options.worlds_max,
            worlds=start.worlds,
            allow_files=options.allow_files,
        )
        _freeze_long_lived_objects()
        serve_until(dispatcher, sock, listening=listening, when_asked=when_asked, ssl=options.tls)
        return conclusion.draw(dispatcher.report)


def _ready(relay: Relay, sock: socket, scheme: str) -> dict[str, Any]:
    """The JSON object of the ready file."""
    from mockrelay.web.server import url_of

    return {
        "url": url_of(sock, scheme),
        "port": sock.getsockname()[1],
        "pid": os.getpid(),
        "scenario": relay.scenario_name,
        "accounts": relay.accounts(),
    }


def _announce(ready: dict[str, Any], message: str | None) -> None:
    """Print the lines of the start; the first one is `mockrelay listening on URL`."""
    lines = [f"mockrelay listening on {ready['url']}", f"scenario {ready['scenario']}"]
    lines += [
        f"account {account['accountId']} {account['name']} owner {account['owner']} X-API-KEY {account['apiKey']}"
        for account in ready["accounts"]
    ]
    click.echo("\n".join(lines if message is None else [*lines, message]))


def _freeze_long_lived_objects() -> None:
    """Exclude the objects that survive a full garbage collection from later ones.

    Orders live long; a full collection over half a million of them stops every request for a tenth of a second or more.
    This is for the whole process, so it is done only here, where the process is ours.
    """
    gc.freeze()
    gc.callbacks.append(_freeze_survivors)
    gc.enable()


def _freeze_survivors(phase: str, info: dict[str, int]) -> None:
    if phase == "stop" and info["generation"] == 2:
        gc.freeze()
