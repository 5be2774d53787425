"""The relay as an aiohttp application, for a server or a test client that the caller runs."""

from __future__ import annotations

from collections.abc import Collection

from aiohttp import web

from mockrelay.relay import Relay
from mockrelay.web.cors import ANY
from mockrelay.web.front import Front, Held, body_max
from mockrelay.web.reply import CONTINUE
from mockrelay.web.requests import headers_of, target_of
from mockrelay.web.worlds import WORLDS_MAX
from mockrelay.wire.messages import RawRequest, Response


def create_app(
    relay: Relay, *, token: str | None = None, cors: Collection[str] = ANY, worlds_max: int = WORLDS_MAX
) -> web.Application:
    """An application with one route for everything, for instance for the `aiohttp_client` of pytest-aiohttp.

    `serve` answers the same requests with less between socket and relay, and also those that are not HTTP. Answers
    that wait for the clock go out at once when the application shuts down. One whose client has left waits on all the
    same, unless the runner cancels the handlers of clients that leave (aiohttp's `handler_cancellation`).

    `cors` are the origins whose pages may use the API, `worlds_max` is how many worlds there may be under `/w/`.
    """
    front = Front(relay, token, cors=cors, worlds_max=worlds_max)

    async def handle(request: web.Request) -> web.StreamResponse:
        status, headers, body, drop, _ = await _answer(front, request)
        if drop and request.transport is not None:
            # What is returned below has lost its connection, so it is written to nobody.
            request.transport.abort()
        response = web.Response(status=status, headers=headers, body=body)
        if front.holding.released or not request.content.is_eof():
            response.force_close()
        return response

    async def release(_: web.Application) -> None:
        front.holding.release()

    app = web.Application()
    app.on_shutdown.append(release)
    app.router.add_route("*", "/{path:.*}", handle, expect_handler=_expected)
    return app


async def _answer(front: Front, request: web.Request) -> Response:
    """The answer when it is due."""
    target = target_of(request.raw_path)
    headers = headers_of(request.headers)
    try:
        body = await _body(request, body_max(target)) if request.body_exists else b""
    except (web.RequestPayloadError, ConnectionError) as error:
        return front.unreadable(target, headers.get("origin"), error)
    raw = RawRequest(
        request.method,
        target.path,
        target.sent,
        target.query,
        headers,
        body,
        request.scheme,
        headers.get("host", ""),
        request.remote or "",
        _port_of(request),
    )
    answer = front.answer(raw, target)
    return await answer.due() if isinstance(answer, Held) else answer


def _port_of(request: web.Request) -> int:
    """The peer's port; 0 where it has none."""
    peer = None if request.transport is None else request.transport.get_extra_info("peername")
    return int(peer[1]) if isinstance(peer, tuple) else 0


async def _body(request: web.Request, bytes_max: int) -> bytes:
    """The body to its end, or until it is one byte longer than it may be."""
    if "Expect" in request.headers and request.transport is not None:
        request.transport.write(CONTINUE)
    body = bytearray()
    while len(body) <= bytes_max and (chunk := await request.content.readany()):
        body += chunk
    return bytes(body[: bytes_max + 1])


async def _expected(request: web.Request) -> None:
    """Leave `Expect: 100-continue` to whoever reads the body."""
