"""Servers that are no mockrelay: plain ones of the standard library, each answering in a way of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answering = Callable[[BaseHTTPRequestHandler], object]


@contextmanager
def foreign(answering: Answering) -> Iterator[str]:
    """A server that answers every request so; its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _any(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            answering(self)

        do_GET = do_POST = do_PATCH = do_DELETE = _any  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def plain(status: int, body: bytes, media_type: str = "application/json") -> Answering:
    """Always the same answer, whole and right in form."""

    def answering(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Type", media_type)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    return answering
