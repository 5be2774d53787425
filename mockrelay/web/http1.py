"""The values of HTTP/1: a request's target, query and headers taken apart, and an answer as the bytes that are sent.

An answer carries no `Date` and no `Server`, so that the same calls give the same bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote, unquote_plus

from multidict import CIMultiDictProxy

from mockrelay.control.server_calls import EVENTS, LIST_WORLDS, METRICS, REPORT
from mockrelay.spec.codes import Code
from mockrelay.wire.http import BROWSER_PATHS, Response
from mockrelay.wire.phrases import PHRASES

API_ROOT = "/api/"
CONTROL_ROOT = "/__mockrelay"
WORLDS_ROOT = "/w/"
EVENTS_PATH = f"{CONTROL_ROOT}/{EVENTS}"

BODY_BYTES_MAX = 1 << 20
"""The longest body of an API request."""
CONTROL_BODY_BYTES_MAX = 8 << 20
"""The longest body of a control request."""
LOOP_CONTROL_BODY_BYTES_MAX = 16 << 10
"""The longest body of a control request that is answered in the loop: a longer scenario takes too long to read."""
LONG_CALLS = frozenset(
    {"state", "dump", "load", "reset", "clock", "snapshots", "requests", "why", "findings", "coverage", "problems"}
    | {REPORT.verb, METRICS.verb, LIST_WORLDS.verb}
)
"""The first words of the control calls that take as long as the world is large, its journal long or much due, and of those that wait for
other relayers than the one that is asked.
"""
LOAD_BODY_BYTES_MAX = 256 << 20
"""The longest body of the control call `load`: a whole dump."""

JSON_TYPE = ("Content-Type", "application/json")
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
"""The interim answer to `Expect: 100-continue`."""

_CACHED_TARGETS = 512
_CACHED_TARGET_LENGTH_MAX = 512
_STATUS_LINES = {status: f"HTTP/1.1 {status} {phrase}\r\n" for status, phrase in PHRASES.items()}
_EMPTY_STATUSES = frozenset({204, 304})


@dataclass(frozen=True, slots=True)
class Target:
    """The parts of a request's target. `path` and all that follows from it are taken from the decoded path, so that
    every spelling of a path is treated alike.
    """

    sent: str
    """Path and query as received."""
    path: str
    """Decoded, without the query and without the world."""
    query: tuple[tuple[str, str], ...]
    authority: str
    """The host of a target in absolute form (`http://host/path`, as sent to a proxy); else empty."""
    world: str | None
    """The NAME of `/w/NAME/`, valid or not; None: the main relayer."""
    in_api: bool
    in_control: bool
    special: bool
    """Whether it may address anything but the main relayer's API."""
    in_events: bool = False
    """Whether it asks for the events of a relayer, an answer without an end."""
    is_long: bool = False
    """Whether it is one of `LONG_CALLS`, which are never answered in the loop."""


def target_of(sent: str) -> Target:
    """Take a request's target apart. Short ones are cached, since clients repeat them."""
    return _cached_target(sent) if len(sent) <= _CACHED_TARGET_LENGTH_MAX else _parsed_target(sent)


def _parsed_target(sent: str) -> Target:
    target = _decodable(sent)
    authority = ""
    if not target.startswith("/"):
        authority, target = _origin_form(target)
    path, _, query = target.partition("?")
    if "%" in path:
        path = unquote(path)
    world = None
    if path.startswith(WORLDS_ROOT):
        world, _, rest = path[len(WORLDS_ROOT) :].partition("/")
        path = "/" + rest
    in_control = path == CONTROL_ROOT or path.startswith(CONTROL_ROOT + "/")
    special = world is not None or in_control or path in BROWSER_PATHS
    in_api, in_events = path.startswith(API_ROOT), in_control and path.rstrip("/") == EVENTS_PATH
    is_long = in_control and _words_of(path)[0] in LONG_CALLS
    return Target(target, path, parse_query(query), authority, world, in_api, in_control, special, in_events, is_long)


_cached_target = lru_cache(_CACHED_TARGETS)(_parsed_target)


