"""The OpenAPI document of the relayer API, under the default choices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from mockrelay.core.handle import ACTIONS
from mockrelay.openapi.parts import JSON_TYPE, head, response, summary_of, unique
from mockrelay.openapi.playing import SCENARIO, START, Example
from mockrelay.openapi.schemas import Components
from mockrelay.openapi.script import examples
from mockrelay.openapi.unrouted import unrouted_requests
from mockrelay.relay import REQUEST_ID_HEADER
from mockrelay.spec.choices import DEFAULTS
from mockrelay.spec.codes import Code
from mockrelay.spec.endpoint import Endpoint, KeyHeader, SignatureHeader
from mockrelay.spec.endpoints import ENDPOINTS
from mockrelay.wire.decode import MAX_BODY
from mockrelay.wire.schemas import choices_of, place_of, properties_of

KEY_HEADER = "X-API-KEY"
SIGNATURE_HEADER = "X-API-SIG"
_KEY_SCHEME = "apiKey"
_ERRORS_ID = {True: "mockrelay:responses/error.json", False: "mockrelay:responses/bare_error.json"}
_ERROR_CHOICES = {True: ("http.error_status",), False: ("http.error_status", "http.bare_error_body")}
_RATE_CHOICES = ("rate.status", "rate.body", "rate.retry_after", "rate.scope", "rate.window", "rate.escalate")
_DESCRIPTION = f"""\
What a client of the relayer meets when mockrelay runs with its default choices.

Where a choice changes the shape of a call, `x-choices` names it. `http.error_status` changes which status a refusal has
(by default 200 where the answer has an envelope, 400 where it is bare), `http.bare_error_body` its body without an
envelope, `order.rejected_answer` whether a refused order has a receipt, and the choices `rate.*` what the answer beyond a
limit looks like. A scripted fault can answer with any status, any code and any body, or with none. A server that cannot
write its record any more answers 503, with the code 100000 in `resultInfo`.

`x-codes` lists the codes of a call in the order in which they are judged; `listed` says whether the relayer's
specification lists the code for the call.

