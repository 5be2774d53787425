"""What the client met of an answer: the one that was sent, none, or what a fault made of it."""

from __future__ import annotations

from http import HTTPStatus

from mockrelay.core.context import Trace
from mockrelay.core.faults import Fault
from mockrelay.core.units import duration_text, moment_text
from mockrelay.journal.journal import Entry
from mockrelay.spec.codes import SUCCESS
from mockrelay.spec.fault_effects import DELAY, STATUS, Phase, Point


def is_held(entry: Entry, now_ms: int) -> bool:
    """Whether the answer still waits for the relayer's clock."""
    return not (entry.response.drop or entry.is_left or entry.is_sent(now_ms))


def is_unanswered(entry: Entry, now_ms: int) -> bool:
    """Whether the client has no answer: it was lost, it is still held, or its connection was closed meanwhile."""
    return not entry.is_sent(now_ms)


def code_met(entry: Entry, now_ms: int) -> int | None:
    """The code that the client has met; None: it has no answer, or one without a code."""
    return entry.trace.code if entry.is_sent(now_ms) else None


def answering_fault(trace: Trace) -> Fault | None:
    """The fault that answered in the place of the endpoint's rules; None: they were reached."""
    return next((fault for fault in trace.faults if fault.at in (Point.BEFORE, Point.INSTEAD)), None)


def refusing_fault(trace: Trace) -> Fault | None:
    """The fault that refused the call: by its code, as a rate limit or, in the place of the endpoint's rules, by its status."""
    for fault in trace.faults:
        if fault.effect.row.phase is Phase.ANSWER:
            return fault
        if fault.effect.row is STATUS and fault.at is not Point.AFTER and fault.effect.value >= HTTPStatus.BAD_REQUEST:
            return fault
    return None


def answer_text(entry: Entry, now_ms: int) -> str:
    """What the client met, in a line: `200 code 0`, `503 (fault f1: 503 in place of the answer)`, `no answer (…)`."""
    trace, response = entry.trace, entry.response
    if response.drop:
        text = "no answer"
    elif entry.is_left:
        text = "no answer before its connection was closed"
    elif is_held(entry, now_ms):
        assert response.not_before_ms is not None
        text = f"no answer before {moment_text(response.not_before_ms)}"
    else:
        text = str(response.status) if trace.code is None else f"{response.status} code {trace.code}"
    if not trace.faults:
        return text
    effects = "; ".join(f"fault {fault.label}: {effect_text(fault)}" for fault in trace.faults)
    return f"{text} ({effects}{_carried_out(entry)})"


def effect_text(fault: Fault) -> str:
    """What a fault did to an answer, in a few words."""
    effect = fault.effect
    value = duration_text(effect.value) if effect.row is DELAY else effect.value
    return effect.row.met.format(value)


def _carried_out(entry: Entry) -> str:
    """Whether a call that changes something was carried out, where a fault hides it."""
    if entry.raw.method != "POST" or all(fault.at is None for fault in entry.trace.faults):
        return ""
    return ", carried out" if entry.trace.outcome == SUCCESS else ", not carried out"
