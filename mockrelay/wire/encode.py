"""From replies and refusals to responses: compact JSON in ASCII, which can hold any text.

Every payload is checked against its response schema. One that does not fit is a fault of mockrelay, a BrokenAnswer, and never
a refusal.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from http import HTTPStatus
from types import MappingProxyType
from typing import Any

from mockrelay.core.call import Encodable, RateRefused, Refused
from mockrelay.core.faults import ScriptedEffect
from mockrelay.spec.codes import SUCCESS, SUCCESS_MESSAGE, Code
from mockrelay.spec.endpoint import Endpoint
from mockrelay.spec.fault_effects import BODY, DELAY, DROP, RATE_LIMIT, STATUS, Phase, SpoiltBody
from mockrelay.spec.vocab import SubmitOrderStatus
from mockrelay.wire.compile import Check, checker
from mockrelay.wire.decode import Decide, NoRoute
from mockrelay.wire.http import SWITCHES, Response
from mockrelay.wire.schemas import Option, options_of

OrderHash = str | Callable[[], str]
"""The hash of a refused order, or a function that computes it: under some options that takes long."""

Headers = tuple[tuple[str, str], ...]

JSON_HEADERS: Headers = (("Content-Type", "application/json; charset=utf-8"),)
HTML_HEADERS: Headers = (("Content-Type", "text/html; charset=utf-8"),)
SPOILT_HTML_BODY = b"<html><head><title>Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>"
HTML_BODY = b"<html><head><title>Too Many Requests</title></head><body><h1>Too Many Requests</h1></body></html>"

NO_OPTIONS: Mapping[str, str] = MappingProxyType({})
_SUCCESS = {"code": SUCCESS, "message": SUCCESS_MESSAGE}
_CODES = frozenset(Code)
_KEY_CODES = (Code.AUTH_KEY_EMPTY, Code.AUTH_KEY_INVALID)


_CAREFUL = json.JSONEncoder(allow_nan=False, separators=(",", ":"))
_DELETE = 0x7F


@cache
def _quick_encoder() -> Callable[[Any], bytes]:
    """A writer of compact JSON in UTF-8, which takes a fifth of the time."""
    import msgspec  # noqa: PLC0415  # only relayers that answer need it

    return msgspec.json.Encoder().encode


def _json(value: Any) -> bytes:
    """A value as compact JSON in ASCII."""
    try:
        text = _quick_encoder()(value)
    except (TypeError, UnicodeEncodeError):  # a subclass of a plain type, or half of a surrogate pair
        return _CAREFUL.encode(value).encode()
    # All but printable ASCII is escaped.
    return text if text.isascii() and _DELETE not in text else _CAREFUL.encode(value).encode()


class BrokenAnswer(AssertionError):  # an answer is broken, nothing went wrong elsewhere
    """A payload that its response schema does not allow."""


@dataclass(frozen=True, slots=True)
class _Form:
    """The form of an endpoint's answers."""

    payload_id: str
    check: Check
    options: tuple[Option, ...]
    """Those that change the schema."""
    prefix: bytes
    suffix: bytes


def encode_reply(endpoint: Endpoint, payload: Any, options: Mapping[str, str] = NO_OPTIONS) -> Response:
    """The answer to an accepted call. `options`: the choices that the call has consulted and their options, which may
    change the schema of the answer. Raises BrokenAnswer where the payload does not fit it.
    """
    if payload.__class__ is Encodable:
        if payload.encoded is None:
            payload.encoded = _body(endpoint, payload.payload, options)
        body = payload.encoded
    else:
        body = _body(endpoint, payload, options)
    return Response(SWITCHES if endpoint.upgrades else 200, JSON_HEADERS, body)


def encode_refusal(endpoint: Endpoint | None, refused: Refused, decide: Decide, order_hash: OrderHash = "") -> Response:
    """The answer to a refused call. `order_hash` is the hash of a refused order, if it has one."""
    if isinstance(refused, RateRefused):
        return _rate_refusal(endpoint, refused, decide)
    message = f"{refused.code.meaning}: {refused.detail}"
    return _error(endpoint, refused.code, message, decide, data=refused.data, order_hash=order_hash)


