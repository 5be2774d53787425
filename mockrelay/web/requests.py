"""aiohttp's request to a plain `RawRequest`: target, query, headers and a body that is never more than it may be."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote, unquote_plus

from aiohttp import web

from mockrelay.wire.messages import RawRequest

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
API_ROOT = "/api/"
CONTROL_ROOT = "/__mockrelay"
WORLDS_ROOT = "/w/"


class Target(NamedTuple):
    """What a request's target asks for. `path` and everything after it is judged on the decoded path, so that no
    spelling of it goes another way.
    """

    sent: str
    """Path and query as received."""
    path: str
    """Decoded, without the query and without the world."""
    query: tuple[tuple[str, str], ...]
    authority: str
    """The host of a target in absolute form (`http://host/path`, as sent to a proxy); else empty."""
    world: str | None
    """The NAME of `/w/NAME/`, whatever it is; None: the main relayer is meant."""
    in_api: bool
    in_control: bool
    special: bool
    """Whether anything but the main relayer's API may be meant."""


@lru_cache(maxsize=512)
def target_of(sent: str) -> Target:
    """Take a request's target apart. Clients ask for the same ones again and again, so what was worked out is kept."""
    target = _readable(sent)
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
    special = world is not None or in_control
    return Target(target, path, parse_query(query), authority, world, path.startswith(API_ROOT), in_control, special)


async def raw_request(request: web.BaseRequest, target: Target, body_max: int) -> RawRequest:
    """Read a request to its end, or until its body is one byte longer than `body_max` bytes.

    Raises `web.RequestPayloadError` for a body that is not what its headers say, ConnectionError for a peer that left.
    """
    body = await _body(request, body_max) if request.body_exists else b""
    headers = _headers(request)
    # By position: by name costs a third of a microsecond more, and this is done for every request.
    return RawRequest(
        request.method,
        target.path,
        target.sent,
        target.query,
        headers,
        body,
        request.scheme,
        headers.get("host", ""),
        request.remote or "",
    )


def parse_query(query: str) -> tuple[tuple[str, str], ...]:
    """The pairs of a query string, decoded as a form is: `+` is a space, bytes that are not UTF-8 become U+FFFD.

    A name without `=` has the empty value; nothing between two `&` is no pair.
    """
    pairs = [piece.partition("=")[::2] for piece in query.split("&") if piece]
    if "%" in query or "+" in query:
        return tuple((unquote_plus(name), unquote_plus(value)) for name, value in pairs)
    return tuple(pairs)


async def _body(request: web.BaseRequest, body_max: int) -> bytes:
    if "Expect" in request.headers and request.transport is not None:
        request.transport.write(CONTINUE)
    content = request.content
    body = await content.readany()
    if not content.at_eof():
        gathered = bytearray(body)
        while len(gathered) <= body_max and (chunk := await content.readany()):
            gathered += chunk
        body = bytes(gathered)
    return body[: body_max + 1]


def _headers(request: web.BaseRequest) -> dict[str, str]:
    sent = request.headers
    headers = {name.lower(): value for name, value in sent.items()}
    if len(headers) != len(sent):
        headers = {name.lower(): sent[name] for name in headers}
    if not "".join(headers.values()).isascii():
        headers = {name: _readable(value) for name, value in headers.items()}
    return headers


def _readable(text: str) -> str:
    """Text that can be echoed: aiohttp hands bytes that are not UTF-8 over as lone surrogates."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _origin_form(target: str) -> tuple[str, str]:
    """`host` and `/path?query` of a target in absolute form; of any other form nothing and the target as it is."""
    _, separator, rest = target.partition("://")
    if not separator:
        return "", target
    authority_ends = min((at for at in (rest.find("/"), rest.find("?")) if at >= 0), default=len(rest))
    path = rest[authority_ends:]
    return rest[:authority_ends], path if path.startswith("/") else "/" + path
