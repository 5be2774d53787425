"""What stands behind the socket: one function from a request to a response, for whichever server carries it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from typing import Protocol

from aiohttp import web

from mockrelay.clock import Clock
from mockrelay.spec.codes import Code
from mockrelay.web.guard import JSON_TYPE, control_error, refusal
from mockrelay.web.holding import Holding
from mockrelay.web.requests import raw_request
from mockrelay.wire.messages import RawRequest, Response

BODY_BYTES_MAX = 1 << 20
"""The longest body of an API request. One byte more is read and handed on, so that the wire can refuse it."""
CONTROL_BODY_BYTES_MAX = 64 << 20
"""The longest body of a control request: scenarios and dumps are larger than calls."""
CONTROL_ROOT = "/__mockrelay"

logger = logging.getLogger("mockrelay")

RequestLog = Callable[[RawRequest, Response, int], None]
"""Is told of each request that was answered: request, answer, relayer's time in ms."""


class Behind(Protocol):
    """What the web needs of a relay."""

    def handle(self, raw: RawRequest, now_ms: int) -> Response:
        """The answer to an API request at a moment."""

    def control(self, method: str, path: str, query: tuple[tuple[str, str], ...], body: bytes) -> Response:
        """The answer to a control request; `path` is what follows `/__mockrelay/`."""

    @property
    def clock(self) -> Clock:
        """The relayer's clock, the same one for good."""


class Front:
    """A relay, its control API and the guard before it, as one asynchronous function of a request."""

    __slots__ = ("_clock", "_log", "_relay", "_token", "holding")

    def __init__(self, relay: Behind, token: str | None = None, log: RequestLog | None = None) -> None:
        self._relay = relay
        self._token = token
        self._log = log
        self._clock = relay.clock
        self.holding = Holding()
        """The answers that wait for the relayer's clock. Whoever serves this front releases them when it stops."""

    async def answer(self, request: web.BaseRequest) -> Response:
        """Answer any request when its answer is due; never raises, also where nobody is left to read the answer.

        An answer that is to be dropped has lost its connection when it comes back, so it can be written to nobody.
        """
        in_control = is_control(request.raw_path)
        try:
            raw = await raw_request(request, CONTROL_BODY_BYTES_MAX if in_control else BODY_BYTES_MAX)
        except (web.RequestPayloadError, ConnectionError) as error:
            return api_error(400, f"the body cannot be read: {error}")
        try:
            era = self._clock.era
            now_ms = self._clock.now_ms()
            response = self._control(raw) if is_control(raw.path) else self._relay.handle(raw, now_ms)
            if self._log is not None:
                self._log(raw, response, now_ms)
        except Exception:
            # Our own fault, whatever the client sent: say so, keep the trace, and stay up for the next one.
            logger.exception("mockrelay failed on %s %s", raw.method, raw.path)
            return _inner_error(in_control)
        if response.not_before_ms is not None:
            await self.holding.until(self._clock, response.not_before_ms, era)
        if response.drop and request.transport is not None:
            request.transport.abort()
        return response

    def _control(self, raw: RawRequest) -> Response:
        refused = refusal(raw, self._token)
        if refused is not None:
            return refused
        if len(raw.body) > CONTROL_BODY_BYTES_MAX:
            return control_error(413, "the body is too long", "body", f"at most {CONTROL_BODY_BYTES_MAX} bytes")
        return self._relay.control(raw.method, raw.path[len(CONTROL_ROOT) + 1 :], raw.query, raw.body)


def is_control(path: str) -> bool:
    """Whether a path belongs to the control API."""
    return path.startswith(CONTROL_ROOT) and path[len(CONTROL_ROOT) : len(CONTROL_ROOT) + 1] in ("", "/", "?")


def api_error(status: int, detail: str) -> Response:
    """An answer in the API's own shape for what no endpoint can judge: broken HTTP, or a failure of ours."""
    info = {"code": Code.UNKNOWN_ERROR, "message": f"{Code.UNKNOWN_ERROR.meaning}: {detail}"}
    return Response(status, (JSON_TYPE,), json.dumps({"resultInfo": info}).encode())


def _inner_error(in_control: bool) -> Response:
    if in_control:
        return control_error(500, "mockrelay itself failed on this request", "", "see the server's standard error")
    return api_error(500, "mockrelay itself failed on this request; the server's standard error says where")
