"""`python -m tests.benchmarks.load PORT CONNECTIONS < requests`: sends pickled requests and prints what it took.

A process of its own, so that its work does not count as the server's, and no more of it than must be, so that it is the
server that is measured. Each connection sends its share one by one.
"""

from __future__ import annotations

import json
import pickle
import re
import selectors
import socket
import statistics
import sys
from time import perf_counter

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)


class _Connection:
    """A connection and the requests that are left for it."""

    def __init__(self, port: int, requests: list[bytes]) -> None:
        self.sock = socket.create_connection(("127.0.0.1", port))
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._left = requests[::-1]
        self._started = 0.0
        self._got = b""

    def send(self) -> bool:
        """Send the next one; whether there was one."""
        if not self._left:
            return False
        self._started = perf_counter()
        self.sock.sendall(self._left.pop())
        return True

    def receive(self) -> tuple[float, bytes] | None:
        """The answer and how long it took, once it is whole."""
        data = self.sock.recv(1 << 18)
        if not data:
            raise ConnectionError(f"the server has closed; before: {self._got!r}")
        got = self._got = self._got + data if self._got else data
        head_ends = got.find(b"\r\n\r\n")
        if head_ends < 0:
            return None
        length = _LENGTH.search(got, 0, head_ends)
        if length is None or len(got) < head_ends + 4 + int(length[1]):
            return None
        self._got = b""
        return perf_counter() - self._started, got


def _main(port: int, connections: int, requests: list[bytes]) -> None:
    took_s: list[float] = []
    failed: list[bytes] = []
    with selectors.DefaultSelector() as selector:
        every = [_Connection(port, requests[n::connections]) for n in range(connections)]
        started = perf_counter()
        for one in every:
            if one.send():
                selector.register(one.sock, selectors.EVENT_READ, one)
        while selector.get_map():
            for key, _ in selector.select():
                one = key.data
                answer = one.receive()
                if answer is None:
                    continue
                took_s.append(answer[0])
                if not _is_well(answer[1]):
                    failed.append(answer[1])
                if not one.send():
                    selector.unregister(one.sock)
        whole_s = perf_counter() - started
    for one in every:
        one.sock.close()
    if failed:
        sys.exit(f"{len(failed)} of {len(requests)} failed, the first with {failed[0]!r}")
    p99_us = statistics.quantiles(took_s, n=100)[98] * 1e6
    print(json.dumps({"per_second": len(requests) / whole_s, "p99_us": p99_us}))


def _is_well(answer: bytes) -> bool:
    return answer.startswith(b"HTTP/1.1 200") and (b'"code":' not in answer or b'"code":0' in answer)


if __name__ == "__main__":
    _main(int(sys.argv[1]), int(sys.argv[2]), pickle.load(sys.stdin.buffer))
