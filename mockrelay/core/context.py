"""The context of one call or command: the world, the time, the callbacks `decide` and `verify`, and the trace of what was
observed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call, SentRequest
from mockrelay.core.events import EVENT, Event
from mockrelay.core.faults import Fault
from mockrelay.core.models import Account
from mockrelay.core.world import Finding, World
from mockrelay.spec.codes import Code
from mockrelay.spec.endpoint import Endpoint, Step
from mockrelay.spec.fault_effects import OUTCOME, FaultEffect, Point
from mockrelay.spec.lint_rules import Rule

if TYPE_CHECKING:
    from mockrelay.signing.diagnosis.causes import Explanation

Decide = Callable[[str, Mapping[str, Any]], Any]
"""Decides where the spec is silent: (choice key, context) -> an option of the choice; for events that are due at the same
time (`due.order`, context `{"count": n}`), the index of the event to run next; None to leave it to scenario and choices."""

Move = tuple[str, str, str | None, str]
"""A change of state: kind (`order`, `block` or a request kind), hash or id, state before (None: new), state after."""

Verify = Callable[[Account, Call], str | None]
"""A user's signature check: None if the account signed the call, else a sentence that says what is wrong."""


CALL = "call"
"""Source of findings and traces of a client's call."""
DRAWN_CALL = "drawn call"
"""Source of traces of a call that a test has drawn, and no client has made. It brings no findings."""
SOCKET = "websocket"
"""Source of traces of what a client sends on a WebSocket."""
COMMAND = "command"
"""Source of findings and traces of a command; a blank and the command's name follow, where it has one."""
NO_CONTEXT: Mapping[str, Any] = MappingProxyType({})
"""What most decisions are made by: the choice alone."""


@dataclass(slots=True, eq=False)
class Trace:
    """What was observed about one call or command, from the events due before it to its answer. The call's journal entry
    holds this object.
    """

    source: str
    """`call`, `drawn call` or `command NAME`."""
    request: str | None = None
    """The id of the call, such as `r17`; None for a command."""
    endpoint: str | None = None
    """Name of the endpoint; None if the path is not an endpoint's."""
    form: str = ""
    """The form of the call's request; empty: the endpoint's first one."""
    row: str | None = None
    """The id of the row of that endpoint and form."""
    args: Mapping[str, Any] = field(default_factory=dict)
    """The decoded fields of the call."""
    account_id: int | None = None
    """The account of the call's API key."""
    code: int | None = None
    """The code of the answer that was sent, 0 for a success; None where a fault sent none or an answer without one."""
    outcome: int | None = None
    """The code by the endpoint's own rules, 0: carried out; None where a fault answered in their place."""
    detail: str = ""
    """The text after the code's meaning in a refusal's message."""
    step: Step | None = Step.FAULTS
    """The last step that the call reached; None: it has no endpoint."""
    earlier: tuple[tuple[str, str], ...] = ()
    """Decisions that `options` does not have: `due.order` with an index, and choices that had these options until the call
    changed them.
    """
    events: Sequence[Event] = ()
    """The events that were due before it, in the order in which they ran."""
    faults: tuple[Fault, ...] = ()
    """The scripted faults that fired."""
    findings: tuple[Finding, ...] = ()
    """Findings about the client, also those of due events."""
    failed_repeat: str | None = None
    """The hash of the failed request whose repeat was refused."""
    cause: Explanation | None = None
    """The likely cause of a wrong signature, if one was found."""
    options: dict[str, str] = field(default_factory=dict)
    """The choices that were consulted, in this order, and their options."""
    moves: list[Move] = field(default_factory=list)
    """Changes of state, by due events and by the call itself."""

    @property
    def choices(self) -> list[tuple[str, str]]:
        """(choice key or `due.order`, outcome) of all decisions."""
        return [*self.earlier, *self.options.items()]


