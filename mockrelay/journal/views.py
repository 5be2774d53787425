"""Calls as the control API shows them: secrets masked, and with the reasons for each answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from http import HTTPStatus
from typing import Any

from mockrelay.core.context import Trace
from mockrelay.core.events import EventKind
from mockrelay.core.units import moment_text
from mockrelay.core.world import Finding
from mockrelay.journal.client_answer import (
    answer_text,
    answering_fault,
    code_met,
    effect_text,
    is_held,
    is_unanswered,
    refusing_fault,
)
from mockrelay.journal.journal import Entry
from mockrelay.journal.masking import masked_body, masked_headers, masked_target
from mockrelay.spec.codes import SUCCESS, Code
from mockrelay.spec.endpoint import RULES_JUDGE_SIGNATURES, Step
from mockrelay.spec.endpoints import BY_ID
from mockrelay.spec.fault_effects import Point
from mockrelay.spec.lint_rules import rule_of
from mockrelay.spec.routine_choices import matters

_CODES = frozenset(Code)
CLOCK_STANDS = "the relayer's clock stands still: advance it (clock.advance) or let it run"
_POINTS = {
    Point.BEFORE: " ahead of everything",
    Point.INSTEAD: " in place of the endpoint's rules, none of which was judged",
    Point.AFTER: " after the endpoint's rules",
    None: "",
}
"""When a fault acted."""
EVENT_TEXTS = {
    EventKind.ORDER_EXPIRES: "an order expires",
    EventKind.ORDER_STARTS: "an order's validSince has come",
    EventKind.CANCEL_DONE: "a cancellation is done",
    EventKind.REQUEST_MOVES: "a request moves on",
    EventKind.BLOCK_SEALS: "a block is sealed",
    EventKind.BLOCK_CONFIRMS: "a block is confirmed",
    EventKind.BLOCK_FINALIZES: "a block is finalized",
    EventKind.TIMELINE: "an entry of the timeline happens",
}


def entry_view(entry: Entry, now_ms: int) -> dict[str, Any]:
    """A call, for `GET requests`; status, code and answer are null where the client has no answer by now."""
    trace, answer = entry.trace, None if is_unanswered(entry, now_ms) else entry.response
    return {
        "id": entry.id,
        "at_ms": entry.at_ms,
        "method": entry.raw.method,
        "target": masked_target(entry.raw.raw_target),
        "endpoint": trace.endpoint,
        **({"form": trace.form} if trace.form else {}),
        "accountId": trace.account_id,
        "status": None if answer is None else answer.status,
        "code": code_met(entry, now_ms),
        "summary": answer_text(entry, now_ms),
        "headers": masked_headers(entry.raw.headers),
        "body": masked_body(entry.raw.body),
        "answer": None if answer is None else masked_body(answer.body),
        "choices": dict(trace.choices),
        "fault": trace.faults[0].id if trace.faults else None,
        "heldUntil_ms": None if entry.response.drop else entry.response.not_before_ms,
    }


def finding_view(finding: Finding) -> dict[str, Any]:
    """A finding with its rule's level and fix, and whether the rule fails a test."""
    rule = rule_of(finding.rule)
    return {
        "rule": rule.id,
        "request": finding.request,
        "source": finding.source,
        "detail": finding.detail,
        "level": rule.level,
        "fails": rule.fails,
        "fix": rule.fix,
    }


def why_view(entry: Entry, now_ms: int, *, is_frozen: bool = False, unread: Iterable[Finding] = ()) -> dict[str, Any]:
    """The reasons for an answer, for `GET why/ID`: due events, checks passed, choices, refusal, transitions.
    `is_frozen` says whether the relayer's clock stands still now; `unread` has findings of the present moment.
    """
    trace = entry.trace
    findings = [*trace.findings, *(finding for finding in unread if finding.request == entry.id)]
    return {
        "id": entry.id,
        "method": entry.raw.method,
        "target": masked_target(entry.raw.raw_target),
        "endpoint": trace.endpoint,
        **({"form": trace.form} if trace.form else {}),
        "at_ms": entry.at_ms,
        "status": None if is_unanswered(entry, now_ms) else entry.response.status,
        "summary": answer_text(entry, now_ms),
        "due": [{"at_ms": due.at_ms, "event": due.kind.name.lower(), "subject": due.subject} for due in trace.events],
        "gate": list(_gate(trace)),
        "choices": [{"key": key, "option": option} for key, option in trace.choices],
        "refusal": _refusal(entry),
        "moved": [{"what": what, "hash": subject, "from": was, "to": to} for what, subject, was, to in trace.moves],
        "fault": {"id": trace.faults[0].id, "name": trace.faults[0].name} if trace.faults else None,
        "findings": [finding_view(finding) for finding in findings],
        "story": [*_story(entry, now_ms, is_frozen), *map(_noted, findings)],
    }


