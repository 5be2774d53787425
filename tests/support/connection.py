"""HTTP by hand: bytes to a socket, and the answer taken apart. Nothing here waits longer than `PATIENCE_S`."""

from __future__ import annotations

import select
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from urllib.parse import urlsplit

from tests.support.answer import Answer

PATIENCE_S = 10.0


class Connection:
    """One connection to a server, or to one of its worlds: the path of `url` is kept in `base`."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname is not None
        assert parts.port is not None
        self.base, self.host = parts.path.rstrip("/"), parts.netloc
        self.sock = socket.create_connection((parts.hostname, parts.port), timeout=PATIENCE_S)
        self._buffer = b""

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def ask(self, method: str, target: str, *headers: str, body: bytes = b"", host: str | None = "localhost") -> Answer:
        """Send a whole request and read its answer."""
        lines = [f"{method} {target} HTTP/1.1", *([f"Host: {host}"] if host is not None else []), *headers]
        if body or method == "POST":
            lines.append(f"Content-Length: {len(body)}")
        self.send("\r\n".join([*lines, "", ""]).encode() + body)
        return self.read(body_follows=method != "HEAD")

    def read(self, *, body_follows: bool = True) -> Answer:
        """Read one answer."""
        head = self._until(b"\r\n\r\n").decode()
        first, *lines = head.split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines if line)}
        length = int(headers.get("content-length", "0")) if body_follows else 0
        while len(self._buffer) < length:
            self._more()
        body, self._buffer = self._buffer[:length], self._buffer[length:]
        return Answer(int(first.split()[1]), headers, body)

    @property
    def has_received(self) -> bool:
        """Whether something has come that was not read: of an answer, or the end."""
        return self._buffer != b"" or bool(select.select([self.sock], [], [], 0)[0])

    def at_end(self) -> bool:
        """Whether the peer has closed cleanly: end of file and nothing more. A reset raises."""
        return self._buffer == b"" and self.sock.recv(1) == b""

    def close(self) -> None:
        self.sock.close()

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._buffer:
            self._more()
        head, _, self._buffer = self._buffer.partition(mark)
        return head

    def _more(self) -> None:
        data = self.sock.recv(1 << 16)
        if not data:
            raise EOFError(f"the peer closed; left over: {self._buffer!r}")
        self._buffer += data


@contextmanager
def connected(url: str) -> Iterator[Connection]:
    wire = Connection(url)
    try:
        yield wire
    finally:
        wire.close()


@contextmanager
def many(url: str, count: int) -> Iterator[list[Connection]]:
    """So many connections, closed at the end whatever happened."""
    with ExitStack() as stack:
        yield [stack.enter_context(connected(url)) for _ in range(count)]
