"""A relayer without a socket: requests in, responses out, one world behind them.

Everything that touches the world goes through one lock, so every call is whole whatever thread it comes from. Time comes
in as an argument of `handle`; the clock that the relay carries is for those who serve it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from mockrelay.clock import Clock, ClockState, ClockWish
from mockrelay.control import handle_control
from mockrelay.core.apply import apply, pass_time
from mockrelay.core.call import Call, RateRefused, Refused
from mockrelay.core.choosing import check_choices
from mockrelay.core.context import Context, Decide
from mockrelay.core.faults import At, Fault, FaultKind, ScriptedAnswer
from mockrelay.core.order_judge import order_hash_of
from mockrelay.core.records import Account
from mockrelay.core.world import World
from mockrelay.scenario import Scenario, load, load_text
from mockrelay.spec.choices import BY_KEY
from mockrelay.wire.body import raw_fields
from mockrelay.wire.decode import Decoded, NoRoute, decode, relax
from mockrelay.wire.encode import encode_no_route, encode_refusal, encode_reply, encode_scripted, spoilt
from mockrelay.wire.messages import RawRequest, Response

JOURNAL_KEPT = 1000
REQUEST_ID_HEADER = "X-Mockrelay-Request-Id"


class SignedRequest(NamedTuple):
    """What a verifier sees of a request that claims to be signed."""

    endpoint: str
    fields: Mapping[str, Any]
    """The decoded fields."""
    raw_body: bytes
    headers: Mapping[str, str]
    method: str
    scheme: str
    host: str
    raw_target: str

    @property
    def raw_fields(self) -> Mapping[str, str]:
        """The JSON text of each field, as it was sent."""
        return raw_fields(self.raw_body)


Verifier = Callable[[Account, SignedRequest], str | None]
"""Whether the account signed the request: None where it did, else a sentence that says what is wrong."""


class JournalEntry(NamedTuple):
    """One call and what became of it."""

    id: str
    at_ms: int
    method: str
    target: str
    endpoint: str | None
    status: int
    consulted: tuple[tuple[str, str], ...]
    """The choices that were met, with the options that held."""


class Relay:
    """A relayer: its world, its clock and its journal. Use `from_scenario` to make one."""

    def __init__(
        self,
        scenario: Scenario,
        *,
        choices: Mapping[str, str] | None = None,
        limits_on: bool | None = None,
        clock: Clock | ClockWish | None = None,
        verifier: Verifier | None = None,
        decide: Decide | None = None,
    ) -> None:
        self._lock = threading.RLock()
        self._verifier = verifier
        self._decide = None if decide is None else self._by_decider(decide)
        self._first_choices = check_choices(choices or {})
        self._first_limits_on = limits_on
        if isinstance(clock, Clock):
            self.clock = clock
            self._first_clock = ClockWish(clock.rate, clock.now_ms())
        else:
            self.clock = Clock.real()
            self._first_clock = clock or ClockWish(1)
        self._first_scenario = scenario
        # A frozen clock that nothing else sets starts at the same moment after every reset.
        self._frozen_start_ms = self.clock.now_ms() // 1000 * 1000
        self._requests = 0
        self._start: tuple[tuple[Any, ...], World] | None = None
        self._begin(scenario, self._first_choices, limits_on, self._first_clock)

    @classmethod
    def from_scenario(
        cls,
        scenario: str | Path = "default",
        *,
        choices: Mapping[str, str] | None = None,
        limits: str | None = None,
        clock: Clock | ClockWish | str | None = None,
        verifier: Verifier | None = None,
        decide: Decide | None = None,
    ) -> Relay:
        """A relay in the state of a shipped scenario (by name) or of a scenario file (by path).

        `choices` go over the scenario's; `limits` is `spec` or `off` (None: as the scenario says); `clock` is one
        of your own, or a word: `real`, `frozen` or a rate. Raises ScenarioError for a scenario that cannot be read, ValueError for a wrong option.
        """
        if limits not in (None, "spec", "off"):
            raise ValueError(f"limits: {limits!r} is not known; spec or off")
        return cls(
            load(scenario),
            choices=choices,
            limits_on=None if limits is None else limits == "spec",
            clock=ClockWish.of_text(clock) if isinstance(clock, str) else clock,
            verifier=verifier,
            decide=decide,
        )

    @property
    def scenario_name(self) -> str:
        """The name of the scenario that the world started from."""
        return self._scenario.name

    def now_ms(self) -> int:
        """The relayer's time."""
        return self.clock.now_ms()

    def accounts(self) -> list[dict[str, Any]]:
        """The scenario's accounts: name, id, owner and API key."""
        return [
            {"name": account.name, "accountId": account.account_id, "owner": account.owner, "apiKey": account.api_key}
            for account in self.world.accounts.values()
        ]

    def handle(self, raw: RawRequest, now_ms: int) -> Response:
        """Answer a request at a moment. Any request has an answer; what is raised is a fault of ours."""
        with self._lock:
            self._requests += 1
            ctx = self._context(now_ms)
            decoded = decode(raw, ctx.decide)
            if isinstance(decoded, NoRoute):
                pass_time(ctx)
                endpoint, response = None, encode_no_route(decoded)
            else:
                call = _settled(ctx, decoded) if decoded.soft or decoded.call.flaws else decoded.call
                endpoint, response = call.endpoint.name, self._answer(ctx, raw, call)
            entry = JournalEntry(
                f"r{self._requests}",
                ctx.now_ms,
                raw.method,
                raw.raw_target,
                endpoint,
                response.status,
                tuple(ctx.consulted),
            )
            self.journal.append(entry)
        status, headers, body, drop, not_before_ms = response
        return Response(status, (*headers, (REQUEST_ID_HEADER, entry.id)), body, drop, not_before_ms)

    def control(self, method: str, path: str, query: tuple[tuple[str, str], ...], body: bytes) -> Response:
        """Carry out a control call; `path` is what follows `/__mockrelay/`."""
        return handle_control(self, method, path, query, body)

    @contextmanager
    def steering(self) -> Iterator[Context]:
        """The world at the present moment, for something done by hand; nothing else touches it meanwhile."""
        with self._lock:
            ctx = self._context(self.clock.now_ms())
            pass_time(ctx)
            yield ctx

    def reset(
        self,
        *,
        scenario: str | Path | None = None,
        scenario_text: str | None = None,
        choices: Mapping[str, str] | None = None,
        clock: ClockWish | None = None,
        limits_on: bool | None = None,
    ) -> None:
        """Everything back to the start; what is given replaces what the relay was made with, for this start only."""
        if scenario_text is not None:
            loaded = load_text(scenario_text)
        else:
            loaded = self._first_scenario if scenario is None else load(scenario)
        if clock is None:
            # Another scenario's start is part of it; only the first one can have been given another.
            clock = (
                self._first_clock
                if loaded is self._first_scenario
                else self._first_clock.from_scenario(loaded.start_ms)
            )
        with self._lock:
            self._begin(
                loaded,
                self._first_choices if choices is None else check_choices(choices),
                self._first_limits_on if limits_on is None else limits_on,
                clock,
            )

    def advance(self, ms: int) -> None:
        """Move the clock ahead; all that falls due by then happens."""
        with self._lock:
            self.clock.advance(ms)
            with self.steering():
                pass

    def set_clock(self, at_ms: int) -> None:
        """Move the clock ahead to a moment; ValueError for one that has passed."""
        with self._lock:
            self.clock.set(at_ms)
            with self.steering():
                pass

    def set_rate(self, rate: float) -> None:
        """Let the clock run at another rate from now on."""
        with self._lock:
            self.clock.rate = rate

    def set_choices(self, choices: Mapping[str, str]) -> None:
        """Change the readings that hold from now on; UnknownChoice, and nothing changed, where one does not exist."""
        checked = check_choices(choices)
        with self.steering() as ctx:
            ctx.world.choices.update(checked)
            # What the limiter counted under another window or for another caller means nothing now.
            if any(key.startswith("rate.") for key in checked):
                ctx.world.limiter.forget()

    def _begin(self, scenario: Scenario, choices: Mapping[str, str], limits_on: bool | None, clock: ClockWish) -> None:
        start_ms = scenario.start_ms if clock.start_ms is None else clock.start_ms
        if start_ms is None:
            start_ms = Clock.real().now_ms() if clock.rate else self._frozen_start_ms
        self._scenario = scenario
        self.clock.restore(ClockState(start_ms, clock.rate))
        self.world = self._pristine(scenario, start_ms, choices, limits_on).clone()
        self.journal: deque[JournalEntry] = deque(maxlen=JOURNAL_KEPT)

    def _pristine(self, scenario: Scenario, start_ms: int, choices: Mapping[str, str], limits_on: bool | None) -> World:
        """The world at its start. The last one made is kept, since most resets ask for the same again."""
        wanted = (scenario, start_ms, dict(choices), limits_on)
        if self._start is None or self._start[0] != wanted:
            self._start = (wanted, scenario.world(start_ms, choices, limits_on))
        return self._start[1]

    def _context(self, now_ms: int) -> Context:
        return Context(self.world, now_ms, self._decide)

    def _answer(self, ctx: Context, raw: RawRequest, call: Call) -> Response:
        if self._verifier is not None:
            ctx.verify = self._verify_with(self._verifier, raw)
        try:
            response = encode_reply(call.endpoint, apply(ctx, call), ctx.consulted)
        except Refused as refused:
            response = encode_refusal(call.endpoint, refused, ctx.decide, _order_hash(ctx, call))
            if isinstance(refused, RateRefused):
                return response
        except ScriptedAnswer as scripted:
            response = _late(ctx, encode_scripted(call.endpoint, scripted.fault, ctx.decide), scripted.fault)
            if scripted.fault.at is not At.AFTER:
                return response
        return _suffered(ctx, call, response) if ctx.world.faults else response

    @staticmethod
    def _verify_with(verifier: Verifier, raw: RawRequest) -> Callable[[Account, Call], str | None]:
        def verify(account: Account, call: Call) -> str | None:
            return verifier(
                account,
                SignedRequest(
                    call.endpoint.name,
                    call.args,
                    raw.body,
                    raw.headers,
                    raw.method,
                    raw.scheme,
                    raw.host,
                    raw.raw_target,
                ),
            )

        return verify

    def _by_decider(self, decide: Decide) -> Decide:
        """A decider of the user's, held to the options that exist; where it gives None, the world's choices decide."""

        def checked(key: str, context: Mapping[str, Any]) -> Any:
            option = decide(key, context)
            if option is None:
                # Not a choice is what events of one moment ask: they come in the order in which they were planned.
                return self.world.choices.get(key, 0)
            choice = BY_KEY.get(key)
            if choice is not None and option not in choice.options:
                raise ValueError(f"decide({key!r}) gave {option!r}; one of {', '.join(choice.options)}")
            return option

        return checked