def _gate(trace: Trace) -> Iterator[dict[str, Any]]:
    """The outcome of each step of the gate. A step that does not apply to the endpoint counts as passed."""
    fault = answering_fault(trace)
    steps = BY_ID[trace.row].steps if trace.row else RULES_JUDGE_SIGNATURES
    reached = steps.index(trace.step) if trace.step else -1
    for index, step in enumerate(steps):
        if index < reached:
            yield {"step": step, "outcome": "passed"}
        elif index > reached:
            yield {"step": step, "outcome": "not reached"}
        elif fault is not None and fault.at is Point.INSTEAD:
            yield {"step": step, "outcome": "not reached", "detail": f"{trace.detail} stands in their place"}
        elif fault is None and trace.outcome == SUCCESS:
            yield {"step": step, "outcome": "passed"}
        else:
            yield {"step": step, "outcome": "refused", "detail": trace.detail}


def _has_failed(entry: Entry) -> bool:
    """Whether an exception ended the call, of mockrelay itself or of a test's own `verifier` or `decide`."""
    return entry.response.status == HTTPStatus.INTERNAL_SERVER_ERROR and not entry.trace.faults


def _refusal(entry: Entry) -> dict[str, Any] | None:
    """The refusal by a fault or by the endpoint's rules; None: neither refused the call."""
    trace = entry.trace
    fault = refusing_fault(trace)
    if fault is None and not trace.outcome:
        return None
    code = trace.outcome if fault is None else trace.code
    row = BY_ID[trace.row].codes if trace.row else ()
    is_by_rules = fault is None and trace.step is Step.RULES and not _has_failed(entry)
    codes = [int(judged.code) for judged in row]
    step = Step.FAULTS if fault is not None else trace.step
    return {
        "code": code,
        "meaning": Code(code).meaning if code in _CODES else "",
        "detail": trace.detail,
        "step": "path and method" if step is None else step.value,
        "judgedBefore": codes[: codes.index(code)] if is_by_rules and code in codes else [],
        **({} if trace.cause is None else {"cause": {"kind": trace.cause.cause, "sentence": trace.cause.sentence}}),
    }


def _story(entry: Entry, now_ms: int, is_frozen: bool) -> Iterator[str]:
    trace = entry.trace
    endpoint = f" ({trace.endpoint}{f', form {trace.form}' if trace.form else ''})" if trace.endpoint else ""
    yield f"{entry.id}: {entry.asked}{endpoint} at {moment_text(entry.at_ms)} -> {answer_text(entry, now_ms)}"
    for due in trace.events:
        yield f"before it, due at {moment_text(due.at_ms)}: {EVENT_TEXTS.get(due.kind, due.kind.name.lower())} ({due.subject})"
    for fault in trace.faults:
        yield f"the fault {fault.label} ({fault.effect.kind}) fired{_POINTS[fault.at]}: {effect_text(fault)}"
    if is_held(entry, now_ms):
        assert entry.response.not_before_ms is not None
        yield f"the answer is held back until {moment_text(entry.response.not_before_ms)} on the relayer's clock"
        if is_frozen:
            yield CLOCK_STANDS
    if trace.outcome == SUCCESS:
        yield "accepted"
    yield from _refusal_sentences(entry, is_frozen)
    for key, option in trace.choices:
        if matters(key, option):
            yield f"the spec is silent here; {key} says {option}"
    for what, subject, was, to in trace.moves:
        yield f"{what} {subject}: {was or 'new'} -> {to}"


def _noted(finding: Finding) -> str:
    return f"noted ({finding.rule}): {finding.detail}"


def _refusal_sentences(entry: Entry, is_frozen: bool) -> Iterator[str]:
    trace, refusal = entry.trace, _refusal(entry)
    if refusal is None or refusal["code"] is None:
        return
    if _has_failed(entry):
        yield f"failed at the step {refusal['step']!r}: {trace.detail}"
        return
    yield f"refused at the step {refusal['step']!r} with {refusal['code']} ({refusal['meaning']}): {trace.detail}"
    if refusal["judgedBefore"]:
        yield f"judged before it, and passed: {', '.join(map(str, refusal['judgedBefore']))}"
    if trace.cause is not None:
        yield f"the likely cause is {trace.cause.cause}: {trace.cause.sentence}"
    if is_frozen and trace.step is Step.RATE_LIMIT:
        yield CLOCK_STANDS
