"""From requests to calls. Nothing is raised: whatever is wrong with the form of a request is a violation of its call.

Where the spec does not say that a form is wrong, its violation is optional: it names the choice under which it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from mockrelay.core.call import Call, Violation
from mockrelay.spec import lint_rules
from mockrelay.spec.codes import Code
from mockrelay.spec.endpoint import SPEC, Endpoint
from mockrelay.spec.endpoints import BY_ID
from mockrelay.spec.profiles import PROFILES, Profile
from mockrelay.suggest import close_match, quoted
from mockrelay.wire.compile import DIGITS, WHOLE_NUMBER, Check, checker
from mockrelay.wire.http import RawRequest
from mockrelay.wire.json_body import parse_body, text_violations
from mockrelay.wire.schemas import Place, choices_of, keyword, place_of, properties_of

Decide = Callable[[str, Mapping[str, Any]], Any]
"""The option of a choice that holds: (key, context) -> option."""

MAX_BODY = 2**20
"""Bytes that a body may have."""
MAX_LISTED = 20
"""Violations of one kind that are listed for one request, however many fields it has."""
MAX_INTEGER = 78
"""Digits that an integer of the query may have: as many as a 256-bit amount."""
CACHED_TARGET_MAX = 512
"""Queries in longer targets are read each time: what is cached of them would have no bound in bytes."""

NOT_SHOWN = frozenset({"eddsaSignature", "ecdsaSignature", "hashApproved"})
"""Fields of bodies that the spec does not show: "signature fields of these bodies: not shown" (spec §27)."""
_QUOTED = lint_rules.STRING_FOR_NUMBER
_BACKSLASH = ord("\\")


class NoRoute(NamedTuple):
    """A request that reaches no endpoint: the HTTP status of its answer, and why."""

    status: int
    detail: str
    allow: tuple[str, ...] = ()
    """The methods that the path has, where the method was wrong."""


@dataclass(frozen=True, slots=True)
class Form:
    """The form of an endpoint's requests."""

    endpoint: Endpoint
    schema_id: str
    check: Check
    choices: tuple[str, ...]
    """Keys of the choices that change the schema."""
    names: frozenset[str]
    inner: tuple[tuple[str, frozenset[str]], ...]
    """The fields that are objects, and the names of their fields."""
    integers: tuple[str, ...]


class _Fields(NamedTuple):
    """What a query or a body holds."""

    args: dict[str, Any]
    violations: tuple[Violation, ...]
    """Those that no schema sees."""
    optional: tuple[Violation, ...]
    is_right: bool
    """Whether there is no violation, whatever the choices say: the usual case, which costs one run of the form's check."""


def decode(raw: RawRequest, decide: Decide, profile: Profile = PROFILES[SPEC]) -> Call | NoRoute:
    """The call that a request makes, with every violation of its form, the optional ones last; NoRoute where it reaches no
    endpoint (404, 405) or is too large (413).
    """
    headers, query, body = raw.headers, raw.query, raw.body
    endpoint = profile.routes.get((raw.method, raw.path))
    if endpoint is None or length(headers, body) > MAX_BODY:
        return no_route(raw, profile)
    form = form_of(endpoint)
    if raw.method == "GET":
        fields = (_cached_query if len(raw.raw_target) <= CACHED_TARGET_MAX else _from_query)(endpoint.id, query)
    else:
        fields = _from_body(form, headers, query, body)
    args, violations, optional, is_right = fields
    if not is_right:
        violations = all_violations(form, args, violations, decide)
    return Call(
        form.endpoint, args, violations + optional, headers.get("x-api-key"), headers.get("x-api-sig"), raw.remote
    )


def relax(call: Call, decide: Decide) -> Call:
    """The call read with lenient numbers (choice `http.numbers`): a string of digits stands for an integer where one
    is declared, an integer for its digits where those are declared, in inner objects too; then checked again.
    """
    if any(violation.field == "body" for violation in call.violations):
        return call
    form = form_of(call.endpoint)
    args = _relax_value(place_of(form.schema_id), call.args)
    outside = tuple(
        violation
        for violation in call.violations
        if violation.choice is None and violation.rule in ("repeated", "text")
    )
    return replace(call, args=args, violations=all_violations(form, args, outside, decide))


_FORMS: dict[str, Form] = {}


def form_of(endpoint: Endpoint) -> Form:
    """The form of an endpoint's requests."""
    return _FORMS.get(endpoint.id) or _new_form(endpoint)


