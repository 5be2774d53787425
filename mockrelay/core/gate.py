"""The checks before an endpoint's own rules, in the order of its row's steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeAlias

from mockrelay.core.accounts.queries import callers_account
from mockrelay.core.call import Call, DeferredErrors, RateRefused, Refused
from mockrelay.core.signatures import format as signature_format
from mockrelay.spec.callers import CALLERS
from mockrelay.spec.codes import Code as C
from mockrelay.spec.endpoint import Endpoint, Step
from mockrelay.spec.endpoints import ALL_ENDPOINTS
from mockrelay.spec.key_header import KEY_ASKED_UNDER
from mockrelay.spec.signed_rows import SIGNED_BODIES

if TYPE_CHECKING:
    from mockrelay.core.context import Context

BAN_MS = {"60s": 60_000}


def limit(ctx: Context, call: Call) -> None:
    """Count the call against its rate limit; RateRefused if the limit is exceeded."""
    world = ctx.world
    if not world.limits_on:
        return
    name, limits = call.endpoint.name, world.config.limits
    per_second = limits[name] if name in limits else _per_second(ctx, call.endpoint)
    ban_ms = BAN_MS.get(ctx.decide("rate.escalate"))
    if per_second is None and ban_ms is None:
        return
    caller, limiter, now_ms = _caller(ctx, call), world.limiter, ctx.now_ms
    if ban_ms is not None and limiter.is_banned(caller, now_ms):
        raise RateRefused(C.UNKNOWN_ERROR, "refused too often in a row without slowing down; wait a minute")
    if per_second is None:
        return
    window = ctx.decide("rate.window")
    if limiter.admit(name, caller, per_second, window, now_ms):
        return
    if ban_ms is not None:
        limiter.note_refused(caller, ban_ms, now_ms)
    raise RateRefused(C.UNKNOWN_ERROR, f"more than {per_second} requests a second to {name}")


def check_key(ctx: Context, call: Call) -> None:
    """Refused if the endpoint requires an API key and the call has none or an unknown one."""
    asked = KEY_ASKED_UNDER[call.endpoint.id]
    if asked is None or ctx.decide(asked[0]) in asked[1]:
        if not call.api_key:
            raise Refused(C.AUTH_KEY_EMPTY, "header X-API-KEY is missing or empty")
        if call.api_key not in ctx.world.account_of_key:
            raise Refused(C.AUTH_KEY_INVALID, "header X-API-KEY is no key of an account")


def check_account(ctx: Context, call: Call) -> None:
    """Refused if the call names no account where it must, one that does not exist, or that of another API key."""
    named = CALLERS[call.endpoint.id]
    if call.violations:
        DeferredErrors(call).refuse_field(named.path)
    if named.fields[0] in call.args:
        callers_account(ctx, call)


def check_signature_header(ctx: Context, call: Call) -> None:
    """Refused if the required header X-API-SIG is missing or blank, unless a choice says otherwise."""
    if call.signature and not call.signature.isspace():
        return
    if any(call.args.get(field) for field in call.endpoint.body_signatures):
        return
    if ctx.decide("signature.scheme") == "off":
        return
    code = ctx.decide("auth.missing_signature_header")
    if code != "ignore":
        raise Refused(C(int(code)), f"header X-API-SIG ({call.endpoint.signature} signature) is missing or empty")


def check_signature(ctx: Context, call: Call) -> None:
    """Refused if a signature of the body is missing, or one of the request is wrong."""
    if call.violations and signature_format.is_checked(ctx):
        deferred = DeferredErrors(call)
        for code in (C.ORDER_SIGNATURE_MISSING, C.AUTH_SIGNATURE_MISSING, C.AUTH_SIGNATURE_WRONG):
            deferred.refuse(code)
    signature_format.check_now(ctx, callers_account(ctx, call), call)


def check_shape(ctx: Context, call: Call) -> None:
    """Refused if a violation has no code of its own."""
    for violation in call.violations:
        if violation.code is None:
            raise Refused(ctx.shape_code(call.endpoint), violation.detail)


def check_types(ctx: Context, call: Call) -> None:
    """Refused if a field is of a wrong type, or is missing and the code says no more than that."""
    for violation in call.violations:
        code, rule = violation.code, violation.rule
        if code is not None and (rule == "type" or (rule == "required" and code is call.endpoint.shape)):
            raise Refused(code, violation.detail)


def check_part(ctx: Context, call: Call) -> None:
    """Judge a part of a call that has an account and signatures of its own, by the steps of the row that it is a call of."""
    for step, check in CHECKS[call.endpoint.id]:
        if step in _OF_PART:
            check(ctx, call)


def _per_second(ctx: Context, endpoint: Endpoint) -> int | None:
    """The limit of the spec; if it has none, by the choice `rate.unlisted`. None: unlimited."""
    if endpoint.per_second is None:
        unlisted = ctx.decide("rate.unlisted")
        return None if unlisted == "none" else int(unlisted)
    return endpoint.per_second


def _caller(ctx: Context, call: Call) -> str:
    """The caller that the rate limit counts for, by the choice `rate.scope`."""
    scope = ctx.decide("rate.scope")
    if scope == "global":
        return ""
    account_id = ctx.world.account_of_key.get(call.api_key) if call.api_key and scope == "api_key" else None
    return f"address {call.peer}" if account_id is None else f"account {account_id}"


_CHECKS: Mapping[Step, Callable[[Context, Call], None]] = {
    Step.RATE_LIMIT: limit,
    Step.KEY: check_key,
    Step.ACCOUNT: check_account,
    Step.SIGNATURE_HEADER: check_signature_header,
    Step.SIGNATURE: check_signature,
    Step.SHAPE: check_shape,
    Step.TYPES: check_types,
}
_OF_FORM = frozenset({Step.SHAPE, Step.TYPES})
"""The steps that judge the form of a call by its violations alone."""
_OF_PART = frozenset({Step.TYPES, Step.ACCOUNT, Step.SIGNATURE_HEADER, Step.SIGNATURE})


def _applies(row: Endpoint, step: Step) -> bool:
    """Whether a step may refuse a call of a row."""
    match step:
        case Step.KEY:
            return row.id in KEY_ASKED_UNDER
        case Step.ACCOUNT:
            return not row.public
        case Step.SIGNATURE_HEADER:
            return row.signature is not None
        case Step.SIGNATURE:
            return row.id in SIGNED_BODIES
    return step in _CHECKS


Checks: TypeAlias = Mapping[str, tuple[tuple[Step, Callable[["Context", Call], None]], ...]]

CHECKS: Checks = MappingProxyType(
    {row.id: tuple((step, _CHECKS[step]) for step in row.steps if _applies(row, step)) for row in ALL_ENDPOINTS}
)
"""By the id of a row the steps before its rules that apply to it, in order, each with its check."""
CHECKS_OF_RIGHT_FORM: Checks = MappingProxyType(
    {row: tuple(check for check in checks if check[0] not in _OF_FORM) for row, checks in CHECKS.items()}
)
"""The same for calls without violations."""
