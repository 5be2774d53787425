"""Heads of requests that have come before: a client sends the same ones again and again, byte for byte.

What the parser makes of a head depends on its bytes alone, as long as it stands between two requests. So a request that
comes in one piece is not parsed where its head is known.
"""

from __future__ import annotations

from typing import NamedTuple

from aiohttp.http_parser import RawRequestMessage

from mockrelay.web.requests import Target, headers_of, target_of

HEAD_BYTES_MAX = 2048
"""Longer ones are not kept."""
HEADS_MAX = 512
"""How many are kept; then all are forgotten."""
BLANK_LINE = b"\r\n\r\n"
"""What a head ends with."""


class Known(NamedTuple):
    """What has been made of a head."""

    message: RawRequestMessage
    target: Target
    headers: dict[str, str]
    body_bytes: int


class Heads:
    """The heads that a server knows. One that comes a second time is kept, since most that differ never come again."""

    __slots__ = ("_known", "_once")

    def __init__(self) -> None:
        self._known: dict[bytes, Known] = {}
        self._once: set[bytes] = set()

    def find(self, data: bytes) -> Known | None:
        """What is known of a request, if `data` is all of it and nothing else."""
        end = data.find(BLANK_LINE) + len(BLANK_LINE)
        known = self._known.get(bytes(data[:end]))
        return known if known is not None and len(data) == end + known.body_bytes else None

    def keep(self, head: bytes, body_bytes: int, message: RawRequestMessage) -> None:
        """Remember a head and what the parser has made of it, unless that is not all that there is to it."""
        # A line for each header, one before and one behind them: so it is whole, and nothing was folded.
        if len(head) > HEAD_BYTES_MAX or head.count(b"\n") != len(message.raw_headers) + 2:
            return
        if message.should_close or message.compression is not None:
            return
        if head not in self._once:
            if len(self._once) >= HEADS_MAX:
                self._once.clear()
            self._once.add(head)
            return
        headers = headers_of(message.headers)
        if len(headers) != len(message.headers):
            return
        if len(self._known) >= HEADS_MAX:
            self._known.clear()
        self._known[head] = Known(message, target_of(message.path), headers, body_bytes)
