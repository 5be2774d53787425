"""The checks before an endpoint's own rules: rate limit, API key, signature header, shape, in that order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mockrelay.core.call import Call, RateRefused, Refused
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoint import Endpoint
from mockrelay.spec.key_header import KEY_ASKED_UNDER

if TYPE_CHECKING:
    from mockrelay.core.context import Context

STEPS = ("scripted faults", "rate limit", "API key", "signature header", "shape", "rules")
"""The steps of a call, in order; the last one is the endpoint's own rules and its action."""
BAN_MS = {"60s": 60_000}


def limit(ctx: Context, call: Call) -> None:
    """Count the call against its rate limit; RateRefused if the limit is exceeded."""
    world = ctx.world
    if not world.limits_on:
        return
    name, limits = call.endpoint.name, world.config.limits
    per_second = limits[name] if name in limits else _per_second(ctx, call.endpoint)
    ban_ms = BAN_MS.get(ctx.decide("rate.escalate", {}))
    if per_second is None and ban_ms is None:
        return
    caller, limiter, now_ms = _caller(ctx, call), world.limiter, ctx.now_ms
    if ban_ms is not None and limiter.is_banned(caller, now_ms):
        raise RateRefused(C.UNKNOWN_ERROR, "refused too often in a row without slowing down; wait a minute")
    if per_second is None:
        return
    window = ctx.decide("rate.window", {})
    if limiter.admit(name, caller, per_second, window, now_ms):
        limiter.note_admitted(caller)
        return
    if ban_ms is not None:
        limiter.note_refused(caller, ban_ms, now_ms)
    raise RateRefused(C.UNKNOWN_ERROR, f"more than {per_second} requests a second to {name}")


def check_key(ctx: Context, call: Call) -> None:
    """Refused if the endpoint requires an API key and the call has none or an unknown one."""
    row = call.endpoint.id
    if row not in KEY_ASKED_UNDER:
        return
    asked = KEY_ASKED_UNDER[row]
    if asked is None or ctx.decide(asked[0], {}) in asked[1]:
        if not call.api_key:
            raise Refused(C.AUTH_KEY_EMPTY, "header X-API-KEY is missing or empty")
        if call.api_key not in ctx.world.account_of_key:
            raise Refused(C.AUTH_KEY_INVALID, "header X-API-KEY is no key of an account")


def check_signature_header(ctx: Context, call: Call) -> None:
    """Refused if the required header X-API-SIG is missing or blank, unless a choice says otherwise."""
    if call.signature and not call.signature.isspace():
        return
    if any(call.args.get(field) for field in call.endpoint.body_signatures):
        return
    if ctx.decide("signature.scheme", {}) == "off":
        return
    code = ctx.decide("auth.missing_signature_header", {})
    if code != "ignore":
        raise Refused(C(int(code)), f"header X-API-SIG ({call.endpoint.signature} signature) is missing or empty")


def check_shape(ctx: Context, call: Call) -> None:
    """Refused if a violation has no code of its own."""
    for violation in call.violations:
        if violation.code is None:
            raise Refused(shape_code(ctx, call.endpoint), violation.detail)


def shape_code(ctx: Context, endpoint: Endpoint) -> C:
    """The code of a malformed request."""
    return endpoint.shape if endpoint.shape is not None else C(int(ctx.decide("nft.error_code", {})))


def _per_second(ctx: Context, endpoint: Endpoint) -> int | None:
    """The limit of the spec; if it has none, by the choice `rate.unlisted`. None: unlimited."""
    if endpoint.per_second is None:
        unlisted = ctx.decide("rate.unlisted", {})
        return None if unlisted == "none" else int(unlisted)
    return endpoint.per_second


def _caller(ctx: Context, call: Call) -> str:
    """The caller that the rate limit counts for, by the choice `rate.scope`."""
    scope = ctx.decide("rate.scope", {})
    if scope == "global":
        return ""
    account_id = ctx.world.account_of_key.get(call.api_key) if call.api_key and scope == "api_key" else None
    return f"address {call.peer}" if account_id is None else f"account {account_id}"
