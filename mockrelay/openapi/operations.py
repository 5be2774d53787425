"""The operations of the relayer's document: one for each path and method, whatever the number of forms of its requests."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

from mockrelay.core.handle import ACTIONS
from mockrelay.openapi.parts import JSON_TYPE, response, summary_of
from mockrelay.openapi.schemas import Components
from mockrelay.relay import REQUEST_ID_HEADER
from mockrelay.spec.choices import DEFAULTS
from mockrelay.spec.codes import Code
from mockrelay.spec.endpoint import Endpoint, Judged, KeyHeader
from mockrelay.spec.key_header import KEY_ASKED_UNDER
from mockrelay.wire.schemas import choices_of, document, keyword, place_of, properties_of

KEY_SCHEME = "apiKey"
SIGNATURE_HEADER = "X-API-SIG"
ERRORS_ID = {True: "mockrelay:responses/error.json", False: "mockrelay:responses/bare_error.json"}
"""The schema of a refusal, by whether answers have an envelope."""
_ERROR_CHOICES = {True: ("http.error_status",), False: ("http.error_status", "http.bare_error_body")}
_RATE_CHOICES = ("rate.status", "rate.body", "rate.retry_after", "rate.scope", "rate.window", "rate.escalate")
Rows = Sequence[Endpoint]
"""The row that a path and a method lead to, and those of its further forms."""


class ShownCall(NamedTuple):
    """A call that the document shows as an example, with its answer."""

    fields: Mapping[str, Any]
    signature: str | None
    status: int
    answer: Any
    origin: Mapping[str, Any]


def operation_of(rows: Rows, named: Mapping[str, ShownCall], components: Components) -> dict[str, Any]:
    """The operation of an endpoint with its examples by name; `components` takes in the schemas that it refers to."""
    row = rows[0]
    codes = list(dict.fromkeys(judged for each in rows for judged in each.codes))
    operation: dict[str, Any] = {
        "operationId": row.name,
        "summary": summary_of(ACTIONS[row.id]),
        "description": _codes_text(row, codes),
        "tags": ["nft" if row.nft else "exchange"],
        "security": _security(row, components.options),
        "parameters": [
            *(_query(_request_id(row), named, components) if row.method != "POST" else ()),
            *_signature(rows, named),
        ],
    }
    if row.method == "POST":
        operation["requestBody"] = {
            "required": True,
            "content": {
                JSON_TYPE: {
                    "schema": _body(rows, components),
                    "examples": {name: {"value": dict(example.fields)} for name, example in named.items()},
                }
            },
        }
    operation["responses"] = _responses(rows, named, components)
    if row.per_second is not None:
        operation["x-rate-limit"] = {"perSecond": row.per_second}
    operation["x-codes"] = [{"code": int(code), "meaning": code.meaning, "listed": listed} for code, listed in codes]
    if row.shape is not None:
        operation["x-shape-code"] = int(row.shape)
    ids = [schema_id for each in rows for schema_id in (_request_id(each), _answer_id(each))]
    operation["x-choices"] = sorted({key for schema_id in ids for key in choices_of(schema_id)})
    if forms := rows[1:]:
        operation["x-forms"] = {
            form.form: {"fields": sorted(form.recognized_by), "codes": [int(code) for code, _ in form.codes]}
            for form in forms
        }
    return operation


def _request_id(row: Endpoint) -> str:
    return f"mockrelay:requests/{row.id}.json"


def _answer_id(row: Endpoint) -> str:
    return f"mockrelay:responses/{row.id}.json"


def _codes_text(row: Endpoint, judged: Collection[Judged]) -> str:
    limit = "No limit." if row.per_second is None else f"{row.per_second} requests a second."
    shape = Code(int(DEFAULTS["nft.error_code"])) if row.shape is None else row.shape
    codes = "\n".join(f"- {int(code)}: {code.meaning}" + ("" if listed else " (not listed)") for code, listed in judged)
    wrong_shape = f"A request of the wrong shape is refused with {int(shape)}."
    return f"{limit} {wrong_shape}\n\nCodes, the first to be judged first:\n\n{codes}"


def _security(row: Endpoint, options: Mapping[str, str]) -> list[dict[str, list[str]]]:
    """The key that a call has: one, one or none where it is not looked at, none."""
    if row.key is KeyHeader.NOT_LISTED:
        return []
    if row.key is KeyHeader.NOT_SHOWN:
        return [{}, {KEY_SCHEME: []}]
    asked = KEY_ASKED_UNDER[row.id]
    return [{KEY_SCHEME: []}] if asked is None or options[asked[0]] in asked[1] else []


def _body(rows: Rows, components: Components) -> dict[str, Any]:
    """The schema of a body: that of the one form, or of each. A body is of a form if it has one of the fields that tell it."""
    if len(rows) == 1:
        return {**components.ref(_request_id(rows[0]))}
    telling = [{"required": [name]} for form in rows[1:] for name in sorted(form.recognized_by)]
    first = {**components.ref(_request_id(rows[0])), "not": {"anyOf": telling}}
    return {"oneOf": [first, *(components.ref(_request_id(form)) for form in rows[1:])]}


def _query(request_id: str, named: Mapping[str, ShownCall], components: Components) -> list[dict[str, Any]]:
    place = place_of(request_id)
    found = []
    for field, inner in properties_of(place).items():
        values = {name: {"value": example.fields[field]} for name, example in named.items() if field in example.fields}
        parameter = {
            "name": field,
            "in": "query",
            "required": field in (keyword(place, "required") or ()),
            "schema": components.inline(inner.schema),
        }
        found.append(parameter | ({"examples": values} if values else {}))
    return found


def _signature(rows: Rows, named: Mapping[str, ShownCall]) -> Iterator[dict[str, Any]]:
    """The header of a signature, where a form has one. It is required if all have it and none has it in the body instead."""
    signed = next((row for row in rows if row.signature), None)
    if signed is None:
        return
    beside = f" It may be in the body instead: {', '.join(signed.body_signatures)}." if signed.body_signatures else ""
    yield {
        "name": SIGNATURE_HEADER,
        "in": "header",
        "required": all(row.signature and not row.body_signatures for row in rows),
        "description": f"An {signed.signature} signature: 0x and 130 or 132 hex digits (ECDSA), 0x and 192 (EdDSA), or "
        f"three numbers with commas (EdDSA); any of the forms is taken.{beside}",
        "schema": {
            "type": "string",
            "pattern": "^(0x([0-9a-fA-F]{130}|[0-9a-fA-F]{132}|[0-9a-fA-F]{192})|[0-9]{1,78},[0-9]{1,78},[0-9]{1,78})$",
        },
        "examples": {name: {"value": example.signature} for name, example in named.items() if example.signature},
    }


def _responses(rows: Rows, named: Mapping[str, ShownCall], components: Components) -> dict[str, Any]:
    row, unread = rows[0], components.ref(ERRORS_ID[True])
    all_bare, all_enveloped = (all(each.enveloped is wanted for each in rows) for wanted in (False, True))

    def with_status(status: int) -> dict[str, Any]:
        return {name: _answer_of(example) for name, example in named.items() if example.status == status}

    id_header = {REQUEST_ID_HEADER: {"$ref": f"#/components/headers/{REQUEST_ID_HEADER}"}}
    maybe_id = {REQUEST_ID_HEADER: {"$ref": f"#/components/headers/{REQUEST_ID_HEADER}-if-read"}}
    retry = {"Retry-After": {"$ref": "#/components/headers/Retry-After"}}
    answers = [*_answers(rows, components), *(() if all_bare else (unread,))]
    error = components.ref(ERRORS_ID[all_enveloped])
    right = response(
        "Accepted." if all_bare else "Accepted, or refused: `resultInfo.code` is 0 or one of the codes.",
        answers[0] if len(answers) == 1 else {"oneOf": answers},
        examples=with_status(HTTPStatus.OK),
        headers=id_header,
    )
    wrong = "What was sent cannot be read as HTTP. Under other options of `http.error_status`: refused."
    if not all_enveloped:
        wrong = "Refused with one of the codes, or what was sent cannot be read as HTTP."
    found = {
        "200": right,
        "400": response(wrong, error, examples=with_status(HTTPStatus.BAD_REQUEST), headers=maybe_id),
    }
    found["400"]["x-choices"] = list(_ERROR_CHOICES[all_enveloped])
    if row.method == "POST":
        found["413"] = {"$ref": "#/components/responses/TooLong"}
    if row.limit_status is None:
        limited = "More requests in a second than the limit." if row.per_second else "Only where a limit was set."
        found["429"] = response(
            limited, unread, examples=with_status(HTTPStatus.TOO_MANY_REQUESTS), headers=id_header | retry
        )
        found["429"]["x-choices"] = [*_RATE_CHOICES, *([] if row.per_second else ["rate.unlisted"])]
    return found


def _answers(rows: Rows, components: Components) -> list[dict[str, Any]]:
    """The schemas of the answers to all forms; forms that are answered alike have one."""
    by_shape: dict[str, str] = {}
    for row in rows:
        shape = {name: value for name, value in document(_answer_id(row)).items() if name not in ("$id", "title")}
        by_shape.setdefault(json.dumps(shape), _answer_id(row))
    return [{**components.ref(answer_id)} for answer_id in by_shape.values()]


def _answer_of(example: ShownCall) -> dict[str, Any]:
    return {"value": example.answer, "x-mockrelay": dict(example.origin)}