def _new_form(endpoint: Endpoint) -> Form:
    schema_id = f"mockrelay:requests/{endpoint.id}.json"
    fields = properties_of(place_of(schema_id))
    inner = ((field, frozenset(properties_of(place))) for field, place in fields.items())
    form = _FORMS[endpoint.id] = Form(
        endpoint,
        schema_id,
        checker(schema_id),
        tuple(sorted(choices_of(schema_id))),
        frozenset(fields) | unshown_fields(endpoint),
        tuple((field, names) for field, names in inner if names),
        tuple(field for field, place in fields.items() if keyword(place, "type") == "integer"),
    )
    return form


def unshown_fields(endpoint: Endpoint) -> frozenset[str]:
    """The fields that carry signatures where the spec does not show them."""
    is_signed = any(judged.code is Code.AUTH_SIGNATURE_WRONG for judged in endpoint.codes)
    return NOT_SHOWN if endpoint.nft and is_signed and endpoint.signature is None else frozenset()


def all_violations(
    form: Form, args: Mapping[str, Any], outside: tuple[Violation, ...], decide: Decide
) -> tuple[Violation, ...]:
    """The violations that were found outside the schema, then those of the schema. A body that is not a JSON object has the
    first one only.
    """
    if outside and outside[0].field == "body":
        return outside
    options = tuple((key, decide(key, {"endpoint": form.endpoint.name})) for key in form.choices)
    fits = checker(form.schema_id, options)(args)
    if fits:
        return outside
    found = _of_schema(form.schema_id, args, options)
    if form.endpoint.method != "POST":
        # In a query everything is text: a word there is not a number in quotes.
        found = tuple(
            violation._replace(finding=lint_rules.SHAPE) if violation.finding is _QUOTED else violation
            for violation in found
        )
    return outside + found


def _of_schema(schema_id: str, args: Mapping[str, Any], options: tuple[tuple[str, str], ...]) -> tuple[Violation, ...]:
    from mockrelay.wire.explain import explain  # noqa: PLC0415  # brings jsonschema, which a right call never needs

    violations = explain(schema_id, args, options)
    assert violations, f"{schema_id}: the compiled check refuses what the schema allows"
    return violations


def _from_query(row: str, query: tuple[tuple[str, str], ...]) -> _Fields:
    """The fields of a GET."""
    form = form_of(BY_ID[row])
    violations: tuple[Violation, ...] = ()
    optional: tuple[Violation, ...] = ()
    # Plain texts, whatever class a caller in this process has used: equal queries share this answer.
    args: dict[str, Any] = {name: str.__str__(value) for name, value in query}
    if len(args) != len(query):
        twice = tuple(_repeated(query))
        violations = tuple(violation for violation in twice if violation.choice is None)
        optional = tuple(violation for violation in twice if violation.choice is not None)
    texts = "".join(args.values())
    if not texts.isascii() or "\0" in texts:
        violations += tuple(islice(text_violations(args), MAX_LISTED))
    for name in form.integers:
        if name in args:
            args[name] = _integer(args[name])
    return _checked(form, args, violations, optional)


# Clients that poll send the same query each time. Nothing changes the fields of a call.
_cached_query = lru_cache(maxsize=512)(_from_query)


def _integer(text: str) -> int | str:
    """The integer that a text writes in the one way that JSON has for it; any other text as it is."""
    digits = text.removeprefix("-")
    if not (digits.isdigit() and digits.isascii()) or len(digits) > MAX_INTEGER or (digits[0] == "0" and text != "0"):
        return text
    return int(text)


def _from_body(form: Form, headers: Mapping[str, str], query: tuple[tuple[str, str], ...], body: bytes) -> _Fields:
    """The fields of a POST; the type of its body and a query are optional violations."""
    optional = tuple(_misplaced(name) for name, _ in query) if query else ()
    content_type = headers.get("content-type", "")
    if content_type != "application/json" and content_type.partition(";")[0].strip().lower() != "application/json":
        optional = (_foreign_type(content_type), *optional)
    args = parse_body(body)
    if isinstance(args, Violation):
        return _Fields({}, (args,), optional, is_right=False)
    # A lone surrogate or NUL can only be an escape: as bytes they are not JSON.
    violations = tuple(islice(text_violations(args), MAX_LISTED)) if _BACKSLASH in body else ()
    return _checked(form, args, violations, optional)


