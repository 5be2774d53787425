"""`python -m tests.benchmarks.readers [READERS]`: what readers of events cost a server under 500 calls a second.

A server is run without calls, with calls, and with calls and readers; each time its whole CPU time is taken when it has
ended. How far behind a reader is: from the moment of a call, on the server's own clock, to when its event has come.
"""

from __future__ import annotations

import asyncio
import json
import resource
import signal
import sys
import time

from tests.support.bodies import bodies_of
from tests.support.processes import Server, serving
from tests.support.worlds import relay_from

CALLS_A_SECOND = 500
SECONDS = 8
READERS = 50
_MOMENT = b'"at_ms":'


class Reader:
    """A reader of events, and how far behind it was at most."""

    def __init__(self) -> None:
        self.calls = 0
        self.behind_ms = 0.0

    async def read(self, port: int) -> None:
        """Read until the server ends."""
        stream, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /__mockrelay/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        while data := await stream.read(1 << 20):
            self.calls += data.count(b"event: call")
            at = data.rfind(_MOMENT)
            moment = data[at + len(_MOMENT) :][:13]
            if at >= 0 and moment.isdigit():
                self.behind_ms = max(self.behind_ms, time.time() * 1000 - int(moment))


async def _calls(port: int, key: str, orders: list[bytes]) -> None:
    """An order in three calls, the others reads, evenly spread."""
    stream, writer = await asyncio.open_connection("127.0.0.1", port)
    started = time.monotonic()
    for number in range(CALLS_A_SECOND * SECONDS):
        await asyncio.sleep(max(0.0, started + number / CALLS_A_SECOND - time.monotonic()))
        head = b"X-API-KEY: %s\r\nHost: localhost\r\n" % key.encode()
        if number % 3:
            writer.write(b"GET /api/v2/depth?market=LRC-ETH&level=0&limit=10 HTTP/1.1\r\n" + head + b"\r\n")
        else:
            body = orders[number // 3]
            length = b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
            writer.write(b"POST /api/v3/order HTTP/1.1\r\n" + head + length + body)
        answer = await stream.readuntil(b"\r\n\r\n")
        await stream.readexactly(int(answer.lower().partition(b"content-length: ")[2].partition(b"\r")[0]))


def _orders() -> list[bytes]:
    """Small orders of alice that rest, each with an id of its own."""
    now_s = int(time.time())
    own = {"amountS": str(10**18), "amountB": str(10**17), "validSince": now_s - 60, "validUntil": now_s + 5_184_000}
    bodies = bodies_of(relay_from("default"))
    return [json.dumps({**bodies.order(number), **own}).encode() for number in range(CALLS_A_SECOND * SECONDS // 3 + 1)]


async def _run(server: Server, readers: list[Reader], *, with_calls: bool) -> None:
    port = int(server.url.rpartition(":")[2])
    key = next(line for line in iter(server.line, "") if line.startswith("account")).split()[-1]
    tasks = [asyncio.create_task(reader.read(port)) for reader in readers]
    await asyncio.sleep(1)
    if with_calls:
        await _calls(port, key, _orders())
    await asyncio.sleep(0.5)
    server.process.send_signal(signal.SIGTERM)
    await asyncio.gather(*tasks)


def cpu_s(readers: list[Reader], *, with_calls: bool) -> float:
    """The CPU time of a server from its start to its end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with serving("-p", "0", "--limits", "off") as server:
        asyncio.run(_run(server, readers, with_calls=with_calls))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(count: int) -> None:
    """Print what was measured."""
    readers = [Reader() for _ in range(count)]
    idle_s = cpu_s([], with_calls=False)
    alone_s = cpu_s([], with_calls=True) - idle_s
    read_s = cpu_s(readers, with_calls=True) - idle_s
    total = CALLS_A_SECOND * SECONDS
    missed = sum(reader.calls != total for reader in readers)
    behind_ms = max((reader.behind_ms for reader in readers), default=0)
    print(
        f"{total} calls in {SECONDS} s: {alone_s:.2f} s of CPU; with {count} readers {read_s:.2f} s, {read_s / alone_s:.2f} times"
    )
    print(f"readers that missed a call: {missed}; the farthest behind: {behind_ms:.0f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else READERS)
