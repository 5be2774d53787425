"""`mockrelay serve`: a relay made, bound to a port, announced and served.

Nothing but click is imported before the signals are caught, so that a stop that is asked for meanwhile is not lost.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mockrelay.cli.options import AUTO_TOKEN, EXIT_FINDINGS, CliError, relay_of, warn_of_misspelt_variables
from mockrelay.cli.output import check_parent, remove_ready_file
from mockrelay.cli.serve.binding import Tls, address_of, bound, control_origins_of, origins_of, outside_of, tls_of
from mockrelay.cli.serve.options import ServeOptions, serve_options
from mockrelay.cli.serve.page import open_page
from mockrelay.cli.signals import StopSignals

if TYPE_CHECKING:
    from socket import socket

    from mockrelay.cli.serve.files import Conclusion, Start
    from mockrelay.relay import Relay


YOUNG_OBJECTS = 10_000
"""After so many new objects the youngest are looked at for garbage. A call leaves some twenty in the journal, so that after the
usual 700 there would be a collection every 35 calls.
"""
OLDER_EVERY = (4, 1)
"""After so many more of these collections, and so many of the older ones that follow, the next older objects are looked at too. A
large record makes millions of objects: after the usual ten and ten a collection would look at a million of them at once.
"""
IMPORTS_AFTER_S = 0.25
"""How long after the start the rest is imported: until then the first calls need the processor."""


@click.command()
@serve_options
@click.pass_context
def serve(ctx: click.Context, /, **options: Any) -> None:
    """Serve a relayer until SIGINT, SIGTERM or SIGHUP. It prints its address and the accounts of its scenario.

    Exit code 0: stopped; 1: stopped, and there is what --fail-on names; 2: an option or the scenario is wrong; 3: the port cannot be bound.
    """
    stop = StopSignals()
    given = ServeOptions(**options)
    if given.stop_at_eof:
        stop.watch(sys.stdin.buffer)
    remove_ready_file(given.ready_file)
    if given.resume_file is not None:
        _refuse_beside_resume(ctx, given.resume_file)
    # In the environment or a project's file it is for the runs that have a log.
    if given.log_file is None and ctx.get_parameter_source("log_format") is click.core.ParameterSource.COMMANDLINE:
        raise CliError("--log-format alone: it is the form of the lines of --log; meant: --log FILE, or --log -, too")
    tls = tls_of(given)
    # The objects that a start makes stay, and to collect garbage among them takes a tenth of the start. `_run` enables it.
    gc.disable()

    from mockrelay.cli.serve.files import Conclusion

    warn_of_misspelt_variables(ctx)
    if given.token == "":
        raise CliError("--token is empty: give it a value or leave it out")
    is_made = given.token == AUTO_TOKEN
    if is_made:
        import secrets

        given = given._replace(token=secrets.token_urlsafe(24))
    relay = None
    if given.resume_file is None:
        relay = relay_of(given.scenario, given.clock, dict(given.choices), given.limits, given.profile)
    check_parent("--ready-file", given.ready_file)
    conclusion = Conclusion(given.output_dir, given.fail_on)
    with bound(given.host, given.port, given.token) as sock:
        failure = _run(_start(relay, given), sock, tls, given, conclusion, stop.when_asked, shows_token=is_made)
    stop.ignore()
    if failure is not None:
        raise CliError(failure, EXIT_FINDINGS)


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


def _start(relay: Relay | None, given: ServeOptions) -> Start:
    """The relay of a scenario, recorded if there is a file for it, or those of a record. Raises CliError."""
    from mockrelay.cli.serve.files import Start, record_into, resume_from
    from mockrelay.recording.recorder import OnFailure

    on_failure = OnFailure(given.on_record_failure)
    if given.resume_file is not None:
        return resume_from(given.resume_file, on_failure)
    assert relay is not None
    if given.record_file is None:
        return Start(relay, {}, None, None)
    return record_into(relay, given.record_file, on_failure, overwrite=given.overwrite)


def _run(
    start: Start,
    sock: socket,
    tls: Tls | None,
    given: ServeOptions,
    conclusion: Conclusion,
    when_asked: Callable[[Callable[[], None]], None],
    *,
    shows_token: bool,
) -> str | None:
    """Serve until a stop is asked for; what makes the run fail, in a sentence."""
    from mockrelay.cli.serve.files import log_to, open_log, write_ca, write_ready_file
    from mockrelay.web.dispatch import Dispatcher
    from mockrelay.web.server import serve_until, url_of

    with ExitStack() as stack:
        if start.record is not None:
            stack.callback(start.record.close)
        log = None
        if given.log_file is not None:
            log = log_to(stack.enter_context(open_log(given.log_file)), given.log_file, given.log_format)

        def listening() -> None:
            ready = _ready(start.relay, sock, "http" if tls is None else "https", given)
            if tls is not None and tls.ca_pem is not None and given.ready_file is not None:
                ready["ca"] = str(write_ca(given.ready_file, tls.ca_pem, stack))
            if shows_token:
                ready["token"] = given.token
            page = f"{url_of(sock, 'http' if tls is None else 'https')}/"
            _announce(ready, page, start.message)
            rest = threading.Timer(IMPORTS_AFTER_S, import_rest)
            rest.daemon = True
            rest.start()
            # Python's own end in the middle of an import may never come.
            stack.callback(rest.join)
            stack.callback(rest.cancel)
            if given.open_page:
                open_page(page)
            if given.ready_file is not None:
                stack.callback(write_ready_file(given.ready_file, ready))

        dispatcher = Dispatcher(
            start.relay,
            given.token,
            log,
            cors=origins_of(given.cors),
            world_limits=given.world_limits,
            worlds=start.worlds,
            allow_files=given.allow_files,
            outside=outside_of(given),
            control_origins=control_origins_of(given.control_cors),
        )
        _freeze_long_lived_objects()
        serve_until(dispatcher, sock, listening=listening, when_asked=when_asked, ssl=tls and tls.context)
        return conclusion.draw(dispatcher.report)


def import_rest() -> None:
    """Import what calls are read and refused with, beside the loop: the first one would hold up all others for as long."""
    import msgspec  # noqa: F401

    import mockrelay.core.signatures.diagnose
    import mockrelay.core.signatures.verify
    import mockrelay.wire.explain  # noqa: F401
    from mockrelay.signing.hashes import keccak256
    from mockrelay.signing.secp256k1 import backend

    backend()
    keccak256(b"")


def _ready(relay: Relay, sock: socket, scheme: str, given: ServeOptions) -> dict[str, Any]:
    """The JSON object of the ready file."""
    from mockrelay.web.server import url_of

    return {
        "url": str(address_of(given.public_url)) if given.public_url else url_of(sock, scheme),
        "port": sock.getsockname()[1],
        "pid": os.getpid(),
        "scenario": relay.scenario_name,
        "accounts": relay.accounts(),
    }


def _announce(ready: dict[str, Any], page: str, message: str | None) -> None:
    """Print the lines of the start; the first one is `mockrelay listening on URL`. `page`: its address on this machine."""
    lines = [f"mockrelay listening on {ready['url']}", f"scenario {ready['scenario']}"]
    if "token" in ready:
        lines.append(f"token {ready['token']}")
    if "ca" in ready:
        lines.append(f"certificate authority {ready['ca']} (SSL_CERT_FILE, NODE_EXTRA_CA_CERTS, curl --cacert)")
    lines += [
        f"account {account['accountId']} {account['name']} owner {account['owner']} X-API-KEY {account['apiKey']}"
        for account in ready["accounts"]
    ]
    lines += [] if message is None else [message]
    lines.append(f"page {page} shows it in a browser")
    click.echo("\n".join(lines))


def _freeze_long_lived_objects() -> None:
    """Exclude the objects that survive a full garbage collection from later ones.

    Orders live long; a full collection over half a million of them stops every request for a tenth of a second or more.
    This is for the whole process, so it is done only here, where the process is ours.
    """
    gc.freeze()
    gc.callbacks.append(_freeze_survivors)
    gc.set_threshold(YOUNG_OBJECTS, *OLDER_EVERY)
    gc.enable()


def _freeze_survivors(phase: str, info: dict[str, int]) -> None:
    if phase == "stop" and info["generation"] == 2:
        gc.freeze()
