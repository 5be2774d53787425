"""The heads of plain requests: those that need no parser but this one.

A request is plain if it is a GET or POST in HTTP/1.1 for a path, its body is not longer than one of the API may be and
has a `Content-Length`, and no header changes how it is read. All else is left to aiohttp, and so is all that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from mockrelay.web.http1 import BODY_BYTES_MAX

HEAD_BYTES_MAX = 8_000
"""Longer heads are not plain: aiohttp has limits of its own."""

_REQUEST_LINE = re.compile(rb"(GET|POST) (/[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*) HTTP/1\.1\r\n")
_HEADER_LINES = re.compile(rb"(?:[A-Za-z0-9!#$%&'*+\-.^_`|~]+:[\t -~]*\r\n)+")
_NOT_PLAIN = frozenset({"transfer-encoding", "content-encoding", "upgrade", "expect", "trailer", "sec-websocket-key1"})
_CLOSES = {"keep-alive": False, "close": True}
"""The values that `Connection` may have, and whether the connection is closed behind the answer."""


class PlainHead(NamedTuple):
    """The head of a plain request."""

    method: str
    target: str
    headers: Mapping[str, str]
    """Values by lower-case name; to be left unchanged, since requests share them."""
    closes: bool
    begin: int
    """Where the body begins in the data."""
    end: int
    """Where the request ends."""


def plain_head(data: bytes | bytearray, at: int) -> PlainHead | None:
    """The head of the request at `at`; None: it is not plain, or not complete."""
    request_line = _REQUEST_LINE.match(data, at, at + HEAD_BYTES_MAX)
    if request_line is None:
        return None
    method, target = request_line.groups()
    lines_begin = request_line.end()
    lines_end = data.find(b"\r\n\r\n", lines_begin, at + HEAD_BYTES_MAX)
    if lines_end < 0:
        return None
    lines = bytes(data[lines_begin : lines_end + 2])
    fields = _cached_fields(lines) if len(lines) <= _CACHED_LINES_LENGTH_MAX else _fields(lines)
    if fields is None:
        return None
    headers, closes, length = fields
    begin = lines_end + 4
    return PlainHead(method.decode(), target.decode(), headers, closes, begin, begin + length)


def _fields(lines: bytes) -> tuple[Mapping[str, str], bool, int] | None:
    """Headers, whether the connection closes, and the body's length; None: the request is not plain."""
    if _HEADER_LINES.fullmatch(lines) is None:
        return None
    pairs = [line.partition(":") for line in lines[:-2].decode("ascii").split("\r\n")]
    headers = {name.lower(): value.strip(" \t") for name, _, value in pairs}
    closes = _CLOSES.get(headers.get("connection", "keep-alive").lower())
    if len(headers) < len(pairs) or "host" not in headers or closes is None or not _NOT_PLAIN.isdisjoint(headers):
        return None
    length = headers.get("content-length", "0")
    if not length.isdecimal() or len(length) > 7 or int(length) > BODY_BYTES_MAX:
        return None
    return headers, closes, int(length)


# Clients repeat their headers: half a megabyte at most, for most of what parsing costs.
_CACHED_LINES_LENGTH_MAX = 512
_cached_fields = lru_cache(512)(_fields)
