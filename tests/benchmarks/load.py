"""`python -m tests.benchmarks.load PORT CONNECTIONS < requests`: sends pickled requests and prints what it took.

A process of its own, so that its work does not count as the server's. Each connection sends its share one by one.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import statistics
import sys
from time import perf_counter


async def _connection(port: int, requests: list[bytes], took_s: list[float], failed: list[bytes]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for request in requests:
        started = perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        at = head.lower().index(b"content-length:") + len(b"content-length:")
        body = await reader.readexactly(int(head[at : head.index(b"\r", at)]))
        took_s.append(perf_counter() - started)
        if not head.startswith(b"HTTP/1.1 200") or (b'"code":' in body and b'"code":0' not in body):
            failed.append(head + body)
    writer.close()
    await writer.wait_closed()


async def _main(port: int, connections: int, requests: list[bytes]) -> None:
    took_s: list[float] = []
    failed: list[bytes] = []
    started = perf_counter()
    await asyncio.gather(*(_connection(port, requests[n::connections], took_s, failed) for n in range(connections)))
    whole_s = perf_counter() - started
    if failed:
        sys.exit(f"{len(failed)} of {len(requests)} failed, the first with {failed[0]!r}")
    p99_us = statistics.quantiles(took_s, n=100)[98] * 1e6
    print(json.dumps({"per_second": len(requests) / whole_s, "p99_us": p99_us}))


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1]), int(sys.argv[2]), pickle.load(sys.stdin.buffer)))
