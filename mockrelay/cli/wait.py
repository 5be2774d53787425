"""`mockrelay wait`: ask a server for its health until it answers."""

from __future__ import annotations

import json
import threading
from http import HTTPStatus
from pathlib import Path

import click

from mockrelay.cli.options import AUTO_TOKEN, EXIT_FINDINGS, FILE, CliError, http_url, is_http_url, option
from mockrelay.clock import Clock

PAUSE_MS = 50
"""The pause between two calls."""
CALL_MS = 1000
"""The longest time that one call may take."""


@click.command()
@click.argument("url", callback=http_url, required=False)
@option("--ready-file", type=FILE, command="wait", help="Wait for this file of `serve --ready-file`; the URL is in it.")
@option(
    "--timeout",
    "timeout_s",
    type=click.FloatRange(min=0),
    default=30.0,
    show_default=True,
    command="wait",
    old={"MOCKRELAY_TIMEOUT": None},
    metavar="SECONDS",
    help="The longest time to wait.",
)
@option("--token", help="The server's token, if it was started with one.")
def wait(url: str | None, ready_file: Path | None, timeout_s: float, token: str | None) -> None:
    """Wait until the server at URL answers. With --ready-file in place of URL, the URL in that file is printed.

    Exit code 0: it answers; 1: it did not in time.
    """
    timeout_ms = int(timeout_s * 1000)
    if token == AUTO_TOKEN:
        # In the environment of a container it is for `serve`, and only that knows what it made of it.
        token = None
    if url is not None and ready_file is None:
        _wait(url, timeout_ms, token)
    elif url is None and ready_file is not None:
        click.echo(_wait(ready_file, timeout_ms, token))
    else:
        found = "neither is given" if url is None else f"{url} and --ready-file {ready_file}"
        raise click.UsageError(f"{found}; meant: a URL, or --ready-file FILE")


def _wait(server: str | Path, timeout_ms: int, token: str | None) -> str:
    """The URL of a server, given by URL or ready file, once it answers. Raises CliError."""
    clock = Clock.real()
    until_ms = clock.now_ms() + timeout_ms
    while True:
        left_ms = until_ms - clock.now_ms()
        # An earlier server may have left a ready file: the new one replaces it, so it is read each time.
        url, problem = (server, "") if isinstance(server, str) else _url_in(server)
        if url is not None:
            status, reason = _call(url, max(min(CALL_MS, left_ms), PAUSE_MS), token)
            if status == HTTPStatus.OK:
                return url
            if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
                # The server is up, and would answer the same again.
                problem = f"{url} answers {status}: give its token with --token or in MOCKRELAY_TOKEN"
                raise CliError(problem, EXIT_FINDINGS)
            if status == HTTPStatus.NOT_FOUND:
                problem = f"{url} answers, but is not a mockrelay: it has no /__mockrelay/health"
                raise CliError(problem, EXIT_FINDINGS)
            problem = f"{url} did not answer within {timeout_ms / 1000:g} s ({reason})"
        left_ms = until_ms - clock.now_ms()
        if left_ms <= 0:
            raise CliError(problem, EXIT_FINDINGS)
        threading.Event().wait(min(PAUSE_MS, left_ms) / 1000)


def _url_in(ready_file: Path) -> tuple[str | None, str]:
    """The URL in a ready file; None and a sentence where there is none (yet)."""
    meant = "meant: the file of `mockrelay serve --ready-file`"
    try:
        url = json.loads(ready_file.read_text(encoding="utf-8"))["url"]
    except OSError as error:
        return None, f"--ready-file {ready_file}: {error.strerror or error}; {meant}"
    except (ValueError, LookupError, TypeError):
        url = None
    if isinstance(url, str) and is_http_url(url):
        return url, ""
    return None, f"--ready-file {ready_file}: there is no URL in it; {meant}"


def _call(url: str, timeout_ms: int, token: str | None) -> tuple[int, str]:
    """The status of the answer to `health`, 0 where there is none; and the same in words."""
    from mockrelay.client.control import control_request
    from mockrelay.client.http import InvalidAddress, send_once

    try:
        response = send_once(url, control_request("GET", "health", token=token), timeout_ms)
    except InvalidAddress as error:
        raise CliError(str(error)) from None
    return response.status, response.problem or f"status {response.status}"
