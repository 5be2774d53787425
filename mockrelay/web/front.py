"""What stands behind the socket: one function from a request to a response, for whichever server carries it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping
from itertools import count
from types import MappingProxyType
from typing import NamedTuple

from mockrelay.control import handle_control
from mockrelay.core.errors import CommandRefused
from mockrelay.relay import REQUEST_ID_HEADER, Relay
from mockrelay.replay import load_into
from mockrelay.web.cors import ANY, Cors
from mockrelay.web.errors import api_error, control_error
from mockrelay.web.guard import refusal
from mockrelay.web.holding import Holding
from mockrelay.web.requests import CONTROL_ROOT, Target
from mockrelay.web.worlds import VERB, WORLDS_MAX, Removed, World, Worlds
from mockrelay.wire.messages import RawRequest, Response

BODY_BYTES_MAX = 1 << 20
"""The longest body of an API request. One byte more is read and handed on, so that the wire can refuse it."""
CONTROL_BODY_BYTES_MAX = 64 << 20
"""The longest body of a control request: scenarios and dumps are larger than calls. One byte more as above."""

logger = logging.getLogger("mockrelay")

NO_WORLDS: Mapping[str, Relay] = MappingProxyType({})

RequestLog = Callable[[RawRequest, Response, int], None]
"""Is told of each request that was answered: request, answer, relayer's time in ms."""


class Held(NamedTuple):
    """An answer that is ready and waits for the clock of the relayer that gave it."""

    response: Response
    at_ms: int
    era: int
    """The clock's era in which `at_ms` was reckoned."""
    world: World

    async def due(self) -> Response:
        """The answer when its time has come, the clock was restored or the server stops."""
        await self.world.holding.until(self.world.clock, self.at_ms, self.era)
        return self.response


class Front:
    """A relay, the worlds beside it, their control API and the guard before it, as one function of a request."""

    __slots__ = ("_cors", "_log", "_main", "_own_ids", "_token", "_worlds", "holding")

    def __init__(
        self,
        relay: Relay,
        token: str | None = None,
        log: RequestLog | None = None,
        *,
        cors: Collection[str] = ANY,
        worlds_max: int = WORLDS_MAX,
        worlds: Mapping[str, Relay] = NO_WORLDS,
        when_removed: Removed | None = None,
    ) -> None:
        """`cors`: the origins whose pages may use the API; `worlds`: those that are there from the start;
        `when_removed` is told of each that is removed. Raises ValueError for what is no origin.
        """
        self._token = token
        self._log = log
        self._cors = Cors(cors)
        self._own_ids = count(1)
        self.holding = Holding()
        """The answers that wait for a relayer's clock. Whoever serves this front releases them when it stops."""
        self._main = World(relay, self.holding)
        self._worlds = Worlds(relay, self.holding, worlds_max, when_removed)
        for name, world in worlds.items():
            self._worlds.add(name, world)

    def relays(self) -> list[tuple[str, Relay]]:
        """What stands behind the socket, by the name of its world; the main relay's is empty."""
        return [("", self._main.relay), *self._worlds.relays()]

    def answer(self, raw: RawRequest, target: Target) -> Response | Held:
        """The answer to any request, which was carried out before this returns; never raises.

        Of one that is to be dropped nothing may be written, nor of those that follow on its connection.
        """
        world = self._main
        try:
            place: World | Response = world
            if target.special or raw.method == "OPTIONS":
                place = self._place(raw, target)
                world = place if isinstance(place, World) else world
            era = world.clock.era
            now_ms = world.clock.now_ms()
            response = self._at(place, raw, target, now_ms, era)
        except Exception:
            # Our own fault, whatever the client sent: say so, keep the trace, and stay up for the next one.
            logger.exception("mockrelay failed on %s %s", raw.method, raw.path)
            return self._for_pages(target, raw.headers.get("origin"), self._numbered(target, _inner_error(target)))
        if self._log is not None:
            try:
                self._log(raw, response, now_ms)
            except Exception:
                # What was answered was done.
                logger.exception("the request log failed on %s %s", raw.method, raw.path)
        marked = self._for_pages(target, raw.headers.get("origin"), response)
        return marked if response.not_before_ms is None else Held(marked, response.not_before_ms, era, world)

    def unreadable(self, target: Target, origin: str | None, error: Exception) -> Response:
        """The answer to a request whose body is not what its headers say."""
        return self._for_pages(target, origin, self._numbered(target, _unreadable(target, error)))

    def _place(self, raw: RawRequest, target: Target) -> World | Response:
        """The relayer that a request is for, or the answer to a request that is for none.

        No world is made for whoever may not come in, nor for a browser that only asks what it may do.
        """
        if target.in_control:
            ahead = self._ahead(raw, target)
            if ahead is not None:
                return ahead
        elif raw.method == "OPTIONS" and target.in_api:
            preflight = self._cors.preflight(raw.headers)
            if preflight is not None:
                return self._numbered(target, preflight)
        if target.world is None:
            return self._main
        try:
            return self._worlds.of(target.world)
        except CommandRefused as refused:
            if target.in_control:
                return control_error(refused.status, refused.error, refused.field or "", refused.meant or "")
            return self._numbered(target, api_error(refused.status, f"{refused.error}: {refused.meant}"))

    def _ahead(self, raw: RawRequest, target: Target) -> Response | None:
        """What is answered to a control request ahead of any relay; None: a relay answers."""
        refused = refusal(raw, self._token, target.authority)
        if refused is not None:
            return refused
        if len(raw.body) > CONTROL_BODY_BYTES_MAX:
            return control_error(413, "the body is too long", "body", f"at most {CONTROL_BODY_BYTES_MAX} bytes")
        verb, *words = target.path[len(CONTROL_ROOT) :].strip("/").split("/")
        if verb != VERB:
            return None
        if target.world is not None:
            meant = f"{CONTROL_ROOT}/{VERB}, without /w/NAME before it"
            return control_error(404, "a world has no worlds", "path", meant)
        return self._worlds.control(raw, tuple(words))

    @staticmethod
    def _at(place: World | Response, raw: RawRequest, target: Target, now_ms: int, era: int) -> Response:
        if isinstance(place, Response):
            return place
        if target.in_control:
            path = raw.path[len(CONTROL_ROOT) + 1 :]
            return handle_control(place.relay, raw.method, path, raw.query, raw.body, load_into)
        place.requests += 1
        return place.relay.handle(raw, now_ms, era)

    def _numbered(self, target: Target, response: Response) -> Response:
        """An answer that no relayer has given: an API's has an id all the same, which stands in no journal."""
        if not target.in_api:
            return response
        return response._replace(headers=(*response.headers, (REQUEST_ID_HEADER, f"s{next(self._own_ids)}")))

    def _for_pages(self, target: Target, origin: str | None, response: Response) -> Response:
        """The answer as a browser needs it, where a page has asked the API."""
        return response if origin is None or not target.in_api else self._cors.marked(response, origin)


def body_max(target: Target) -> int:
    """How many bytes the body of a request may have."""
    return CONTROL_BODY_BYTES_MAX if target.in_control else BODY_BYTES_MAX


def _unreadable(target: Target, error: Exception) -> Response:
    if target.in_control:
        return control_error(400, f"the body cannot be read: {error}", "body", "a body as its headers announce it")
    return api_error(400, f"the body cannot be read: {error}")


def _inner_error(target: Target) -> Response:
    if target.in_control:
        return control_error(500, "mockrelay itself failed on this request", "", "see the server's standard error")
    return api_error(500, "mockrelay itself failed on this request; the server's standard error says where")
