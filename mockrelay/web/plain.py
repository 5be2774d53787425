"""The heads of plain requests: those that need no parser but this one.

A request is plain if it is a GET or POST in HTTP/1.1 for a path, its body is not too long to be answered in the loop and
has a `Content-Length`, no header changes how it is read, and its answer has an end and does not take long to make. All else is left to
aiohttp, and so is all that is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from mockrelay.web.documents import is_document
from mockrelay.web.http1 import Target, loop_body_max, target_of

HEAD_BYTES_MAX = 8_000
"""Longer heads are not plain: aiohttp has limits of its own."""
CACHED_HEAD_BYTES_MAX = 1_024
"""Longer heads are parsed each time."""

_HEAD_END = b"\r\n\r\n"
_REQUEST_LINE = re.compile(rb"(GET|POST) (/[A-Za-z0-9\-._~!$&'()*+,;=:@%/?]*) HTTP/1\.1\r\n")
_HEADER_LINES = re.compile(rb"(?:[A-Za-z0-9!#$%&'*+\-.^_`|~]+:[\t -~]*\r\n)+")
_NOT_PLAIN = frozenset({"transfer-encoding", "content-encoding", "upgrade", "expect", "trailer", "sec-websocket-key1"})
_CLOSES = {"keep-alive": False, "close": True}
"""The values that `Connection` may have, and whether the connection is closed behind the answer."""


class PlainHead(NamedTuple):
    """The head of a plain request."""

    method: str
    target: Target
    headers: Mapping[str, str]
    """Values by lower-case name; to be left unchanged, since requests share them."""
    closes: bool
    """Whether the connection is closed behind the answer."""
    body_bytes: int


def plain_head(data: bytes, at: int) -> tuple[PlainHead, int] | None:
    """The head of the request at `at`, and where its body begins; None: it is not plain, or not complete."""
    end = data.find(_HEAD_END, at, at + HEAD_BYTES_MAX)
    if end < 0:
        return None
    end += len(_HEAD_END)
    sent = data[at:end]
    head = _cached_head(sent) if len(sent) <= CACHED_HEAD_BYTES_MAX else _parsed_head(sent)
    return None if head is None else (head, end)


def _parsed_head(sent: bytes) -> PlainHead | None:
    request_line = _REQUEST_LINE.match(sent)
    if request_line is None or _HEADER_LINES.fullmatch(sent, request_line.end(), len(sent) - 2) is None:
        return None
    lines = sent[request_line.end() : -len(_HEAD_END)].decode("ascii").split("\r\n")
    pairs = [line.partition(":") for line in lines]
    headers = {name.lower(): value.strip(" \t") for name, _, value in pairs}
    closes = _CLOSES.get(headers.get("connection", "keep-alive").lower())
    if len(headers) < len(pairs) or "host" not in headers or closes is None or not _NOT_PLAIN.isdisjoint(headers):
        return None
    length = headers.get("content-length", "0")
    method, sent_target = request_line.groups()
    target = target_of(sent_target.decode())
    if not length.isdecimal() or len(length) > 7 or int(length) > loop_body_max(target):
        return None
    if target.in_events or is_document(target):
        return None
    return PlainHead(method.decode(), target, headers, closes, int(length))


# Clients repeat their heads, and parsing is most of what they cost. 512 heads with their headers take 10 MB at most.
_cached_head = lru_cache(512)(_parsed_head)
