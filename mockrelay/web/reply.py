"""An answer on its way to the socket."""

from __future__ import annotations

from http import HTTPStatus

from aiohttp import HttpVersion10, web
from aiohttp.abc import AbstractStreamWriter

from mockrelay.wire.messages import Response

_REASONS = {status.value: status.phrase for status in HTTPStatus}
_EMPTY_STATUSES = frozenset({204, 304})


class Reply(web.StreamResponse):
    """A response that is written as it stands, head and body at once.

    aiohttp's own response parses, completes and merges headers for every answer, which costs more than all our checks
    together; ours is ready when it gets here. So not even the constructor is called, which makes headers to fill. It carries no `Date` and no `Server`, so that the same calls give the
    same bytes.
    """

    def __init__(self, response: Response, request: web.BaseRequest) -> None:
        self._response = response
        self._request = request
        # A body that was not read to its end would be taken for the next request.
        self._closes = not request.keep_alive or not request.content.is_eof()

    @property
    def keep_alive(self) -> bool:
        """Whether the connection stays open for another request."""
        return not self._closes

    def force_close(self) -> None:
        """Close the connection after this answer."""
        self._closes = True

    async def prepare(self, request: web.BaseRequest) -> AbstractStreamWriter | None:
        """Nothing goes out ahead of the rest."""
        return None

    async def write_eof(self, data: bytes = b"") -> None:
        """Write the whole answer. Raises ConnectionError when the peer has left."""
        request = self._request
        transport = request.transport
        if transport is None or transport.is_closing():
            raise ConnectionResetError("the peer has left")
        transport.write(self._bytes())
        if request.protocol.writing_paused:
            await request.writer.drain()

    def _bytes(self) -> bytes:
        status, headers, body, _, _ = self._response
        request = self._request
        head = f"HTTP/1.1 {status} {_REASONS.get(status, '')}\r\n"
        for name, value in headers:
            head += f"{name}: {value}\r\n"
        if self._closes:
            head += "Connection: close\r\n"
        elif request.version == HttpVersion10:
            head += "Connection: keep-alive\r\n"
        if status in _EMPTY_STATUSES:
            return f"{head}\r\n".encode()
        encoded = f"{head}Content-Length: {len(body)}\r\n\r\n".encode()
        return encoded if request.method == "HEAD" else encoded + body
