"""Being told to stop."""

from __future__ import annotations

import signal
from collections.abc import Callable

STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)]
"""What asks a process to end, on this system."""


class StopSignals:
    """SIGINT, SIGTERM and Ctrl-Break, from the first moment on: a stop asked for while starting up is not lost.

    Plain `signal` handlers, because event loops cannot take signals on Windows, and because process 1 of a container
    ignores SIGTERM unless it has a handler.
    """

    def __init__(self) -> None:
        self._asked = False
        self._then: Callable[[], None] | None = None
        for number in STOPPING:
            signal.signal(number, self._ask)

    def when_asked(self, then: Callable[[], None]) -> None:
        """Call `then` on a signal; at once if there has been one."""
        self._then = then
        if self._asked:
            then()

    def over(self) -> None:
        """All has stopped: whoever asks again changes nothing.

        Handlers do not outlive Python's own end, where a late signal would kill the process and with it the exit code;
        ignoring does.
        """
        for number in STOPPING:
            signal.signal(number, signal.SIG_IGN)

    def _ask(self, *_: object) -> None:
        self._asked = True
        if self._then is not None:
            self._then()
