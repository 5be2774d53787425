"""The OpenAPI document of the relayer API in a profile, under the options that hold where nobody sets one."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from mockrelay.client.call import BASE
from mockrelay.openapi.operations import ERRORS_ID, KEY_SCHEME, Rows, ShownCall, operation_of
from mockrelay.openapi.parts import head, response, unique
from mockrelay.openapi.playing import SCENARIOS, START, Example
from mockrelay.openapi.right_calls import right_call
from mockrelay.openapi.schemas import Components
from mockrelay.openapi.script import examples
from mockrelay.openapi.unrouted import unrouted_requests
from mockrelay.relay import REQUEST_ID_HEADER
from mockrelay.spec.endpoint import SPEC, Endpoint
from mockrelay.spec.profiles import PROFILES, Profile
from mockrelay.wire.decode import MAX_BODY

KEY_HEADER = "X-API-KEY"
_CHOICES_TEXT = """\
Where a choice changes the shape of a call, `x-choices` names it. `http.error_status` changes which status a refusal has
(by default 200 where the answer has an envelope, 400 where it is bare), `http.bare_error_body` its body without an
envelope, `order.rejected_answer` whether a refused order has a receipt, and the choices `rate.*` what the answer beyond a
limit looks like. A scripted fault can answer with any status, any code and any body, or with none. A server that cannot
write its record any more answers 503, with the code 100000 in `resultInfo`.

`x-codes` lists the codes of a call in the order in which they are judged; `listed` says whether the relayer's
specification lists the code for the call.
"""
_DESCRIPTION = f"""\
What a client of the relayer meets when mockrelay runs with its default choices.

{_CHOICES_TEXT}
The examples are answers that mockrelay gave to the scenario `{SCENARIOS[SPEC]}` when this document was made, with the clock
standing still at `{START}` and moved to `now` of each `x-mockrelay`. Played in the order of `step` to a fresh relay, with
the API key of `account` and after the control calls of `before`, they are the same again, byte for byte.
"""


def relayer_document(profile: str = SPEC) -> dict[str, Any]:
    """The document of a profile, built anew; the same every time. KeyError where there is no such profile."""
    served = PROFILES[profile]
    components = Components(served.defaults)
    paths: dict[str, Any] = {}
    for row in served.routes.values():
        if row.upgrades:  # OpenAPI describes no WebSockets
            continue
        rows = (row, *served.forms.get(row.name, ()))
        named = _script_calls(row) if profile == SPEC else _right_calls(rows, profile)
        paths.setdefault(row.path, {})[row.method.lower()] = operation_of(rows, named, components)
    others = _unrouted(components, profile)
    title, description = "mockrelay: relayer API", _DESCRIPTION
    if profile != SPEC:
        title, description = f"{title}, profile {profile}", _profile_text(served)
    return {
        **head(title, description),
        "paths": paths,
        "x-elsewhere": {status: {"$ref": f"#/components/responses/{name}"} for status, (name, _) in others.items()},
        "components": {
            "schemas": components.schemas(),
            "responses": dict(others.values()),
            "headers": _headers(),
            "securitySchemes": {
                KEY_SCHEME: {
                    "type": "apiKey",
                    "in": "header",
                    "name": KEY_HEADER,
                    "description": "An account's API key. `mockrelay serve` prints those of its scenario.",
                }
            },
        },
    }


def _script_calls(row: Endpoint) -> dict[str, ShownCall]:
    """The examples of an endpoint in the specification's document: its calls in the script."""
    named: dict[str, ShownCall] = {}
    for one in examples():
        if one.endpoint == row.name:
            shown = ShownCall(one.fields, one.signature, one.status, one.answer, one.origin())
            named[unique(_name(one), named)] = shown
    return named


def _name(example: Example) -> str:
    if example.status == HTTPStatus.TOO_MANY_REQUESTS:
        return "rate_limited"
    return f"refused_{example.code}" if example.code else "accepted"


def _right_calls(rows: Rows, profile: str) -> dict[str, ShownCall]:
    """The examples of an endpoint in the document of another profile: a right call in each of its forms."""
    named = {}
    for row in rows:
        right = right_call(row.id, profile=profile)
        origin = {"now": right.now, "account": right.account, "before": list(right.before)}
        name = f"accepted_{row.form}" if row.recognized_by else "accepted"
        named[name] = ShownCall(right.call.fields, right.call.signature, right.status, right.answer, origin)
    return named


def _profile_text(profile: Profile) -> str:
    """What a document of a profile other than the specification's says of itself."""
    options = "\n".join(f"- `{key}`: `{option}`" for key, option in profile.options.items())
    return f"""\
What a client of the relayer meets when mockrelay runs in the profile `{profile.name}` and no choice is set otherwise.

Where a path takes bodies of several forms, it is one operation: the schema of its body is `oneOf` of the forms, and
`x-forms` has the fields by any of which a form is recognized, and its codes in the order in which they are judged. Requests are described in their plain form; the profile
also reads them as loosely as published clients send them.

{_CHOICES_TEXT}
These choices have another option than in the specification's document:

{options}

The examples are what `mockrelay example NAME --profile {profile.name}` prints: right calls with the answers that mockrelay gave to the
scenario `{SCENARIOS[profile.name]}`, each to a relay of its own, at the time `now` and after the calls of `before`. Their signatures
are right where they do not cover another address than `{BASE}`.
"""


def _unrouted(components: Components, profile: str) -> dict[str, tuple[str, dict[str, Any]]]:
    """By status: the responses to requests that reach no endpoint."""
    id_header = {REQUEST_ID_HEADER: {"$ref": f"#/components/headers/{REQUEST_ID_HEADER}"}}
    allow = {"Allow": {"$ref": "#/components/headers/Allow"}}
    words = {
        HTTPStatus.NOT_FOUND: ("NotFound", "The API has no such path, or no world can have this name.", id_header),
        HTTPStatus.METHOD_NOT_ALLOWED: ("MethodNotAllowed", "The path takes another method.", id_header | allow),
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ("TooLong", f"The body is longer than {MAX_BODY} bytes.", id_header),
    }
    error = components.ref(ERRORS_ID[True])
    found = {}
    for request in unrouted_requests(profile):
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
