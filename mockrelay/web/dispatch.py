"""From a request to its answer: which relayer or which part of the server answers, without a socket."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from mockrelay.clock import REAL
from mockrelay.control import handle_control
from mockrelay.control.answers import answer as control_answer
from mockrelay.control.answers import refusal as control_refusal
from mockrelay.control.files import files_in, no_file
from mockrelay.control.metrics import CallMetrics, Tally, metrics
from mockrelay.control.reports import WORLDS
from mockrelay.core.context import Trace
from mockrelay.core.errors import MISSING, CallbackFailed, CommandRefused
from mockrelay.relay import REQUEST_ID_HEADER, Relay
from mockrelay.replay import load_into
from mockrelay.report import Report
from mockrelay.suggest import cut
from mockrelay.web.access import ITSELF, Outside, refusal
from mockrelay.web.cors import ANY, Cors, control_cors
from mockrelay.web.delays import DelayedResponse, DelayQueue
from mockrelay.web.documents import answer_document, is_document
from mockrelay.web.event_feed import EVENT_HEADERS, EventStream
from mockrelay.web.hosted import DEFAULT_LIMITS, HostedRelay, HostedRelays, WorldLimits
from mockrelay.web.http1 import CONTROL_ROOT, Target, api_error, body_max, control_error, declared_bytes
from mockrelay.web.page import RECORD_PATH, answer_record, page_answer
from mockrelay.web.server_calls import ServerCalls
from mockrelay.web.threads import Threads
from mockrelay.web.websocket import SocketHub
from mockrelay.wire.http import SOCKET_KEY, RawRequest, Response

if TYPE_CHECKING:
    from mockrelay.replay.stepping import Stepper

logger = logging.getLogger("mockrelay")

OK = 200
_OK = control_answer(200, {"status": "ok"})
"""What whoever has no token may know of a server that asks for one: that it is up."""
NO_WORLDS: Mapping[str, Relay] = MappingProxyType({})


class AnsweredRequest(NamedTuple):
    """A request that was answered, for the log."""

    raw: RawRequest
    response: Response
    now_ms: int
    """The relayer's time."""
    relay: Relay
    world: str = ""
    """The name of the relayer's world; empty: the main one."""
    trace: Trace | None = None
    """What is known of a call of the API; None: it is none, or is in no journal."""
    duration_s: float = 0.0


RequestLog = Callable[[AnsweredRequest], None]
"""Called for each request that was answered."""


Answer: TypeAlias = Response | DelayedResponse | EventStream