The examples are answers that mockrelay gave to the scenario `{SCENARIO}` when this document was made, with the clock
standing still at `{START}` and moved to `now` of each `x-mockrelay`. Played in the order of `step` to a fresh relay, with
the API key of `account` and after the control calls of `before`, they are the same again, byte for byte.
"""


def relayer_document() -> dict[str, Any]:
    """The document, built anew; the same every time."""
    components = Components()
    paths: dict[str, Any] = {}
    for row in ENDPOINTS:
        own = [example for example in examples() if example.endpoint == row.name]
        paths.setdefault(row.path, {})[row.method.lower()] = _operation(row, own, components)
    others = _unrouted(components)
    return {
        **head("mockrelay: relayer API", _DESCRIPTION),
        "paths": paths,
        "x-elsewhere": {status: {"$ref": f"#/components/responses/{name}"} for status, (name, _) in others.items()},
        "components": {
            "schemas": components.schemas(),
            "responses": dict(others.values()),
            "headers": _headers(),
            "securitySchemes": {
                _KEY_SCHEME: {
                    "type": "apiKey",
                    "in": "header",
                    "name": KEY_HEADER,
                    "description": "An account's API key. `mockrelay serve` prints those of its scenario.",
                }
            },
        },
    }


def _operation(row: Endpoint, own: Sequence[Example], components: Components) -> dict[str, Any]:
    named: dict[str, Example] = {}
    for example in own:
        named[unique(_name(example), named)] = example
    request_id = f"mockrelay:requests/{row.name}.json"
    operation: dict[str, Any] = {
        "operationId": row.name,
        "summary": summary_of(ACTIONS[row.name]),
        "description": _codes_text(row),
        "tags": ["nft" if row.nft else "exchange"],
        "security": {
            KeyHeader.REQUIRED: [{_KEY_SCHEME: []}],
            KeyHeader.NOT_SHOWN: [{}, {_KEY_SCHEME: []}],
            KeyHeader.NOT_LISTED: [],
        }[row.key],
        "parameters": [
            *(_query(request_id, named, components) if row.method == "GET" else ()),
            *([_signature(row.signature, named)] if row.signature else ()),
        ],
    }
    if row.method != "GET":
        operation["requestBody"] = {
            "required": True,
            "content": {
                JSON_TYPE: {
                    "schema": components.ref(request_id),
                    "examples": {name: {"value": dict(example.fields)} for name, example in named.items()},
                }
            },
        }
    operation["responses"] = _responses(row, named, components)
    if row.per_second is not None:
        operation["x-rate-limit"] = {"perSecond": row.per_second}
    operation["x-codes"] = [
        {"code": int(code), "meaning": code.meaning, "listed": listed} for code, listed in row.codes
    ]
    if row.shape is not None:
        operation["x-shape-code"] = int(row.shape)
    operation["x-choices"] = sorted(choices_of(request_id) | choices_of(f"mockrelay:responses/{row.name}.json"))
    return operation


def _name(example: Example) -> str:
    if example.status == HTTPStatus.TOO_MANY_REQUESTS:
        return "rate_limited"
    return f"refused_{example.code}" if example.code else "accepted"


def _codes_text(row: Endpoint) -> str:
    limit = "No limit." if row.per_second is None else f"{row.per_second} requests a second."
    shape = Code(int(DEFAULTS["nft.error_code"])) if row.shape is None else row.shape
    codes = "\n".join(
        f"- {int(code)}: {code.meaning}" + ("" if listed else " (not listed)") for code, listed in row.codes
    )
    wrong_shape = f"A request of the wrong shape is refused with {int(shape)}."
    return f"{limit} {wrong_shape}\n\nCodes, the first to be judged first:\n\n{codes}"


def _query(request_id: str, named: Mapping[str, Example], components: Components) -> list[dict[str, Any]]:
    place = place_of(request_id)
    found = []
    for field, inner in properties_of(place).items():
        values = {name: {"value": example.fields[field]} for name, example in named.items() if field in example.fields}
        parameter = {
            "name": field,
            "in": "query",
            "required": field in place.schema.get("required", ()),
            "schema": components.inline(inner.schema),
        }
        found.append(parameter | ({"examples": values} if values else {}))
    return found


def _signature(kind: SignatureHeader, named: Mapping[str, Example]) -> dict[str, Any]:
    return {
        "name": SIGNATURE_HEADER,
        "in": "header",
        "required": True,
        "description": f"An {kind} signature: 0x and 130 or 132 hex digits (ECDSA), 0x and 192 (EdDSA), or three numbers "
        "with commas (EdDSA); any of the forms is taken.",
        "schema": {
            "type": "string",
            "pattern": "^(0x([0-9a-fA-F]{130}|[0-9a-fA-F]{132}|[0-9a-fA-F]{192})|[0-9]{1,78},[0-9]{1,78},[0-9]{1,78})$",
        },
        "examples": {name: {"value": example.signature} for name, example in named.items() if example.signature},
    }


def _responses(row: Endpoint, named: Mapping[str, Example], components: Components) -> dict[str, Any]:
    answer, error = components.ref(f"mockrelay:responses/{row.name}.json"), components.ref(_ERRORS_ID[row.enveloped])
    unread = components.ref(_ERRORS_ID[True])

    def with_status(status: int) -> dict[str, Any]:
        return {name: _answer_of(example) for name, example in named.items() if example.status == status}

    id_header = {REQUEST_ID_HEADER: {"$ref": f"#/components/headers/{REQUEST_ID_HEADER}"}}
    maybe_id = {REQUEST_ID_HEADER: {"$ref": f"#/components/headers/{REQUEST_ID_HEADER}-if-read"}}
    retry = {"Retry-After": {"$ref": "#/components/headers/Retry-After"}}
    if row.enveloped:
        right = response(
            "Accepted, or refused: `resultInfo.code` is 0 or one of the codes.",
            {"oneOf": [answer, error]},
            examples=with_status(HTTPStatus.OK),
            headers=id_header,
        )
        wrong = "What was sent cannot be read as HTTP. Under other options of `http.error_status`: refused."
    else:
        right = response("Accepted.", answer, examples=with_status(HTTPStatus.OK), headers=id_header)
        wrong = "Refused with one of the codes, or what was sent cannot be read as HTTP."
    found = {
        "200": right,
        "400": response(wrong, error, examples=with_status(HTTPStatus.BAD_REQUEST), headers=maybe_id),
    }
    found["400"]["x-choices"] = list(_ERROR_CHOICES[row.enveloped])
    if row.method != "GET":
        found["413"] = {"$ref": "#/components/responses/TooLong"}
    limited = "More requests in a second than the limit." if row.per_second else "Only where a limit was set."
    found["429"] = response(
        limited, unread, examples=with_status(HTTPStatus.TOO_MANY_REQUESTS), headers=id_header | retry
    )
    found["429"]["x-choices"] = [*_RATE_CHOICES, *([] if row.per_second else ["rate.unlisted"])]
    return found


def _answer_of(example: Example) -> dict[str, Any]:
    return {"value": example.answer, "x-mockrelay": example.origin()}


def _unrouted(components: Components) -> dict[str, tuple[str, dict[str, Any]]]:
    """By status: the responses to requests that reach no endpoint."""
    id_header = {REQUEST_ID_HEADER: {"$ref": f"#/components/headers/{REQUEST_ID_HEADER}"}}
    allow = {"Allow": {"$ref": "#/components/headers/Allow"}}
    words = {
        HTTPStatus.NOT_FOUND: ("NotFound", "The API has no such path, or no world can have this name.", id_header),
        HTTPStatus.METHOD_NOT_ALLOWED: ("MethodNotAllowed", "The path takes another method.", id_header | allow),
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ("TooLong", f"The body is longer than {MAX_BODY} bytes.", id_header),
    }
    error = components.ref(_ERRORS_ID[True])
    found = {}
    for request in unrouted_requests():
        name, text, headers = words[HTTPStatus(request.status)]
        example = {"value": request.answer, "x-mockrelay": request.origin()}
        found[str(request.status)] = (name, response(text, error, examples={"refused": example}, headers=headers))
    return found


def _headers() -> dict[str, Any]:
    number = {"type": "string", "minLength": 1}
    text = "The number of the request in the journal, for `GET why/ID` of the control API."
    return {
        REQUEST_ID_HEADER: {"description": text, "required": True, "schema": number},
        f"{REQUEST_ID_HEADER}-if-read": {
            "description": f"{text} Absent where nothing could be read.",
            "schema": number,
        },
        "Retry-After": {
            "description": "Seconds to wait; absent under `rate.retry_after=none`.",
            "schema": {"type": "integer", "minimum": 1},
        },
        "Allow": {"description": "The methods that the path takes.", "required": True, "schema": {"type": "string"}},
    }