def _checked(
    form: Form, args: dict[str, Any], violations: tuple[Violation, ...], optional: tuple[Violation, ...]
) -> _Fields:
    """The fields after their check, and after the unknown ones were added to the optional violations."""
    if form.inner or not form.names.issuperset(args):
        optional += tuple(islice(_unknown_fields(form.names, form.inner, args), MAX_LISTED))
    return _Fields(args, violations, optional, not violations and not form.choices and form.check(args))


def _repeated(query: tuple[tuple[str, str], ...]) -> Iterator[Violation]:
    """Parameters that are given more than once: violations where their values differ, optional where they are the same."""
    values: dict[str, list[str]] = {}
    for name, value in query:
        values.setdefault(name, []).append(value)
    for name, texts in values.items():
        field = quoted(name)
        if len(set(texts)) > 1:
            detail = f"{field} is given {len(texts)} times, with different values"
            yield Violation(field, "repeated", None, detail, lint_rules.REPEATED_PARAMETER)
        elif len(texts) > 1:
            detail = f"{field} is given {len(texts)} times"
            yield Violation(field, "repeated", None, detail, lint_rules.REPEATED_PARAMETER, "http.repeated_query")


def _misplaced(name: str) -> Violation:
    """A parameter in the query of a call whose fields are in the body."""
    detail = f"{quoted(name)}: a query parameter; the fields belong into the body"
    return Violation(quoted(name), "unknown", None, detail, lint_rules.UNKNOWN_FIELD, "http.unknown_fields")


def _unknown_fields(
    names: frozenset[str], inner: tuple[tuple[str, frozenset[str]], ...], args: Mapping[str, Any]
) -> Iterator[Violation]:
    """Fields that the endpoint does not have. `inner`: its fields that are objects, each with the names that it may have."""
    for outer, own, fields in [("", names, args), *((name, own, args.get(name)) for name, own in inner)]:
        if isinstance(fields, dict):
            for name in fields:
                if name not in own:
                    field = f"{outer}.{quoted(name)}".removeprefix(".")
                    detail = f"{field}: the endpoint has no such field{_near(name[:80], own)}"
                    yield Violation(field, "unknown", None, detail, lint_rules.UNKNOWN_FIELD, "http.unknown_fields")


def _foreign_type(content_type: str) -> Violation:
    """A body that is declared as something else than JSON."""
    found = quoted(content_type) if content_type else "none"
    detail = f"Content-Type: {found}, not application/json"
    return Violation("header Content-Type", "content type", None, detail, lint_rules.CONTENT_TYPE, "http.content_type")


@lru_cache(maxsize=512)
def _near(name: str, names: frozenset[str]) -> str:
    """The name nearest to a misspelt one, as the end of a sentence. A client misspells it in every call, so it is
    cached.
    """
    near = close_match(name, sorted(names))
    return f"; {near!r} is near it" if near else ""


def no_route(raw: RawRequest, profile: Profile) -> NoRoute:
    """Why a request reaches no endpoint of a profile, or is too large for one."""
    allow = profile.methods.get(raw.path)
    if allow is None:
        near = close_match(raw.path, profile.methods)
        hint = f"; {profile.methods[near][0]} {near} is near it" if near else ""
        return NoRoute(404, f"path: the API has no {quoted(raw.path)}{hint}")
    if raw.method not in allow:
        return NoRoute(405, f"method: {raw.path} takes {', '.join(allow)}, not {quoted(raw.method)}", allow)
    return NoRoute(413, f"body: {length(raw.headers, raw.body)} bytes are more than {MAX_BODY}")


def length(headers: Mapping[str, str], body: bytes) -> int:
    """The length of a body; a server does not read one that is declared too long."""
    declared = headers.get("content-length", "")
    return max(len(body), int(declared)) if len(declared) > 6 and declared.isdecimal() else len(body)


def _relax_value(place: Place, value: Any) -> Any:
    kind = keyword(place, "type")
    if kind == "object" and isinstance(value, dict):
        fields = properties_of(place)
        return {name: _relax_value(fields[name], inner) if name in fields else inner for name, inner in value.items()}
    if kind == "integer" and isinstance(value, str):
        return _integer(value)
    if kind == "string" and type(value) is int and value >= 0 and takes_digits(place):
        return str(value)
    return value


def takes_digits(place: Place) -> bool:
    """Whether a text field holds a whole number."""
    patterns = [keyword(place, "pattern"), *(part["pattern"] for part in keyword(place, "allOf") or ())]
    return WHOLE_NUMBER in patterns or DIGITS in patterns