def _suffered(ctx: Context, call: Call, response: Response) -> Response:
    """The answer after the faults that leave the call as it is and spoil only that."""
    for kind in (FaultKind.STATUS, FaultKind.BODY, FaultKind.DROP):
        if (fault := ctx.world.faults.take(call, kind, At.AFTER)) is not None:
            response = spoilt(response, fault)
    if (fault := ctx.world.faults.take(call, FaultKind.DELAY, At.AFTER)) is not None:
        response = _late(ctx, response, fault)
    return response


def _late(ctx: Context, response: Response, fault: Fault) -> Response:
    """The answer, held back for as long as a fault says."""
    return response._replace(not_before_ms=ctx.now_ms + fault.delay_ms) if fault.delay_ms else response


def _order_hash(ctx: Context, call: Call) -> str:
    """The hash that a refused order would have had, for answers that carry it."""
    return order_hash_of(ctx.world.setting.seed, call.args) if call.endpoint.name == "submit_order" else ""


def _settled(ctx: Context, decoded: Decoded) -> Call:
    """The call, once the choices have said what counts as a flaw of its form."""
    call, soft = decoded
    if call.flaws and ctx.decide("http.numbers", {}) == "lenient":
        call = relax(call, ctx.decide)
    for choice, flaw in soft:
        if ctx.decide(choice, {}) == "refuse":
            call = call._replace(flaws=(*call.flaws, flaw))
        else:
            ctx.find(flaw.rule, flaw.detail)
    return call
