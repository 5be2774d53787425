"""`mockrelay serve`: a relay made, bound, announced and run."""

from __future__ import annotations

import difflib
import errno
import gc
import ipaddress
import json
import os
import re
import socket
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import ExitStack, suppress
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mockrelay.cli.options import EXIT_CANNOT_BIND, CliError
from mockrelay.cli.record_files import Start
from mockrelay.journal.masking import masked_target
from mockrelay.relay import Relay
from mockrelay.scenario import ScenarioError
from mockrelay.web.cors import ANY, Cors
from mockrelay.web.front import Front, RequestLog
from mockrelay.web.server import bind, url_of
from mockrelay.web.serving import serve_until
from mockrelay.wire.messages import RawRequest, Response

if TYPE_CHECKING:
    from mockrelay.cli.reporting import Reporter

_OURS = "MOCKRELAY_"
_NEAR = 0.85
_NUMBERS = re.compile(r"[0-9.]+")


def relay_of(scenario: str, clock: str, choices: dict[str, str], limits: str | None = None) -> Relay:
    """The relay of a scenario, by name or, where it looks like a path, by file. Raises CliError."""
    is_file = scenario.endswith((".yaml", ".yml")) or os.sep in scenario or "/" in scenario
    try:
        source = Path(scenario) if is_file else scenario
        return Relay.from_scenario(source, choices=choices, clock=clock, limits=limits)
    except ScenarioError as error:
        # Where the scenario itself is to blame, the error starts with it.
        told = str(error) if error.file == scenario else f"{scenario}: {error}"
        file = next((f"{scenario}{end}" for end in (".yaml", ".yml") if Path(f"{scenario}{end}").is_file()), None)
        raise CliError(f"--scenario {told}" + (f", or the file {file}" if file and not is_file else "")) from error
    except (OSError, ValueError) as error:
        raise CliError(f"--scenario {scenario}: {error}") from error


def origins_of(text: str) -> tuple[str, ...]:
    """The origins that `--cors` names: `any`, `none`, or origins with a comma between two. Raises CliError."""
    if text in ("any", "none"):
        return ANY if text == "any" else ()
    origins = tuple(origin.strip() for origin in text.split(","))
    try:
        Cors(origins)
    except ValueError as error:
        raise CliError(f"--cors {text}: {error}; or any, or none") from error
    return origins


def bound(host: str, port: int, token: str | None) -> socket.socket:
    """A socket that holds the port from now on. Raises CliError."""
    if _NUMBERS.fullmatch(host) and not _is_address(host):
        raise CliError(f"--host {host}: is no address; meant: four numbers from 0 to 255, such as 127.0.0.1")
    try:
        return bind(host, port, token)
    except ValueError as error:
        raise CliError(f"--host {host}: {error}") from error
    except socket.gaierror as error:
        raise CliError(f"--host {host}: no address is known of it ({error.strerror}); meant: 127.0.0.1") from error
    except OSError as error:
        hint = "; -p 0 takes a free port" if error.errno == errno.EADDRINUSE else ""
        told = f"cannot listen on {host}:{port}: {error.strerror or error}{hint}"
        raise CliError(told, EXIT_CANNOT_BIND) from error


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def check_ready_file(path: Path | None) -> None:
    """CliError where the ready file could not be written; nobody should hear of a server that ends at once."""
    if path is not None and not path.parent.is_dir():
        raise CliError(f"--ready-file {path}: there is no folder {path.parent}")


def misspelt(environ: Iterable[str], known: Collection[str]) -> Iterator[str]:
    """A sentence for each environment variable that is nearly one of ours."""
    for name in sorted(environ):
        if name.startswith(_OURS) and name not in known:
            near = difflib.get_close_matches(name, known, n=1, cutoff=_NEAR)
            if near:
                yield f"the environment variable {name} is unknown and does nothing; meant: {near[0]}"


