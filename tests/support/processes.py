"""`mockrelay` as a process of its own: started, read and stopped, with a deadline on everything."""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

PATIENCE_S = 30.0
"""A deadline for what should take a moment: reached on a broken program only."""
START_S = 120
"""A deadline for an interpreter that imports, and computes, as much as a test likes."""
ROOT = Path(__file__).parents[2]


class Server:
    """A running `mockrelay serve`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.output: list[str] = []

    @cached_property
    def url(self) -> str:
        """The URL that the start prints; waits for it."""
        while True:
            line = self.line()
            found = re.fullmatch(r"mockrelay listening on (https?://\S+)", line)
            if found:
                return found[1]

    def line(self) -> str:
        """The next line of standard output."""
        line = self._lines.get(timeout=PATIENCE_S)
        if line is None:
            raise EOFError(f"mockrelay ended: {self.process.wait(PATIENCE_S)}: {self.errors()}")
        self.output.append(line)
        return line

    def errors(self) -> str:
        """Standard error, read to its end."""
        assert self.process.stderr is not None
        return self.process.stderr.read()

    def end(self, signal_number: int) -> int:
        """Send a signal and wait for the end; the exit code."""
        self.process.send_signal(signal_number)
        return self.process.wait(PATIENCE_S)

    def close(self) -> None:
        """Whatever happened, leave no process behind."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE_S)
        self._reader.join()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)


@contextmanager
def serving(
    *args: str,
    command: Sequence[str] = (sys.executable, "-m", "mockrelay"),
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Iterator[Server]:
    """`mockrelay serve ARGS`, killed at the end if it still runs."""
    process = subprocess.Popen(
        [*command, "serve", *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment(env),
        cwd=cwd or ROOT,
    )
    server = Server(process)
    try:
        yield server
    finally:
        server.close()


def run(*args: str, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """`mockrelay ARGS` to its end."""
    return subprocess.run(
        [sys.executable, "-m", "mockrelay", *args],
        capture_output=True,
        text=True,
        env=environment(env),
        cwd=ROOT,
        timeout=PATIENCE_S,
        check=False,
    )


def imported_by(code: str) -> set[str]:
    """The modules that an interpreter of its own has after this code; an assertion in it may fail the test."""
    script = f"import json, sys\n{code}\nprint(json.dumps(list(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT, timeout=START_S, check=False
    )
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


def environment(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of this process without settings of mockrelay, and with warnings as errors."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MOCKRELAY_")}
    return {**kept, "PYTHONWARNINGS": "error", **(more or {})}
