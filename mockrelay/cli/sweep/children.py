"""Commands as child processes, each ended with all processes that it has started, at the latest at a deadline."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, NamedTuple

GRACE_S = 2.0
"""The time between the request to end and the force."""


class Ended(NamedTuple):
    """How a command ended."""

    exit_code: int | None
    """None: it was ended by us. Below 0: the number of the signal that ended it."""
    timed_out: bool
    stopped: bool
    """It was ended by `Children.stop`, or not started after that."""


class Children:
    """The commands that are running. Each leads a process group, so that its whole group can be ended."""

    def __init__(self, grace_s: float = GRACE_S) -> None:
        self._grace_s = grace_s
        # A signal handler may run while its own thread holds the lock.
        self._lock = threading.RLock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self.stopped = False
        """True: no command is started any more."""

    def run(self, command: Sequence[str], env: Mapping[str, str], output: IO[bytes], timeout_s: float | None) -> Ended:
        """Run a command to its end and write its output to a file. Raises OSError where it cannot be started."""
        with self._lock:
            if self.stopped:
                return Ended(None, timed_out=False, stopped=True)
            process = subprocess.Popen(  # noqa: S603 - the user asks for this command
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
            # Processes that it has left would call a relayer that is not there any more.
            _signal_group(process, force=True)
        return self._ended(process.returncode, timed_out=timed_out)

    def stop(self) -> None:
        """End all commands that are running, and start no more."""
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
        # A command that ends by itself with success while all are stopped has a valid result.
        stopped = self.stopped and not timed_out and exit_code != 0
        return Ended(None if timed_out or stopped else exit_code, timed_out, stopped)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        _signal_group(process, force=False)
        try:
            process.wait(self._grace_s)
        except subprocess.TimeoutExpired:
            _signal_group(process, force=True)
            process.wait()


def _own_group() -> dict[str, Any]:
    """The arguments that give a process a group of its own. A terminal's Ctrl-C does not reach it; we end it."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


def _signal_group(process: subprocess.Popen[bytes], *, force: bool) -> None:
    """Ask a process and all that it has started to end, or force them to."""
    if sys.platform == "win32":
        if process.poll() is None:
            taskkill = ["taskkill", "/T", "/F", "/PID", str(process.pid)]
            subprocess.run(taskkill, capture_output=True, check=False)  # noqa: S603
            with suppress(OSError):
                process.kill()
        return
    # The group may have ended already, or (on macOS) have only processes that have ended.
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL if force else signal.SIGTERM)
