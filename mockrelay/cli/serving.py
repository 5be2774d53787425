"""`mockrelay serve`: a relay made, bound, announced and run."""

from __future__ import annotations

import gc
import json
import os
import socket
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TextIO

import click

from mockrelay.relay import Relay
from mockrelay.scenario import ScenarioError
from mockrelay.web.front import Front, RequestLog
from mockrelay.web.server import bind, url_of
from mockrelay.web.serving import serve_until
from mockrelay.wire.messages import RawRequest, Response


class ConfigError(Exception):
    """What was asked for cannot be done as it stands."""


class CannotBindError(Exception):
    """The address cannot be had."""


def relay_of(scenario: str, clock: str, choices: dict[str, str]) -> Relay:
    """The relay of a scenario, by name or, where it looks like a path, by file."""
    is_file = scenario.endswith((".yaml", ".yml")) or os.sep in scenario or "/" in scenario
    try:
        return Relay.from_scenario(Path(scenario) if is_file else scenario, choices=choices, clock=clock)
    except (ScenarioError, OSError, ValueError) as error:
        raise ConfigError(f"--scenario {scenario}: {error}") from error


def bound(host: str, port: int, token: str | None) -> socket.socket:
    """A socket that holds the port from now on."""
    try:
        return bind(host, port, token)
    except ValueError as error:
        raise ConfigError(f"--host {host}: {error}") from error
    except OSError as error:
        raise CannotBindError(f"cannot listen on {host}:{port}: {error.strerror or error}") from error


def run(
    relay: Relay,
    sock: socket.socket,
    *,
    token: str | None,
    ready_file: Path | None,
    log_file: Path | None,
    when_asked: Callable[[Callable[[], None]], None],
) -> None:
    """Serve until asked to stop."""
    with ExitStack() as stack:
        stack.callback(sock.close)
        log = None if log_file is None else _logging_to(stack.enter_context(_opened(log_file)))
        if ready_file is not None:
            # One left over from an earlier run would send its readers to the wrong port.
            ready_file.unlink(missing_ok=True)

        def listening() -> None:
            ready = _ready(relay, sock)
            _announce(ready)
            if ready_file is not None:
                _write_whole(ready_file, json.dumps(ready))

        _spare_what_stays()
        serve_until(Front(relay, token, log), sock, listening=listening, when_asked=when_asked)


def _ready(relay: Relay, sock: socket.socket) -> dict[str, Any]:
    return {
        "url": url_of(sock),
        "port": sock.getsockname()[1],
        "pid": os.getpid(),
        "scenario": relay.scenario_name,
        "accounts": relay.accounts(),
    }


def _announce(ready: dict[str, Any]) -> None:
    """The start's output; its first line is `mockrelay listening on URL`."""
    lines = [f"mockrelay listening on {ready['url']}", f"scenario {ready['scenario']}"]
    lines += [
        f"account {account['accountId']} {account['name']} owner {account['owner']} X-API-KEY {account['apiKey']}"
        for account in ready["accounts"]
    ]
    click.echo("\n".join(lines))


def _write_whole(path: Path, text: str) -> None:
    """Whoever sees the file sees all of it."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ConfigError(f"--ready-file {path}: {error.strerror or error}") from error


def _opened(path: Path) -> TextIO:
    try:
        return path.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise ConfigError(f"--log {path}: {error.strerror or error}") from error


def _logging_to(file: TextIO) -> RequestLog:
    def log(raw: RawRequest, response: Response, now_ms: int) -> None:
        file.write(f"{now_ms} {raw.method} {raw.raw_target} {response.status}\n")

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