def run(
    start: Start,
    sock: socket.socket,
    *,
    token: str | None,
    cors: tuple[str, ...],
    worlds_max: int,
    ready_file: Path | None,
    log_file: Path | None,
    reporter: Reporter | None,
    when_asked: Callable[[Callable[[], None]], None],
) -> None:
    """Serve until asked to stop."""
    with ExitStack() as stack:
        stack.callback(sock.close)
        relay = start.relay
        if start.record is not None:
            stack.callback(start.record.close)
        log = None if log_file is None else _logging_to(stack.enter_context(_opened(log_file)), log_file)
        if ready_file is not None:
            # One left over from an earlier run would send its readers to the wrong port.
            ready_file.unlink(missing_ok=True)

        def listening() -> None:
            ready = _ready(relay, sock)
            _announce(ready, start.told)
            if ready_file is not None:
                text = json.dumps(ready)
                _write_whole(ready_file, text)
                stack.callback(_remove_own, ready_file, text)

        front = Front(
            relay,
            token,
            log,
            cors=cors,
            worlds_max=worlds_max,
            worlds=start.worlds,
            when_removed=None if reporter is None else reporter.removed,
        )
        _spare_what_stays()
        serve_until(front, sock, listening=listening, when_asked=when_asked)
        if reporter is not None:
            click.echo(reporter.write(front.relays()))


def reporter_in(folder: Path | None) -> Reporter | None:
    """What writes the report into a folder, where one is given. CliError where nothing could be written there."""
    if folder is None:
        return None
    from mockrelay.cli.reporting import Reporter  # noqa: PLC0415 - few starts ask for a report

    return Reporter(folder)


def _ready(relay: Relay, sock: socket.socket) -> dict[str, Any]:
    return {
        "url": url_of(sock),
        "port": sock.getsockname()[1],
        "pid": os.getpid(),
        "scenario": relay.scenario_name,
        "accounts": relay.accounts(),
    }


def _announce(ready: dict[str, Any], told: str | None) -> None:
    """The start's output; its first line is `mockrelay listening on URL`."""
    lines = [f"mockrelay listening on {ready['url']}", f"scenario {ready['scenario']}"]
    lines += [
        f"account {account['accountId']} {account['name']} owner {account['owner']} X-API-KEY {account['apiKey']}"
        for account in ready["accounts"]
    ]
    click.echo("\n".join(lines if told is None else [*lines, told]))


def _write_whole(path: Path, text: str) -> None:
    """Whoever sees the file sees all of it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise CliError(f"--ready-file {path}: {error.strerror or error}") from error


def _remove_own(path: Path, text: str) -> None:
    """Nobody is to be sent to a server that has stopped; but another one may have put its own file there since."""
    with suppress(OSError, UnicodeDecodeError):
        if path.read_text(encoding="utf-8") == text:
            path.unlink()


def _opened(path: Path) -> FileIO:
    try:
        return path.open("ab", buffering=0)
    except OSError as error:
        raise CliError(f"--log {path}: {error.strerror or error}") from error


def _logging_to(file: FileIO, path: Path) -> RequestLog:
    """Writes a line a request, until one cannot be written; that is said once, and changes no answer."""
    has_ended = False

    def log(raw: RawRequest, response: Response, now_ms: int) -> None:
        nonlocal has_ended
        if has_ended:
            return
        line = f"{now_ms} {raw.method} {masked_target(raw.raw_target)} {response.status}\n".encode()
        try:
            if file.write(line) != len(line):
                raise OSError("a line was written in part")  # noqa: TRY301 - it ends as any other does
        except OSError as error:
            has_ended = True
            click.echo(f"mockrelay: --log {path}: {error.strerror or error}; no more is written there", err=True)

    return log


def _spare_what_stays() -> None:
    """Keep the garbage collector from walking through the world again and again.

    Orders live long; a full collection over half a million of them stops every request for a tenth of a second or
    more. What has survived one is set aside, so each walks only through what came after the last. This is for the
    whole process, so only here, where the process is ours.
    """
    gc.freeze()
    gc.callbacks.append(_freeze_survivors)
    gc.enable()


def _freeze_survivors(phase: str, info: dict[str, int]) -> None:
    if phase == "stop" and info["generation"] == 2:
        gc.freeze()
