"""HTTP requests and responses as plain values, without a transport."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

DRAWN_HEADER = "x-mockrelay-drawn"
"""Marks a call that a strategy has drawn: no client made it, so it brings no findings."""

BROWSER_PATHS = frozenset({"/", "/favicon.ico", "/robots.txt"})
"""Paths that browsers and crawlers ask any server for, whoever wrote the page or the client."""


SOCKET_KEY = "sec-websocket-key"
"""The header that every handshake has."""
SOCKET_HEADERS: Mapping[str, str] = MappingProxyType(
    {
        "upgrade": "websocket",
        "connection": "Upgrade",
        "sec-websocket-version": "13",
        SOCKET_KEY: "AAAAAAAAAAAAAAAAAAAAAA==",
    }
)
"""Headers of a handshake, for a WebSocket without a socket."""
SWITCHES = 101
"""The status of the answer that turns a connection into a WebSocket."""
_SOCKET_KEY = re.compile(r"[A-Za-z0-9+/]{22}==")


def asks_for_socket(headers: Mapping[str, str]) -> bool:
    """Whether these are the headers of a right handshake (RFC 6455, 4.2.1)."""
    connection = headers.get("connection", "").lower().replace(" ", "").split(",")
    return (
        headers.get("upgrade", "").strip().lower() == "websocket"
        and "upgrade" in connection
        and headers.get("sec-websocket-version", "").strip() == "13"
        and _SOCKET_KEY.fullmatch(headers.get(SOCKET_KEY, "").strip()) is not None
    )


@dataclass(slots=True)
class RawRequest:
    """One HTTP request, read to its end."""

    method: str
    path: str
    """The path, percent-decoded, without the query."""
    raw_target: str
    """The request target as received: path and query, still encoded."""
    query: tuple[tuple[str, str], ...]
    """The query's pairs, decoded, in the order sent."""
    headers: Mapping[str, str]
    """Header values by lower-case name; of a repeated header the first."""
    body: bytes
    scheme: str
    host: str
    """The `Host` header as received."""
    remote: str
    """The peer's address."""
    connection: int = 0
    """The peer's port, which tells its connections apart; 0: unknown, or the request was sent before the answer to the
    previous one. It is not in records.
    """

    @property
    def is_of_browsers(self) -> bool:
        """Whether it asks for what browsers ask any server for, so that it says nothing about the client."""
        return self.path in BROWSER_PATHS and self.method in ("GET", "HEAD")


@dataclass(slots=True)
class Response:
    """One HTTP answer, ready to be sent."""

    status: int
    headers: tuple[tuple[str, str], ...]
    """All headers but Content-Length, `Content-Type` among them."""
    body: bytes
    drop: bool = False
    """True: the connection is closed without an answer."""
    not_before_ms: int | None = None
    """The relayer's time before which the answer is not sent."""

    def with_headers(self, *headers: tuple[str, str]) -> Response:
        """The same answer with more headers."""
        return Response(self.status, (*self.headers, *headers), self.body, self.drop, self.not_before_ms)

    def is_delayed(self) -> bool:
        """Whether it is sent, but not at once."""
        return self.not_before_ms is not None and not self.drop