class Dispatcher:
    """A relay, the worlds beside it, their control API and its access check, as one function of a request."""

    __slots__ = (
        "_calls",
        "_control_cors",
        "_cors",
        "_log",
        "_main",
        "_monotonic_s",
        "_outside",
        "_own_ids",
        "_read_file",
        "_server_calls",
        "_stepper",
        "_token",
        "_worlds",
        "delays",
        "idle_s",
        "sockets",
        "threads",
    )

    def __init__(
        self,
        relay: Relay,
        token: str | None = None,
        log: RequestLog | None = None,
        *,
        cors: Collection[str] = ANY,
        world_limits: WorldLimits = DEFAULT_LIMITS,
        worlds: Mapping[str, Relay] = NO_WORLDS,
        allow_files: Path | None = None,
        outside: Outside = ITSELF,
        control_origins: Collection[str] = (),
        stepper: Stepper | None = None,
    ) -> None:
        """`cors`: the origins whose pages may use the API, `control_origins`: the control API; `worlds`: those that exist from the start;
        `allow_files`: the folder of the scenario files that the control API may read; `outside`: how the addresses that
        clients call are known; `stepper`: moves the relay through a record. Raises ValueError for an origin that is not valid.
        """
        self._token = token
        self._stepper = stepper
        self._outside = outside
        self._log = log
        self._cors = Cors(cors)
        self._control_cors = control_cors(control_origins)
        self._read_file = no_file if allow_files is None else files_in(allow_files)
        self._own_ids = count(1)
        self.delays = DelayQueue()
        """The answers that wait for a relayer's clock. The server releases them when it stops."""
        self.sockets = SocketHub()
        """The open WebSockets."""
        self.threads = Threads()
        """What answers beside the loop. The server closes them when it stops."""
        self._main = HostedRelay(relay, self.delays)
        self._calls = CallMetrics()
        self._monotonic_s = REAL.monotonic_s
        self._worlds = HostedRelays(relay, self.delays, world_limits)
        self.idle_s = world_limits.idle_s
        """After so many seconds without a request a world may be removed by `remove_idle_worlds`; None: never."""
        self._server_calls = ServerCalls(relay, self._worlds, self.report, self.measure, self._read_file)
        for name, world in worlds.items():
            self._worlds.add(name, world)

    def relays(self) -> list[tuple[str, Relay]]:
        """The relays by the names of their worlds; the main relay's name is empty."""
        return [("", self._main.relay), *self._worlds.relays()]

    def when_shut_down(self, stop: Callable[[], object]) -> None:
        """Let a control call stop the server: `stop` has it end soon, and returns at once."""
        self._server_calls.stop = stop

    def remove_idle_worlds(self) -> list[str]:
        """Remove the worlds that were not asked for too long; their names. Their reports may take long to make."""
        return self._worlds.remove_idle()

    def report(self) -> Report:
        """The report about all relayers, those of removed worlds too, without the secrets that they know."""
        removed, relays = self._worlds.reported()
        return removed.whole(relays)

    def world_of(self, target: Target) -> HostedRelay:
        """The world that a target is for, made on first use as by `HostedRelays.of`, whose errors it raises."""
        return self._main if target.world is None else self._worlds.of(target.world)

    def holds_up_loop(self, raw: RawRequest, target: Target) -> bool:
        """Whether others would wait long for `answer`: since it waits for calls before it or for another thread that is at work
        on the relay, or to verify a signature, or makes a world, or is one of the long control calls.
        """
        if target.is_long:
            return True
        world = self._main if target.world is None else self._worlds.find(target.world)
        if world is None:
            return True
        if world.line.last is not None or world.relay.is_busy:
            return True
        is_signed = raw.method != "GET" or "x-api-sig" in raw.headers
        return is_signed and target.in_api and world.relay.verifies_signatures

    def answer_beside(self, raw: RawRequest, target: Target) -> Awaitable[Answer]:
        """What `answer` answers, in a thread: others have their answers meanwhile. The calls of a relay's API are carried out
        in the order in which this is called, whether or not the result is waited for.
        """
        work = partial(self.threads.run, partial(self.answer, raw, target))
        if target.in_control:
            return asyncio.ensure_future(work())
        line = self._main.line if target.world is None else self._worlds.line(target.world)
        return line.add(work)

    def answer(self, raw: RawRequest, target: Target) -> Answer:
        """The answer to any request. The request has taken effect when this returns. Never raises. To the control API
        HEAD is a GET, of which the connection sends the head alone; the API has the methods of the spec.

        Of an answer with `drop` nothing may be sent, nor of those that follow on its connection.
        """
        world = self._main
        sent, begun_s = raw, self._monotonic_s()
        if raw.method == "HEAD" and target.in_control:
            raw = replace(raw, method="GET")
        if self._outside is not ITSELF and not target.in_control:
            raw = self._outside.seen(raw)
        try:
            place: HostedRelay | Response = world
            if target.special or raw.method == "OPTIONS":
                place = self._place(raw, target)
                world = place if isinstance(place, HostedRelay) else self._worlds.find(target.world or "") or world
            generation = world.clock.generation
            now_ms = world.clock.now_ms()
            if isinstance(place, Response):
                response = place
            elif target.in_control:
                response = self._control(place.relay, raw, target)
            elif SOCKET_KEY in raw.headers and (foreign := self._cors.socket_refusal(raw.headers.get("origin"))):
                response = self._numbered(target, foreign)
            else:
                place.requests += 1
                response = place.relay.handle(raw, now_ms, generation)
        except Exception as error:
            # A fault of the server, whatever the client sent: log the trace and answer the next request.
            logger.exception("mockrelay failed on %s %s", raw.method, raw.path)
            now_ms = world.clock.now_ms()
            response = self._numbered(target, _inner_error(target, error), world.relay.request_id(raw))
        duration_s, trace = self._monotonic_s() - begun_s, None
        if not target.in_control and isinstance(place, HostedRelay):
            entry = world.relay.journal.last
            trace = entry.trace if entry is not None and entry.raw is raw else None
            self._calls.count(trace, duration_s)
        if self._log is not None:
            name = target.world if isinstance(place, HostedRelay) else None
            self._note(AnsweredRequest(sent, response, now_ms, world.relay, name or "", trace, duration_s))
        origin = raw.headers.get("origin")
        marked = response if origin is None else self._for_pages(target, origin, response)
        if target.in_events and response.status == OK and sent.method == raw.method:
            return EventStream(world.events, raw.headers.get("last-event-id", ""), world.delays, marked.headers)
        if response.not_before_ms is None:
            return marked
        request_id = dict(response.headers).get(REQUEST_ID_HEADER, "")
        relay = world.relay
        describe, leave = partial(relay.describe_call, request_id), partial(relay.leave, request_id)
        in_turn, at_ms = partial(world.line.call, relay), response.not_before_ms
        return DelayedResponse(marked, at_ms, generation, world.clock, world.delays, describe, leave, in_turn)

    def _note(self, answered: AnsweredRequest) -> None:
        assert self._log is not None
        try:
            self._log(answered)
        except Exception:
            # The request has taken effect, so it is answered.
            logger.exception("the request log failed on %s %s", answered.raw.method, answered.raw.path)

    def measure(self) -> Response:
        """What was done so far, as metrics."""
        removed, relays = self._worlds.reported()
        findings, problems = removed.counts(relays)
        worlds = len(self._worlds.relays())
        sessions = sum(relay.socket_count for _, relay in relays)
        return metrics(self._calls, Tally(findings, problems, worlds, sessions))

    def unreadable(self, target: Target, origin: str | None, why: str) -> Response:
        """The answer to a request whose body is not as its headers declare it."""
        response = self._numbered(target, _unreadable(target, why))
        return response if origin is None else self._for_pages(target, origin, response)

    def _place(self, raw: RawRequest, target: Target) -> HostedRelay | Response:
        """The relayer that a request is for, or the answer to a request that is for none.

        No world is made for a request without access, nor for a preflight.
        """
        page = page_answer(raw, target, of_record=self._stepper is not None)
        if page is not None:
            return page
        if target.in_control:
            if raw.method == "OPTIONS" and self._control_cors.allows(raw.headers.get("origin")):
                preflight = self._control_cors.preflight(raw.headers)
                if preflight is not None:
                    return preflight
            ahead = self._ahead(raw, target)
            if ahead is not None:
                return ahead
        elif raw.method == "OPTIONS" and target.in_api:
            preflight = self._cors.preflight(raw.headers)
            if preflight is not None:
                return self._numbered(target, preflight)
        try:
            return self.world_of(target)
        except CommandRefused as refused:
            if target.in_control:
                return control_refusal(refused)
            return self._numbered(target, api_error(refused.status, f"{refused.error}: {refused.meant}"))

    def _ahead(self, raw: RawRequest, target: Target) -> Response | None:
        """The answer to a control request that the server gives by itself; None: a relay answers."""
        is_page_allowed = self._control_cors.allows(raw.headers.get("origin"))
        refused = refusal(raw, self._token, target.authority, self._outside, is_page_allowed=is_page_allowed)
        if refused is not None:
            is_asked_openly = self._token is not None and "authorization" not in raw.headers
            return _OK if is_asked_openly and _is_health(raw, target) else refused
        bytes_max = body_max(target)
        if max(len(raw.body), declared_bytes(raw.headers)) > bytes_max:
            return control_error(413, "the body is too long", "body", f"at most {bytes_max} bytes")
        if is_document(target):
            return answer_document(raw, target, self._main.relay.world.config.profile.name)
        if self._stepper is not None and target.path == RECORD_PATH:
            return answer_record(self._stepper, raw)
        return self._server_calls.answer(raw, target)

    def _control(self, relay: Relay, raw: RawRequest, target: Target) -> Response:
        """The answer of a relay's control API."""
        if target.in_events:
            return _of_events(raw)
        path = raw.path[len(CONTROL_ROOT) + 1 :]
        all_worlds = self.report if target.world is None else _no_worlds
        return handle_control(relay, raw.method, path, raw.query, raw.body, load_into, self._read_file, all_worlds)

    def _numbered(self, target: Target, response: Response, request_id: str | None = None) -> Response:
        """An answer of the server itself; one of the API gets the call's id or, where the call is not in a journal, one of
        the server's own.
        """
        if not target.in_api:
            return response
        request_id = request_id or f"s{next(self._own_ids)}"
        return response.with_headers((REQUEST_ID_HEADER, request_id))

    def _for_pages(self, target: Target, origin: str, response: Response) -> Response:
        """The answer to a page of a browser, with CORS headers if it has asked one of the APIs."""
        if not (target.in_api or target.in_control):
            return response
        return (self._cors if target.in_api else self._control_cors).marked(response, origin)