def encode_scripted(endpoint: Endpoint, effect: ScriptedEffect, decide: Decide, now_ms: int) -> Response:
    """The answer of a fault in place of the endpoint's: its code, which may be any number, with a message of its own or the
    code's meaning; or a refusal for the rate, which a status of 429 is too. An effect of another phase has no code: it
    changes the answer with the code of an unknown error.
    """
    is_rate_limit = effect.kind == RATE_LIMIT.name
    if is_rate_limit or (effect.kind == STATUS.name and effect.value == HTTPStatus.TOO_MANY_REQUESTS):
        refused = RateRefused(Code.UNKNOWN_ERROR, f"too many requests to {endpoint.name}")
        response = _rate_refusal(endpoint, refused, decide)
        return response if is_rate_limit else replace(response, status=effect.value)
    code = Code.UNKNOWN_ERROR if effect.code is None else effect.code
    message = effect.beside.get("message")
    if message is None:
        message = Code(code).meaning if code in _CODES else f"Code {code}"
    response = _error(endpoint, code, message, decide)
    return response if effect.row.phase is Phase.ANSWER else alter(endpoint, response, effect, decide, now_ms)


def alter(endpoint: Endpoint, response: Response, effect: ScriptedEffect, decide: Decide, now_ms: int) -> Response:
    """A response of an endpoint, changed by an effect of the phases CONTENT and TIMING; one with status 429 says when to come again."""
    altered = ALTERATIONS[effect.kind](response, effect.value, now_ms)
    if altered.status == HTTPStatus.TOO_MANY_REQUESTS and effect.kind == STATUS.name:
        altered = altered.with_headers(*_retry_after(decide, _context(endpoint)))
    return altered


