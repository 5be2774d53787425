"""Answers one request on a world: decode, handle, encode. What happens on the way goes into the context's trace."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

from mockrelay.core.call import Call, RateRefused, Refused, Violation
from mockrelay.core.context import Context
from mockrelay.core.faults import Fault, ScriptedAnswer
from mockrelay.core.handle import handle_call, run_due_events
from mockrelay.core.orders.validate import order_hash_of
from mockrelay.core.units import http_date
from mockrelay.journal.masking import masked_values
from mockrelay.relay.verifier import Verifier, sent_of, verify_with
from mockrelay.spec.codes import SUCCESS, Code
from mockrelay.spec.fault_effects import Phase, Point, effects_at
from mockrelay.wire.decode import NoRoute, decode, relax
from mockrelay.wire.encode import alter, encode_no_route, encode_refusal, encode_reply, encode_scripted
from mockrelay.wire.http import RawRequest, Response
from mockrelay.wire.loose import decode_loosely

_ON_ANSWERS = effects_at(Point.AFTER, Phase.CONTENT, Phase.TIMING)


def answer(ctx: Context, raw: RawRequest, verifier: Verifier | None) -> Response:
    """The answer to a request. Any exception is a bug of mockrelay."""
    # Before the request is decoded: a due event may change a choice that decoding depends on.
    run_due_events(ctx)
    profile = ctx.world.config.profile
    call = (decode_loosely if profile.reads_loosely else decode)(raw, ctx.decide, profile)
    if isinstance(call, NoRoute):
        response = encode_no_route(call)
        ctx.trace.step, ctx.trace.detail = None, call.detail
        ctx.trace.code = ctx.trace.outcome = int(Code.UNKNOWN_ERROR)
    else:
        ctx.sent = partial(sent_of, raw)
        if verifier is not None:
            ctx.verify = verify_with(verifier, raw)
        response = _handle(ctx, _apply_violation_choices(ctx, call) if call.violations else call)
        if call.api_key:
            ctx.trace.account_id = ctx.world.account_of_key.get(call.api_key)
    if ctx.decide("http.date") == "none":
        return response
    return response.with_headers(("Date", http_date(ctx.now_ms)))


def _handle(ctx: Context, call: Call) -> Response:
    """The answer to a call, by the rules and the faults."""
    trace, endpoint = ctx.trace, call.endpoint
    trace.endpoint, trace.form, trace.row, trace.args = endpoint.name, endpoint.form, endpoint.id, call.args
    try:
        response = encode_reply(endpoint, handle_call(ctx, call), trace.options)
        trace.code = trace.outcome = SUCCESS
    except Refused as refused:
        response = encode_refusal(endpoint, refused, ctx.decide, partial(order_hash_of, ctx, call, call.args))
        trace.code = trace.outcome = int(refused.code)
        trace.detail = refused.detail
        if isinstance(refused, RateRefused):
            return response
        if call.violations:
            _note_violations(ctx, call, call.violations)
    except ScriptedAnswer as scripted:
        fault = scripted.fault
        response = encode_scripted(endpoint, fault.effect, ctx.decide, ctx.now_ms)
        trace.code, trace.detail = _code_sent(fault), f"the scripted fault {fault.label}"
        if fault.at is not Point.AFTER:
            return response
        trace.outcome = SUCCESS
    return _with_faults(ctx, call, response) if ctx.world.faults.by_id else response


def _with_faults(ctx: Context, call: Call, response: Response) -> Response:
    """The answer after the faults that change the answer only."""
    for effect in _ON_ANSWERS:
        if (fault := ctx.fire_fault_at(call, effect, Point.AFTER)) is not None:
            response = alter(call.endpoint, response, fault.effect, ctx.decide, ctx.now_ms)
            if effect.phase is Phase.CONTENT:
                ctx.trace.code = None
    return response


def _code_sent(fault: Fault) -> int | None:
    """The code that the client is sent by a fault in the endpoint's place; None: an answer without one, or no answer."""
    if fault.effect.row.phase is Phase.CONTENT:
        return None
    return int(Code.UNKNOWN_ERROR) if fault.effect.code is None else fault.effect.code


def _note_violations(ctx: Context, call: Call, violations: Iterable[Violation]) -> None:
    """Add a finding for the first violation of each rule; the others most often have the same cause."""
    first: dict[str, Violation] = {}
    for violation in violations:
        first.setdefault(violation.finding.id, violation)
    for violation in first.values():
        ctx.add_finding(violation.finding, f"{call.endpoint.name}: {masked_values(violation.detail)}")


def _apply_violation_choices(ctx: Context, call: Call) -> Call:
    """The call with only those violations that the choices refuse; the others become findings."""
    strict = tuple(violation for violation in call.violations if violation.choice is None)
    optional = call.violations[len(strict) :]
    call = replace(call, violations=strict)
    if strict and ctx.decide("http.numbers") == "lenient":
        call = relax(call, ctx.decide)
        _note_violations(ctx, call, (violation for violation in strict if violation not in call.violations))
    for violation in optional:
        assert violation.choice is not None
        if ctx.decide(violation.choice) == "refuse":
            call = replace(call, violations=(*call.violations, violation))
        else:
            ctx.add_finding(violation.finding, violation.detail)
    return call
