"""An answer as the bytes that go out.

It carries no `Date` and no `Server`, so that the same calls give the same bytes.
"""

from __future__ import annotations

from http import HTTPStatus

from mockrelay.wire.messages import Response

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
"""What a client waits for that has sent `Expect: 100-continue`."""

_STATUS_LINES = {status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n" for status in HTTPStatus}
_EMPTY_STATUSES = frozenset({204, 304})


def encoded(response: Response, method: str, connection: str = "") -> bytes:
    """Head and body of the answer to a request; `connection` is what the head says of the connection, if anything."""
    status, headers, body, _, _ = response
    head = _STATUS_LINES.get(status) or f"HTTP/1.1 {status} \r\n"
    for name, value in headers:
        head += f"{name}: {value}\r\n"
    if connection:
        head += f"Connection: {connection}\r\n"
    if status in _EMPTY_STATUSES:
        return f"{head}\r\n".encode()
    written = f"{head}Content-Length: {len(body)}\r\n\r\n".encode()
    return written if method == "HEAD" else written + body
