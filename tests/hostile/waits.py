"""How long one costly request holds up all others: the processor time of a server between two rounds of its loop.

That is measured in the server's process and counts all its threads, since one that computes lets no other run. So a busy machine
stretches it little, unlike the time that a client waits.
"""

from __future__ import annotations

import asyncio
import random
import socket
import subprocess
import sys
import threading
import time
from asyncio import events
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from mockrelay.cli import main
from tests.hostile.costly import Costly, cases
from tests.support.connection import Connection, connected
from tests.support.processes import ROOT

ROUND_S = 0.001
"""How often the server's loop is looked at."""
HELD_MS_MAX = 50.0
"""What a request may hold up others for, on a machine of today."""
REPEATS = 3
SETTLED_S = 1.0
"""After so long a server has imported all that it needs."""
PATIENCE_S = 120.0
SMALL = ("GET /w/other/api/v2/exchange/tokens",)
OF_SEVERAL = ("GET /__mockrelay/metrics", "GET /w/another/api/v2/exchange/tokens", "DELETE /__mockrelay/worlds/another")
"""What others ask meanwhile. The calls of `OF_SEVERAL` wait for other relayers, and nobody may wait for them."""


class Held(NamedTuple):
    """What a request did to others."""

    ms: float
    status: int


def run(size: int, seed: int) -> str:
    """So many of the costly requests."""
    found: dict[str, Held] = {}
    every = cases()
    for profile in ("spec", "live"):
        drawn = random.Random(seed).sample(sorted(every), min(size, len(every)))
        names = [name for name in drawn if every[name].profile == profile]
        if names:
            options = ("--limits", "off", "--profile", profile, "--set", "signature.scheme=protocol")
            with _serving(*options) as server:
                found |= {name: _least_held(server, every[name]) for name in names}
    for name, held in found.items():
        assert held.status < 500, (name, held)
    worst = sorted(found, key=lambda name: -found[name].ms)[:5]
    shown = ", ".join(f"{name!r} {found[name].ms:.0f} ms" for name in worst)
    above = sum(held.ms > HELD_MS_MAX for held in found.values())
    return f"{len(found)} costly requests, {above} of them hold up others for more than {HELD_MS_MAX:.0f} ms: {shown}"


class _Server:
    """A server in a process of its own, which says how long its loop waited."""

    def __init__(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.hostile.waits", *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        self.url = self._line_with("listening on").split()[-1]
        self.key = self._line_with("account 10001").split()[-1]

    def longest_ms(self) -> float:
        """The longest time between two rounds since this was asked last."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return float(self._line_with("waited ").split()[1])

    def _line_with(self, words: str) -> str:
        assert self.process.stdout is not None
        return next(line for line in iter(self.process.stdout.readline, "") if words in line)


@contextmanager
def _serving(*options: str) -> Iterator[_Server]:
    server = _Server(*options)
    try:
        time.sleep(SETTLED_S)
        yield server
    finally:
        server.process.terminate()
        server.process.communicate()


def _least_held(server: _Server, costly: Costly) -> Held:
    """The least of some times, since nothing makes it less than it is."""
    before, sent = [one.sent(server.key) for one in costly.before], costly.sent(server.key)
    return min(_held(server, before, sent) for _ in range(REPEATS))


def _held(server: _Server, before: list[bytes], sent: bytes) -> Held:
    is_over = threading.Event()

    def ask(lines: tuple[str, ...]) -> None:
        with connected(server.url) as wire:
            wire.sock.settimeout(PATIENCE_S)
            while not is_over.is_set():
                for line in lines:
                    wire.send(f"{line} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                    wire.read()
                time.sleep(ROUND_S)

    with connected(server.url) as wire:
        wire.sock.settimeout(PATIENCE_S)
        for one in before:
            wire.send(one)
            wire.read()
        asking = [threading.Thread(target=ask, args=(lines,)) for lines in (SMALL, OF_SEVERAL)]
        sending = threading.Thread(target=_send, args=(wire, sent))
        for thread in asking:
            thread.start()
        server.longest_ms()
        sending.start()
        answer = wire.read()
        is_over.set()
        for thread in asking:
            thread.join()
        longest_ms = server.longest_ms()
        wire.sock.shutdown(socket.SHUT_RDWR)
        sending.join()
    return Held(longest_ms, answer.status)


def _send(wire: Connection, data: bytes) -> None:
    # What is refused by its head is not read to its end.
    with suppress(OSError):
        wire.send(data)


def _serve(options: list[str]) -> None:
    """`mockrelay serve` with a look at its loop, whose longest time it prints for each line of its input."""
    longest_s = 0.0
    run_handle = events.Handle._run
    is_begun = False

    def look(loop: asyncio.AbstractEventLoop, before_s: float) -> None:
        nonlocal longest_s
        now_s = time.process_time()
        longest_s = max(longest_s, now_s - before_s)
        loop.call_later(ROUND_S, look, loop, now_s)

    def run_first(handle: events.Handle) -> None:
        nonlocal is_begun
        if not is_begun:
            is_begun = True
            loop = asyncio.get_running_loop()
            loop.call_soon(look, loop, time.process_time())
        run_handle(handle)

    def answer() -> None:
        nonlocal longest_s
        for _ in sys.stdin:
            print(f"waited {longest_s * 1e3:.3f}", flush=True)
            longest_s = 0.0

    setattr(events.Handle, "_run", run_first)  # noqa: B010 - it is private
    threading.Thread(target=answer, daemon=True).start()
    sys.argv[1:] = ["serve", "-p", "0", *options]
    main()


if __name__ == "__main__":
    _serve(sys.argv[1:])
