"""HTTP requests to one server, bounded in time and in bytes whatever the server does.

No proxy is used, whatever the environment says: a relayer under test runs on this machine or beside it, a proxy cannot
reach it there, and where it can, its own answers would be taken for the relayer's.

Nor does anything that patches `http.client` see them, such as vcrpy: a test records the calls of its client, and control
calls would be among them, with the keys of accounts.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import closing
from importlib.util import find_spec, module_from_spec
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import SplitResult, urlsplit

if TYPE_CHECKING:
    from http.client import HTTPConnection, HTTPResponse

BODY_BYTES_MAX = 8 << 20
"""The longest body of an answer that is read to its end, unless the caller sets another limit."""
CLOSED = "the connection was closed without an answer"
"""The problem of a request whose connection the server closed, or reset, instead of answering."""
_PIECE_BYTES = 1 << 16


def _unpatched_http_client() -> Any:
    """A copy of the module `http.client`, since this one may be imported while that is patched."""
    spec = find_spec("http.client")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_http = _unpatched_http_client()


class HttpRequest(NamedTuple):
    """A request to a server."""

    method: str
    target: str
    """Path and query, relative to the server's address."""
    headers: Mapping[str, str]
    body: bytes = b""


class HttpResponse(NamedTuple):
    """The answer to a request, or the reason why none came."""

    status: int
    """0 where no answer came."""
    headers: Mapping[str, str]
    """By lower-case name; the last of a repeated header."""
    body: bytes
    problem: str | None = None
    """Why there is no answer, or only a part of one; None: it is complete."""


Exchange = Callable[[HttpRequest], HttpResponse]
"""Sends a request and waits for its answer. It never raises for what the server does."""


class InvalidAddress(ValueError):
    """A text that is not the address of a server; the message is a sentence."""


class HttpClient:
    """An exchange with the server at an address, over one connection as long as the server keeps it open."""

    def __init__(self, base: str, timeout_ms: int, body_bytes_max: int = BODY_BYTES_MAX) -> None:
        """`base`: `http://HOST:PORT`, with a path if there is one. `timeout_ms` is for one request, from connecting to the
        last byte of the answer. Raises InvalidAddress.
        """
        self._base = parse_address(base)
        self._timeout_s = timeout_ms / 1000
        self._body_bytes_max = body_bytes_max
        self._connection: HTTPConnection | None = None

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Send a request and read its answer."""
        is_reused = self._connection is not None
        response = self._send(request)
        # The server may have closed an idle connection before it saw anything of the request.
        return self._send(request) if response.status == 0 and is_reused and request.method == "GET" else response

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _send(self, request: HttpRequest) -> HttpResponse:
        is_late = threading.Event()
        timer: threading.Timer | None = None
        try:
            connection = self._connected()
            # The timeout of a socket is for each piece, so a server that trickles would never exceed it.
            timer = threading.Timer(self._timeout_s, _shut_down, (connection, is_late))
            timer.daemon = True
            timer.start()
            target = self._base.path.rstrip("/") + request.target
            connection.request(request.method, target, request.body or None, dict(request.headers))
            with connection.getresponse() as answer:
                response = self._read(answer, is_late)
            if response.problem is not None or answer.will_close:
                self.close()
        except (OSError, _http.HTTPException, ValueError) as error:
            self.close()
            return HttpResponse(0, {}, b"", self._problem(error, is_late))
        except BaseException:
            # Ctrl-C in the middle of an exchange: the connection cannot be used again, not even to clean up.
            self.close()
            raise
        finally:
            if timer is not None:
                timer.cancel()
        return response

    def _read(self, answer: HTTPResponse, is_late: threading.Event) -> HttpResponse:
        pieces, length, problem = [], 0, None
        try:
            while piece := answer.read1(_PIECE_BYTES):
                pieces.append(piece)
                length += len(piece)
                if length > self._body_bytes_max:
                    problem = f"the body is longer than {self._body_bytes_max} bytes"
                    break
            else:
                if answer.length:
                    problem = f"the body ends {answer.length} bytes before its Content-Length"
        except (OSError, _http.HTTPException) as error:
            problem = self._problem(error, is_late)
        if is_late.is_set():
            problem = self._too_late
        headers = {name.lower(): value for name, value in answer.getheaders()}
        return HttpResponse(answer.status, headers, b"".join(pieces), problem)

    @property
    def _too_late(self) -> str:
        return f"no whole answer within {self._timeout_s:g} s"

    def _problem(self, error: BaseException, is_late: threading.Event) -> str:
        if is_late.is_set() or isinstance(error, TimeoutError):
            return self._too_late
        if isinstance(error, ConnectionRefusedError):
            return "the connection is refused"
        if isinstance(error, ConnectionError):
            return CLOSED
        text = str(error) or type(error).__name__
        return text if text.isascii() and text.isprintable() else ascii(text)

    def _connected(self) -> HTTPConnection:
        if self._connection is None:
            host, port, timeout_s = str(self._base.hostname), self._base.port, self._timeout_s
            if self._base.scheme == "https":
                context = ssl.create_default_context()
                connection: HTTPConnection = _http.HTTPSConnection(host, port, timeout=timeout_s, context=context)
            else:
                connection = _http.HTTPConnection(host, port, timeout=timeout_s)
            connection.connect()
            connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connection = connection
        return self._connection


def send_once(base: str, request: HttpRequest, timeout_ms: int, body_bytes_max: int = BODY_BYTES_MAX) -> HttpResponse:
    """Send a single request over a connection of its own, and read its answer. Raises InvalidAddress."""
    with closing(HttpClient(base, timeout_ms, body_bytes_max)) as client:
        return client(request)


def parse_address(url: str) -> SplitResult:
    """The parts of a server's address, which has a scheme, a host and maybe a port and a path. Raises InvalidAddress."""
    try:
        parts = urlsplit(url)
        has_port = parts.port is None or parts.port > 0
    except ValueError as error:
        raise InvalidAddress(f"{url!r} is not the address of a server: {error}; meant: http://HOST:PORT") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not has_port:
        raise InvalidAddress(f"{url!r} is not the address of a server; meant: http://HOST:PORT")
    return parts


def _shut_down(connection: HTTPConnection, is_late: threading.Event) -> None:
    is_late.set()
    try:
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        # The connection was closed in the meantime.
        return