class Context:
    """What a rule gets beside the call itself: world, time, decisions, and where to record what it observes."""

    __slots__ = (
        "_decide",
        "_is_scripted",
        "caller",
        "event",
        "moment_done",
        "now_ms",
        "sent",
        "trace",
        "verify",
        "world",
    )

    def __init__(
        self,
        world: World,
        now_ms: int,
        decide: Decide | None = None,
        verify: Verify | None = None,
        trace: Trace | None = None,
    ) -> None:
        self.world = world
        self.now_ms = now_ms
        self._decide = decide
        """Asked first. If it gives None, the scenario's `decisions` and then the world's choices decide; events of one
        moment then run in the order in which they were planned.
        """
        self._is_scripted = decide is not None or bool(world.decisions_met)
        """Whether anything other than the world's choices may decide."""
        self.verify = verify
        self.sent: Callable[[], SentRequest] | None = None
        """Builds the request as it was sent, for signatures; None if only the decoded call is available."""
        self.caller: tuple[Call, Account] | None = None
        """The call whose account was looked up last, and that account as it was then."""
        self.trace = trace or Trace(EVENT)
        self.moment_done: Callable[[int], None] | None = None
        """Called after the due events of each moment, with that moment; None: nobody waits for them."""
        self.event: str | None = None
        """The entry of the timeline that is carried out, as the source of findings; None: the call or the command itself."""

    @property
    def now_s(self) -> int:
        """The time in whole seconds, the unit of an order's validity."""
        return self.now_ms // 1000

    def decide(self, key: str, context: Mapping[str, Any] = NO_CONTEXT) -> str:
        """The option of a choice for this call: the same one however often the call asks."""
        options = self.trace.options
        if key in options:
            return options[key]
        option: str = self.world.choices[key]
        if self._is_scripted:
            scripted = self._scripted(key)
            decided = None if self._decide is None else self._decide(key, context)
            option = next(outcome for outcome in (decided, scripted, option) if outcome is not None)
        options[key] = option
        return option

    def shape_code(self, endpoint: Endpoint) -> Code:
        """The code of a malformed request."""
        return endpoint.shape if endpoint.shape is not None else Code(int(self.decide("nft.error_code")))

    def decide_index(self, key: str, count: int) -> int:
        """The index, below `count`, of the item that comes next."""
        # A scenario cannot foresee the count, so a larger index means the last item.
        index: int = min(self._scripted(key) or 0, count - 1)
        decided = None if self._decide is None else self._decide(key, {"count": count})
        if decided is not None:
            index = decided
        assert 0 <= index < count, f"{key}: {index} is none of 0 to {count - 1}"
        if index:
            self.trace.earlier += ((key, str(index)),)
        return index

    def discard_options(self, keys: Iterable[str]) -> None:
        """Decide these choices anew from now on: their options have been changed."""
        trace = self.trace
        changed = {key: trace.options.pop(key) for key in keys if key in trace.options}
        trace.earlier += tuple(changed.items())

    def fire_fault(self, call: Call, effect: FaultEffect) -> Fault | None:
        """The fault with this effect that fires inside the action of this call, counted as fired; None: no fault."""
        return self.fire_fault_at(call, effect, None) if self.world.faults.by_id else None

    def fire_fault_at(self, call: Call, effect: FaultEffect, at: Point | None) -> Fault | None:
        """As `fire_fault`, for an effect that acts at `at`, one of several points of a call."""
        fault = self.world.faults.fire(call, effect, at)
        if fault is not None:
            self.trace.faults += (fault,)
        return fault

    def note_move(self, what: str, subject: str, was: str | None, becomes: str) -> None:
        """Record a change of state of an order, a request or a block."""
        self.trace.moves.append((what, subject, was, becomes))

    def fire_failure(self, call: Call) -> bool:
        """Whether a fault makes the request of this call fail later; the fault counts as fired."""
        return self.fire_fault(call, OUTCOME) is not None

    def _scripted(self, key: str) -> Any:
        """The outcome that the scenario scripts for this occurrence of the decision; None if it scripts none."""
        met = self.world.decisions_met
        if key not in met:
            return None
        met[key] += 1
        return self.world.config.decisions[key].get(met[key])

    def add_finding(self, rule: Rule, detail: str) -> None:
        """Record a finding about the client, whatever the call's answer will be. A drawn call brings none, nor do rules that the
        profile does not hold clients to.
        """
        trace = self.trace
        if rule in self.world.config.profile.silent_rules:
            return
        if self.event is None:
            if trace.source is DRAWN_CALL:
                return
            finding = Finding(rule.id, detail, trace.request, trace.source)
        else:
            finding = Finding(rule.id, detail, None, self.event)
        self.world.findings.append(finding)
        trace.findings += (finding,)