def body_max(target: Target) -> int:
    """The number of bytes that the body of a request may have."""
    if not target.in_control:
        return BODY_BYTES_MAX
    return LOAD_BODY_BYTES_MAX if _words_of(target.path) == ["load"] else CONTROL_BODY_BYTES_MAX


def loop_body_max(target: Target) -> int:
    """The number of bytes that the body of a request may have that is answered in the loop, where all others wait for it."""
    return LOOP_CONTROL_BODY_BYTES_MAX if target.in_control else BODY_BYTES_MAX


def _words_of(path: str) -> list[str]:
    """The words between the slashes behind `/__mockrelay/` in the path of a control call; of that path itself one empty word."""
    return path.removeprefix(CONTROL_ROOT).strip("/").split("/")


def parse_query(query: str) -> tuple[tuple[str, str], ...]:
    """The pairs of a query string, decoded as a form is: `+` is a space, bytes that are not UTF-8 become U+FFFD.

    A name without `=` has the empty value; nothing between two `&` is not a pair.
    """
    pairs = [piece.partition("=")[::2] for piece in query.split("&") if piece]
    if "%" in query or "+" in query:
        return tuple((unquote_plus(name), unquote_plus(value)) for name, value in pairs)
    return tuple(pairs)


def headers_of(sent: CIMultiDictProxy[str]) -> dict[str, str]:
    """Header values by lower-case name, as text that can be encoded; of a repeated header the first."""
    headers = {name.lower(): sent[name].strip(" \t") for name in sent}
    if not "".join(headers.values()).isascii():
        headers = {name: _decodable(value) for name, value in headers.items()}
    return headers


def declared_bytes(headers: Mapping[str, str]) -> int:
    """The length of a body as `Content-Length` declares it; 0 without one."""
    length = headers.get("content-length", "0")
    return int(length) if length.isdecimal() else 0


def encoded(response: Response, method: str, connection: str = "") -> bytes:
    """Head and body of the answer to a request; `connection` is the value of its `Connection` header, if any."""
    status, body = response.status, response.body
    head = _head_lines(status, response.headers, connection)
    if status in _EMPTY_STATUSES:
        return f"{head}\r\n".encode()
    sent = f"{head}Content-Length: {len(body)}\r\n\r\n".encode()
    return sent if method == "HEAD" else sent + body


def head_of(status: int, headers: tuple[tuple[str, str], ...], connection: str) -> bytes:
    """The head of an answer whose body ends with the connection."""
    return f"{_head_lines(status, headers, connection)}\r\n".encode()


def _head_lines(status: int, headers: tuple[tuple[str, str], ...], connection: str) -> str:
    head = _STATUS_LINES.get(status) or f"HTTP/1.1 {status} \r\n"
    for name, value in headers:
        head += f"{name}: {value}\r\n"
    return f"{head}Connection: {connection}\r\n" if connection else head


def api_error(status: int, detail: str) -> Response:
    """An error in the API's shape for what no endpoint can judge: broken HTTP, or a failure of the server."""
    info = {"code": Code.UNKNOWN_ERROR, "message": f"{Code.UNKNOWN_ERROR.meaning}: {detail}"}
    return Response(status, (JSON_TYPE,), json.dumps({"resultInfo": info}).encode())


def control_error(status: int, error: str, field: str, meant: str, *headers: tuple[str, str]) -> Response:
    """An error in the control API's shape: what is wrong, in which field, and what was meant."""
    body = json.dumps({"error": error, "field": field, "meant": meant}).encode()
    return Response(status, (JSON_TYPE, *headers), body)


def _decodable(text: str) -> str:
    """Text that can be encoded: aiohttp gives bytes that are not UTF-8 as lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _origin_form(target: str) -> tuple[str, str]:
    """`host` and `/path?query` of a target in absolute form; of any other form nothing and the target as it is."""
    _, separator, rest = target.partition("://")
    if not separator:
        return "", target
    authority_ends = min((at for at in (rest.find("/"), rest.find("?")) if at >= 0), default=len(rest))
    path = rest[authority_ends:]
    return rest[:authority_ends], path if path.startswith("/") else "/" + path
