"""Calls as the control API shows them: secrets masked, and with the reasons for each answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mockrelay.core.context import Trace
from mockrelay.core.events import EventKind
from mockrelay.core.gate import STEPS
from mockrelay.core.units import moment_text
from mockrelay.core.world import Finding
from mockrelay.journal.journal import Entry
from mockrelay.journal.masking import masked_body, masked_headers, masked_target
from mockrelay.spec.codes import Code
from mockrelay.spec.endpoints import BY_NAME
from mockrelay.spec.lint_rules import rule_of

_CODES = frozenset(Code)
_RATE_LIMIT = STEPS.index("rate limit")
_EVENTS = {
    EventKind.ORDER_EXPIRES: "an order expires",
    EventKind.ORDER_STARTS: "an order's validSince has come",
    EventKind.CANCEL_DONE: "a cancellation is done",
    EventKind.REQUEST_MOVES: "a request moves on",
    EventKind.BLOCK_SEALS: "a block is sealed",
    EventKind.BLOCK_CONFIRMS: "a block is confirmed",
    EventKind.BLOCK_FINALIZES: "a block is finalized",
    EventKind.TIMELINE: "an entry of the timeline happens",
}


def entry_view(entry: Entry) -> dict[str, Any]:
    """A call, for `GET requests`."""
    trace = entry.trace
    return {
        "id": entry.id,
        "at_ms": entry.at_ms,
        "method": entry.raw.method,
        "target": masked_target(entry.raw.raw_target),
        "endpoint": trace.endpoint,
        "accountId": trace.account_id,
        "status": entry.response.status,
        "code": trace.code,
        "headers": masked_headers(entry.raw.headers),
        "body": masked_body(entry.raw.body),
        "answer": masked_body(entry.response.body),
        "choices": dict(trace.choices),
        "fault": trace.faults[0].id if trace.faults else None,
        "heldUntil_ms": entry.response.not_before_ms,
    }


def finding_view(finding: Finding) -> dict[str, Any]:
    """A finding with the level and the fix of its rule."""
    rule = rule_of(finding.rule)
    return {
        "rule": rule.id,
        "request": finding.request,
        "source": finding.source,
        "detail": finding.detail,
        "level": rule.level,
        "fix": rule.fix,
    }


def why_view(entry: Entry, *, is_frozen: bool = False) -> dict[str, Any]:
    """The reasons for an answer, for `GET why/ID`: due events, checks passed, choices, refusal, transitions.
    `is_frozen` says whether the relayer's clock stands still now.
    """
    trace = entry.trace
    return {
        "id": entry.id,
        "method": entry.raw.method,
        "target": masked_target(entry.raw.raw_target),
        "endpoint": trace.endpoint,
        "at_ms": entry.at_ms,
        "status": entry.response.status,
        "due": [{"at_ms": due.at_ms, "event": due.kind.name.lower(), "subject": due.subject} for due in trace.events],
        "gate": list(_gate(trace)),
        "choices": [{"key": key, "option": option} for key, option in trace.choices],
        "refusal": _refusal(trace) if trace.code else None,
        "moved": [{"what": what, "hash": subject, "from": was, "to": to} for what, subject, was, to in trace.moves],
        "fault": {"id": trace.faults[0].id, "name": trace.faults[0].name} if trace.faults else None,
        "findings": [finding_view(finding) for finding in trace.findings],
        "story": list(_story(entry, is_frozen)),
    }


def _gate(trace: Trace) -> Iterator[dict[str, Any]]:
    """The outcome of each step of the gate. A step that does not apply to the endpoint counts as passed."""
    refused = bool(trace.code)
    for index, step in enumerate(STEPS):
        if index < trace.stage or (index == trace.stage and not refused):
            yield {"step": step, "outcome": "passed"}
        elif index == trace.stage:
            yield {"step": step, "outcome": "refused", "detail": trace.detail}
        else:
            yield {"step": step, "outcome": "not reached"}


def _refusal(trace: Trace) -> dict[str, Any]:
    code = trace.code
    row = BY_NAME[trace.endpoint].codes if trace.endpoint else ()
    in_rules = trace.stage == len(STEPS) - 1
    codes = [int(judged.code) for judged in row]
    return {
        "code": code,
        "meaning": Code(code).meaning if code in _CODES else "",
        "detail": trace.detail,
        "step": STEPS[trace.stage] if trace.stage >= 0 else "path and method",
        "judgedBefore": codes[: codes.index(code)] if in_rules and code in codes else [],
        **({} if trace.cause is None else {"cause": {"kind": trace.cause.cause, "sentence": trace.cause.sentence}}),
    }


def _story(entry: Entry, is_frozen: bool) -> Iterator[str]:
    trace = entry.trace
    yield f"{entry.id}: {entry.asked} at {moment_text(entry.at_ms)}, answered with status {entry.response.status}"
    for due in trace.events:
        yield f"before it, due at {moment_text(due.at_ms)}: {_EVENTS.get(due.kind, due.kind.name.lower())} ({due.subject})"
    for fault in trace.faults:
        yield f"the fault {fault.label} ({fault.effect.kind}) fired"
    if entry.response.not_before_ms is not None:
        yield f"the answer is held back until {moment_text(entry.response.not_before_ms)} on the relayer's clock"
    if trace.code:
        refusal = _refusal(trace)
        yield f"refused at the step {refusal['step']!r} with {trace.code} ({refusal['meaning']}): {trace.detail}"
        if refusal["judgedBefore"]:
            yield f"judged before it, and passed: {', '.join(map(str, refusal['judgedBefore']))}"
        if trace.cause is not None:
            yield f"the likely cause is {trace.cause.cause}: {trace.cause.sentence}"
        if is_frozen and trace.stage == _RATE_LIMIT:
            yield "the relayer's clock stands still: advance it (clock.advance) or let it run"
    elif trace.code == 0:
        yield "accepted"
    for key, option in trace.choices:
        yield f"the spec is silent here; {key} says {option}"
    for what, subject, was, to in trace.moves:
        yield f"{what} {subject}: {was or 'new'} -> {to}"
    for finding in trace.findings:
        yield f"noted ({finding.rule}): {finding.detail}"
