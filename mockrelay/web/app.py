"""The relay as an aiohttp application, for a server or a test client that the caller runs."""

from __future__ import annotations

from collections.abc import Collection

from aiohttp import web

from mockrelay.web.cors import ANY
from mockrelay.web.front import Front
from mockrelay.web.worlds import WORLDS_MAX, Behind


def create_app(
    relay: Behind, *, token: str | None = None, cors: Collection[str] = ANY, worlds_max: int = WORLDS_MAX
) -> web.Application:
    """An application with one route for everything, for instance for the `aiohttp_client` of pytest-aiohttp.

    `serve` answers the same requests with less between socket and relay, and also those that are not HTTP. Answers
    that wait for the clock go out at once when the application shuts down. One whose client has left waits on all the
    same, unless the runner cancels the handlers of clients that leave (aiohttp's `handler_cancellation`).

    `cors` are the origins whose pages may use the API, `worlds_max` is how many worlds there may be under `/w/`.
    """
    front = Front(relay, token, cors=cors, worlds_max=worlds_max)

    async def handle(request: web.Request) -> web.StreamResponse:
        status, headers, body, _, _ = await front.answer(request)
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


async def _expected(request: web.Request) -> None:
    """Leave `Expect: 100-continue` to whoever reads the body."""
