"""Commands run to their end or to a deadline, and ended with all that they have started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import IO, Any, NamedTuple

from mockrelay.cli.signals import STOPPING

GRACE_S = 2.0
"""How long a command has to end by itself once it is asked to."""
_STOPPING = [*STOPPING, *([signal.SIGHUP] if sys.platform != "win32" else [])]


class Ended(NamedTuple):
    """How a command ended."""

    exit_code: int | None
    """None: it did not end by itself. Below 0: the number of the signal that ended it."""
    timed_out: bool
    stopped: bool
    """It was ended by `Children.stop`, or not started since then."""


class Children:
    """The commands that run at present. Each is the head of a process group, so that all of it can be ended."""

    def __init__(self, grace_s: float = GRACE_S) -> None:
        self._grace_s = grace_s
        # A signal's handler may come while the same thread is inside.
        self._lock = threading.RLock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self.stopped = False
        """Nothing is started any more."""

    def run(self, command: Sequence[str], env: Mapping[str, str], output: IO[bytes], timeout_s: float | None) -> Ended:
        """Run a command with its output going into a file. Raises OSError where it cannot be started."""
        with self._lock:
            if self.stopped:
                return Ended(None, timed_out=False, stopped=True)
            process = subprocess.Popen(  # noqa: S603 - it is what the user asks for
                list(command),
                env=dict(env),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                **_own_group(),
            )
            self._running.add(process)
        timed_out = False
        try:
            process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            timed_out = True
            self._end(process)
        finally:
            with self._lock:
                self._running.discard(process)
            # What it has left behind would go on calling a relayer that is no more.
            _signal_group(process, force=True)
        return self._ended(process.returncode, timed_out=timed_out)

    def stop(self) -> None:
        """End all that runs, and start nothing any more."""
        with self._lock:
            self.stopped = True
            running = tuple(self._running)
        for process in running:
            _signal_group(process, force=False)
        if running:
            late = threading.Timer(self._grace_s, self._force)
            late.daemon = True
            late.start()

    def _force(self) -> None:
        with self._lock:
            running = tuple(self._running)
        for process in running:
            _signal_group(process, force=True)

    def _ended(self, exit_code: int, *, timed_out: bool) -> Ended:
        # Who ends by himself and well while all is being stopped has told what he has to tell.
        stopped = self.stopped and not timed_out and exit_code != 0
        return Ended(None if timed_out or stopped else exit_code, timed_out, stopped)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        _signal_group(process, force=False)
        try:
            process.wait(self._grace_s)
        except subprocess.TimeoutExpired:
            _signal_group(process, force=True)
            process.wait()


@contextmanager
def stopped_by_signals(stop: Callable[[], object]) -> Iterator[None]:
    """Call `stop` where this process is told to end: by Ctrl-C, by SIGTERM, or by the end of its terminal."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda *_: stop()) for number in _STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _own_group() -> dict[str, Any]:
    """How a process becomes the head of a group of its own, which a terminal's Ctrl-C does not reach: we end it."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _signal_group(process: subprocess.Popen[bytes], *, force: bool) -> None:
    """Ask a process and all that it has started to end, or make them."""
    if sys.platform == "win32":
        if process.poll() is None:
            taskkill = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
            subprocess.run(taskkill, capture_output=True, check=False)  # noqa: S603
            with suppress(OSError):
                process.kill()
        return
    # The group may be gone already, or (on macOS) be made of processes that have ended.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL if force else signal.SIGTERM)
