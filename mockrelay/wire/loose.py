"""Makes calls of requests in the loose forms that published clients send.

Several slashes count as one. A parameter may be given twice, and an empty one counts as absent. Bodies may be JSON or forms, and may
repeat their fields in the query. Numbers and booleans come as text or as themselves, words of a closed list in any letter case.
Fields that the endpoint does not have are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl

from mockrelay.core.call import Call, Violation
from mockrelay.spec.lint_rules import REPEATED_PARAMETER
from mockrelay.spec.profiles import Profile
from mockrelay.suggest import quoted
from mockrelay.wire.decode import (
    MAX_BODY,
    MAX_INTEGER,
    Decide,
    NoRoute,
    all_violations,
    form_of,
    length,
    no_route,
    takes_digits,
    unshown_fields,
)
from mockrelay.wire.http import RawRequest, asks_for_socket
from mockrelay.wire.json_body import parse_body, text_violations
from mockrelay.wire.multipart import multipart_pairs
from mockrelay.wire.schemas import Place, keyword, place_of, properties_of

FORM_FIELDS_MAX = 1_000
"""The most fields of a form."""
FORM_ESCAPES_MAX = 50_000
"""Percent signs in a form: to decode more of them would hold up other requests."""
_BACKSLASH = ord("\\")
_SLASHES = re.compile("//+")
_INTEGER = re.compile(rf"-?0*[0-9]{{1,{MAX_INTEGER}}}")
_BOOLEANS = {"true": True, "false": False, "1": True, "0": False}
_FORM, _MULTIPART = "application/x-www-form-urlencoded", "multipart/form-data"
_NO_TEXTS = ("", "None")
"""Texts of an optional parameter that a client sends for "not given"."""

_Fields = dict[str, Any]
_Fits = Mapping[str, Callable[[Place, Any], Any]]
"""By type of a schema, what makes a value of it from its loose forms."""


def decode_loosely(raw: RawRequest, decide: Decide, profile: Profile) -> Call | NoRoute:
    """As `decode`, for a profile that reads requests loosely."""
    path = _SLASHES.sub("/", raw.path) if "//" in raw.path else raw.path
    endpoint = profile.routes.get((raw.method, path))
    if endpoint is None or length(raw.headers, raw.body) > MAX_BODY:
        return no_route(replace(raw, path=path), profile)
    headers = raw.headers
    if endpoint.upgrades and not asks_for_socket(headers):
        return NoRoute(426, f"{path} opens a WebSocket; meant: a handshake of RFC 6455, version 13")
    is_plain = _is_plain_json(raw)
    fields, violations = _fields_of(raw, parse_body(raw.body) if is_plain else _body_fields(raw))
    endpoint = profile.in_form(endpoint, fields)
    form = form_of(endpoint)
    if is_plain and not (violations or form.choices) and form.check(fields):
        # Most bodies are as their schema says, and need no fitting.
        return Call(endpoint, fields, (), headers.get("x-api-key"), headers.get("x-api-sig"), raw.remote)
    if not violations or violations[0].field != "body":
        unshown = {name: fields[name] for name in unshown_fields(endpoint) if name in fields}
        has_types = raw.method == "POST" and not _is_of_pairs(raw)
        fits = _FITS_OF_TYPED if has_types and decide("http.numbers", {}) == "strict" else _FITS
        fields = _fitted(place_of(form.schema_id), fields, fits) | unshown
    violations += tuple(text_violations(fields))
    violations = all_violations(form, fields, violations, decide)
    return Call(endpoint, fields, violations, headers.get("x-api-key"), headers.get("x-api-sig"), raw.remote)


def _fields_of(raw: RawRequest, body: _Fields | Violation) -> tuple[_Fields, tuple[Violation, ...]]:
    """The fields of a request from query and body, and what is wrong with them."""
    if isinstance(body, Violation):
        return {}, (body,)
    if not raw.query:
        return body, ()
    fields, violations = _from_pairs(raw.query)
    return _merged(body, fields, violations)


def _is_form_of_delete(raw: RawRequest) -> bool:
    """Whether the body is a form of a DELETE. A DELETE may have its parameters there; a body of another type is ignored."""
    return raw.method == "DELETE" and _content_type(raw) == _FORM


def _is_plain_json(raw: RawRequest) -> bool:
    """Whether a POST has an object as its body, without escapes (so without lone surrogates and NUL), and no query."""
    body = raw.body
    return (
        body[:1] == b"{"
        and raw.method == "POST"
        and _content_type(raw) != _MULTIPART
        and _BACKSLASH not in body
        and not raw.query
    )


def _merged(body: _Fields, query: _Fields, violations: tuple[Violation, ...]) -> tuple[_Fields, tuple[Violation, ...]]:
    """The fields of a body with those of a query, which may only repeat them or add to them."""
    for name, value in query.items():
        if name in body and str(body[name]).lower() != str(value).lower():
            detail = f"{quoted(name)}: given in the query and in the body, with different values"
            violations += (Violation(quoted(name), "repeated", None, detail, REPEATED_PARAMETER),)
    return query | body, violations


def _body_fields(raw: RawRequest) -> _Fields | Violation:
    """The fields of a body of any of the three types; an empty body has none, nor has a method's that has no bodies."""
    if not (raw.method == "POST" or _is_form_of_delete(raw)) or not raw.body.strip():
        return {}
    if not _is_of_pairs(raw):
        return parse_body(raw.body)
    if _content_type(raw) == _FORM:
        pairs = _form_pairs(raw.body)
        wrong = f"it has more than {FORM_FIELDS_MAX} fields or {FORM_ESCAPES_MAX} percent signs"
    else:
        pairs = multipart_pairs(raw.headers["content-type"], raw.body, FORM_FIELDS_MAX)
        wrong = f"it is not multipart/form-data with the boundary of its header and at most {FORM_FIELDS_MAX} parts"
    if pairs is None:
        return Violation("body", "form", None, f"body: {wrong}")
    fields, violations = _from_pairs(pairs)
    return violations[0]._replace(field="body") if violations else fields


