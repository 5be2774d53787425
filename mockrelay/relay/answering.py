"""One request against a world: decoded, judged, answered. What it takes and gives back are plain values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from mockrelay.core.apply import apply, pass_time
from mockrelay.core.call import Call, Flaw, RateRefused, Refused
from mockrelay.core.context import Context
from mockrelay.core.faults import At, Fault, FaultKind, ScriptedAnswer
from mockrelay.core.order_judge import order_hash_of
from mockrelay.journal.masking import masked_values
from mockrelay.relay.verifying import Verifier, sent_of, verify_with
from mockrelay.spec.codes import SUCCESS, Code
from mockrelay.wire.decode import Decoded, NoRoute, decode, relax
from mockrelay.wire.encode import encode_no_route, encode_refusal, encode_reply, encode_scripted, spoilt
from mockrelay.wire.messages import RawRequest, Response

NO_ARGS: Mapping[str, Any] = MappingProxyType({})


class Outcome(NamedTuple):
    """What became of a request."""

    response: Response
    endpoint: str | None
    args: Mapping[str, Any]
    api_key: str | None
    code: int | None
    """The code answered, 0 for a success; None where a fault answered without one."""
    detail: str
    missed: NoRoute | None = None
    """Why it reached no endpoint."""


_new_outcome: Callable[[tuple[Any, ...]], Outcome] = partial(tuple.__new__, Outcome)  # its constructor takes longer


def answered(ctx: Context, raw: RawRequest, verifier: Verifier | None) -> Outcome:
    """The outcome of a request. What is raised is a fault of ours."""
    # Before the request is read: what was due by now may have changed how it is read.
    pass_time(ctx)
    decoded = decode(raw, ctx.decide)
    if isinstance(decoded, NoRoute):
        ctx.stage = -1
        response = encode_no_route(decoded)
        return Outcome(response, None, NO_ARGS, None, int(Code.UNKNOWN_ERROR), decoded.detail, decoded)
    call = _settled(ctx, decoded) if decoded.soft or decoded.call.flaws else decoded.call
    endpoint = call.endpoint
    ctx.sent = partial(sent_of, raw)
    if verifier is not None:
        ctx.verify = verify_with(verifier, raw)
    try:
        response = encode_reply(endpoint, apply(ctx, call), ctx.consulted)
        code: int | None = SUCCESS
        detail = ""
    except Refused as refused:
        response = encode_refusal(endpoint, refused, ctx.decide, lambda: order_hash_of(ctx, call.args))
        code, detail = int(refused.code), refused.detail
        if isinstance(refused, RateRefused):
            return Outcome(response, endpoint.name, call.args, call.api_key, code, detail)
        if call.flaws:
            _note_flaws(ctx, call, call.flaws)
    except ScriptedAnswer as scripted:
        fault = scripted.fault
        response = _late(ctx, encode_scripted(endpoint, fault, ctx.decide), fault)
        code, detail = fault.code or None, f"the scripted fault {fault.name or fault.id}"
        if fault.at is not At.AFTER:
            return Outcome(response, endpoint.name, call.args, call.api_key, code, detail)
    if ctx.world.faults:
        response = _suffered(ctx, call, response)
    return _new_outcome((response, endpoint.name, call.args, call.api_key, code, detail, None))


def _suffered(ctx: Context, call: Call, response: Response) -> Response:
    """The answer after the faults that leave the call as it is and spoil only that."""
    for kind in (FaultKind.STATUS, FaultKind.BODY, FaultKind.DROP):
        if (fault := ctx.take_fault_at(call, kind, At.AFTER)) is not None:
            response = spoilt(response, fault)
    if (fault := ctx.take_fault_at(call, FaultKind.DELAY, At.AFTER)) is not None:
        response = _late(ctx, response, fault)
    return response


def _late(ctx: Context, response: Response, fault: Fault) -> Response:
    """The answer, held back for as long as a fault says."""
    return response._replace(not_before_ms=ctx.now_ms + fault.delay_ms) if fault.delay_ms else response


def _note_flaws(ctx: Context, call: Call, flaws: Iterable[Flaw]) -> None:
    """Note the first flaw under each rule: the others are of the same making."""
    first: dict[str, Flaw] = {}
    for flaw in flaws:
        first.setdefault(flaw.finding.id, flaw)
    for flaw in first.values():
        ctx.find(flaw.finding, f"{call.endpoint.name}: {masked_values(flaw.detail)}")


def _settled(ctx: Context, decoded: Decoded) -> Call:
    """The call, once the choices have said what counts as a flaw of its form."""
    call, soft = decoded
    if call.flaws and ctx.decide("http.numbers", {}) == "lenient":
        strict = call.flaws
        call = relax(call, ctx.decide)
        _note_flaws(ctx, call, (flaw for flaw in strict if flaw not in call.flaws))
    for choice, flaw in soft:
        if ctx.decide(choice, {}) == "refuse":
            call = call._replace(flaws=(*call.flaws, flaw))
        else:
            ctx.find(flaw.finding, flaw.detail)
    return call
