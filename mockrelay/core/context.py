"""One call's surroundings: the world, the moment, the two questions that a rule may put to the outside, and the trace that
holds what was observed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from mockrelay.core.call import Call, SentRequest
from mockrelay.core.events import EVENT, Event
from mockrelay.core.faults import Fault
from mockrelay.core.models import Account
from mockrelay.core.world import Finding, World
from mockrelay.spec.fault_effects import OUTCOME, FaultEffect, Point
from mockrelay.spec.lint_rules import Rule

if TYPE_CHECKING:
    from mockrelay.signing.diagnosis.causes import Explanation

Decide = Callable[[str, Mapping[str, Any]], Any]
"""The answer to an open decision: (key, context) -> one of the choice's options; for the order of events that are due
together (`due.order`, context `{"count": n}`), the index of the one to run next; None: no answer."""

Move = tuple[str, str, str | None, str]
"""What moved (`order`, `request`, `block`), its hash or id, the state that it was in (None: it is new), the one it is in."""

Verify = Callable[[Account, Call], str | None]
"""Whether the account signed the call: None where it did, else a sentence that says what is wrong."""


CALL = "call"
"""The source of what a client's call brings about."""
COMMAND = "command"
"""The source of what a command brings about; behind it a blank and the command's name, where it has one."""
_NO_ARGS: Mapping[str, Any] = MappingProxyType({})


class Trace:
    """What was observed about one call or one command, from its first event to its answer. It is made once, and held by
    the call's journal entry as it is.
    """

    __slots__ = (
        "account_id",
        "args",
        "cause",
        "choices",
        "code",
        "detail",
        "endpoint",
        "events",
        "faults",
        "findings",
        "moves",
        "request",
        "source",
        "stage",
    )

    def __init__(self, source: str, request: str | None = None) -> None:
        self.source = source
        """What is observed: `call`, `command NAME`."""
        self.request = request
        """The id of the call, such as `r17`; None: it is not a call."""
        self.endpoint: str | None = None
        """The endpoint that was called; None: none was reached."""
        self.args = _NO_ARGS
        """The decoded fields of the call."""
        self.account_id: int | None = None
        """Whose API key the call came with."""
        self.code: int | None = None
        """The code of the answer, 0 for a success; None where a fault answered without one."""
        self.detail = ""
        """What stands behind the code's meaning in a refusal's message."""
        self.stage = 0
        """How far a call has come: the index of the step of `gate.STEPS` that it is at; -1: none was reached."""
        self.choices: list[tuple[str, str]] = []
        """Each choice and each order of events that was met, with its outcome, in order."""
        self.moves: list[Move] = []
        """The states that moved, by what fell due and by the call itself."""
        # Nothing falls due before most calls, no fault meets them and nothing is found: no room is made for these.
        self.events: Sequence[Event] = ()
        """What fell due before it, in the order in which it happened."""
        self.faults: tuple[Fault, ...] = ()
        """The scripted faults that met it."""
        self.findings: tuple[Finding, ...] = ()
        """What was noted about the client, also by what fell due."""
        self.cause: Explanation | None = None
        """Why a signature is wrong, where that has been found out."""


class Context:
    """What a rule gets beside the call itself."""

    __slots__ = (
        "_decide",
        "_is_scripted",
        "_options",
        "event",
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
        """Asked first, where a decision is met. None, and where it gives None: the scenario's `decisions`, then the
        world's choices; events of one moment come in the order in which they were planned.
        """
        self._is_scripted = decide is not None or bool(world.decisions_met)
        """Whether anything but the world's choices may decide."""
        self._options: dict[str, str] = {}
        self.verify = verify
        self.sent: Callable[[], SentRequest] | None = None
        """The request as it was sent, put together when somebody asks; None: all that is known of it is the call."""
        self.trace = trace or Trace(EVENT)
        """What is observed; without one given, nobody reads it."""
        self.event: str | None = None
        """What is happening by itself at this moment, in words; None: nothing, the call or the command itself acts."""

    @property
    def now_s(self) -> int:
        """The moment in whole seconds, as orders count."""
        return self.now_ms // 1000

    def decide(self, key: str, context: Mapping[str, Any]) -> str:
        """The option of a choice that holds here. One call has one reading of a silence, however often it meets it."""
        known = self._options.get(key)
        if known is not None:
            return known
        option: str = self.world.choices[key]
        if self._is_scripted:
            scripted = self._scripted(key)
            given = None if self._decide is None else self._decide(key, context)
            option = next(outcome for outcome in (given, scripted, option) if outcome is not None)
        self._options[key] = option
        self.trace.choices.append((key, option))
        return option

    def decide_index(self, key: str, count: int) -> int:
        """Which of `count` things comes next."""
        # A scenario cannot know how many there will be: beyond the last one is the last one.
        index: int = min(self._scripted(key) or 0, count - 1)
        given = None if self._decide is None else self._decide(key, {"count": count})
        if given is not None:
            index = given
        assert 0 <= index < count, f"{key}: {index} is none of 0 to {count - 1}"
        if index:
            self.trace.choices.append((key, str(index)))
        return index

    def discard_options(self, keys: Iterable[str]) -> None:
        """These choices have changed: their readings so far hold no longer."""
        for key in keys:
            self._options.pop(key, None)

    def fire_fault(self, call: Call, effect: FaultEffect) -> Fault | None:
        """The scripted fault that has this effect inside the action of this call, counted as fired."""
        return self.fire_fault_at(call, effect, None) if self.world.faults else None

    def fire_fault_at(self, call: Call, effect: FaultEffect, at: Point | None) -> Fault | None:
        """The same, for effects that act at one point of several."""
        fault = self.world.faults.fire(call, effect, at)
        if fault is not None:
            self.trace.faults += (fault,)
        return fault

    def note_move(self, what: str, subject: str, was: str | None, becomes: str) -> None:
        """Note that an order, a request or a block has another state."""
        self.trace.moves.append((what, subject, was, becomes))

    def fire_failure(self, call: Call) -> bool:
        """Whether the request that the call makes is scripted to fail."""
        return self.fire_fault(call, OUTCOME) is not None

    def _scripted(self, key: str) -> Any:
        """The outcome that the scenario has for this time that the decision is met; None where it has none."""
        met = self.world.decisions_met
        if key not in met:
            return None
        met[key] += 1
        return self.world.config.decisions[key].get(met[key])

    def add_finding(self, rule: Rule, detail: str) -> None:
        """Note something about the client, whatever becomes of the call."""
        trace = self.trace
        if self.event is None:
            finding = Finding(rule.id, detail, trace.request, trace.source)
        else:
            finding = Finding(rule.id, detail, None, self.event)
        self.world.findings.append(finding)
        trace.findings += (finding,)
