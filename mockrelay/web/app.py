"""What aiohttp does for the server: requests that are not plain, and the relay as an aiohttp application."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Awaitable, Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, cast

from aiohttp import HttpVersion10, web

from mockrelay.relay import Relay
from mockrelay.suggest import in_quotes
from mockrelay.web.connection import Connection
from mockrelay.web.cors import ANY
from mockrelay.web.delays import DelayedResponse
from mockrelay.web.dispatch import Dispatcher
from mockrelay.web.documents import is_document
from mockrelay.web.event_feed import EventStream
from mockrelay.web.handed import HANDLER_OPTIONS, BrokenBody, Handler
from mockrelay.web.hosted import WORLDS_MAX, WorldLimits
from mockrelay.web.http1 import (
    CONTINUE,
    body_max,
    declared_bytes,
    encoded,
    head_of,
    headers_of,
    loop_body_max,
    target_of,
)
from mockrelay.web.pool import ConnectionPool
from mockrelay.wire.http import SWITCHES, RawRequest, Response

UNPACKED_BYTES = 64 << 10
"""How much of a compressed body is unpacked at a time."""
UNPACKED_BYTES_A_TURN = 1 << 20
"""How much is unpacked before other requests have their turn."""
_GZIP_FIRST_BYTE = 0x1F


class Server(web.Server):
    """Makes the protocol of each connection: `Connection`, with request handlers of this server."""

    def __init__(self, pool: ConnectionPool, server: web.Server | None = None, **options: Any) -> None:
        """`server`: the one of an application, whose requests are all answered by way of the application."""
        answer = partial(respond, pool.dispatcher)
        handle = answer if server is None else partial(_by_the_application, server.request_handler, answer)
        factory = None if server is None else server.request_factory
        super().__init__(handle, request_factory=factory, handler_cancellation=True, loop=pool.loop)
        self._pool = pool
        self._options = {**options, **HANDLER_OPTIONS}
        self._has_plain_lane = server is None

    def __call__(self) -> Connection:  # type: ignore[override]
        """The protocol of a new connection."""
        return Connection(self._pool, self._new_handler, has_plain_lane=self._has_plain_lane)

    def pre_shutdown(self) -> None:
        """The runner of an application stops."""
        self._pool.close()

    async def shutdown(self, timeout: float | None = None) -> None:  # noqa: ASYNC109 - aiohttp's name
        """Wait until all connections have ended, however long the runner would wait."""
        await asyncio.wrap_future(self._pool.closed)

    def _new_handler(self, connection: Connection) -> Handler:
        return Handler(self, connection, loop=self._pool.loop, **self._options)


class Answer(web.StreamResponse):
    """An answer that is sent byte by byte as the plain lane sends it."""

    def __init__(self, response: Response, *, closes: bool) -> None:
        super().__init__(status=response.status, headers=response.headers)
        self._answer = response
        self._closes = closes

    @property
    def keep_alive(self) -> bool:
        """Whether the connection stays open behind the answer."""
        return not self._closes

    async def prepare(self, request: web.BaseRequest) -> None:
        """Send it, and return once the peer has read most of it."""
        transport = request.transport
        if transport is None or transport.is_closing():
            raise ConnectionResetError("the client has left")
        if self._answer.drop:
            transport.abort()
            raise ConnectionResetError("the answer is dropped")
        headers = tuple(self.headers.items())
        keeps = "keep-alive" if request.version == HttpVersion10 else ""
        answer = replace(self._answer, status=self.status, headers=headers)
        transport.write(encoded(answer, request.method, "close" if self._closes else keeps))
        await request.writer.drain()

    async def write_eof(self, data: bytes = b"") -> None:
        """All has been sent by `prepare`."""


class EventAnswer(web.StreamResponse):
    """An answer without an end."""

    keep_alive = False

    def __init__(self, stream: EventStream, connection: Connection) -> None:
        super().__init__(headers=dict(stream.headers))
        self._stream = stream
        self._connection = connection

    async def prepare(self, request: web.BaseRequest) -> None:
        """Send events until the server stops; a peer that leaves cancels it."""
        transport = request.transport
        if transport is None or transport.is_closing():
            raise ConnectionResetError("the client has left")
        feed, last_id, released, _ = self._stream
        head = head_of(self.status, tuple(self.headers.items()), "close")
        await self._connection.open_during(feed.serve(transport, head, last_id, released))

    async def write_eof(self, data: bytes = b"") -> None:
        """All has been sent by `prepare`."""


def create_app(
    relay: Relay,
    *,
    token: str | None = None,
    cors: Collection[str] = ANY,
    worlds_max: int = WORLDS_MAX,
    allow_files: Path | None = None,
) -> web.Application:
    """An application that answers everything, for instance for the `aiohttp_client` of pytest-aiohttp.

    Its connections are those of `serve`, but that all requests go through aiohttp and the application, with whatever
    middlewares and routes it was given. Delayed answers are sent at once when the application shuts down.

    `cors` are the origins whose pages may use the API, `worlds_max` is how many worlds there may be under `/w/`,
    `allow_files` is the folder of the scenario files that the control API may read.
    """
    dispatcher = Dispatcher(relay, token, cors=cors, world_limits=WorldLimits(worlds_max), allow_files=allow_files)
    handle = partial(respond, dispatcher)

    @web.middleware
    async def every_target(request: web.Request, handler: Any) -> web.StreamResponse:
        # Targets that are not paths (`*`, `host:port`, none at all) have no route.
        has_route = request.match_info.http_exception is None
        response: web.StreamResponse = await (handler if has_route else handle)(request)
        return response

    async def respond_to(request: web.Request) -> web.StreamResponse:
        return await handle(request)

    app = web.Application(middlewares=[every_target])
    app.router.add_route("*", r"/{path:[\s\S]*}", respond_to, expect_handler=_no_answer)
    # aiohttp has no public option for the protocol of an application's connections.
    vars(app)["_make_handler"] = partial(_server_of, app._make_handler, dispatcher)  # noqa: SLF001
    return app


def _server_of(make: Any, dispatcher: Dispatcher, **options: Any) -> Server:
    server: web.Server = make(**options)
    return Server(ConnectionPool(dispatcher, asyncio.get_running_loop()), server, **server._kwargs)  # noqa: SLF001


async def _by_the_application(
    handler: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
    answer: Callable[[web.BaseRequest], Awaitable[web.StreamResponse]],
    request: web.BaseRequest,
) -> web.StreamResponse:
    """The application's answer. Where no route is found, as for the target `*`, aiohttp would judge `Expect` by itself and
    refuse in its own words, before any handler: such a request is answered without the application.
    """
    is_judged_before = "Expect" in request.headers and not request.raw_path.startswith("/")
    return await (answer if is_judged_before else handler)(request)


async def _no_answer(_: web.Request) -> None:
    """Do not answer `Expect`: `_body` does."""


async def respond(dispatcher: Dispatcher, request: web.BaseRequest) -> web.StreamResponse:
    """The answer to a request that aiohttp has parsed, when it is due."""
    connection = cast("Connection", cast("Handler", request.protocol).feeder)
    target = target_of(request.raw_path)
    headers = headers_of(request.headers)
    bytes_max = body_max(target)
    try:
        body = await _body(request, connection, bytes_max) if declared_bytes(headers) <= bytes_max else b""
    except (web.RequestPayloadError, ConnectionError) as error:
        why = str(error) if isinstance(error, BrokenBody) else "it is not as its headers declare it"
        return Answer(dispatcher.unreadable(target, headers.get("origin"), why), closes=True)
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
        connection.port,
    )
    # What is too long for the API is refused at once.
    if loop_body_max(target) < len(body) <= bytes_max or is_document(target) or dispatcher.holds_up_loop(raw, target):
        # A dump or a scenario of this size takes seconds, and the first request for a document a moment.
        answer = await dispatcher.answer_beside(raw, target)
    else:
        answer = dispatcher.answer(raw, target)
    if isinstance(answer, EventStream):
        return EventAnswer(answer, connection)
    # Before anything is waited for: the world may be removed meanwhile.
    world = dispatcher.world_of(target) if _opens_socket(answer) else None
    response = (
        await connection.open_during(answer.due(lambda: request.transport is None or request.transport.is_closing()))
        if isinstance(answer, DelayedResponse)
        else answer
    )
    if world is not None:
        return await dispatcher.sockets.run(request, world, response)
    is_too_long = max(len(body), declared_bytes(headers)) > bytes_max
    return Answer(response, closes=is_too_long or not request.keep_alive or dispatcher.delays.released)


def _opens_socket(answer: Response | DelayedResponse) -> bool:
    response = answer.response if isinstance(answer, DelayedResponse) else answer
    return response.status == SWITCHES and not response.drop


async def _body(request: web.BaseRequest, connection: Connection, bytes_max: int) -> bytes:
    """The body to its end, unpacked, or one byte more than it may have. Raises RequestPayloadError for a broken one."""
    content = request.content
    if "Expect" in request.headers and not content.is_eof() and request.version > HttpVersion10:
        assert request.transport is not None
        request.transport.write(CONTINUE)
    unpacker = _Unpacker(request.headers.get("Content-Encoding", "").lower())
    body = bytearray()
    while len(body) <= bytes_max and (chunk := await content.readany()):
        if unpacker.is_idle:
            body += chunk
        else:
            await unpacker.unpack(chunk, body, bytes_max)
        connection.count_body(len(body))
    if len(body) <= bytes_max:
        unpacker.end()
    return bytes(memoryview(body)[: bytes_max + 1])


class _Unpacker:
    """Unpacks a body that came compressed."""

    def __init__(self, encoding: str) -> None:
        self.is_idle = encoding in ("", "identity")
        self._encoding = encoding
        self._stream: Any = None

    async def unpack(self, chunk: bytes, body: bytearray, bytes_max: int) -> None:
        """Add what a chunk unpacks to, but not much more than may be. Raises BrokenBody."""
        turn = len(body)
        while len(body) <= bytes_max:
            if self._stream is None or self._stream.eof:
                self._stream = self._new_stream(chunk)
            try:
                piece = self._stream.decompress(chunk, UNPACKED_BYTES)
            except zlib.error:
                raise BrokenBody(f"Content-Encoding {self._encoding}: the body is not {self._encoding}") from None
            body += piece
            chunk = self._stream.unconsumed_tail or self._stream.unused_data
            # A stream that has taken in the whole chunk may still hold output behind a full piece.
            if not chunk and (self._stream.eof or len(piece) < UNPACKED_BYTES):
                return
            if len(body) - turn > UNPACKED_BYTES_A_TURN:
                turn = len(body)
                await asyncio.sleep(0)

    def _new_stream(self, chunk: bytes) -> Any:
        """The stream that begins with a chunk. Gzip may have several, one behind the other (RFC 1952, 2.2)."""
        if self._encoding not in ("gzip", "x-gzip", "deflate"):
            raise BrokenBody(f"Content-Encoding {in_quotes(self._encoding)}; meant: gzip, deflate or none")
        is_gzip = self._encoding != "deflate"
        if self._stream is not None and not (is_gzip and chunk[0] == _GZIP_FIRST_BYTE):
            raise BrokenBody(f"Content-Encoding {self._encoding}: there are bytes after the compressed data")
        # Deflate is zlib's format, and what some clients send is raw.
        return zlib.decompressobj(31 if is_gzip else 15 if chunk[0] & 0xF == 8 else -15)

    def end(self) -> None:
        """The body is complete. Raises BrokenBody where its compressed data is not."""
        if self._stream is not None and not self._stream.eof:
            raise BrokenBody(f"Content-Encoding {self._encoding}: the compressed data is cut off")