def _is_of_pairs(raw: RawRequest) -> bool:
    """Whether the body is a form of either type, in which all values are text. Any other body counts as JSON."""
    content_type = _content_type(raw)
    return content_type == _MULTIPART or (content_type == _FORM and not raw.body.lstrip().startswith(b"{"))


def _content_type(raw: RawRequest) -> str:
    return raw.headers.get("content-type", "").partition(";")[0].strip().lower()


def _form_pairs(body: bytes) -> list[tuple[str, str]] | None:
    """The pairs of a form; None where there are too many, or too much to decode in them."""
    if body.count(b"%") > FORM_ESCAPES_MAX:
        return None
    try:
        return parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=FORM_FIELDS_MAX)
    except ValueError:
        return None


def _from_pairs(pairs: Iterable[tuple[str, str]]) -> tuple[_Fields, tuple[Violation, ...]]:
    """Fields of pairs; a dotted name is that of a field inside another. A name may be given again with the same value."""
    values: dict[str, str] = {}
    violations: tuple[Violation, ...] = ()
    for name, value in pairs:
        if values.setdefault(name, value) != value:
            detail = f"{quoted(name)} is given more than once, with different values"
            violations += (Violation(quoted(name), "repeated", None, detail, REPEATED_PARAMETER),)
    fields: _Fields = {}
    for name, value in values.items():
        if value in _NO_TEXTS:
            continue
        outer, dot, inner = name.partition(".")
        if dot and isinstance(fields.setdefault(outer, {}), dict):
            fields[outer][inner] = value
        else:
            fields[name] = value
    return fields, violations


def _fitted(place: Place, value: Any, fits: _Fits) -> Any:
    """A value in the type that its schema declares, if it has one of the loose forms in `fits`; any other unchanged."""
    kind = keyword(place, "type")
    if kind == "object" and isinstance(value, Mapping):
        return dict(_fitted_fields(place, value, fits))
    if kind == "array" and isinstance(value, list) and (items := place.schema.get("items")):
        # Of a list that is too long, which is refused, only as many as it may have.
        most = place.schema.get("maxItems", len(value))
        return [*(_fitted(Place(items, place.file_id), each, fits) for each in value[:most]), *value[most:]]
    fit = fits.get(kind)
    return value if fit is None else fit(place, value)


def _fitted_fields(place: Place, value: Mapping[str, Any], fits: _Fits) -> Iterator[tuple[str, Any]]:
    """The fields that a schema has. An optional one that is empty counts as absent, unless it may be empty."""
    required = keyword(place, "required") or ()
    for name, inner in properties_of(place).items():
        if name in value and (name in required or value[name] not in ("", None) or _may_be_empty(inner)):
            yield name, _fitted(inner, value[name], fits)


def _may_be_empty(place: Place) -> bool:
    return keyword(place, "type") == "string" and not any(
        keyword(place, word) for word in ("pattern", "minLength", "enum", "allOf")
    )


def _integer(_: Place, value: Any) -> Any:
    found = _INTEGER.fullmatch(value.strip()) if isinstance(value, str) else None
    return value if found is None else int(value)


def _boolean(_: Place, value: Any) -> Any:
    return _BOOLEANS.get(str(value).lower(), value) if isinstance(value, (str, int)) else value


def _text(place: Place, value: Any) -> Any:
    return str(value) if type(value) is int and value >= 0 and takes_digits(place) else _words(place, value)


def _words(place: Place, value: Any) -> Any:
    words = keyword(place, "enum")
    if words and set(words) <= {"true", "false"}:
        flag = _boolean(place, value)
        return str(flag).lower() if isinstance(flag, bool) else value
    if isinstance(value, str) and "[" not in (keyword(place, "pattern") or "["):
        # Words with commas between them.
        return value.lower()
    if isinstance(value, str) and words:
        return next((word for word in words if isinstance(word, str) and word.lower() == value.lower()), value)
    return value


_FITS: _Fits = {"integer": _integer, "boolean": _boolean, "string": _text}
_FITS_OF_TYPED: _Fits = {"boolean": _boolean, "string": _words}
"""Of JSON where numbers must be numbers and digits text (choice `http.numbers`)."""