def _with_body(response: Response, value: str, now_ms: int) -> Response:
    if value == SpoiltBody.HTML:
        headers = (*HTML_HEADERS, *(header for header in response.headers if header[0] != "Content-Type"))
        return replace(response, headers=headers, body=SPOILT_HTML_BODY)
    bodies = {
        SpoiltBody.EMPTY: b"",
        SpoiltBody.MALFORMED: response.body[:-1] + b",}",
        SpoiltBody.TRUNCATED: response.body[: len(response.body) // 2],
    }
    return replace(response, body=bodies[SpoiltBody(value)])


def _later(response: Response, delay_ms: int, now_ms: int) -> Response:
    return replace(response, not_before_ms=now_ms + delay_ms) if delay_ms else response


ALTERATIONS: Mapping[str, Callable[[Response, Any, int], Response]] = MappingProxyType(
    {
        STATUS.name: lambda response, status, _: replace(response, status=status),
        BODY.name: _with_body,
        DROP.name: lambda response, _value, _now_ms: replace(response, drop=True),
        DELAY.name: _later,
    }
)
"""By effect: (response, the effect's value, now in ms) -> the changed response."""


def encode_no_route(no_route: NoRoute) -> Response:
    """The answer to a request that reaches no endpoint, in the shape of every other error."""
    headers = (*JSON_HEADERS, ("Allow", ", ".join(no_route.allow))) if no_route.allow else JSON_HEADERS
    message = f"{Code.UNKNOWN_ERROR.meaning}: {no_route.detail}"
    return Response(no_route.status, headers, _json({"resultInfo": _outcome(Code.UNKNOWN_ERROR, message)}))


def encode_failure(status: int, detail: str) -> Response:
    """The answer to a request that was not handled because mockrelay itself failed."""
    message = f"{Code.UNKNOWN_ERROR.meaning}: {detail}"
    return Response(status, JSON_HEADERS, _json({"resultInfo": _outcome(Code.UNKNOWN_ERROR, message)}))


def _error(
    endpoint: Endpoint | None, code: int, message: str, decide: Decide, *, data: Any = None, order_hash: OrderHash = ""
) -> Response:
    context = _context(endpoint)
    if data is None and endpoint and endpoint.id == "submit_order" and code not in _KEY_CODES:
        answer = decide("order.rejected_answer", context)
        if answer != "code":
            hash_ = order_hash if isinstance(order_hash, str) else order_hash()
            data = {"orderHash": hash_, "status": SubmitOrderStatus.SUBMIT_ORDER_FAIL, "isIdempotent": False}
        if answer == "data":
            return encode_reply(endpoint, data)
    enveloped = endpoint is not None and endpoint.enveloped
    if endpoint is not None and endpoint.upgrades:
        # No choice: libraries take anything but an error for an opened connection.
        status = HTTPStatus.UNAUTHORIZED if code in _KEY_CODES else HTTPStatus.BAD_REQUEST
        return Response(status.value, JSON_HEADERS, _json({"resultInfo": _outcome(code, message)}))
    status = decide("http.error_status", context)
    body: dict[str, Any] = {"resultInfo": _outcome(code, message)}
    if data is not None and enveloped:
        body["data"] = data
    elif endpoint and not enveloped and decide("http.bare_error_body", context) == "code_message":
        body = body["resultInfo"]
    return Response(200 if status == "200" or (status == "split" and enveloped) else 400, JSON_HEADERS, _json(body))


def _rate_refusal(endpoint: Endpoint | None, refused: RateRefused, decide: Decide) -> Response:
    context = _context(endpoint)
    own_status = None if endpoint is None else endpoint.limit_status
    status = int(decide("rate.status", context)) if own_status is None else own_status
    kind = decide("rate.body", context)
    headers = (*(HTML_HEADERS if kind == "html" else JSON_HEADERS), *_retry_after(decide, context))
    if kind == "result_info":
        message = f"{refused.code.meaning}: {refused.detail}"
        return Response(status, headers, _json({"resultInfo": _outcome(refused.code, message)}))
    return Response(status, headers, HTML_BODY if kind == "html" else b"")


def _retry_after(decide: Decide, context: Mapping[str, str]) -> Headers:
    seconds = decide("rate.retry_after", context)
    return () if seconds == "none" else (("Retry-After", seconds),)


def _body(endpoint: Endpoint, payload: Any, options: Mapping[str, str]) -> bytes:
    form = _form(endpoint.id, endpoint.enveloped)
    relevant: tuple[Option, ...] = ()
    for option in form.options:
        if options.get(option[0]) == option[1]:
            relevant += (option,)
    check = checker(form.payload_id, relevant) if relevant else form.check
    if not check(payload):
        raise BrokenAnswer(_why_broken(endpoint, form.payload_id, payload, relevant))
    return form.prefix + _json(payload) + form.suffix


@cache
def _form(row: str, enveloped: bool) -> _Form:
    file_id = f"mockrelay:responses/{row}.json"
    options = tuple(sorted(options_of(file_id)))
    if not enveloped:
        return _Form(file_id, checker(file_id), options, b"", b"")
    payload_id = f"{file_id}#/properties/data"
    prefix = _json({"resultInfo": _SUCCESS})[:-1] + b',"data":'
    return _Form(payload_id, checker(payload_id), options, prefix, b"}")


def _why_broken(endpoint: Endpoint, payload_id: str, payload: Any, options: tuple[Option, ...]) -> str:
    from mockrelay.wire.explain import explain  # noqa: PLC0415  # brings jsonschema, which a right answer never needs

    details = "; ".join(violation.detail for violation in explain(payload_id, payload, options))
    return f"{endpoint.name} would answer what {payload_id} does not allow: {details}"


def _context(endpoint: Endpoint | None) -> dict[str, str]:
    return {"endpoint": endpoint.name if endpoint else ""}


def _outcome(code: int, message: str) -> dict[str, Any]:
    return {"code": int(code), "message": message}
