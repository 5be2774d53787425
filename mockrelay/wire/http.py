"""HTTP requests and responses as plain values, without a transport."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

DRAWN_HEADER = "x-mockrelay-drawn"
"""Marks a call that a strategy has drawn: no client made it, so it brings no findings."""

BROWSER_PATHS = frozenset({"/", "/favicon.ico", "/robots.txt"})
"""Paths that browsers and crawlers ask any server for, whoever wrote the page or the client."""


class RawRequest(NamedTuple):
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


class Response(NamedTuple):
    """One HTTP answer, ready to be sent."""

    status: int
    headers: tuple[tuple[str, str], ...]
    """All headers but Content-Length, `Content-Type` among them."""
    body: bytes
    drop: bool = False
    """True: the connection is closed without an answer."""
    not_before_ms: int | None = None
    """The relayer's time before which the answer is not sent."""

    @property
    def is_delayed(self) -> bool:
        """Whether it is sent, but not at once."""
        return self.not_before_ms is not None and not self.drop