def _is_health(raw: RawRequest, target: Target) -> bool:
    return (
        raw.method == "GET" and target.world is None and target.path.strip("/") == f"{CONTROL_ROOT}/health".strip("/")
    )


def _no_worlds() -> Report:
    raise CommandRefused(MISSING, "a world has no worlds", WORLDS, "the same call without /w/NAME before it")


def _of_events(raw: RawRequest) -> Response:
    """The status of a request for events, and the answer to a wrong one."""
    if raw.method != "GET":
        return control_error(405, f"{cut(raw.method)} is not for events", "method", "GET", ("Allow", "GET"))
    if raw.query:
        meant = "nothing but the path, and the header Last-Event-ID"
        return control_error(400, "this call takes no query", raw.query[0][0], meant)
    return Response(OK, EVENT_HEADERS, b"")


def _unreadable(target: Target, why: str) -> Response:
    if target.in_control:
        return control_error(400, f"the body cannot be read: {why}", "body", "a body as its headers declare it")
    return api_error(400, f"the body cannot be read: {why}")


def _inner_error(target: Target, error: Exception) -> Response:
    is_users = isinstance(error, CallbackFailed)
    text = str(error) if is_users else "mockrelay itself failed on this request"
    if target.in_control:
        return control_error(500, text, "", "see the server's standard error")
    return api_error(500, f"{text}; the server's standard error says where")
