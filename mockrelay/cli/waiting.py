"""`mockrelay wait`: ask a server for its health until it answers."""

from __future__ import annotations

import threading
import urllib.error
import urllib.request
from http import HTTPStatus

from mockrelay.clock import Clock

PAUSE_MS = 50
ASK_MS = 1000
"""How long one question may take."""


def wait(url: str, timeout_ms: int, token: str | None) -> str | None:
    """None once the server answers that it is well, else a sentence that says what stood in the way."""
    clock = Clock.real()
    until_ms = clock.now_ms() + timeout_ms
    while True:
        left_ms = until_ms - clock.now_ms()
        status, problem = _ask(url + "/__mockrelay/health", max(min(ASK_MS, left_ms), PAUSE_MS), token)
        if status == HTTPStatus.OK:
            return None
        if status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
            # It is up, and asking again would not change its mind.
            return f"{url} answers {status}: give its token with --token or in MOCKRELAY_TOKEN"
        if status == HTTPStatus.NOT_FOUND:
            return f"{url} answers, but is no mockrelay: it has no /__mockrelay/health"
        left_ms = until_ms - clock.now_ms()
        if left_ms <= 0:
            return f"{url} did not answer within {timeout_ms / 1000:g} s ({problem})"
        threading.Event().wait(min(PAUSE_MS, left_ms) / 1000)


def _ask(url: str, patience_ms: int, token: str | None) -> tuple[int | None, str]:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    request = urllib.request.Request(url, headers=headers)  # noqa: S310 - the command takes http and https alone
    # A proxy of the environment is not meant for the machine's own servers.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=patience_ms / 1000) as answer:
            return answer.status, f"status {answer.status}"
    except urllib.error.HTTPError as error:
        with error:
            return error.code, f"status {error.code}"
    except (OSError, ValueError) as error:
        return None, str(getattr(error, "reason", error))
