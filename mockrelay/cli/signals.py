"""The signals that ask a process to stop: SIGINT, SIGTERM, Ctrl-Break, and SIGHUP at the end of its terminal; and the end
of standard input.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

STOPPING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGBREAK", "SIGHUP") if hasattr(signal, name)]
"""Those that this system has."""
_HANGUP = getattr(signal, "SIGHUP", None)
_PIECE_BYTES = 1 << 16


class StopSignals:
    """Catches the signals from its creation on, so that a stop that is asked for while a server starts is not lost.

    These are plain `signal` handlers, because event loops cannot take signals on Windows, and because process 1 of a
    container ignores SIGTERM unless it has a handler.
    """

    def __init__(self) -> None:
        self._asked = False
        self._then: Callable[[], None] | None = None
        self._numbers = _caught()
        for number in self._numbers:
            signal.signal(number, self._ask)

    def when_asked(self, then: Callable[[], None]) -> None:
        """Call `then` on a signal; at once if there has been one."""
        self._then = then
        if self._asked:
            then()

    def watch(self, stream: BinaryIO) -> None:
        """Stop at the end of a stream too. If it is a pipe, that comes when its other side ends, however that ends."""

        def read() -> None:
            while stream.read(_PIECE_BYTES):
                pass
            self._ask()

        threading.Thread(target=read, daemon=True).start()

    def ignore(self) -> None:
        """Ignore further signals, once everything has stopped.

        Python removes handlers at its own end, where a late signal would kill the process and with it the exit code;
        an ignored signal stays ignored.
        """
        for number in self._numbers:
            signal.signal(number, signal.SIG_IGN)

    def _ask(self, *_: object) -> None:
        self._asked = True
        if self._then is not None:
            self._then()


def _caught() -> list[signal.Signals]:
    """Those that are to be caught. A hangup that is ignored stays so: the process was started to outlive its terminal."""
    return [each for each in STOPPING if each != _HANGUP or signal.getsignal(each) is not signal.SIG_IGN]


@contextmanager
def stopped_by_signals(stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop` on Ctrl-C, on SIGTERM, or at the end of the process's terminal. Outside the main thread: nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda *_: stop()) for number in _caught()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
