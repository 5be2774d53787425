"""aiohttp's request to a plain `RawRequest`: target, query, headers and a body that is never more than it may be."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import unquote, unquote_plus

from aiohttp import web

from mockrelay.wire.messages import RawRequest

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


async def raw_request(request: web.BaseRequest, body_max: int) -> RawRequest:
    """Read a request to its end, or until its body is one byte longer than `body_max` bytes.

    Raises `web.RequestPayloadError` for a body that is not what its headers say, ConnectionError for a peer that left.
    """
    body = await _body(request, body_max) if request.body_exists else b""
    headers = _headers(request)
    target, path, query = _parts(request.raw_path)
    # By position: by name costs a third of a microsecond more, and this is done for every request.
    return RawRequest(
        request.method,
        path,
        target,
        query,
        headers,
        body,
        request.scheme,
        headers.get("host", ""),
        request.remote or "",
    )


@lru_cache(maxsize=512)
def _parts(sent: str) -> tuple[str, str, tuple[tuple[str, str], ...]]:
    """A request's target in readable form, its path, decoded, and its query. Clients ask for the same ones again and
    again, so what was worked out is kept.
    """
    target = _readable(sent)
    if not target.startswith("/"):
        target = _origin_form(target)
    path, _, query = target.partition("?")
    return target, unquote(path) if "%" in path else path, parse_query(query)


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


def _origin_form(target: str) -> str:
    """`/path?query` of a target in absolute form (`http://host/path`, as sent to a proxy); any other form as it is."""
    _, separator, rest = target.partition("://")
    if not separator:
        return target
    authority_ends = min((at for at in (rest.find("/"), rest.find("?")) if at >= 0), default=len(rest))
    path = rest[authority_ends:]
    return path if path.startswith("/") else "/" + path
