"""Requests as bytes to a server, answers as bytes back: bounded in time and length, whatever the other side does.

Nothing here knows the API, and nothing of our own server is used, so that what it sends is what any client would see.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

BODY_BYTES_MAX = 8 << 20
"""Answers that are longer are not read to their end."""
_PIECE_BYTES = 1 << 16


class Sent(NamedTuple):
    """A request."""

    method: str
    target: str
    """Path and query, after the base address."""
    headers: Mapping[str, str]
    body: bytes = b""


class Got(NamedTuple):
    """What came back."""

    status: int
    """0 where no answer came."""
    headers: Mapping[str, str]
    """By lower-case name; of a repeated header the last."""
    body: bytes
    problem: str | None = None
    """Why there is no answer, or not a whole one; None: it is whole."""


Exchange = Callable[[Sent], Got]
"""Sends a request and waits for its answer. It never raises."""


class Unreachable(Exception):
    """Nothing answers at an address; the text is a sentence."""


class Http:
    """The exchange with the server at an address. The connection is kept while the server keeps it."""

    def __init__(self, base: str, timeout_ms: int) -> None:
        """`base`: `http://HOST:PORT`, with a path where there is one. `timeout_ms` is for one request, from the
        connection to the last byte of the answer. Raises Unreachable for what is no address.
        """
        self._timeout_s = timeout_ms / 1000
        try:
            self._base = urlsplit(base)
            named = self._base.hostname, self._base.port
        except ValueError as error:
            raise Unreachable(f"{base} is no address: {error}") from None
        if not named[0]:
            raise Unreachable(f"{base} is no address: it names no host")
        self._proxy = _proxy_of(self._base)
        self._connection: HTTPConnection | None = None

    def __call__(self, sent: Sent) -> Got:
        """Send a request and read its answer."""
        is_used = self._connection is not None
        got = self._once(sent)
        # A kept connection may have been closed by the server meanwhile, before it saw anything of the request.
        return self._once(sent) if got.status == 0 and is_used and sent.method == "GET" else got

    def close(self) -> None:
        """Let the connection go."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _once(self, sent: Sent) -> Got:
        late = threading.Event()
        watch: threading.Timer | None = None
        try:
            connection = self._connected()
            # The timeout of a socket is for each piece. One that trickles would be waited for without an end.
            watch = threading.Timer(self._timeout_s, _cut, (connection, late))
            watch.daemon = True
            watch.start()
            connection.request(sent.method, self._target(sent.target), sent.body or None, dict(sent.headers))
            with connection.getresponse() as response:
                got = self._read(response, late)
            if got.problem is not None or response.will_close:
                self.close()
        except (OSError, HTTPException, ValueError) as error:
            self.close()
            is_late = late.is_set() or isinstance(error, TimeoutError)
            return Got(0, {}, b"", self._too_late if is_late else _reason(error))
        except BaseException:
            # Ctrl-C in the middle of it: the connection is of no use to whoever cleans up.
            self.close()
            raise
        finally:
            if watch is not None:
                watch.cancel()
        return got

    def _read(self, response: HTTPResponse, late: threading.Event) -> Got:
        pieces, length, problem = [], 0, None
        try:
            while piece := response.read1(_PIECE_BYTES):
                pieces.append(piece)
                length += len(piece)
                if length > BODY_BYTES_MAX:
                    problem = f"the body is longer than {BODY_BYTES_MAX} bytes"
                    break
            else:
                if response.length:
                    problem = f"the body ends {response.length} bytes before its Content-Length"
        except (OSError, HTTPException) as error:
            problem = _reason(error)
        if late.is_set():
            problem = self._too_late
        headers = {name.lower(): value for name, value in response.getheaders()}
        return Got(response.status, headers, b"".join(pieces), problem)

    @property
    def _too_late(self) -> str:
        return f"no whole answer within {self._timeout_s:g} s"

    def _connected(self) -> HTTPConnection:
        if self._connection is None:
            made = self._made()
            made.connect()
            assert made.sock is not None
            made.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._connection = made
        return self._connection

    def _made(self) -> HTTPConnection:
        assert self._base.hostname is not None
        host, port, timeout_s = self._base.hostname, self._base.port, self._timeout_s
        if self._base.scheme == "https":
            context = ssl.create_default_context()
            if self._proxy is None:
                return HTTPSConnection(host, port, timeout=timeout_s, context=context)
            tunnel = HTTPSConnection(self._proxy[0], self._proxy[1], timeout=timeout_s, context=context)
            tunnel.set_tunnel(host, port)
            return tunnel
        return HTTPConnection(*(self._proxy or (host, port)), timeout=timeout_s)

    def _target(self, target: str) -> str:
        path = self._base.path.rstrip("/") + target
        # A proxy is told the whole address.
        plain_proxy = self._proxy is not None and self._base.scheme == "http"
        return f"http://{self._base.netloc}{path}" if plain_proxy else path


def _proxy_of(base: SplitResult) -> tuple[str, int | None] | None:
    """The proxy that the environment names for an address; never one for the machine itself."""
    assert base.hostname is not None
    named = getproxies().get(base.scheme)
    if named is None or _is_loopback(base.hostname) or proxy_bypass(base.hostname):
        return None
    proxy = urlsplit(named if "//" in named else f"//{named}")
    return None if proxy.hostname is None else (proxy.hostname, proxy.port or 80)


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _cut(connection: HTTPConnection, late: threading.Event) -> None:
    late.set()
    try:
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        # It has been closed meanwhile.
        return


def _reason(error: BaseException) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "the connection is refused"
    text = str(error) or type(error).__name__
    return text if text.isascii() and text.isprintable() else ascii(text)
