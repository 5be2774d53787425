"""`mockrelay wait`: ask a server for its health until it answers."""

from __future__ import annotations

import threading
from http import HTTPStatus

import click

from mockrelay.cli.options import EXIT_FINDINGS, CliError, http_url, option
from mockrelay.clock import Clock

PAUSE_MS = 50
"""The pause between two calls."""
CALL_MS = 1000
"""The longest time that one call may take."""


@click.command()
@click.argument("url", callback=http_url)
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
def wait(url: str, timeout_s: float, token: str | None) -> None:
    """Wait until the server at URL answers. Exit code 0: it does; 1: it did not in time."""
    problem = _wait(url, int(timeout_s * 1000), token)
    if problem is not None:
        raise CliError(problem, EXIT_FINDINGS)


def _wait(url: str, timeout_ms: int, token: str | None) -> str | None:
    """None once the server answers, or a sentence that says why it does not."""
    clock = Clock.real()
    until_ms = clock.now_ms() + timeout_ms
    while True:
        left_ms = until_ms - clock.now_ms()
        status, problem = _call(url, max(min(CALL_MS, left_ms), PAUSE_MS), token)
        if status == HTTPStatus.OK:
            return None
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            # The server is up, and would answer the same again.
            return f"{url} answers {status}: give its token with --token or in MOCKRELAY_TOKEN"
        if status == HTTPStatus.NOT_FOUND:
            return f"{url} answers, but is not a mockrelay: it has no /__mockrelay/health"
        left_ms = until_ms - clock.now_ms()
        if left_ms <= 0:
            return f"{url} did not answer within {timeout_ms / 1000:g} s ({problem})"
        threading.Event().wait(min(PAUSE_MS, left_ms) / 1000)


def _call(url: str, timeout_ms: int, token: str | None) -> tuple[int, str]:
    """The status of the answer to `health`, 0 where there is none; and the same in words."""
    from mockrelay.client.control import control_request
    from mockrelay.client.http import InvalidAddress, send_once

    try:
        response = send_once(url, control_request("GET", "health", token=token), timeout_ms)
    except InvalidAddress as error:
        raise CliError(str(error)) from None
    return response.status, response.problem or f"status {response.status}"
